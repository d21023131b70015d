#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queues without shared virtual addressing: raw descriptors of all engines, and virtual functions.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
. "$(dirname "$0")/../sim/nosva_counts.sh"
. "$(dirname "$0")/functions.inc.sh"

# A control group's place
GROUP=/run/mediated

at_exit() {
	drop
	[ ! -d $GROUP ] || { rmdir $GROUP/test; umount $GROUP; rmdir $GROUP; }
}

# begin KIND GENERATION IOMMU [VFS]: a new device
begin() {
	have_nosva
	TYPE=$1 GENERATION=$2
	ATTRIBUTES="sva=0 iommu=$3"
	device 64 "${4:-0}" 16
	maps_before=$(maps present)
}

nothing_is_left() {
	no_faults
	[ "$(maps present)" = "$maps_before" ]
	until_true 30 pins_are "$pins_before"
}

# all_forms KIND MODULE CLIENT: its raw descriptors, where the DMA API merges pieces and where not
all_forms() {
	local iommu

	modprobe "$2"
	for iommu in 1 0; do
		begin "$1" 3 $iommu
		pins_before=$(pins)
		"$PROGRAMS/hisi_qm/$3" >client.log || { grep -v '^ok' client.log; return 1; }
		not grep SKIP client.log
		nothing_is_left
	done
}

test_sec_does_all_raw_descriptors() {
	all_forms sec hisi_sec2 sec_client
}

test_hpre_does_all_raw_descriptors() {
	all_forms hpre hisi_hpre hpre_client
}

test_virtual_functions_work() {
	local i

	begin zip 3 1 2
	pins_before=$(pins)
	enable 2
	for i in 1 2; do
		until_true 30 named "$(vf $i)"
		[ "$(cat "$CLASS/$(name "$(vf $i)")/flags")" = 0 ]
		round_trip "$(vf $i)"
	done
	round_trip "$PF"
	enable 0
	nothing_is_left
}

# kernel_memory NUMBER: bytes that the kernel has for a process with so many started queues.
kernel_memory() {
	local client

	rm -f ready
	[ -p hold ] || mkfifo hold
	(echo $BASHPID >$GROUP/test/cgroup.procs && exec "$CLIENT" "$(name "$PF")" idle "$1" <hold >ready) &
	client=$!
	exec {held}>hold
	until_true 60 test -s ready
	awk '$1 == "kernel" { print $2 }' $GROUP/test/memory.stat
	exec {held}>&-
	wait $client
}

# Both sides' rings and the slots, and what the kernel knows of each request: docs/no-sva.md has the parts.
# takes_at_most KIND MODULE KIB: a queue of a device of this kind does before it has requests.
takes_at_most() {
	local none many

	modprobe "$2"
	begin "$1" 3 1
	none=$(kernel_memory 0)
	many=$(kernel_memory 12)
	echo "$1: $(((many - none) / 12)) bytes"
	[ $(((many - none) / 12)) -le $(($3 * 1024)) ]
}

test_a_queue_takes_little_memory() {
	grep -q '^memory\s' /proc/cgroups || skip 'the kernel has no control groups of memory'
	mkdir $GROUP
	mount -t cgroup2 none $GROUP
	echo +memory >$GROUP/cgroup.subtree_control
	mkdir $GROUP/test
	takes_at_most zip hisi_zip 480
	takes_at_most sec hisi_sec2 512
	takes_at_most hpre hisi_hpre 640
}

[ -d /sys/module/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
run_tests "$@"
