#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What virtual functions of a simulated ZIP device share: its queues, up to how many functions, its isolation threshold.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
need_commands wdctl wdzip
. "$(dirname "$0")/functions.inc.sh"

# The most that a device can have.
MOST=63

test_the_rest_of_the_queues_is_divided() {
	device 256
	enable 3
	shares 64 64 64
	enable 0
	enable 5
	# 192 queues: the last function has the remainder.
	shares 38 38 38 38 40
}

test_the_most_functions_work() {
	local i

	# One queue less than the functions may have: the first gets 15.
	device $((16 * (MOST + 1) - 1)) $MOST 16
	enable $MOST
	shares 15 $(for ((i = 2; i <= MOST; i++)); do echo 16; done)
	[ "$(compgen -G "$PCI/virtfn*" | wc -l)" = $MOST ]
	compress "$(vf $MOST)"
	enable 0
	[ -z "$(compgen -G "$PCI/virtfn*")" ]
	compress "$PF"
}

test_too_many_functions_are_refused() {
	device 256 7
	exits 1 enable 8 2>err
	says 'Numerical result out of range' err
	device 64 7 64
	dmesg -C
	exits 1 enable 1 2>err
	says 'Invalid argument' err
	dmesg >log
	says '1 virtual functions: expected at most 0, as the physical function has 64 of 64 queues' log
	[ "$(cat "$PCI/sriov_numvfs")" = 0 ]
	compress "$PF"
}

test_the_isolation_threshold_is_the_physical_functions() {
	device 256
	enable 1
	until_true 30 named "$(vf 1)"
	echo 3 >"$CLASS/$(name "$PF")/isolate_strategy"
	grep -qx 3 "$CLASS/$(name "$(vf 1)")/isolate_strategy"
	exits 1 eval "echo 4 >$CLASS/$(name "$(vf 1)")/isolate_strategy" 2>err
	says 'Operation not permitted' err
}

test_wdctl_names_the_physical_function() {
	device 256
	enable 1
	until_true 30 named "$(vf 1)"
	wdctl list >got
	says "$(name "$(vf 1)") is a virtual function of $(name "$PF")" got
}

at_exit() {
	section_drop
	drop
}
run_tests "$@"
