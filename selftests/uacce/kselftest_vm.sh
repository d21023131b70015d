#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The folder that kselftest_build.sh installed, on a target with simulated devices, and with devices that look real.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/own_device.sh"

DIR=$(dirname "$OUT")/kselftest_install

# result TEST: runs one test of the copy on this machine, as on a target, and prints its lines.
result() {
	[ -d "$WORK/target" ] || cp -r "$DIR" "$WORK/target"
	env -u TOP -u OUT "$WORK/target/run_kselftest.sh" -t "$1" | tee results
}

# passed TEST
passed() {
	result "$1"
	grep -q "^ok 1 selftests: ${1/:/: }\$" results
}

# skipped TEST REASON
skipped() {
	result "$1"
	grep -q "^ok 1 selftests: ${1/:/: } # SKIP\$" results
	says "# SKIP $2" results
}

# Devices whose attribute "simulated" reads 0, until look_simulated.
look_real() {
	local device

	echo 0 >"$WORK/zero"
	for device in /sys/class/uacce/*; do
		mount --bind "$WORK/zero" "$device/simulated"
	done
}

look_simulated() {
	local device

	for device in /sys/class/uacce/*; do
		! mountpoint -q "$device/simulated" || umount "$device/simulated"
	done
}

at_exit() {
	look_simulated
	drop_others
}

test_programs_and_scripts_run_without_the_checkout() {
	passed uacce:test_open
	passed uacce:sysfs_abi.sh
	passed hisi_qm:test_queue
}

test_a_missing_kind_of_device_is_a_skip() {
	skipped hisi_qm:sec_client '1 hisi_sec2 device needed'
}

# As on a machine that has each engine.
test_devices_of_other_engines_are_in_nobodys_way() {
	own_device sec hisi_sec2
	own_device hpre hisi_hpre
	passed uacce:test_attach
	passed uacce:test_counts
	passed uacce:test_netlink
	drop_others
}

drop_others() {
	own_device_drop hpre hisi_hpre
	own_device_drop sec hisi_sec2
}

test_sections_of_others_are_not_touched() {
	mkdir /sys/kernel/config/uacce/sections/others
	skipped uacce:test_trace 'the devices have contexts in the section others' ||
		{ rmdir /sys/kernel/config/uacce/sections/others; return 1; }
	rmdir /sys/kernel/config/uacce/sections/others
}

test_on_real_devices_only_what_needs_no_simulation_runs() {
	look_real
	passed hisi_qm:test_queue
	skipped hisi_qm:test_faults 'the device hisi_zip-0 is not simulated, and the tests order faults'
	skipped hisi_qm:driver.sh 'the device hisi_zip-0 is not simulated, and the tests unload its driver'
	skipped uacce:test_remove \
		'the device hisi_zip-0 is not simulated, and would be taken from its users: set WD_TEST_AWAY=1'
	exec 7<>/dev/hisi_zip-0
	skipped uacce:test_open 'the device hisi_zip-0 is in use, 1 contexts'
	exec 7<&-
	look_simulated
}

[ -e "$DIR/kselftest-list.txt" ] || { echo "1..0 # SKIP kselftest_build.sh has not run: no $DIR"; exit 4; }
run_tests "$@"
