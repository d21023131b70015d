#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A reset of the bus behind a bridge reaches the physical function and all virtual ones at once.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
. "$(dirname "$0")/functions.inc.sh"

DRIVER=/sys/bus/pci/drivers/hisi_zip
ATTRIBUTES=bridge=1

# The bridge's folder. Kernels differ in whether it has the attribute.
bridge() {
	local folder

	folder=$(readlink -f "$PCI")
	echo "${folder%/*}"
}

begin() {
	device 256
	[ -w "$(bridge)/reset_subordinate" ] || skip 'the kernel has no reset_subordinate'
}

# It fails with EAGAIN while somebody else has one of the functions.
bus_reset() {
	echo 1 2>/dev/null >"$(bridge)/reset_subordinate"
}

# work ADDRESS...: these functions.
work() {
	local function

	for function; do
		round_trip "$function"
	done
}

test_all_functions_start_again() {
	local clients=() round

	begin
	enable 2
	shares 96 96
	for round in 1 2; do
		busy "$PF" 2
		clients=("$client")
		busy "$(vf 1)" 2
		clients+=("$client")
		busy "$(vf 2)" 2
		until_true 60 bus_reset
		all_refused "${clients[0]}"
		all_refused "${clients[1]}"
		all_refused "$client"
		shares 96 96
		work "$PF" "$(vf 1)" "$(vf 2)"
	done
	enable 0
}

test_functions_without_a_driver_of_ours_are_in_nobodys_way() {
	begin
	enable 2
	shares 96 96
	echo "$(vf 1)" >"$DRIVER/unbind"
	until_true 60 bus_reset
	work "$PF" "$(vf 2)"
	echo "$(vf 1)" >"$DRIVER/bind"
	work "$(vf 1)"
	echo "$(vf 1)" >"$DRIVER/unbind"
	echo "$PF" >"$DRIVER/unbind"
	until_true 60 bus_reset
	echo "$PF" >"$DRIVER/bind"
	work "$PF"
}

test_resets_of_one_function_and_of_all_take_turns() {
	local vf resetter i

	begin
	enable 2
	shares 96 96
	vf=$(vf 1)
	(for ((i = 0; i < 10; i++)); do echo 1 >"/sys/bus/pci/devices/$vf/reset"; done) &
	resetter=$!
	for ((i = 0; i < 3; i++)); do
		until_true 60 bus_reset
	done
	wait $resetter
	work "$PF" "$(vf 1)" "$(vf 2)"
}

test_it_ends_an_isolation() {
	begin
	enable 2
	shares 96 96
	echo 1 >$ITEM/faults/reset
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 grep -qx 1 "$CLASS/$(name "$(vf 2)")/isolate"
	echo 0 >$ITEM/faults/reset
	until_true 60 bus_reset
	work "$PF" "$(vf 1)" "$(vf 2)"
}

test_a_function_that_is_alone_is_reset_by_its_bus() {
	device 256
	busy "$PF" 2
	echo bus >"$PCI/reset_method"
	echo 1 >"$PCI/reset"
	all_refused "$client"
	work "$PF"
}

at_exit() {
	drop
}
run_tests "$@"
