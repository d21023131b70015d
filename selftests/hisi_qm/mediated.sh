#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queues without shared virtual addressing: raw descriptors of all engines, and virtual functions.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
. "$(dirname "$0")/../sim/nosva_counts.sh"
. "$(dirname "$0")/functions.inc.sh"

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

[ -d /sys/module/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
run_tests "$@"
status=$?
drop
exit $status
