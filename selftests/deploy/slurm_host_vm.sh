#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slurm of Debian with two nodes on one machine with simulated devices. Needs munge, slurmctld, slurmd and slurm-client.
# With WD_TEST_LONG=1 also 200 jobs.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"
. "$(dirname "$0")/slurm_site.sh"
. "$(dirname "$0")/slurm_host_cases.sh"

need_slurm
U=/sys/kernel/config/uacce
DEV=$(ls $U/devices | sed -n 1p)
[ -n "$DEV" ] || skip "there is no device"
ID=1500
NODES='n1 n2'
name_vm
CONTROLLER="wd-site(127.0.0.1)"

prepare() {
	local node

	mkdir -p $SITE
	mount -t tmpfs -o mode=755 none $SITE
	tools_for_all
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

w() {
	wdctl "$@"
}

# as_user COMMAND...: Slurm's, as the user of jobs; in a folder that nodes have, too.
as_user() {
	tools_for_all
	(cd /tmp && setpriv --reuid $ID --regid $ID --clear-groups "$@")
}

# opens COUNT: so many contexts by a process with a slot of the job's section.
opens() {
	echo "wdctl run --section \"\$WD_SECTION\" -- bash -c '
		for n in {1..$1}; do exec {fd}<>/dev/$DEV || exit; done; echo opened'"
}

test_02_a_job_works_in_its_section_and_not_beyond_it() {
	as_user srun --gres=wd_zip:2 sh -c \
		'wdctl run --section "$WD_SECTION" -- wdzip -cv /bin/bash | gzip -dc | cksum' >got 2>err
	says 'path sim' err
	says "$(cksum </bin/bash)" got
	as_user srun --gres=wd_zip:1 sh -c "$(opens 2); $(opens 3)" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
	settled
}

test_08_a_job_that_ignores_signals_leaves_nothing() {
	local job

	job=$(batch -w n1 --gres=wd_zip:1 -- "trap '' TERM; wdctl run --section \$WD_SECTION -- bash -c \
		'trap \"\" TERM; exec 5<>/dev/$DEV; while :; do sleep 1; done'")
	within 120 sh -c "wdctl ctx | grep slurm_n1_$job"
	as_user scancel $job
	settled
}

run_tests "$@"
