#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The reset of a device by a method of the firmware, as on hardware: its success, its failure, and a device without one.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
. "$(dirname "$0")/functions.inc.sh"
[ -d /sys/bus/acpi/devices/WDSM0001:00 ] || need_skip 'the machine has no ACPI table of simulated devices'

OTHER=/sys/kernel/config/hisi_sim/other

# begin METHOD [VFS]: a new device that is reset by this method.
begin() {
	METHOD=$1 device 256 "${2:-0}"
}

# An error that only a reset of the device clears.
break_device() {
	dmesg -C
	echo 'qm 2' >$ITEM/faults/error
}

logged() {
	grep -q "hisi_zip $PF: .*$1" <(dmesg)
}

works() {
	compress "$1" 2>err
}

is_isolated() {
	[ "$(cat "$PCI/uacce/$(name "$PF")/isolate")" = 1 ]
}

test_an_error_is_reset_by_the_method() {
	begin acpi
	break_device
	until_true 60 logged 'reset and restarted'
	until_true 30 works "$PF"
	not is_isolated
}

test_the_method_resets_virtual_functions_too() {
	begin acpi 2
	enable 2
	until_true 30 named "$(vf 2)"
	break_device
	until_true 60 logged 'reset and restarted'
	until_true 30 works "$(vf 1)"
	until_true 30 works "$(vf 2)"
}

test_a_method_that_fails_isolates_the_device() {
	begin acpi
	echo 1 >$ITEM/faults/reset
	break_device
	until_true 60 is_isolated
	logged 'reset by ZRST failed'
	echo 0 >$ITEM/faults/reset
	echo 1 >"$PCI/reset"
	until_true 30 works "$PF"
	not is_isolated
}

test_a_device_without_a_method_is_isolated_by_its_first_error() {
	begin none
	break_device
	until_true 60 is_isolated
}

test_the_method_is_fixed_while_the_device_is_live() {
	begin acpi
	exits 1 eval "echo none >$ITEM/reset_method" 2>err
	says 'Device or resource busy' err
	[ "$(cat $ITEM/reset_method)" = acpi ]
	drop
	mkdir $ITEM
	exits 1 eval "echo flr >$ITEM/reset_method" 2>err
	says 'Invalid argument' err
	[ "$(cat $ITEM/reset_method)" = auto ]
}

# Removes the devices of the last test.
others_end() {
	local item

	for item in "$OTHER"*; do
		[ ! -d "$item" ] || { echo 0 >"$item/live"; rmdir "$item"; }
	done
}

# The table has devices for sixteen buses.
test_a_bus_without_an_acpi_device_is_refused() {
	local i

	begin acpi
	for ((i = 1; i <= 16; i++)); do
		mkdir $OTHER$i
		echo 2 >$OTHER$i/queues
		echo acpi >$OTHER$i/reset_method
		echo 1 2>/dev/null >$OTHER$i/live || break
	done
	[ "$(cat $OTHER$i/live)" = 0 ]
	dmesg | grep 'reset_method acpi: expected an ACPI device WDSM0001 with _UID 16'
}

test_by_default_the_method_is_that_of_the_machine() {
	begin auto
	break_device
	until_true 60 logged 'reset and restarted'
	until_true 30 works "$PF"
}

at_exit() {
	others_end
	drop
}
run_tests "$@"
