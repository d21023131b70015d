#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of this folder on a simulated HPRE device, through the kernel: vectors, other numbers, asynchronous requests.

. "$(dirname "$0")/../include/tap.sh"

# All cases run natively; here they run only on demand.
[ -n "${WD_TEST_LONG:-}" ] || export WD_FEW_REQUESTS=1

ITEM=/sys/kernel/config/hisi_sim/pubkeytest
TESTS=$OUT/tests/pubkey

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
	[ ! -d /sys/module/hisi_hpre ] || timeout 600 modprobe -r hisi_hpre
}

there() {
	compgen -G '/sys/class/uacce/hisi_hpre-*' >/dev/null
}

begin() {
	drop
	timeout 600 modprobe hisi_hpre
	mkdir $ITEM
	echo hpre >$ITEM/type
	echo 1 >$ITEM/live
	until_true 30 there
}

# good PROGRAM: the program passes; its skips are accepted.
good() {
	"$TESTS/$1" >log || { grep -v '^ok' log; return 1; }
	says 'fail:0' log
}

test_rsa() {
	good test_rsa
}

test_dh() {
	good test_dh
}

test_ecc_vectors() {
	good test_ecc_vectors
}

test_both_paths_give_the_same() {
	WD_CROSS_ROUNDS=1 good test_cross
	says 'skip:0' log
}

test_asynchronous_requests_come_back() {
	good test_async
}

at_exit() {
	drop
}

[ -d /sys/kernel/config/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
modinfo hisi_hpre >/dev/null 2>&1 || { echo '1..0 # SKIP hisi_hpre is not there'; exit 4; }
begin
run_tests "$@"
