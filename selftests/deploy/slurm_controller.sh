# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run in a stock machine by slurm_machines.sh: the controller of Slurm, and its jobs. SHARED NAME [PATTERN...]

SHARED=$1
. selftests/include/tap.sh
. selftests/deploy/slurm_machines_site.sh

sysctl -q net.ipv4.ip_forward=1
# The controller has no kernel with sections: its configuration takes the templates as they are.
set_up
start_munge
start_controller

batch() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	sbatch --parsable --chdir=/tmp --output=/dev/null --uid=user "${options[@]}" --wrap "$2"
}

# on NODE COMMAND: without units.
on() {
	srun -w "$1" sh -c "$2"
}

clean_on() {
	on "$1" "$NOTHING_LEFT"
}

settled() {
	within 900 no_jobs && within 900 all_idle && within 600 clean_on n1 && within 600 clean_on n2 && return
	look
	return 1
}

# look: what the controller and the nodes have, for the log of a failure. The nodes' daemons print theirs there.
look() {
	local node

	date
	sinfo
	squeue
	scontrol -d show job
	scontrol show node
	tail -n 50 $SITE/slurmctld.out
	for node in $NODES; do
		echo "== $node"
		timeout 60 srun -w $node sh -c 'ls -l /sys/kernel/config/uacce/sections /run/wdctl-slurm
			tail /run/wdctl-slurm/*; wdctl section list; wdctl ctx; ps -ef | tail -n 30
			cat /sys/kernel/debug/uacce/accounting' 2>&1 || :
	done
}

opens() {
	echo "wdctl run --section \"\$WD_SECTION\" -- bash -c '
		for n in {1..$1}; do exec {fd}<>/dev/hisi_zip-0 || exit; done; echo opened'"
}

# slots_of JOB: its section's, on each node.
slots_of() {
	srun -w n1,n2 sh -c "cat /sys/kernel/config/uacce/sections/slurm_*_$1/num_processes" | xargs
}
has_slots() { [ "$(slots_of "$1")" = "$2" ]; }

test_1_jobs_of_two_nodes_wait_and_run() {
	local a b c

	within 900 all_idle
	a=$(batch -N2 --gres=wd_zip:3 -- 'srun sleep 1000')
	b=$(batch -N2 --gres=wd_zip:2 -- 'srun sleep 1000')
	c=$(batch -w n1 --gres=wd_zip:1 -- 'sleep 1000')
	within 600 is_state $a RUNNING
	within 600 is_state $c RUNNING
	scontrol show job $b | grep 'JobState=PENDING'
	within 600 has_slots $a '3 3'
	scancel $a
	scancel $c
	within 600 is_state $b RUNNING
	within 600 has_slots $b '2 2'
	scancel $b
	settled
	is_state $b CANCELLED
}

test_2_the_open_beyond_a_share_is_refused_in_the_job() {
	srun -N2 --gres=wd_zip:1 sh -c 'wdctl run --section "$WD_SECTION" -- wdzip -cv /bin/bash | gzip -dc | cksum' \
		>got 2>err
	[ "$(grep -c "$(cksum </bin/bash)" got) $(grep -c 'path sim' err)" = "2 2" ]
	srun -w n2 --gres=wd_zip:1 sh -c "$(opens 2); $(opens 3)" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
	settled
}

test_3_daemons_that_die_leave_nothing() {
	local job

	job=$(batch -w n1 --gres=wd_zip:2 -- 'wdctl run --section $WD_SECTION -- sleep 20')
	within 600 is_state $job RUNNING
	within 600 is_saved $job
	on n1 "kill -KILL \$(cat $SITE/slurmd-n1.pid)" || :
	end_daemon slurmctld -KILL
	sleep 3
	start_controller
	within 900 is_state $job COMPLETED || { look; false; }
	settled
}

# The state of a node that doesn't answer has a mark behind it.
is_back() { node_state "$1" | grep -qx 'mix\|alloc\|idle\|comp'; }
is_away() { node_state "$1" | grep -qvx 'mix\|alloc\|idle\|comp'; }

test_4_a_node_that_dies_comes_back_clean() {
	local job

	job=$(batch -w n2 --gres=wd_zip:4 -- 'wdctl run --section $WD_SECTION -- sleep 1000')
	within 600 on n2 "test -d /sys/kernel/config/uacce/sections/slurm_n2_$job"
	# The host kills it now.
	echo '# kill n2' >&7
	within 600 is_away n2
	within 1500 is_back n2
	scancel $job
	settled
}

test_5_two_hundred_jobs_leave_nothing() {
	local i

	for i in $(seq 200); do
		batch --gres=wd_zip:$((1 + i % 4)) -- \
			'wdctl run --section $WD_SECTION -- wdzip -c /bin/true >/dev/null' >>jobs
	done
	within 3600 no_jobs || { look; false; }
	for i in $(cat jobs); do
		job_state $i
	done >states
	[ "$(sort states | uniq -c | xargs)" = '200 COMPLETED' ] || { paste jobs states | grep -v COMPLETED; false; }
	settled
}

exec 7>&1
(run_tests "${@:3}")
code=$?
[ $code = 0 ] || tail -n 5 $SITE/*.out >&2
srun -w n1,n2 touch /tmp/stop
exit $code
