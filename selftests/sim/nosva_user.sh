#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An ordinary user in a section, on devices of both generations without shared virtual addressing: known answers of all
# algorithms, and data there and back.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/nosva_devices.sh"

AS_USER='setpriv --reuid 65534 --regid 65534 --clear-groups'

has_all_algorithms() {
	begin
	chmod 666 /dev/hisi_*
	wdctl section add Mediated NumProcesses=2 AllowedUsers=65534 >/dev/null
	$AS_USER wdctl run --section Mediated -- wdctl selftest >got || { cat got; return 1; }
	says ' 0 failed' got
	head -c 1000000 "$OUT/bin/wdctl" >plain
	chmod 644 plain
	$AS_USER wdctl run --section Mediated -v -- wdzip --path hw -cv plain 2>err >packed
	says 'path sim' err
	gzip -dc packed | same - plain
	chmod 644 packed
	$AS_USER wdctl run --section Mediated -v -- wdzip --path hw -dcv packed 2>err | same - plain
	says 'path sim' err
	wdctl section del Mediated
	nothing_is_left
}

test_generation_3_behind_an_IOMMU() {
	GENERATION=3 IOMMU=1 has_all_algorithms
}

test_generation_2_without_an_IOMMU() {
	GENERATION=2 IOMMU=0 has_all_algorithms
}

at_exit() {
	wdctl section del Mediated 2>/dev/null
	nosva_end
}

need_nosva
run_tests "$@"
