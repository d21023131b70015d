# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What jobs get from Slurm of Debian with two nodes on one machine, whatever ends them or the daemons; included by
# slurm_host.sh and slurm_host_vm.sh, which have
#   U                configfs' folder uacce
#   DEV              a device
#   w COMMAND...     runs wdctl there
#   as_user COMMAND  Slurm's, as the user ID of jobs, in a folder that nodes have, too
#   prepare          starts the daemons, at first

# batch OPTION... -- COMMAND: prints the job's number.
batch() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	as_user sbatch --parsable --output=/dev/null "${options[@]}" --wrap "$2"
}

is_live() {
	[ "$(head -n 1 "$U/sections/$1/status")" = live ]
}

# settled: no job, no section, and the nodes take jobs.
settled() {
	within 120 no_jobs || { squeue; tail -n 12 $SITE/*.out; false; }
	within 120 nothing_left
	within 120 all_idle
}

test_01_jobs_wait_and_run_as_slots_allow() {
	local a b c

	prepare
	within 120 all_idle || { tail -n 20 $SITE/*.log $SITE/*.out; false; }
	a=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	b=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	c=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	within 120 is_state $b RUNNING
	within 120 sh -c "scontrol show job $c | grep 'JobState=PENDING Reason=Resources'"
	within 120 is_live slurm_n1_$a
	within 120 is_live slurm_n1_$b
	[ "$(cat $U/sections/slurm_n1_{$a,$b}/num_processes | xargs)" = "2 2" ]
	[ "$(cat $U/sections/slurm_n1_$a/allowed_uids)" = $ID ]
	absent $U/sections/slurm_n1_$c
	as_user scancel $a
	within 120 is_state $c RUNNING
	within 120 test -d $U/sections/slurm_n1_$c
	absent $U/sections/slurm_n1_$a
	as_user scancel $b $c
	settled
}

test_03_nodes_of_a_job_have_a_section_each() {
	as_user srun -N2 --gres=wd_zip:3 sh -c "echo \$WD_SECTION; cat $U/sections/\$WD_SECTION/num_processes" | sort |
		xargs >got
	grep -E '^3 3 slurm_n1_[0-9]+ slurm_n2_[0-9]+$' got
	exits 1 as_user srun --gres=wd_zip:5 true 2>err
	says 'Requested node configuration is not available' err
	settled
}

test_04_jobs_without_units_have_no_section() {
	[ "$(as_user srun sh -c 'echo "<$WD_SECTION>"')" = "<>" ]
	[ "$(as_user srun --gres=wd_zip:1 -J $'a\n   JOB_GRES=wd_zip:4' sh -c \
		'cat /sys/kernel/config/uacce/sections/$WD_SECTION/num_processes' 2>err || :)" != 4 ]
	settled
}

# Contexts that another section has: Slurm doesn't know of them.
test_05_a_job_that_finds_no_slots_doesnt_stop_the_node() {
	local job free

	free=$(cat $U/devices/$DEV/free_ctxs 2>/dev/null || cat $U/devices/$DEV/total_ctxs)
	w section add hog Devices=$DEV SyncCtxs=$((free - 1)) AsyncCtxs=0 >/dev/null
	as_user srun -w n1 --gres=wd_zip:1 true >got 2>err || :
	says 'wdctl: job' got
	says 'not enough free contexts' got
	job=$(batch -w n1 --gres=wd_zip:1 -- true)
	within 120 sh -c "scontrol show job $job | grep 'Restarts=1 '"
	within 120 is_state $job PENDING
	within 120 all_idle
	as_user srun -w n1 true
	w section del hog >/dev/null
	as_user scancel $job
	settled
}

# What the prolog relies on: a job that its user has cancelled doesn't run again.
test_05_a_job_that_ends_is_not_requeued() {
	local job

	job=$(batch -w n1 -- "trap '' TERM; sleep 1000")
	within 120 is_state $job RUNNING
	as_user scancel $job
	scontrol requeue Incomplete $job
	settled
	scontrol requeue Incomplete $job
	is_state $job CANCELLED
	no_jobs
}

test_06_daemons_that_die_leave_nothing() {
	local job line

	# The node's daemon dies with a job, which ends meanwhile.
	job=$(batch -w n1 --gres=wd_zip:1 -- 'sleep 5')
	within 120 test -d $U/sections/slurm_n1_$job
	end_daemon slurmd-n1 -KILL
	sleep 8
	[ -d $U/sections/slurm_n1_$job ]
	start_node n1
	settled
	# The controller dies.
	job=$(batch -w n1 --gres=wd_zip:1 -- 'sleep 1000')
	within 120 is_state $job RUNNING
	within 120 is_saved $job
	end_daemon slurmctld -KILL
	sleep 2
	start_controller
	within 120 is_state $job RUNNING
	[ -d $U/sections/slurm_n1_$job ]
	as_user scancel $job
	settled
	# A prolog that was killed in the middle has left a section; the next one finds it.
	line="[slurm_n1_99999] Devices = $DEV"
	echo "$line" | w apply - >/dev/null 2>&1
	as_user srun -w n1 --gres=wd_zip:1 true
	absent $U/sections/slurm_n1_99999
	settled
}

test_07_two_hundred_jobs_leave_nothing() {
	local i

	[ -n "${WD_TEST_LONG:-}" ] || skip 'takes minutes: set WD_TEST_LONG=1'
	for i in $(seq 200); do
		batch --gres=wd_zip:$((1 + i % 4)) -- 'test -n "$WD_SECTION"' >>jobs
	done
	within 3000 sh -c '[ -z "$(squeue -h)" ]'
	[ "$(wc -l <jobs)" = 200 ]
	for i in $(cat jobs); do
		is_state $i COMPLETED
	done
	settled
}
