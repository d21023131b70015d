#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of this folder on a simulated SEC device, through the kernel: published vectors, random requests, refusals.

. "$(dirname "$0")/../include/tap.sh"

ITEM=/sys/kernel/config/hisi_sim/cryptotest
TESTS=$OUT/tests/crypto
CASES=100
EVERY=200
[ -z "${WD_TEST_BRIEF:-}" ] || { CASES=30; EVERY=1000; }
# All vectors run natively; here they run only on demand.
[ -n "${WD_TEST_LONG:-}" ] || export WD_VECTORS_EVERY=$EVERY
export WD_NO_LARGE=1

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
	[ ! -d /sys/module/hisi_sec2 ] || timeout 600 modprobe -r hisi_sec2
}

there() {
	compgen -G '/sys/class/uacce/hisi_sec2-*' >/dev/null
}

begin() {
	drop
	timeout 600 modprobe hisi_sec2
	mkdir $ITEM
	echo sec >$ITEM/type
	echo 1 >$ITEM/live
	until_true 30 there
}

# good PROGRAM: the program passes; its skips are accepted.
good() {
	"$TESTS/$1" >log || { grep -v '^ok' log; return 1; }
	says 'fail:0' log
}

test_random_requests_agree_with_this_cpu() {
	WD_CROSS_CASES=$CASES good test_cross
}

test_published_vectors_of_ciphers_pass() {
	good test_cipher_vectors
}

test_published_vectors_of_digests_pass() {
	good test_digest_vectors
}

test_published_vectors_of_AEAD_pass() {
	good test_aead_vectors
}

test_streams_of_GCM_are_as_at_once() {
	WD_STREAM_CASES=20 good test_aead_stream
}

test_single_requests_and_streams_of_digests() {
	good test_request
}

test_refusals() {
	good test_refuse
}

test_asynchronous_requests_come_back() {
	good test_async
}

test_the_tool_lists_the_device() {
	wdctl list >devices
	says hisi_sec2 devices
}

at_exit() {
	drop
}

[ -d /sys/kernel/config/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
modinfo hisi_sec2 >/dev/null 2>&1 || { echo '1..0 # SKIP hisi_sec2 is not there'; exit 4; }
begin
run_tests "$@"
