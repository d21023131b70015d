# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on devices without shared virtual addressing. Sourced after GENERATION, that of the hardware, and
# IOMMU, whether the devices have one, are set.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/programs_cases.sh"
. "$(dirname "$0")/nosva_devices.sh"

test_wdzip_packs_for_zstd_and_lz4() {
	local format

	[ $GENERATION = 3 ] || skip 'devices of generation 2 have neither'
	head -c 1000000 "$OUT/bin/wdctl" >plain
	for format in zstd lz4; do
		command -v $format >/dev/null || skip "the command $format is not installed"
		WD_PATH=hw wdzip -F $format -c plain | $format -dc | same - plain
	done
}

# Last in the order of names.
test_within_their_mappings_devices_have_stayed_and_nothing_is_pinned() {
	nothing_is_left
}

at_exit() {
	nosva_end
}

need_nosva
begin
run_tests "$@"
