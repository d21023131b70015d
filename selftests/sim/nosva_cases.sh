# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on devices without shared virtual addressing. Sourced after GENERATION, that of the hardware, and
# IOMMU, whether the devices have one, are set.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/programs_cases.sh"
. "$(dirname "$0")/nosva_devices.sh"

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
