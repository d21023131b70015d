#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mainline's own hisi_qm and hisi_zip on a simulated device: what holds for them holds for hardware.
# Nothing in them is changed but their register time-outs (mainline-build).

. "$(dirname "$0")/../include/tap.sh"

ROOT=/sys/kernel/config/hisi_sim
DRIVER=/sys/bus/pci/drivers/hisi_zip
MODULES=${BUILD:-$TOP/build}/mainline/$(uname -r)
CYCLES=40

drop_all() {
	local module

	for module in hisi_sim hisi_zip hisi_qm; do
		[ ! -d /sys/module/$module ] || timeout 60 rmmod $module
	done
}

# Fresh modules and one device that mainline's driver has bound.
begin() {
	drop_all
	dmesg -C
	insmod "$MODULES/hisi_qm.ko"
	insmod "$MODULES/hisi_zip.ko"
	modprobe hisi_sim devices=zip
	address=$(cat $ROOT/zip0/address)
	bound
}

bound() {
	[ -e "$DRIVER/$address" ]
}

quiet() {
	dmesg | grep hisi >log || :
	not grep -iE 'timeout|fail|error' log
}

cycle() {
	local i

	for ((i = 0; i < CYCLES; i++)); do
		echo "$address" >$DRIVER/unbind
		not bound
		echo "$address" >$DRIVER/bind
		bound
	done
}

# The kernel runs them when the driver registers its algorithms.
self_tested() {
	awk -v RS= '/driver *: hisi-deflate-acomp/ && /selftest *: passed/ { found = 1 } END { exit !found }' /proc/crypto
}

test_it_probes() {
	begin
	quiet
}

test_its_algorithms_pass_the_self_tests_of_the_kernel() {
	local config=/boot/config-$(uname -r)

	begin
	! zgrep -qs CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y /proc/config.gz "$config" ||
		skip 'this kernel has no crypto self-tests'
	until_true 30 self_tested
}

test_it_unbinds_and_binds_again_40_times() {
	begin
	cycle
	quiet
}

test_it_unbinds_and_binds_again_40_times_on_a_busy_machine() {
	local i

	begin
	for i in 1 2 3 4; do
		(while :; do :; done) &
	done
	trap 'kill $(jobs -p)' EXIT
	cycle
	quiet
}

test_it_survives_a_function_level_reset() {
	begin
	echo 1 >"/sys/bus/pci/devices/$address/reset"
	bound
	echo "$address" >$DRIVER/unbind
	echo "$address" >$DRIVER/bind
	bound
	quiet
}

test_the_device_goes_away_under_it_and_comes_back() {
	begin
	for i in 1 2 3; do
		echo 0 >$ROOT/zip0/live
		not bound
		echo 1 >$ROOT/zip0/live
		address=$(cat $ROOT/zip0/address)
		bound
	done
	quiet
}

test_it_unloads_before_the_device_and_after_it() {
	begin
	rmmod hisi_zip
	rmmod hisi_sim
	begin
	rmmod hisi_sim
	rmmod hisi_zip
}

[ -e "$MODULES/hisi_zip.ko" ] || {
	echo "1..0 # SKIP mainline's driver is built from linux-source-6.1, for 6.1 kernels (sim/mainline_build.sh)"
	exit 4
}
run_tests
status=$?
drop_all
modprobe hisi_zip uacce_mode=1
modprobe hisi_sim devices=zip,zip
exit $status
