#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slurm on three stock machines: a controller, and two nodes with simulated devices, over links between them
# (slurm_controller.sh, slurm_worker.sh). A node is killed and boots again. Takes a quarter of an hour: on demand only,
# with WD_TEST_LONG=1. Arguments choose cases: 'slurm_machines.sh 2_the_open many_jobs'.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh
. selftests/deploy/machine_packages.sh

long_only 'boots three machines' /var/tmp
suite=bookworm
cases=("$@")
port=$((20000 + $$ % 10000))

# What the machines share: it is there before they start.
site() {
	mkdir -p "$scratch/site"
	head -c 128 /dev/urandom >"$scratch/site/munge.key"
	echo '[slurm wd_zip] NumProcesses = 4 Devices = hisi_zip-0' >"$scratch/site/templates"
}

# machine NAME SCRIPT LINK...: in the background; its process is in pid_NAME, its output in a file.
machine() {
	local name=$1 script=$2 link options=()

	shift 2
	for link; do
		options+=(--link "$link")
	done
	scripts/machine run --suite $suite --deb "$scratch/debs" --with "$scratch/site" --timeout 12000 --mem 768M \
		--smp 1 --name "$name" --logs "$scratch/logs-$name" "${options[@]}" -- \
		bash selftests/deploy/"$script" "$scratch/site" "$name" "${cases[@]}" >>"$scratch/$name.out" 2>&1 &
	declare -g "pid_$name=$!"
}

node() {
	case $1 in
	n1) machine n1 slurm_worker.sh connect=$port,10.9.1.2/24 ;;
	n2) machine n2 slurm_worker.sh connect=$((port + 1)),10.9.2.2/24 ;;
	esac
}

# kill_machine PID: as if its power went. Its emulator is the child of a child of scripts/machine.
kill_machine() {
	pkill -KILL -P "$(pgrep -P "$1" timeout)"
	wait "$1"
}

said() { grep -qs "$1" "$scratch/ctl.out"; }
asked_or_ended() { said "$1" || ! kill -0 "$pid_ctl" 2>/dev/null; }

runs() {
	local code=0

	trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
	trap 'exit 143' TERM INT HUP
	mkdir -p "$scratch"/logs-{ctl,n1,n2}
	machine ctl slurm_controller.sh listen=$port,10.9.1.1/24 listen=$((port + 1)),10.9.2.1/24
	sleep 10
	node n1
	node n2
	# The controller asks for the death of a node, and then waits for it to come back.
	until_true 9000 asked_or_ended '^# kill n2'
	if said '^# kill n2'; then
		kill_machine "$pid_n2"
		node n2
	fi
	wait "$pid_ctl" || code=$?
	kill "$pid_n1" "$pid_n2" 2>/dev/null
	wait
	cat "$scratch/ctl.out"
	[ $code = 0 ] || tail -n 30 "$scratch"/n?.out
	return $code
}

test_that 'packages for the machines are there' packages_fetched "$scratch/debs" munge slurmctld slurmd slurm-client
test_that "modules build with the machine's headers" modules_built $suite
test_that 'the site is set up' site
test_that 'jobs on two nodes get their slots, and nothing is left' runs
tap_done
