#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Suspending a device that nobody uses, and waking it.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
need_commands wdctl wdzip
. "$(dirname "$0")/functions.inc.sh"

CYCLES=20
[ -z "${WD_TEST_BRIEF:-}" ] || CYCLES=5

# is STATUS: of runtime PM.
is() {
	[ "$(cat "$PCI/power/runtime_status")" = "$1" ]
}

becomes() {
	until_true 60 is "$1" || { echo "it is $(cat "$PCI/power/runtime_status")"; return 1; }
}

# sleeper [QUEUES]: a device that sleeps as soon as nobody uses it.
sleeper() {
	device "${1:-16}"
	echo 0 >"$PCI/power/autosuspend_delay_ms"
	echo auto >"$PCI/power/control"
	becomes suspended
}

test_no_device_sleeps_by_itself() {
	device 16
	[ "$(cat "$PCI/power/control")" = on ]
	[ "$(cat "$PCI/power/autosuspend_delay_ms")" = 3000 ]
	compress "$PF"
	is active
}

test_an_idle_device_sleeps_and_a_request_wakes_it() {
	sleeper
	[ "$(cat "/sys/class/uacce/$(name "$PF")/available_instances")" = 16 ]
	compress "$PF"
	becomes suspended
	compress "$PF"
	becomes suspended
	echo on >"$PCI/power/control"
	is active
	compress "$PF"
}

# All its registers are in their first state when it wakes.
test_a_sleeping_device_loses_its_power() {
	[ -d /sys/bus/acpi/devices/WDSM0001:00 ] || skip 'the machine has no ACPI table of simulated devices'
	sleeper
	[ "$(cat "$PCI/power_state")" = D3hot ]
	round_trip "$PF"
	becomes suspended
	round_trip "$PF"
	echo on >"$PCI/power/control"
	[ "$(cat "$PCI/power_state")" = D0 ]
	round_trip "$PF"
}

test_an_open_queue_keeps_it_awake() {
	sleeper
	exec 8<>"/dev/$(name "$PF")"
	is active
	exec 9<>"/dev/$(name "$PF")"
	exec 8>&-
	is active
	exec 9>&-
	becomes suspended
}

test_an_open_that_fails_does_not_keep_it_awake() {
	local i fds=()

	sleeper
	for i in {1..16}; do
		exec {fds[i]}<>"/dev/$(name "$PF")"
	done
	exits 1 eval "exec 8<>/dev/$(name "$PF")" 2>/dev/null
	for i in {1..16}; do
		exec {fds[i]}>&-
	done
	becomes suspended
}

test_virtual_functions_keep_it_awake() {
	sleeper 256
	enable 2
	is active
	compress "$(vf 2)"
	is active
	enable 0
	becomes suspended
}

# Several at once, so that some open a queue while the device falls asleep.
test_no_use_is_lost() {
	local i

	sleeper
	for i in {1..4}; do
		(
			for ((n = 0; n < CYCLES; n++)); do
				compress_as "sleep$i" "$PF" || exit
			done
		) &
	done
	for i in {1..4}; do
		wait -n
	done
	becomes suspended
	[ -z "$(dmesg | grep 'reset and restarted')" ]
}

test_a_reset_by_pci_finds_it_asleep() {
	sleeper
	echo 1 >"$PCI/reset"
	compress "$PF"
	becomes suspended
}

# The first command isn't answered in time when it wakes, as after an error of the hardware.
test_a_device_that_does_not_wake_is_reset() {
	sleeper
	echo 1:20s >$ITEM/faults/mailbox
	exits 1 eval "exec 8<>/dev/$(name "$PF")" 2>/dev/null
	until_true 60 eval "exec 8<>/dev/$(name "$PF")"
	exec 8>&-
	compress "$PF"
	becomes suspended
}

test_unbinding_wakes_it() {
	sleeper
	echo "$PF" >/sys/bus/pci/drivers/hisi_zip/unbind
	echo "$PF" >/sys/bus/pci/drivers/hisi_zip/bind
	until_true 30 named "$PF"
	becomes suspended
	compress "$PF"
}

test_a_sleeping_device_can_be_removed() {
	sleeper
	drop
	device 16
	compress "$PF"
}

at_exit() {
	drop
}

run_tests "$@"
