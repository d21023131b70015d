# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on devices without shared virtual addressing. Sourced after GENERATION, that of the hardware, and
# IOMMU, whether the devices have one, are set.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/programs_cases.sh"
. "$(dirname "$0")/nosva_counts.sh"

AS_USER='setpriv --reuid 65534 --regid 65534 --clear-groups'

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
	devices mediated sva=0 iommu=$IOMMU
}

test_an_ordinary_user_has_all_algorithms_in_a_section() {
	chmod 666 /dev/hisi_*
	wdctl section add Mediated NumProcesses=2 AllowedUsers=65534 >/dev/null
	$AS_USER wdctl run --section Mediated -- wdctl selftest >got || { cat got; return 1; }
	says ' 0 failed' got
	head -c 1000000 "$OUT/bin/wdctl" >plain
	chmod 644 plain
	$AS_USER wdctl run --section Mediated -v -- wdzip --path hw -cv plain 2>err | gzip -dc | same - plain
	says 'path sim' err
}

# Last in the order of names.
test_within_their_mappings_devices_have_stayed_and_nothing_is_pinned() {
	local engine

	until_true 60 pins_are "$pins_before"
	for engine in $ENGINES; do
		ITEM=$ROOT/mediated_$engine
		no_faults
	done
}

at_exit() {
	wdctl section del Mediated
	drop_all
	modprobe hisi_sim devices=zip,zip
}

need_sim hisi_zip 1
(have_nosva) >/dev/null || need_skip 'this kernel lets no device have DMA mapping operations of its own'
pins_before=$(pins)
begin
run_tests "$@"
