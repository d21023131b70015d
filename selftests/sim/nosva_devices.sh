# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A device of each engine without shared virtual addressing. Sourced; GENERATION is that of the hardware, and IOMMU is 1
# if they have one.

. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/programs_devices.sh"
. "$(dirname "$0")/nosva_counts.sh"

# need_nosva: skips the program where such devices don't work.
need_nosva() {
	need_sim hisi_zip 1
	(have_nosva) >/dev/null || need_skip 'this kernel lets no device have DMA mapping operations of its own'
	pins_before=$(pins)
}

drop_all() {
	local item

	for item in $ROOT/mediated_*/; do
		[ ! -d "$item" ] || { echo 0 >"$item/live" && rmdir "$item"; }
	done
	timeout 600 rmmod hisi_sim
}

begin() {
	drop_all
	modprobe -a hisi_sim hisi_zip hisi_sec2 hisi_hpre
	devices mediated sva=0 "iommu=$IOMMU"
}

# Nor has a device left its mappings.
nothing_is_left() {
	local engine

	until_true 60 pins_are "$pins_before"
	for engine in $ENGINES; do
		ITEM=$ROOT/mediated_$engine
		no_faults
	done
}

nosva_end() {
	drop_all
	modprobe hisi_sim devices=zip,zip
}
