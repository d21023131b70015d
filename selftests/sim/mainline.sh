#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mainline's own hisi_qm, hisi_zip, hisi_sec2 and hisi_hpre on a simulated device: a device that satisfies these drivers
# behaves as hardware does.
# The drivers are unchanged except for their register time-outs (mainline-build).

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/mainline_begin.sh"

# goes_away_and_comes_back TIMES
goes_away_and_comes_back() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo 0 >$ROOT/${engine}0/live
		not bound
		echo 1 >$ROOT/${engine}0/live
		address=$(cat $ROOT/${engine}0/address)
		bound
	done
}

test_it_probes() {
	begin zip
	quiet
}

test_its_algorithms_pass_the_self_tests_of_the_kernel() {
	begin zip
	has_self_tests
	until_true 30 self_tested hisi-deflate-acomp 1
}

test_it_unbinds_and_binds_again_40_times() {
	begin zip
	cycle
	quiet
}

test_it_unbinds_and_binds_again_40_times_on_a_busy_machine() {
	local i

	begin zip
	for i in 1 2 3 4; do
		(while :; do :; done) &
	done
	trap 'kill $(jobs -p)' EXIT
	cycle
	quiet
}

test_it_survives_a_function_level_reset() {
	begin zip
	echo 1 >"/sys/bus/pci/devices/$address/reset"
	bound
	echo "$address" >$DRIVER/unbind
	echo "$address" >$DRIVER/bind
	bound
	quiet
}

test_the_device_goes_away_under_it_and_comes_back() {
	begin zip
	goes_away_and_comes_back 3
	quiet
}

test_it_unloads_before_the_device_and_after_it() {
	begin zip
	rmmod hisi_zip
	rmmod hisi_sim
	begin zip
	rmmod hisi_sim
	rmmod hisi_zip
}

# qm_register NAME: its value in the register file of the physical function.
qm_register() {
	awk -v name="$1" '$1 == name || $1 == name "=" { print $NF }' "/sys/kernel/debug/$module/$address/qm/regs"
}

register_is() {
	[ "$(qm_register "$1")" = "$2" ]
}

counts() {
	[[ $(qm_register "$1") == 0x* ]] && not register_is "$1" 0x00000000
}

test_it_finds_the_device_idle_and_without_errors() {
	local counter

	begin zip
	until_true 30 register_is QM_IN_IDLE_ST 0x00000001
	for counter in QM_ECC_1BIT_CNT QM_ECC_MBIT_CNT QM_DFX_CQE_ERR_CNT; do
		register_is $counter 0x00000000
	done
	quiet
}

all_are_finished() {
	register_is QM_DFX_ACC_FINISH_CNT "$(qm_register QM_DFX_SEND_SQE_TO_ACC_CNT)" &&
		register_is QM_DFX_WB_SQE_FROM_ACC_CNT "$(qm_register QM_DFX_SEND_SQE_TO_ACC_CNT)"
}

test_it_counts_what_its_self_tests_do() {
	local debugfs counter

	begin zip
	has_self_tests
	until_true 30 self_tested hisi-deflate-acomp 1
	debugfs=/sys/kernel/debug/$module/$address
	[ "$(cat "$debugfs/current_qm")" = 0 ]
	for counter in QM_DFX_MB_CNT QM_DFX_DB_CNT QM_DFX_SEND_SQE_TO_ACC_CNT; do
		until_true 30 counts $counter
	done
	until_true 30 all_are_finished
	quiet
}

test_its_selection_shows_the_commands_of_a_virtual_function() {
	begin_with_vfs zip 1 64 vfs_num=1
	vfs_bound 1
	echo 1 >"/sys/kernel/debug/$module/$address/current_qm"
	until_true 30 counts QM_DFX_MB_CNT
	[ "$(cat "/sys/kernel/debug/$module/$address/current_qm")" = 1 ]
	quiet
}

test_sec_algorithms_pass_the_self_tests_of_the_kernel() {
	local names='hisi_sec_.*(aes|des3_ede)'

	begin sec
	has_self_tests
	[ "$(algorithms "$names" name .)" = 13 ]
	until_true 120 self_tested "$names" 13
	quiet
}

# The kernel tests 13 algorithms each time.
test_sec_unbinds_and_binds_again() {
	begin sec
	quiet
	CYCLES=2
	cycle
	quiet
}

test_sec_goes_away_and_comes_back() {
	begin sec
	goes_away_and_comes_back 1
	quiet
}

test_hpre_probes() {
	begin hpre
	quiet
}

test_hpre_algorithms_pass_the_self_tests_of_the_kernel() {
	local names='hpre-'

	begin hpre
	has_self_tests
	[ "$(algorithms "$names" name .)" = 6 ]
	until_true 120 self_tested "$names" 6
	# Computed by the device, not by the driver's fallback.
	[ "$(cat /sys/kernel/debug/hisi_hpre/$address/hpre_dfx/recv_cnt)" -gt 20 ]
	quiet
}

test_hpre_unbinds_and_binds_again() {
	begin hpre
	CYCLES=5
	cycle
	quiet
}

test_its_virtual_functions_are_there_after_its_probe() {
	begin_with_vfs zip 3 64 vfs_num=3
	vfs_bound 3
	quiet
	[ "$(dmesg | grep -c 'VF enabled, vfs_num(=3)')" = 1 ]
}

test_its_virtual_functions_come_and_go() {
	local n

	begin_with_vfs zip 63 1024
	vfs_bound 0
	for n in 3 0 63 0; do
		echo $n >"$PF/sriov_numvfs"
		vfs_bound $n
	done
	not eval 'echo 64 >"$PF/sriov_numvfs"'
	vfs_bound 0
	quiet
}

test_a_virtual_function_unbinds_and_binds_again() {
	local i function

	begin_with_vfs zip 2 64 vfs_num=2
	function=$(vf 2)
	for ((i = 0; i < 5; i++)); do
		echo "$function" >$DRIVER/unbind
		echo "$function" >$DRIVER/bind
		vfs_bound 2
	done
	quiet
}

test_a_virtual_function_survives_a_function_level_reset() {
	begin_with_vfs zip 2 64 vfs_num=2
	echo 1 >"/sys/bus/pci/devices/$(vf 1)/reset"
	vfs_bound 2
	echo "$(vf 1)" >$DRIVER/unbind
	echo "$(vf 1)" >$DRIVER/bind
	vfs_bound 2
	quiet
}

# The driver orders those of the virtual functions to stop, and to start again.
test_its_virtual_functions_survive_its_function_level_reset() {
	begin_with_vfs zip 2 64 vfs_num=2
	echo 1 >"$PF/reset"
	vfs_bound 2
	echo 0 >"$PF/sriov_numvfs"
	echo 2 >"$PF/sriov_numvfs"
	vfs_bound 2
	quiet
}

test_it_unbinds_with_virtual_functions() {
	begin_with_vfs zip 3 64 vfs_num=3
	echo "$address" >$DRIVER/unbind
	not bound
	[ "$(cat "$PF/sriov_numvfs")" = 0 ]
	echo "$address" >$DRIVER/bind
	vfs_bound 3
	quiet
}

test_the_device_goes_away_with_virtual_functions() {
	begin_with_vfs zip 3 64 vfs_num=3
	echo 0 >$ROOT/vf/live
	absent "$PF"
	echo 1 >$ROOT/vf/live
	vfs_bound 3
	quiet
}

# The first transform takes both queues of the physical function, so the second takes those of the virtual function.
test_sec_encrypts_on_a_virtual_function() {
	begin_with_vfs sec 1 4 vfs_num=1 pf_q_num=2
	vfs_bound 1
	modprobe -q algif_skcipher || skip 'this kernel has no interface for ciphers'
	"$OUT/tests/sim/alg_client" 'hisi_sec_cbc(aes)' 2
	[ "$(cat "/sys/kernel/debug/hisi_sec2/$(vf 1)/sec_dfx/recv_cnt")" -ge 1 ]
	quiet
}

reset_completed() {
	grep -q "$address: Controller reset complete" <(dmesg)
}

# The driver calls the firmware's method at each probe, too.
test_its_reset_of_the_controller_completes() {
	method=acpi begin_with_vfs sec 1 4 vfs_num=1 pf_q_num=2
	quiet
	echo 'qm 2' >$ROOT/vf/faults/error
	until_true 120 reset_completed
	vfs_bound 1
	modprobe -q algif_skcipher || skip 'this kernel has no interface for ciphers'
	"$OUT/tests/sim/alg_client" 'hisi_sec_cbc(aes)' 1
}

# The driver has no algorithm for this generation's ZIP.
test_zip_of_generation_2_unbinds_and_binds_again() {
	generation=2 begin_with_vfs zip 2 64 vfs_num=2
	vfs_bound 2
	CYCLES=3
	cycle
	echo 1 >"$PF/reset"
	bound
	quiet
}

test_sec_of_generation_2_passes_the_self_tests_of_the_kernel() {
	local names='hisi_sec_.*(aes|des3_ede)'

	generation=2 begin_with_vfs sec 0 64
	has_self_tests
	[ "$(algorithms "$names" name .)" = 10 ]
	until_true 120 self_tested "$names" 10
	quiet
}

# Its firmware has a method (_DSM) that the driver calls before anything else.
test_hpre_of_generation_2_passes_the_self_tests_of_the_kernel() {
	local names='hpre-'

	generation=2 method=acpi begin_with_vfs hpre 0 64
	has_self_tests
	[ "$(algorithms "$names" name .)" = 2 ]
	until_true 120 self_tested "$names" 2
	[ "$(cat /sys/kernel/debug/hisi_hpre/$address/hpre_dfx/recv_cnt)" -gt 4 ]
	quiet
}

run_mainline "$@"
modprobe hisi_zip uacce_mode=1
modprobe hisi_sim devices=zip,zip
exit $status
