#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bandwidth of the functions of a simulated ZIP device: alg_qos in debugfs, and the rates that clients get.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
need_commands wdctl
. "$(dirname "$0")/functions.inc.sh"

DEBUGFS=/sys/kernel/debug/hisi_zip
[ -d $DEBUGFS ] || need_skip 'no debugfs'
DRIVER=/sys/bus/pci/drivers/hisi_zip
RATES=$PROGRAMS/hisi_qm/rate_client
REQUESTS=300
[ -z "${WD_TEST_BRIEF:-}" ] || REQUESTS=150

# Sections of a test that has failed.
sections_end() {
	local section

	for section in one two; do
		! wdctl section show $section >/dev/null 2>&1 || wdctl section del $section >/dev/null
	done
}

# functions NUMBER: a new device with as many virtual functions.
functions() {
	local i

	sections_end
	device 256
	enable "$1"
	for ((i = 1; i <= $1; i++)); do
		until_true 30 named "$(vf $i)"
	done
}

# A device that does less than the slowest machine computes: 1000 of 1000 are 2 Mbit/s, or 30 requests a second.
slow() {
	echo 2 >$ITEM/bandwidth_mbps
}

# limit ADDRESS NUMBER
limit() {
	echo "$1 $2" >"$DEBUGFS/$PF/alg_qos"
}

# limits ADDRESS NUMBER: what the function's own file shows.
limits() {
	cat "$DEBUGFS/$1/alg_qos" >qos
	grep -qx "$2" qos || { echo "$1: expected $2"; cat qos; return 1; }
}

# refused REASON TEXT [MESSAGE]: the text can't be written, and the log says the message.
refused() {
	dmesg -C
	exits 1 eval "printf '%s' '$2' >$DEBUGFS/$PF/alg_qos" 2>err
	says "$1" err
	[ -z "${3:-}" ] || { dmesg >log; says "$3" log; }
}

# ratio FROM TO [NUMBER]: requests of virtual function 2 for 100 requests of virtual function 1, when both do all that
# they may, and NUMBER together. A busy machine computes less than a limit allows; model/test_shaper is exact.
ratio() {
	local one two

	"$RATES" "$(name "$(vf 1)")" "$(name "$(vf 2)")" "${3:-$REQUESTS}" >got
	read -r one two <got
	[ $((two * 100)) -ge $(($1 * one)) ] && [ $((two * 100)) -le $(($2 * one)) ] ||
		{ echo "$one and $two requests: expected $1..$2 for each 100"; return 1; }
}

test_limits_of_functions_that_nobody_uses_change_nothing() {
	functions 3
	slow
	limit "$PF" 1
	limit "$(vf 1)" 400
	limit "$(vf 2)" 400
	limit "$(vf 3)" 1
	ratio 75 133
}

# Both are far below what the slowest machine computes, so only the limits tell how much each does.
test_a_function_with_four_times_the_limit_does_four_times_as_much() {
	functions 2
	slow
	limit "$(vf 1)" 100
	limit "$(vf 2)" 400
	limits "$(vf 1)" 100
	limits "$(vf 2)" 400
	ratio 300 500 $((REQUESTS / 2))
}

test_functions_show_their_limits() {
	local file

	functions 2
	limits "$PF" 1000
	limits "$(vf 1)" 1000
	limit "$PF" 1
	limit "$(vf 1)" 999
	limit "$(vf 2)" 37
	limits "$PF" 1
	limits "$(vf 1)" 999
	limits "$(vf 2)" 37
	file=$(stat -c %a "$DEBUGFS/$PF/alg_qos" "$DEBUGFS/$(vf 1)/alg_qos")
	[ "$file" = $'644\n444' ]
	exits 1 eval "echo '$(vf 1) 5' >$DEBUGFS/$(vf 1)/alg_qos" 2>err
	limits "$(vf 1)" 999
}

# The device takes each of them, or the physical function's file shows 0.
test_every_limit_has_parameters() {
	local i

	functions 1
	for i in 1 2 3 4 5 6 9 10 11 99 100 101 250 251 500 501 892 999 1000; do
		limit "$PF" $i
		limits "$PF" $i
	done
	not grep -i 'shaper' <(dmesg)
}

test_bad_input_is_refused_and_changes_nothing() {
	local one

	functions 1
	one=$(vf 1)
	limit "$PF" 500
	limit "$one" 600
	refused 'Invalid argument' "$one 0" '"0": expected 1..1000'
	refused 'Invalid argument' "$one 1001" '"1001": expected 1..1000'
	refused 'Invalid argument' "$one -1"
	refused 'Invalid argument' "$one +1"
	refused 'Invalid argument' "$one 0x10"
	refused 'Invalid argument' "$one 5 5"
	refused 'Invalid argument' "$one 99999999999999999999"
	refused 'Invalid argument' "$one" 'expected 1..1000 after the address'
	refused 'Invalid argument' '5'
	refused 'Invalid argument' ' '
	refused 'No such device' "${PF%.*}.7 5" "there is no PCI device ${PF%.*}.7"
	refused 'No such device' 'nonsense 5'
	refused 'No space left on device' "$(printf '%0300d' 5)"
	limits "$PF" 500
	limits "$one" 600
}

test_functions_of_other_devices_are_refused() {
	local other=/sys/kernel/config/hisi_sim/others

	functions 1
	mkdir $other
	echo 1 >$other/live
	refused 'Invalid argument' "$(cat $other/address) 5" 'is not a function of this device'
	echo 0 >$other/live
	rmdir $other
}

reset_is_over() {
	grep -q 'reset and restarted' <(dmesg)
}

test_limits_survive_resets() {
	functions 2
	limit "$PF" 700
	limit "$(vf 1)" 100
	limit "$(vf 2)" 400
	echo 1 >"$PCI/virtfn0/reset"
	limits "$(vf 1)" 100
	echo 1 >"$PCI/reset"
	limits "$PF" 700
	limits "$(vf 1)" 100
	limits "$(vf 2)" 400
	dmesg -C
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 reset_is_over
	until_true 60 limits "$PF" 700
	until_true 60 limits "$(vf 1)" 100
	until_true 60 limits "$(vf 2)" 400
}

# Each write succeeds or says that a reset is under way.
test_writes_during_resets() {
	local i writer

	functions 1
	(
		for ((i = 1; i <= 300; i++)); do
			limit "$(vf 1)" $i 2>>err || limit "$PF" $i 2>>err || :
		done
	) &
	writer=$!
	for i in 1 2 3 4 5; do
		echo 1 >"$PCI/virtfn0/reset"
		echo 1 >"$PCI/reset"
	done
	wait $writer
	not grep -v 'Resource temporarily unavailable' err
	limit "$(vf 1)" 7
	limits "$(vf 1)" 7
}

test_new_functions_have_the_whole_device() {
	functions 2
	limit "$PF" 300
	limit "$(vf 2)" 300
	enable 0
	enable 2
	until_true 30 named "$(vf 2)"
	limits "$(vf 2)" 1000
	limits "$PF" 300
	echo "$PF" >$DRIVER/unbind
	echo "$PF" >$DRIVER/bind
	until_true 30 named "$PF"
	limits "$PF" 1000
}

# give NAME FUNCTION THOUSANDTHS [NUMBER]: a section of that virtual function, for so many processes; without a number,
# for all of its 96 queues.
give() {
	wdctl section add "$1" Devices="$(vf "$2")" NumProcesses="${4:-48}" Bandwidth="$3" >/dev/null
}

take() {
	wdctl section del "$1" >/dev/null
}

test_a_section_limits_its_function() {
	functions 2
	give one 1 100
	give two 2 400
	until_true 30 limits "$(vf 1)" 100
	until_true 30 limits "$(vf 2)" 400
	limits "$PF" 1000
	wdctl top --once >top
	grep -qE '^one .* 10\.0% +0 +[0-9]+$' top
	grep -qE '^two .* 40\.0% +0 +[0-9]+$' top
	echo 1 >"$PCI/reset"
	until_true 30 limits "$(vf 1)" 100
	take one
	until_true 30 limits "$(vf 1)" 1000
	limits "$(vf 2)" 400
	take two
}

test_a_section_with_a_limit_has_all_contexts() {
	local ONE=/sys/kernel/config/uacce/sections/one

	functions 2
	exits 1 give one 1 100 47 2>err
	says 'Bandwidth: it has 94 of the 96 contexts of' err
	limits "$(vf 1)" 1000
	take one 2>/dev/null || :
	# So does the kernel, when the section goes live and when it is resized.
	mkdir $ONE
	vf 1 >$ONE/devices
	echo 47 >$ONE/num_processes
	echo 100 >$ONE/bandwidth
	exits 1 bash -c "echo 1 >$ONE/live" 2>err
	says 'Invalid argument' err
	says 'with bandwidth, a section has all of its 96 contexts, not 94' $ONE/status
	rmdir $ONE
	limits "$(vf 1)" 1000
	give one 1 100
	exits 1 wdctl section set one NumProcesses=47 2>err
	says 'Bandwidth: it has 94 of the 96 contexts of' err
	exits 1 bash -c "echo 47 >$ONE/num_processes" 2>err
	says 'Invalid argument' err
	says 'with bandwidth, a section has all of its 96 contexts, not 94' $ONE/status
	limits "$(vf 1)" 100
	take one
}

test_a_function_that_appears_gets_the_limit_of_its_section() {
	functions 2
	give one 2 250
	until_true 30 limits "$(vf 2)" 250
	enable 0
	enable 2
	until_true 30 named "$(vf 2)"
	until_true 30 limits "$(vf 2)" 250
	take one
	until_true 30 limits "$(vf 2)" 1000
}

at_exit() {
	sections_end
	drop
}
run_tests "$@"
