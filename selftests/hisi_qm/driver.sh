#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The ZIP driver as a module: parameters, binding, debugfs, and removal under busy clients.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2

DRIVER=/sys/bus/pci/drivers/hisi_zip
CLASS=/sys/class/uacce
CLIENT=$PROGRAMS/hisi_qm/busy_client
CYCLES=12
[ -z "${WD_TEST_BRIEF:-}" ] || CYCLES=4

unload() {
	timeout 600 modprobe -r hisi_zip
}

# with PARAMETER...: loads the driver anew.
with() {
	[ ! -d /sys/module/hisi_zip ] || unload
	dmesg -C
	timeout 600 modprobe hisi_zip "$@"
}

available() {
	[ "$(cat "$CLASS/$1/available_instances" 2>/dev/null)" = "$2" ]
}

address() {
	basename "$(readlink "$CLASS/$1/device")"
}

# The driver's directory in debugfs for device $1, once the directory is there.
debugfs() {
	echo "/sys/kernel/debug/hisi_zip/$(address "$1")"
}

# refused PARAMETER=VALUE TEXT: the module doesn't load and reports why.
refused() {
	[ ! -d /sys/module/hisi_zip ] || unload
	dmesg -C
	exits 1 modprobe hisi_zip "$1"
	dmesg >log
	says "$1: expected $2" log
	absent /sys/module/hisi_zip
}

test_parameters_are_those_of_the_documentation() {
	with
	sed -n 's|^What:.*/parameters/||p' "$TOP/docs/abi/module-hisi_zip" | sort >documented
	ls /sys/module/hisi_zip/parameters | sort >present
	same documented present
}

test_a_queue_number_out_of_range_is_refused() {
	refused pf_q_num=1 2..1024
	refused pf_q_num=1025 2..1024
	refused pf_q_num=-1 2..1024
	refused pf_q_num=many 2..1024
}

test_a_switch_that_is_neither_0_nor_1_is_refused() {
	refused uacce_mode=2 '0 or 1'
	refused uacce_mode=y '0 or 1'
	refused perf_mode=2 '0 or 1'
}

test_a_number_of_virtual_functions_out_of_range_is_refused() {
	refused vfs_num=64 0..63
	refused vfs_num=some 0..63
}

test_virtual_functions_that_the_device_lacks_are_refused() {
	with vfs_num=4
	dmesg >log
	says '4 virtual functions: expected at most 0 on this device' log
	absent "$CLASS/hisi_zip-0"
}

# The device forgets all state of an earlier driver before it may access memory.
test_bus_mastering_comes_after_the_engine_and_before_the_queues() {
	local trace=/sys/kernel/tracing pci event

	[ -d $trace/events ] || mount -t tracefs tracefs $trace || skip 'the kernel has no tracefs'
	[ -e $trace/kprobe_events ] || skip 'the kernel has no kprobe events'
	with
	until_true 30 available hisi_zip-0 64
	pci=$(address hisi_zip-0)
	echo "$pci" >"$DRIVER/unbind"
	for event in hisi_zip:zip_hw_init pci_set_master hisi_qm:qm_function_start; do
		echo "p:wd/${event#*:} $event" >>$trace/kprobe_events
	done
	echo >$trace/trace
	echo 1 >$trace/events/wd/enable
	echo "$pci" >"$DRIVER/bind"
	echo 0 >$trace/events/wd/enable
	grep -o 'zip_hw_init: \|pci_set_master: \|qm_function_start: ' $trace/trace | tr -d ': ' >order
	echo >$trace/kprobe_events
	printf '%s\n' zip_hw_init pci_set_master qm_function_start >wanted
	same wanted order
}

test_more_queues_than_the_device_has_are_refused() {
	with pf_q_num=1024
	dmesg >log
	says 'pf_q_num=1024: expected at most' log
	absent "$CLASS/hisi_zip-0"
}

test_as_many_queues_as_asked_for_can_be_opened() {
	with pf_q_num=2
	until_true 30 available hisi_zip-0 2
	with pf_q_num=33
	until_true 30 available hisi_zip-0 33
	[ "$(cat /sys/module/hisi_zip/parameters/pf_q_num)" = 33 ]
}

test_without_uacce_mode_the_driver_binds_and_offers_nothing() {
	with uacce_mode=0
	compgen -G "$DRIVER/*:*" >/dev/null
	absent "$CLASS/hisi_zip-0"
}

test_the_default_offers_queues_to_users() {
	with
	until_true 30 available hisi_zip-0 64
}

test_speed_mode_is_told_to_the_device() {
	with perf_mode=1
	until_true 30 available hisi_zip-0 64
	[ "$(cat /sys/module/hisi_zip/parameters/perf_mode)" = 1 ]
}

test_debugfs_files_can_be_read() {
	local file n=0

	with
	until_true 30 available hisi_zip-0 64
	while read -r file; do
		cat "$file" >/dev/null
		n=$((n + 1))
	done < <(find "$(debugfs hisi_zip-0)" -type f -perm -400 ! -name cmd)
	[ $n -gt 10 ]
	says start "$(debugfs hisi_zip-0)/qm/status"
	says 'total 64' "$(debugfs hisi_zip-0)/qm/queues"
	says 'QM_DFX_MB_CNT                 = 0x' "$(debugfs hisi_zip-0)/qm/regs"
}

test_debugfs_refuses_what_it_cannot_do() {
	local qm

	with
	until_true 30 available hisi_zip-0 64
	qm=$(debugfs hisi_zip-0)/qm
	echo 0 >"$qm/mb_err"
	exits 1 eval "echo 1 >'$qm/mb_err'"
	echo 63 >"$qm/current_q"
	[ "$(cat "$qm/current_q")" = 63 ]
	exits 1 eval "echo 64 >'$qm/current_q'"
	exits 1 eval "echo 2 >'$qm/clear_enable'"
	exits 1 eval "echo sqc 64 >'$qm/cmd'"
	exits 1 eval "echo sqc >'$qm/cmd'"
	exits 1 eval "echo nonsense 1 >'$qm/cmd'"
	exits 1 eval "echo sq 0 0 >'$qm/cmd'"
	exits 1 eval "printf %1025s x >'$qm/cmd'"
	says help "$qm/cmd"
}

test_debugfs_dumps_contexts_into_the_log() {
	local qm

	with
	until_true 30 available hisi_zip-0 64
	qm=$(debugfs hisi_zip-0)/qm
	dmesg -C
	for command in help 'sqc 0' 'cqc 63' eqc aeqc 'eq 0' 'aeq 1'; do
		echo "$command" >"$qm/cmd"
	done
	dmesg >log
	says 'EQC DW6 = 0x000107ff' log
	says 'AEQC DW6 = 0x000103ff' log
	says 'SQC DW7 = ' log
}

# busy DEVICE THREADS: starts $client in the background, and returns once all its queues have done requests.
busy() {
	# Removes the output of an earlier client.
	rm -f "busy-$1"
	"$CLIENT" "$1" "$2" >"busy-$1" 2>"busy-$1.err" &
	client=$!
	until_true 60 test -s "busy-$1" || { cat "busy-$1.err"; return 1; }
	[ "$(cat "busy-$1")" = busy ] || { cat "busy-$1.err"; return 1; }
}

# all_refused: the client ended, each of its calls with the right error.
all_refused() {
	wait "$client" || { cat busy-*.err; return 1; }
}

test_unbind_takes_queues_from_busy_clients() {
	local pci

	with
	until_true 30 available hisi_zip-0 64
	pci=$(address hisi_zip-0)
	busy hisi_zip-0 8
	timeout 600 bash -c "echo $pci >$DRIVER/unbind"
	all_refused
	absent "$CLASS/hisi_zip-0"
	echo "$pci" >"$DRIVER/bind"
	until_true 30 available hisi_zip-0 64
}

test_a_reset_takes_queues_from_busy_clients() {
	with
	until_true 30 available hisi_zip-0 64
	busy hisi_zip-0 8
	timeout 600 bash -c "echo 1 >$CLASS/hisi_zip-0/device/reset"
	all_refused
	until_true 30 available hisi_zip-0 64
	busy hisi_zip-0 8
	unload
	all_refused
}

test_unloading_the_driver_takes_queues_from_busy_clients() {
	with
	until_true 30 available hisi_zip-0 64
	busy hisi_zip-0 8
	unload
	all_refused
	with
	until_true 30 available hisi_zip-0 64
}

test_an_unloaded_driver_comes_back_while_an_old_file_is_open() {
	with
	until_true 30 available hisi_zip-0 64
	exec 7<>/dev/hisi_zip-0
	available hisi_zip-0 63
	unload
	with
	until_true 30 available hisi_zip-0 64
	exec 7<&-
	until_true 30 available hisi_zip-0 64
}

test_unbind_and_bind_work_again_and_again_under_load() {
	local pci i

	with
	until_true 30 available hisi_zip-1 64
	pci=$(address hisi_zip-0)
	busy hisi_zip-1 4
	for ((i = 0; i < CYCLES; i++)); do
		timeout 600 bash -c "echo $pci >$DRIVER/unbind"
		timeout 600 bash -c "echo $pci >$DRIVER/bind"
		until_true 30 available hisi_zip-0 64
	done
	available hisi_zip-1 60
	unload
	all_refused
}

at_exit() {
	with >/dev/null 2>&1
}
run_tests "$@"
