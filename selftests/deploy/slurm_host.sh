#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slurm of Debian with two nodes on one machine, and a tree of plain files with fake_uacce.so in place of the kernel.
# Needs root, munge, slurmctld, slurmd and slurm-client. With WD_TEST_LONG=1 also 200 jobs.

. "$(dirname "$0")/../include/tap.sh"
SITE=$(mktemp -d /tmp/wd-slurm.XXXXXX)
. "$(dirname "$0")/slurm_site.sh"
. "$(dirname "$0")/slurm_host_cases.sh"
. "$(dirname "$0")/../tools/machine.sh"

at_exit() {
	local daemon

	for daemon in slurmd-n1 slurmd-n2 slurmctld munged; do
		end_daemon $daemon 2>/dev/null
	done
	sleep 1
	rm -rf $SITE
}

[ "$(id -u)" = 0 ] || { rmdir $SITE; skip 'needs root'; }
need_slurm
U=$SITE/r/sys/kernel/config/uacce
DEV=$DEV0
ID=65534
NODES='n1 n2'
CONTROLLER="$(hostname)(127.0.0.1)"

w() {
	FAKE_UACCE=$U LD_PRELOAD=$FAKE wdctl "$@" --root $SITE/r
}

# The tree has no slots, so only sections are left over.
nothing_left() {
	! ls $U/sections | grep slurm_
}

as_user() {
	(cd /tmp && setpriv --reuid $ID --regid $ID --clear-groups "$@")
}

prepare() {
	local node

	chmod 755 $SITE
	(cd $SITE && machine && mkdir r/run && chmod -R a+rX r)
	cp "$(command -v wdctl)" $FAKE $SITE/
	echo "[slurm wd_zip] NumProcesses = 4 Devices = $DEV" >$SITE/templates
	WDCTL="env FAKE_UACCE=$U LD_PRELOAD=$SITE/fake_uacce.so $SITE/wdctl" ROOTED="--root $SITE/r" site_config 4
	start_munge
	start_controller
	for node in $NODES; do
		start_node $node
	done
}

run_tests "$@"
