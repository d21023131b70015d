#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of this folder on a simulated HPRE device, through the kernel: vectors, other numbers, asynchronous requests.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/own_device.sh"

# All cases run natively; here they run only on demand.
[ -n "${WD_TEST_LONG:-}" ] || export WD_FEW_REQUESTS=1

TESTS=$OUT/tests/pubkey

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
	own_device_drop hpre hisi_hpre
}

need_sim hisi_hpre 0
own_device hpre hisi_hpre
run_tests "$@"
