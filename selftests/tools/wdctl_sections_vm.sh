#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections with wdctl on a running kernel with two simulated devices. Leaves no section behind.

U=/sys/kernel/config/uacce
# The native run tries all of them.
BY=5
BY_KILL=3
kernel_answers=1
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

third() {
	mkdir -p /sys/kernel/config/hisi_sim/third
	echo "$1" >/sys/kernel/config/hisi_sim/third/live
}

at_exit() {
	machine
	[ ! -e /sys/kernel/config/hisi_sim/third ] || { third 0; rmdir /sys/kernel/config/hisi_sim/third; }
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

members() {
	w section show --json "$1" |
		python3 -c 'import json, sys; print(*json.load(sys.stdin)["sections"][0]["members"])'
}

test_a_section_that_names_no_devices_is_joined_by_those_that_come() {
	local free

	[ -d /sys/kernel/config/hisi_sim ] || skip "devices aren't simulated"
	machine
	printf '%s\n' '[All]' "[Named] Devices = $PARENT0" >f
	w apply f >/dev/null
	[ "$(members All | wc -w)" = 2 ]
	third 1
	until_true 60 sh -c "[ \$(ls $U/devices | wc -l) = 3 ]"
	w plan f >got 2>err
	golden got <<-'END'
		section All: drain and wait
		section All: live
	END
	grep "note: section All: device .* has come since the section went live" err
	# Other changes don't drain it, and leave it as it is.
	[ "$(w section set All MaxExtraCtxs=0)" = "nothing to do" ]
	# While a slot is held, it stays.
	# Without w(): in the background, a function is a shell of its own, and kill would end that shell.
	wdctl run -s All -- sleep 1000 &
	until_true 60 sh -c 'wdctl section show All | grep "attached 1"'
	exits 3 w apply --wait 0 f 2>err
	exits 1 w apply --wait 0 --keep-going f >got 2>err
	says "section All: drain and wait: processes hold its slots" err
	[ "$(members All | wc -w) $(state All)" = "2 live" ]
	kill $!
	wait $! || :
	until_true 60 sh -c 'wdctl section show All | grep "attached 0, lingering 0"'
	# A failure gives it back what it had.
	NTH_FAIL=2 exits 1 w apply f 2>err
	[ "$(members All | wc -w) $(state All)" = "2 live" ]
	w apply f >/dev/null
	[ "$(members All | wc -w)" = 3 ]
	[ "$(w apply f)" = "nothing to do" ]
	w save | grep -A3 '^\[All\]' | grep "Devices = .*, .*, "
	third 0
	until_true 60 sh -c "[ \$(ls $U/devices | wc -l) = 2 ]"
	w section list | grep -E '^All +partial '
	w plan f >got 2>err
	[ "$(cat got)" = "nothing to do" ]
	grep "note: section All: device .* is not present: its share waits for it" err
	third 1
	until_true 60 sh -c 'wdctl section list | grep -E "^All +live "'
	w apply --prune /dev/null >/dev/null
	third 0
}

test_a_section_without_any_of_its_devices_is_absent() {
	machine
	echo "[S] Devices = 0fff:0f:00.0" | w apply - >/dev/null 2>err
	w section list | grep -E '^S +absent '
	w section show S >got
	says "; state: absent" got
	says "; without a share on: 0fff:0f:00.0" got
	w section show --json S | python3 -c '
import json, sys
s = json.load(sys.stdin)["sections"][0]
assert s["state"] == "live" and s["missing"] == s["members"] == ["0fff:0f:00.0"], s'
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
