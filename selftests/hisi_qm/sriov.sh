#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Virtual functions of a simulated ZIP device: use, enabling and disabling, removal and resets under clients.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
. "$(dirname "$0")/functions.inc.sh"

DRIVER=/sys/bus/pci/drivers/hisi_zip
CYCLES=10
[ -z "${WD_TEST_BRIEF:-}" ] || CYCLES=3

test_functions_compress_at_once() {
	local i clients=()

	device 256
	enable 3
	shares 64 64 64
	for i in 1 2 3; do
		busy "$(vf $i)" 2
		clients+=("$client")
	done
	round_trip "$PF"
	round_trip "$(vf 2)"
	enable 0 2>err && return 1
	says 'Device or resource busy' err
	drop
	for client in "${clients[@]}"; do
		all_refused "$client"
	done
}

test_a_busy_function_keeps_all_of_them() {
	device 256
	enable 3
	shares 64 64 64
	exec 7<>"/dev/$(name "$(vf 3)")"
	exits 1 enable 0 2>err
	says 'Device or resource busy' err
	shares 64 64 63
	round_trip "$(vf 1)"
	exec 7<&-
	until_true 30 available "$(name "$(vf 3)")" 64
	enable 0
}

test_enabling_again_and_again() {
	local i

	device 256
	for ((i = 0; i < CYCLES; i++)); do
		enable 3
		until_true 30 named "$(vf 3)"
		exec 7<>"/dev/$(name "$(vf $((i % 3 + 1)))")"
		exits 1 enable 0 2>err
		exec 7<&-
		until_true 30 enable 0 2>err
	done
	not grep -i 'timeout\|timed out' <(dmesg)
}

test_a_virtual_function_is_bound_and_unbound() {
	device 256
	enable 2
	shares 96 96
	busy "$(vf 1)" 2
	echo "$(vf 1)" >"$DRIVER/unbind"
	all_refused "$client"
	round_trip "$(vf 2)"
	echo "$(vf 1)" >"$DRIVER/bind"
	shares 96 96
	round_trip "$(vf 1)"
}

test_unbinding_the_physical_function_takes_all_queues() {
	device 256
	enable 2
	shares 96 96
	busy "$(vf 2)" 4
	echo "$PF" >"$DRIVER/unbind"
	all_refused "$client"
	[ "$(<"$PCI/sriov_numvfs")" = 0 ]
	echo "$PF" >"$DRIVER/bind"
	enable 2
	shares 96 96
}

# pci-pf-stub enables functions, and leaves them enabled when it goes.
test_functions_that_another_driver_has_enabled_get_queues() {
	local i

	modprobe pci-pf-stub 2>err || skip "this kernel has no pci-pf-stub"
	device 256
	echo "$PF" >"$DRIVER/unbind"
	echo pci-pf-stub >"$PCI/driver_override"
	echo "$PF" >/sys/bus/pci/drivers_probe
	enable 2
	echo "$PF" >/sys/bus/pci/drivers/pci-pf-stub/unbind
	echo >"$PCI/driver_override"
	echo "$PF" >"$DRIVER/bind"
	for i in 1 2; do
		[ -e "$PCI/virtfn$((i - 1))/driver" ] || echo "$(vf $i)" >"$DRIVER/bind"
	done
	shares 96 96
	round_trip "$(vf 1)"
	enable 0
}

test_a_reset_of_a_function_leaves_the_others_alone() {
	local other

	device 256
	enable 2
	shares 96 96
	busy "$PF" 2
	other=$client
	busy "$(vf 1)" 2
	echo 1 >"$PCI/virtfn0/reset"
	all_refused "$client"
	shares 96 96
	round_trip "$(vf 1)"
	kill -0 "$other"
	drop
	all_refused "$other"
}

test_a_reset_of_the_physical_function_restarts_them_all() {
	device 256
	enable 2
	shares 96 96
	busy "$(vf 2)" 2
	echo 1 >"$PCI/reset"
	all_refused "$client"
	shares 96 96
	round_trip "$PF"
	round_trip "$(vf 1)"
	round_trip "$(vf 2)"
}

# opens FUNCTION: its device isn't being reset.
opens() {
	(exec 9<>"/dev/$(name "$1")") 2>/dev/null
}

test_an_error_of_the_device_resets_all_functions() {
	local clients=() function

	device 256
	enable 2
	shares 96 96
	busy "$(vf 1)" 2
	clients=("$client")
	busy "$PF" 2
	echo 'qm 2' >$ITEM/faults/error
	all_refused "${clients[0]}"
	all_refused "$client"
	shares 96 96
	until_true 30 grep -qx 0 "$CLASS/$(name "$PF")/isolate"
	for function in "$PF" "$(vf 1)" "$(vf 2)"; do
		until_true 60 opens "$function"
		round_trip "$function"
	done
	enable 0
}

# The PCI core resets the physical function, by which virtual ones lose their config space, too.
test_a_fatal_error_resets_all_functions() {
	local clients=() function

	device 256
	enable 2
	busy "$(vf 1)" 2
	clients=("$client")
	busy "$PF" 2
	echo fatal >$ITEM/faults/aer
	all_refused "${clients[0]}"
	all_refused "$client"
	shares 96 96
	for function in "$PF" "$(vf 1)" "$(vf 2)"; do
		round_trip "$function"
	done
	enable 0
}

test_a_reset_that_fails_isolates_all_functions() {
	device 256
	enable 2
	shares 96 96
	busy "$(vf 1)" 2
	echo 1 >$ITEM/faults/reset
	echo 'qm 2' >$ITEM/faults/error
	all_refused "$client"
	until_true 30 grep -qx 1 "$CLASS/$(name "$(vf 2)")/isolate"
	exits 1 eval "exec 8<>/dev/$(name "$(vf 2)")" 2>err
	exits 1 enable 0 2>err
	says 'Input/output error' err
	echo 0 >$ITEM/faults/reset
	echo 1 >"$PCI/reset"
	grep -qx 0 "$CLASS/$(name "$(vf 2)")/isolate"
	round_trip "$(vf 1)"
}

at_exit() {
	drop
}
run_tests "$@"
