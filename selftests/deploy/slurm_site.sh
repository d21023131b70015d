# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Slurm's daemons on this machine, for nodes that are all here or on machines of their own; sourced by tests.
#   SITE             a folder for state, sockets and logs
#   NODES            names of nodes; ADDRESS_n1=... where a node isn't this machine
#   CONTROLLER       host name and address of the controller, NAME(ADDRESS)
#   WDCTL ROOTED     the command in place of wdctl, and an option, where a tree of files has the place of a kernel

SITE=${SITE:-/run/slurm-site}
SLURM_CONF=$SITE/slurm.conf
export SLURM_CONF

need_slurm() {
	local program

	for program in munged slurmctld slurmd srun; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
			skip "needs $program: apt-get install munge slurmctld slurmd slurm-client"
	done
	PATH=$PATH:/usr/sbin
}

# The VM has no name, no address, and no groups of processes. Names resolve only where there is an address besides
# 127.0.0.1.
name_vm() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	# Where slurmd makes its group without systemd.
	mkdir -p /sys/fs/cgroup/system.slice
	hostname wd-site
	grep -q wd-site /etc/hosts || echo 127.0.0.1 wd-site >>/etc/hosts
	busybox ip link set lo up
	busybox ip addr replace 10.9.9.9/32 dev lo
}

# site_config UNITS: a node has so many units; jobs' sections have the node's name, as nodes may share a machine.
site_config() {
	local units=$1 node port=17000 address host script

	mkdir -p $SITE/state
	for script in prolog task-prolog epilog; do
		printf '#!/bin/sh\nexec %s slurm %s %s --file %s --prefix "slurm_${SLURMD_NODENAME}_"\n' \
			"${WDCTL:-$(command -v wdctl)}" $script "${ROOTED:-}" $SITE/templates >$SITE/$script
		chmod 755 $SITE/$script
	done
	wdctl slurm config gres.conf --file $SITE/templates >$SITE/gres.conf
	[ -d /run/systemd/system ] || echo IgnoreSystemd=yes >$SITE/cgroup.conf
	{
		cat <<-END
			ClusterName=wd
			SlurmctldHost=$CONTROLLER
			AuthType=auth/munge
			AuthInfo=socket=$SITE/munge.socket
			CredType=cred/munge
			SlurmUser=root
			SlurmdUser=root
			StateSaveLocation=$SITE/state
			SlurmdSpoolDir=$SITE/spool-%n
			SlurmctldPidFile=$SITE/slurmctld.pid
			SlurmdPidFile=$SITE/slurmd-%n.pid
			SlurmctldLogFile=$SITE/slurmctld.log
			SlurmdLogFile=$SITE/slurmd-%n.log
			ProctrackType=proctrack/linuxproc
			TaskPlugin=task/none
			MpiDefault=none
			JobAcctGatherType=jobacct_gather/none
			SelectType=select/cons_tres
			SelectTypeParameters=CR_CPU
			SlurmdParameters=config_overrides
			SlurmdTimeout=60
			KillWait=5
			ReturnToService=2
			MaxJobCount=1000
			MinJobAge=7200
			Prolog=$SITE/prolog
			Epilog=$SITE/epilog
			TaskProlog=$SITE/task-prolog
			PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
		END
		wdctl slurm config slurm.conf --file $SITE/templates
		for node in $NODES; do
			port=$((port + 1)) address=ADDRESS_$node
			address=${!address:-} host=$node
			[ -n "$address" ] || host=$(hostname)
			echo "NodeName=$node NodeHostname=$host NodeAddr=${address:-127.0.0.1} Port=$port CPUs=64" \
				"RealMemory=500 Gres=wd_zip:$units"
		done
	} >$SLURM_CONF
}

start_munge() {
	[ -e $SITE/munge.key ] || (umask 077 && head -c 128 /dev/urandom >$SITE/munge.key)
	chmod 400 $SITE/munge.key
	munged --force --key-file=$SITE/munge.key --socket=$SITE/munge.socket --pid-file=$SITE/munged.pid \
		--log-file=$SITE/munged.log --seed-file=$SITE/munged.seed
}

start_controller() {
	slurmctld -D >>$SITE/slurmctld.out 2>&1 &
	# A test that fails ends its own jobs, and not the daemons.
	disown
}

start_node() {
	slurmd -D -N "$1" >>"$SITE/slurmd-$1.out" 2>&1 &
	disown
}

# within SECONDS COMMAND...: as until_true, but the looks count: one alone may take the time of a controller that
# doesn't answer.
within() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "'$*' was not true in time"
			return 1
		}
		sleep 0.5
	done
}

# Asks for all nodes: what the controller says about one (sinfo -n) is as old as the last answer about all.
node_state() {
	timeout 20 sinfo -h -N -o '%N %t' | sed -n "s/^$1 //p"
}

all_idle() {
	local node

	for node in $NODES; do
		[ "$(node_state $node)" = idle ] || return
	done
}

no_jobs() {
	local jobs

	jobs=$(timeout 20 squeue -h) && [ -z "$jobs" ]
}

# end_daemon NAME [SIGNAL]: by its own number.
end_daemon() {
	[ ! -e "$SITE/$1.pid" ] || kill "${2:--TERM}" "$(cat "$SITE/$1.pid")"
}

job_state() {
	scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z]*\) .*/\1/p'
}

is_state() {
	[ "$(job_state "$1")" = "$2" ]
}

# is_saved JOB: the controller has written what is_state has seen; what it hasn't written it forgets when it dies. Its
# file has the comment as it is.
is_saved() {
	scontrol update JobId="$1" Comment="job $1 is saved" || return
	grep -q -a "job $1 is saved" $SITE/state/job_state
}

# For sh on a node: it has no section, slot or context of a job.
NOTHING_LEFT='cd /sys/kernel/config/uacce/sections && test -r /sys/kernel/debug/uacce/accounting &&
	! ls | grep slurm_ && ! wdctl ctx | grep slurm_ &&
	! grep -v " reserved 0 used 0 pool 0 quarantined 0 free [0-9]* ok$" /sys/kernel/debug/uacce/accounting'

nothing_left() {
	sh -c "$NOTHING_LEFT"
}
