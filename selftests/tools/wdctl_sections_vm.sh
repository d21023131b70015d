#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections with wdctl on a running kernel with two simulated devices. Leaves no section behind.

U=/sys/kernel/config/uacce
# The native run tries all of them.
BY=5
BY_KILL=3
. "$(dirname "$0")/sections_cases.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"

[ -d $U/sections ] || skip "this kernel has no sections"
DEV0=$(ls $U/devices | sed -n 1p)
DEV1=$(ls $U/devices | sed -n 2p)
[ -n "$DEV1" ] || skip "there are no two devices"
PARENT0=$(basename "$(readlink "/sys/class/uacce/$DEV0/device")")
PARENT1=$(basename "$(readlink "/sys/class/uacce/$DEV1/device")")
ZONES=$(cat $U/devices/*/zone_id)

machine() {
	local dev

	wdctl apply --prune --revoke /dev/null >/dev/null
	for dev in $DEV0 $DEV1; do
		echo 0 >"$U/devices/$dev/priority"
		echo 0 >"$U/devices/$dev/max_ctxs_per_process"
	done
	echo 0 >"$U/devices/$DEV0/zone_id"
	echo 1 >"$U/devices/$DEV1/zone_id"
}

w() {
	NTH_BELOW=$U LD_PRELOAD=$OUT/tests/tools/nth_step.so wdctl "$@"
}

at_exit() {
	machine
	echo "$ZONES" | sed -n 1p >"$U/devices/$DEV0/zone_id"
	echo "$ZONES" | sed -n 2p >"$U/devices/$DEV1/zone_id"
}

test_all_shares_come_back() {
	local before

	machine
	before=$(cat $U/devices/*/free_ctxs)
	after | w apply - >/dev/null
	[ "$(cat $U/devices/*/free_ctxs)" != "$before" ]
	w apply --prune /dev/null >/dev/null
	[ "$(cat $U/devices/*/free_ctxs)" = "$before" ]
}

test_others_see_sections_and_change_none() {
	machine
	before | w apply - >/dev/null
	picture >want
	as_nobody wdctl section list >got
	[ "$(wc -l <got)" = 7 ]
	exits 1 as_nobody wdctl section add X 2>err
	says "needs root" err
	picture | same - want
}

run_tests "$@"
