# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run in a stock machine by slurm_machines.sh: a node of Slurm. SHARED NAME

SHARED=$1 NAME=$2
. selftests/include/tap.sh
. selftests/deploy/slurm_machines_site.sh

ip route add 10.9.0.0/16 via "10.9.${NAME#n}.1"
wdctl load --from "${BUILD:-$TOP/build}/kmod/$(uname -r)" --sim zip,zip
udevadm settle
chmod 666 /dev/hisi_*
set_up
start_munge
slurmd=
while [ ! -e /tmp/stop ]; do
	[ -n "$slurmd" ] && kill -0 "$slurmd" 2>/dev/null || {
		slurmd -D -N "$NAME" &
		slurmd=$!
	}
	sleep 5
done
