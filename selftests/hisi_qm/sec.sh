#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SEC driver on a simulated device made for it: the driver's output, raw descriptors, binding, removal.

MODULE=hisi_sec2
KIND=sec
QUEUES=256
ALGORITHMS="cipher digest aead"
. "$(dirname "$0")/engine.sh"

# ZIP's latency and throughput are 10.
test_its_algorithms_are_faster_than_average() {
	local alg

	begin
	until_true 30 there
	for alg in $ALGORITHMS; do
		[ "$(cat "$CLASS/$(device)/$MODULE-$alg/latency")" -lt 10 ]
		[ "$(cat "$CLASS/$(device)/$MODULE-$alg/throughput")" -gt 10 ]
	done
	attr "$MODULE-cipher/flags" 0x00000003
	attr "$MODULE-digest/flags" 0x00000103
	attr "$MODULE-aead/flags" 0x00000103
}

test_its_counters_can_be_read() {
	begin_debugfs
	says 'SEC_BD_NUM_IN_SEC             = 0x' "$DEBUGFS/sec_dfx/regs"
	says 'SEC_SAA_EN                    = 0x0000000f' "$DEBUGFS/sec_dfx/regs"
	echo 0 >"$DEBUGFS/clear_enable"
	WD_TEST_BRIEF=1 "$CLIENT" >/dev/null
	until_true 30 grep -q 'SEC_BD_NUM_IN_SEC  *= 0x' "$DEBUGFS/sec_dfx/diff_regs"
	not grep SEC_SAA_EN "$DEBUGFS/sec_dfx/diff_regs"
	exits 1 bash -c "echo 2 >$DEBUGFS/clear_enable" 2>/dev/null
	echo 1 >"$DEBUGFS/clear_enable"
	says 1 "$DEBUGFS/clear_enable"
	echo 0 >"$DEBUGFS/clear_enable"
}

run_tests "$@"
