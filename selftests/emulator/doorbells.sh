#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The CQ doorbell must be rung: a queue whose owner never does ends, on each generation.
set -u
. "${TOP:?}/selftests/include/tap.sh"

[ "$(uname -m)" = x86_64 ] || skip 'wd-emulate --trap-doorbells is for x86-64'

traps() {
	"${OUT:?}/bin/wd-emulate" --trap-doorbells "$@"
}

rings() {
	traps --zip "$1" --depth 8 --engine none -- "$OUT/tests/emulator/doorbell_client"
}

test_that 'with a window for each queue' rings 1
test_that 'with a register that all queues share' rings 1@v2
test_that 'queue pairs ring' traps --zip 1 -- "$OUT/tests/libhisi_qm/test_qp"
test_that 'sessions ring: compression' traps --zip 2 -- "$OUT/tests/comp/test_async"
test_that 'sessions ring: compression on generation 2' traps --zip 2@v2 -- "$OUT/tests/comp/test_async"
# Small rings, so that few requests need the doorbell.
test_that 'sessions ring: ciphers and digests' traps --sec 2 --depth 256 -- "$OUT/tests/crypto/test_async"
test_that 'sessions ring: ciphers and digests on generation 2' \
	traps --sec 2@v2 --depth 256 -- "$OUT/tests/crypto/test_async"
test_that 'sessions ring: public keys' traps --hpre 2 --depth 64 -- "$OUT/tests/pubkey/test_async"
test_that 'sessions ring: public keys on generation 2' traps --hpre 2@v2 --depth 64 -- "$OUT/tests/pubkey/test_dh"
test_that 'poll threads are woken' traps --zip 1 --depth 256 -- "$OUT/tests/libwd/test_pollers"
test_that 'a client that goes by the phase bit alone rings' traps --sec 1 -- "$OUT/tests/emulator/ring_client"
tap_done
