#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slurm of Debian with two nodes on one machine: jobs wait for units and get slots, whatever ends them or the daemons.
# Needs munge, slurmctld, slurmd and slurm-client. With WD_TEST_LONG=1 also 200 jobs.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"
. "$(dirname "$0")/slurm_site.sh"

need_slurm
U=/sys/kernel/config/uacce
DEV=$(ls $U/devices | sed -n 1p)
[ -n "$DEV" ] || skip "there is no device"
ID=1500
NODES='n1 n2'
CONTROLLER="$(hostname)(127.0.0.1)"

prepare() {
	local node

	mkdir -p $SITE
	mount -t tmpfs -o mode=755 none $SITE
	tools_for_all
	ip link set lo up 2>/dev/null || :
	grep -q '^deploy:' /etc/passwd || echo "deploy:x:$ID:$ID::/tmp:/bin/sh" >>/etc/passwd
	chmod 666 /dev/$DEV
	echo "[slurm wd_zip] NumProcesses = 4 Devices = $DEV" >$SITE/templates
	site_config 4
	start_munge
	start_controller
	for node in $NODES; do
		start_node $node
	done
}

at_exit() {
	local daemon

	for daemon in slurmd-n1 slurmd-n2 slurmctld munged; do
		end_daemon $daemon
	done
	sleep 1
	wdctl apply --prune --revoke /dev/null >/dev/null
	umount -l $SITE
}

# as_user COMMAND...: Slurm's, as the user of jobs; in a folder that nodes have, too.
as_user() {
	tools_for_all
	(cd /tmp && setpriv --reuid $ID --regid $ID --clear-groups "$@")
}

# batch OPTION... -- COMMAND: prints the job's number.
batch() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	as_user sbatch --parsable --output=/dev/null "${options[@]}" --wrap "$2"
}

is_state() {
	[ "$(job_state "$1")" = "$2" ]
}

settled() {
	until_true 120 all_idle
	until_true 60 nothing_left
}

# opens COUNT: so many contexts by a process with a slot of the job's section.
opens() {
	echo "wdctl run --section \"\$WD_SECTION\" -- bash -c '
		for n in {1..$1}; do exec {fd}<>/dev/$DEV || exit; done; echo opened'"
}

test_01_jobs_wait_and_run_as_slots_allow() {
	local a b c

	prepare
	until_true 120 all_idle
	a=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	b=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	c=$(batch -w n1 --gres=wd_zip:2 -- 'sleep 1000')
	until_true 60 is_state $b RUNNING
	until_true 60 sh -c "scontrol show job $c | grep 'JobState=PENDING Reason=Resources'"
	until_true 60 test -d $U/sections/slurm_n1_$b
	[ "$(cat $U/sections/slurm_n1_{$a,$b}/num_processes | xargs)" = "2 2" ]
	[ "$(cat $U/sections/slurm_n1_$a/allowed_uids)" = $ID ]
	absent $U/sections/slurm_n1_$c
	as_user scancel $a
	until_true 60 is_state $c RUNNING
	until_true 60 test -d $U/sections/slurm_n1_$c
	absent $U/sections/slurm_n1_$a
	as_user scancel $b $c
	settled
}

test_02_a_job_works_in_its_section_and_not_beyond_it() {
	as_user srun --gres=wd_zip:2 sh -c 'wdctl run --section "$WD_SECTION" -- wdzip -cv /bin/bash | gzip -dc | cksum' \
		>got 2>err
	says 'path sim' err
	says "$(cksum </bin/bash)" got
	as_user srun --gres=wd_zip:1 sh -c "$(opens 2); $(opens 3)" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
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
	local job

	wdctl section add hog NumProcesses=1 Devices=$DEV SyncCtxs=$(($(cat $U/devices/$DEV/free_ctxs) - 1)) AsyncCtxs=0 \
		>/dev/null
	as_user srun -w n1 --gres=wd_zip:1 true >got 2>err || :
	says 'wdctl: job' got
	says 'not enough free contexts' got
	job=$(batch -w n1 --gres=wd_zip:1 -- true)
	until_true 60 sh -c "scontrol show job $job | grep 'Restarts=1 '"
	until_true 60 is_state $job PENDING
	[ "$(node_state n1)" = idle ]
	as_user srun -w n1 true
	wdctl section del hog >/dev/null
	as_user scancel $job
	settled
}

test_06_what_ends_a_job_or_a_daemon_leaves_nothing() {
	local job line

	# A job that ignores signals, and its process that has contexts.
	job=$(batch -w n1 --gres=wd_zip:1 -- "trap '' TERM; wdctl run --section \$WD_SECTION -- bash -c \
		'trap \"\" TERM; exec 5<>/dev/$DEV; while :; do sleep 1; done'")
	until_true 60 sh -c "wdctl ctx | grep slurm_n1_$job"
	as_user scancel $job
	settled
	# The node's daemon dies with a job, which ends meanwhile.
	job=$(batch -w n1 --gres=wd_zip:1 -- "wdctl run --section \$WD_SECTION -- sleep 5")
	until_true 60 sh -c "wdctl section show slurm_n1_$job | grep 'attached 1'"
	end_daemon slurmd-n1 -KILL
	until_true 60 sh -c "wdctl section show slurm_n1_$job | grep 'attached 0'"
	start_node n1
	settled
	# The controller dies.
	job=$(batch -w n1 --gres=wd_zip:1 -- "sleep 1000")
	until_true 60 test -d $U/sections/slurm_n1_$job
	end_daemon slurmctld -KILL
	sleep 2
	start_controller
	until_true 120 is_state $job RUNNING
	[ -d $U/sections/slurm_n1_$job ]
	as_user scancel $job
	settled
	# A prolog that was killed in the middle has left a section; the next one finds it.
	line="[slurm_n1_99999] Devices = $DEV"
	echo "$line" | wdctl apply - >/dev/null 2>&1
	as_user srun -w n1 --gres=wd_zip:1 true
	absent $U/sections/slurm_n1_99999
	settled
}

test_07_two_hundred_jobs_leave_nothing() {
	local i

	[ -n "${WD_TEST_LONG:-}" ] || skip 'takes ten minutes: set WD_TEST_LONG=1'
	for i in $(seq 200); do
		batch --gres=wd_zip:$((1 + i % 4)) -- 'wdctl run --section $WD_SECTION -- wdzip -c /bin/true >/dev/null' \
			>/dev/null
	done
	until_true 1800 sh -c '[ -z "$(squeue -h)" ]'
	scontrol show job | sed -n 's/^ *JobState=\([A-Z]*\) .*/\1/p' | sort | uniq -c
	[ "$(scontrol show job | grep -c 'JobState=COMPLETED')" -ge 200 ]
	settled
}

run_tests "$@"
