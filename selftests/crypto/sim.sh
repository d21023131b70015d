#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of this folder on a simulated SEC device, through the kernel: published vectors, random requests,
# refusals.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/own_device.sh"

TESTS=$OUT/tests/crypto
CASES=100
EVERY=200
[ -z "${WD_TEST_BRIEF:-}" ] || { CASES=30; EVERY=1000; }
# All vectors run natively; here they run only on demand.
[ -n "${WD_TEST_LONG:-}" ] || export WD_VECTORS_EVERY=$EVERY
export WD_NO_LARGE=1

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

test_tags_of_AEAD() {
	good test_tags
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
	own_device_drop sec hisi_sec2
}

need_sim hisi_sec2 0
own_device sec hisi_sec2
run_tests "$@"
