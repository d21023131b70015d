#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An administrator who follows the guide for containers and Slurm succeeds. Needs podman, crun, munge and Slurm.

OUT_HERE=${OUT:?} LONG=${WD_TEST_LONG:-}
. "$(dirname "$0")/../guides/guides.inc.sh"
. "$(dirname "$0")/slurm_site.sh"

for program in podman crun munged slurmctld slurmd srun; do
	PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "needs $program"
done
PATH=/usr/local/bin:$PATH:/usr/sbin

# devices SPEC: others than there are
devices() {
	wdctl apply --prune --revoke /dev/null >/dev/null
	until_true 30 wdctl unload >/dev/null
	wdctl load --sim "$1" >/dev/null
}

at_exit() {
	wdctl apply --prune --revoke /dev/null >/dev/null
	rm -rf /etc/warpdrive /run/cdi
}

# As if installed, on a machine that has a name, the group, and a place for containers.
machine() {
	cp -a "$OUT_HERE"/bin/wd* /usr/local/bin/
	cp -a "$OUT_HERE"/lib/*.so* /usr/local/lib/
	ldconfig
	name_vm
	unset SLURM_CONF	# of the site of other tests
	mkdir -p /etc/slurm
	echo IgnoreSystemd=yes >/etc/slurm/cgroup.conf
	getent group accel >/dev/null || groupadd --system accel
	chgrp accel /dev/hisi_*
	chmod 660 /dev/hisi_*
	mkdir -p /var/lib/containers /var/spool/slurm-trial
	mount -t tmpfs none /var/lib/containers
	# Options that this VM needs, where a machine has a manager of groups of processes.
	podman() {
		command podman --cgroup-manager cgroupfs --runtime crun "$1" --cgroups disabled --quiet "${@:2}"
	}
	export -f podman
}

test_cluster() {
	machine
	follow vm docs/guide/cluster.md >got 2>&1 || { cat got; false; }
	says '"WD_SECTION=web"' got
	says 'slot web_INT_0' got
	says 'GresTypes=wd_zip' got
	says 'Name=wd_zip Count=4 Flags=CountOnly' got
	grep -E 'slot slurm_[0-9]+_INT_0' got
	[ "$(grep -c 'path sim' got)" -ge 2 ]
	says 'NumProcesses = 2' got
	not grep hisi_zip-0 <(grep '^crw' got)
	says hisi_zip-1 <(grep '^crw' got)
}

# The same with devices that can't share a process' address space.
test_cluster_without_shared_addresses() {
	[ -n "$LONG" ] || skip 'WD_TEST_LONG=1 follows the guide on such devices, too'
	devices zip@nosva,zip@nosva
	test_cluster
	[ "$(cat /sys/class/uacce/*/iommu | sort -u)" = mediated ]
	devices zip,zip
}

run_tests "$@"
