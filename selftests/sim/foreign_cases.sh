# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on another uacce than ours: mainline's, with mainline's drivers, on simulated devices. Most
# machines have that one. Sourced after GENERATION, that of the hardware, is set.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/programs_cases.sh"

MODULES=${BUILD:-$TOP/build}/mainline/$(uname -r)/uacce

drop_all() {
	local engine module

	for engine in $ENGINES; do
		[ ! -d $ROOT/foreign_$engine ] ||
			{ echo 0 >$ROOT/foreign_$engine/live && rmdir $ROOT/foreign_$engine; }
	done
	for module in hisi_sim hisi_zip hisi_sec2 hisi_hpre hisi_qm uacce; do
		[ ! -d /sys/module/$module ] || timeout 600 rmmod $module
	done
}

# begin: mainline's modules, and a device of each engine.
begin() {
	local module

	drop_all
	modprobe -a authenc dh_generic ecdh_generic curve25519_generic
	insmod "$MODULES/uacce.ko"
	insmod "$MODULES/hisi_qm.ko"
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		insmod "$MODULES/$module.ko" uacce_mode=1
	done
	modprobe hisi_sim old_drivers=1
	devices foreign
}

test_the_devices_are_listed() {
	wdctl list --json >got
	python3 -c '
import json
devices = json.load(open("got"))["devices"]
assert len(devices) == 3, devices
for d in devices:
	assert d["api"] == "hisi_qm_v'$GENERATION'" and d["sva"] is True and d["state"] == "ok", d
	assert d["available"] > 0 and d["simulated"] is None and d["priority"] is None, d'
}

# problems: prints doctor's, except that our installed modules aren't those that are loaded.
problems() {
	wdctl doctor >got || :
	sed -n '/^problem/p' got | sed '/ is another build than the installed one/d'
}

test_doctor_judges_it_by_facts() {
	local module

	chmod 600 /dev/hisi_*
	problems | same - /dev/null
	says "another uacce than WarpDrive's" got
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		says "sva        $(node $module): on" got
	done
	not grep -E 'wdctl save|no sections are restored|netlink' got
	chmod 660 /dev/hisi_*
	problems >found
	case $GENERATION in
	2) [ "$(grep -c 'maps the device.s mailbox' found)" = 3 ] ;;
	*) same found /dev/null ;;
	esac
}

test_a_command_that_needs_our_uacce_says_so() {
	exits 1 wdctl ctx 2>got
	says "another uacce than WarpDrive's" got
	not grep sections got
}

# The algorithms of several queues are tested at the same time, each by synchronous requests.
test_drivers_that_load_again_find_right_results() {
	local i

	[ -n "${WD_TEST_LONG:-}" ] || skip 'takes minutes: set WD_TEST_LONG=1'
	for i in {1..30}; do
		begin
		not grep 'self-tests .* failed' <(dmesg)
	done
}

at_exit() {
	drop_all
	modprobe hisi_zip uacce_mode=1
	modprobe hisi_sim devices=zip,zip
}

[ -e "$MODULES/hisi_zip.ko" ] || need_skip "mainline's uacce is built for 6.1 and 6.12 (sim/mainline_build.sh)"
need_root
begin
run_tests "$@"
