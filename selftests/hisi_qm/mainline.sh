#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Our driver and mainline's, each with functions of one simulated ZIP device, which they tell each other about by
# messages.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"

MODULES=${BUILD:-$TOP/build}/mainline/$(uname -r)/beside
[ -e "$MODULES/mainline_zip.ko" ] ||
	need_skip "mainline's driver is built from linux-source-6.1, for 6.1 kernels (sim/mainline_build.sh)"
need_sim hisi_zip 2
need_commands wdctl wdzip
. "$(dirname "$0")/functions.inc.sh"

DRIVERS=/sys/bus/pci/drivers
OLD_DRIVERS=/sys/module/hisi_sim/parameters/old_drivers

# bind DRIVER ADDRESS
bind() {
	local device=/sys/bus/pci/devices/$2

	[ ! -e "$device/driver" ] || echo "$2" >"$device/driver/unbind"
	# Virtual functions that aren't probed by themselves take no other driver.
	echo "$1" >"$device/driver_override"
	echo "$2" >"$DRIVERS/$1/bind"
	[ -e "$DRIVERS/$1/$2" ]
}

# functions DRIVER DRIVER...: a new device, whose functions these drivers bind, the physical one first.
functions() {
	local number=$(($# - 1)) i=0 driver

	drop
	mkdir $ITEM
	echo 64 >$ITEM/queues
	echo $number >$ITEM/vfs
	[ "$1" = mainline_zip ] && echo 1 >$OLD_DRIVERS || echo 0 >$OLD_DRIVERS
	dmesg -C
	echo 1 >$ITEM/live
	PF=$(cat $ITEM/address)
	PCI=/sys/bus/pci/devices/$PF
	echo 0 >"$PCI/sriov_drivers_autoprobe"
	bind "$1" "$PF"
	echo $number >"$PCI/sriov_numvfs"
	shift
	for driver; do
		i=$((i + 1))
		bind "$driver" "$(vf $i)"
	done
}

# resets ADDRESS
resets() {
	echo 1 >"/sys/bus/pci/devices/$1/reset"
}

quiet() {
	dmesg | grep hisi >log || :
	not grep -iE 'timeout|time-out|in time|fail|error|did not|unexpected|unknown|mailbox' log
}

# bandwidth NUMBER: mainline's virtual function asks the physical one by a message, and shows what it answers.
bandwidth() {
	cat "/sys/kernel/debug/mainline_zip/$(vf "$1")/alg_qos" >qos
	grep -qx 1000 qos || { cat qos; return 1; }
}

test_ours_stops_and_starts_for_a_reset_of_mainlines() {
	local i

	functions mainline_zip hisi_zip hisi_zip
	compress "$(vf 2)"
	for i in 1 2; do
		busy "$(vf 1)" 2
		resets "$PF"
		all_refused "$client"
		compress "$(vf 1)"
		compress "$(vf 2)"
	done
	quiet
	[ "$(dmesg | grep -c 'reset and restarted')" = 4 ]
}

test_ours_still_obeys_after_a_reset_of_its_own() {
	functions mainline_zip hisi_zip
	resets "$(vf 1)"
	compress "$(vf 1)"
	resets "$PF"
	compress "$(vf 1)"
	quiet
}

test_ours_is_unbound_and_bound_under_mainlines() {
	functions mainline_zip hisi_zip mainline_zip
	busy "$(vf 1)" 2
	echo "$(vf 1)" >$DRIVERS/hisi_zip/unbind
	all_refused "$client"
	bind hisi_zip "$(vf 1)"
	compress "$(vf 1)"
	resets "$PF"
	compress "$(vf 1)"
	quiet
}

test_mainlines_stops_and_starts_for_a_reset_of_ours() {
	functions hisi_zip mainline_zip mainline_zip
	bandwidth 1
	resets "$PF"
	compress "$PF"
	bandwidth 1
	bandwidth 2
	resets "$PF"
	bandwidth 2
	echo "$(vf 1)" >$DRIVERS/mainline_zip/unbind
	bind mainline_zip "$(vf 1)"
	quiet
}

test_both_follow_a_reset_of_ours() {
	functions hisi_zip hisi_zip mainline_zip
	busy "$(vf 1)" 2
	resets "$PF"
	all_refused "$client"
	compress "$(vf 1)"
	bandwidth 2
	quiet
}

test_unbinding_ours_takes_mainlines() {
	functions hisi_zip mainline_zip hisi_zip
	echo "$PF" >$DRIVERS/hisi_zip/unbind
	[ "$(cat "$PCI/sriov_numvfs")" = 0 ]
	bind hisi_zip "$PF"
	compress "$PF"
	quiet
}

at_exit() {
	echo 0 >$OLD_DRIVERS
	section_drop
	drop
	rmmod mainline_zip mainline_qm
}

insmod "$MODULES/mainline_qm.ko" && insmod "$MODULES/mainline_zip.ko" || exit 1
run_tests "$@"
