#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults, resets and recovery of a device whose submissions the kernel executes, by the tests of a device with SVA.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
. "$(dirname "$0")/../sim/nosva_counts.sh"

# passes PROGRAM: all its tests do, but those that need SVA
passes() {
	have_nosva
	WD_TEST_SVA=0 "$PROGRAMS/hisi_qm/$1" >log || { grep -v '^ok' log; return 1; }
	not grep 'SKIP [^a]' log
}

test_faults() {
	passes test_faults
}

test_resets() {
	passes test_reset
}

test_recovery() {
	passes test_recover
}

[ -d /sys/module/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
run_tests "$@"
