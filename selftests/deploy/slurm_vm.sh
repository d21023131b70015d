#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl slurm on a running kernel with two simulated devices, and a job's open beyond its share.

U=/sys/kernel/config/uacce
R=/run
. "$(dirname "$0")/slurm_cases.sh"

[ -d $U/sections ] || skip "this kernel has no sections"
DEV0=$(ls $U/devices | sed -n 1p)
DEV1=$(ls $U/devices | sed -n 2p)
[ -n "$DEV1" ] || skip "there are no two devices"
PARENT0=$(basename "$(readlink "/sys/class/uacce/$DEV0/device")")

machine() {
	wdctl apply --prune --revoke /dev/null >/dev/null
	rm -rf $R/wdctl-slurm
}

# w COMMAND...: runs wdctl, with the steps counted.
w() {
	NTH_BELOW=$U LD_PRELOAD=$OUT/tests/tools/nth_step.so "$OUT/bin/wdctl" "$@"
}

at_exit() {
	machine
}

# as_user COMMAND: as the job's user, by bash, with the section of job 80.
as_user() {
	WD_SECTION=slurm_80 setpriv --reuid $ID --regid $ID --clear-groups bash -c "$1"
}

# opens COUNT: so many contexts of the first device, by a process that has a slot.
opens() {
	echo "wdctl run --section slurm_80 -- bash -c '
		for n in {1..$1}; do exec {fd}<>/dev/$DEV0 || exit; done; echo opened'"
}

test_the_open_beyond_a_jobs_share_is_refused_and_nothing_is_left() {
	. "$TOP/selftests/include/tools_for_all.sh"
	tools_for_all
	machine
	templates
	chmod 666 /dev/$DEV0
	job 80 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	node prolog 80
	# Two contexts for synchronous requests and one for others.
	as_user "$(opens 3)" | grep -x opened
	not as_user "$(opens 4)" 2>err
	says 'Disk quota exceeded' err
	# Processes that outlive their job lose what they have open, and the section goes.
	# One process all the way: kill would end the shell of a function, and leave what the function runs.
	WD_SECTION=slurm_80 setpriv --reuid $ID --regid $ID --clear-groups wdctl run --section slurm_80 -- \
		bash -c "exec 5<>/dev/$DEV0; exec sleep 1000" &
	until_true 60 sh -c 'wdctl section show slurm_80 | grep "attached 1"'
	not as_user "$(opens 1)" 2>err
	says '1 slot, 1 attached' err
	node epilog 80
	not has_section slurm_80
	wdctl ctx >ctx
	not grep slurm_80 ctx
	kill $!
	wait $! || :
	says ok /sys/kernel/debug/uacce/accounting
	not grep WRONG /sys/kernel/debug/uacce/accounting
	chmod 600 /dev/$DEV0
}

# What doesn't depend on the kernel is tested natively.
unset -f test_a_killed_prolog_is_finished_by_the_next test_what_a_user_chooses_is_never_taken_for_a_field \
	test_without_a_place_for_the_reason_the_node_is_not_used test_a_job_without_our_units_is_left_alone \
	test_templates_with_errors_and_without_devices_refuse_only_their_jobs
run_tests "$@"
