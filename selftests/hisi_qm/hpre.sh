#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The HPRE driver on a simulated device made for it: the driver's output, raw descriptors, binding, removal.

MODULE=hisi_hpre
KIND=hpre
QUEUES=64
ALGORITHMS="rsa dh ecdh ecdsa sm2 x25519 x448"
. "$(dirname "$0")/engine.sh"

# ZIP's latency and throughput are 10.
test_its_algorithms_are_slower_than_average() {
	local alg

	begin
	until_true 30 there
	for alg in $ALGORITHMS; do
		[ "$(cat "$CLASS/$(device)/$MODULE-$alg/latency")" -gt 10 ]
		[ "$(cat "$CLASS/$(device)/$MODULE-$alg/throughput")" -lt 10 ]
		attr "$MODULE-$alg/flags" 0x00000001
	done
	[ "$(cat "$CLASS/$(device)/$MODULE-x25519/latency")" -lt "$(cat "$CLASS/$(device)/$MODULE-rsa/latency")" ]
}

test_its_registers_can_be_read() {
	begin_debugfs
	says 'INT_MASK                      = ' "$DEBUGFS/regs"
	says 'CORES_INI_STATUS              = 0x000003ff' "$DEBUGFS/cluster0/regs"
	absent "$DEBUGFS/cluster1"
	exits 1 bash -c "echo 10 >$DEBUGFS/cluster0/cluster_ctrl" 2>/dev/null
	echo 9 >"$DEBUGFS/cluster0/cluster_ctrl"
	exits 1 bash -c "echo 2 >$DEBUGFS/rdclr_en" 2>/dev/null
	echo 1 >"$DEBUGFS/rdclr_en"
	says 1 "$DEBUGFS/rdclr_en"
}

run_tests "$@"
