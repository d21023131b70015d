#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hisi_sim as a module: its parameters, its directories, and unloading it at any moment.

. "$(dirname "$0")/../include/tap.sh"

ROOT=/sys/kernel/config/hisi_sim
CLASS=/sys/class/uacce
CLIENT=$OUT/tests/hisi_qm/busy_client
ROUNDS=3
[ -z "${WD_TEST_BRIEF:-}" ] || ROUNDS=1

# Physical addresses of QEMU's machines: in System RAM, of a register in use, with nothing behind them.
RAM=0x1000000 BUSY=0xfec00000 NOTHING=0x3000000000 UNBACKED='is not backed by memory'
[ "$(uname -m)" != aarch64 ] ||
	RAM=0x48000000 BUSY=0x9000000 NOTHING='0x3000000000 0x20000000' UNBACKED='is not known to be memory'

# A program's start takes seconds on the debug kernel: what is done again and again needs none.

# A thread that waited for a file's page releases the module a moment after the request that it served is done.
let_go() {
	[ "$(</sys/module/hisi_sim/refcnt)" = 0 ]
}

unload() {
	[ ! -d /sys/module/hisi_sim ] || { until_true 10 let_go && timeout 600 rmmod hisi_sim; }
}

# refused TEXT PARAMETER...: the module doesn't load, reports why, and leaves nothing.
refused() {
	local text=$1 log

	shift
	unload
	echo "refused: $*" >/dev/kmsg
	exits 1 modprobe hisi_sim "$@"
	log=$(dmesg)
	log=${log##*refused: }
	[[ $log == *"$text"* ]] || {
		echo "expected '$text' in: $log"
		return 1
	}
	absent /sys/module/hisi_sim
	[[ $(</proc/iomem) != *hisi_sim* ]]
}

uacce_count() {
	local devices=("$CLASS"/*)

	[ -e "${devices[0]}" ] || devices=()
	[ ${#devices[@]} = "$1" ]
}

test_an_unknown_kind_of_device_is_refused() {
	refused '"zap": expected zip, sec or hpre' devices=zap
	refused '"": expected zip, sec or hpre' devices=,
	refused '"": expected zip, sec or hpre' devices=zip,
	refused '"0": expected zip, sec or hpre' devices=0
}

test_an_unknown_generation_is_refused() {
	refused '"zip@v1": expected zip, zip@v2 or zip@v3' devices=zip@v1
	refused '"sec@": expected sec, sec@v2 or sec@v3' devices=sec@
	refused '"hpre@2": expected hpre, hpre@v2 or hpre@v3' devices=zip,hpre@2
	refused '"zip@v22": expected zip, zip@v2 or zip@v3' devices=zip@v22
	refused '"zap": expected zip, sec or hpre' devices=zap@v2
}

test_devices_before_a_bad_one_go_away_again() {
	refused '"nonsense": expected zip, sec or hpre' devices=zip,zip,nonsense
	uacce_count 0
}

test_more_devices_than_the_aperture_holds_are_refused() {
	refused "cannot create zip" "devices=$(printf 'zip,%.0s' {1..63})zip"
}

test_a_malformed_aperture_is_refused() {
	refused 'expected START,SIZE' aperture=here
	refused 'expected START,SIZE' aperture=0x100000000
	refused 'expected START,SIZE' aperture=1M,1M,1M
	refused 'expected START,SIZE' aperture=0x100000000,16M1
	refused 'multiples of 64 KiB' aperture=0x100000000,0
	refused 'multiples of 64 KiB' aperture=0x100000001,16M
	refused 'multiples of 64 KiB' aperture=0xffffffffffff0000,16M
}

test_system_ram_is_refused_as_aperture() {
	refused 'is System RAM' "aperture=$RAM,16M"
}

test_registers_of_another_device_are_refused_as_aperture() {
	refused 'is in use' "aperture=$BUSY,64K"
}

test_addresses_without_memory_are_refused_as_aperture() {
	local start

	for start in $NOTHING; do
		refused "$UNBACKED" "aperture=$start,16M"
	done
}

test_the_devices_parameter_makes_directories_that_are_live() {
	unload
	modprobe hisi_sim devices=zip,zip
	[ "$(<$ROOT/zip0/live)" = 1 ]
	[ "$(<$ROOT/zip1/live)" = 1 ]
	[ "$(<$ROOT/zip0/address)" != "$(<$ROOT/zip1/address)" ]
	not rmdir $ROOT/zip0
}

test_the_devices_parameter_mixes_kinds() {
	unload
	modprobe hisi_sim devices=sec,zip,sec
	[ "$(<$ROOT/sec0/live)" = 1 ]
	[ "$(<$ROOT/sec1/type)" = sec ]
	[ "$(<"/sys/bus/pci/devices/$(<$ROOT/sec1/address)/device")" = 0xa255 ]
	[ "$(<"/sys/bus/pci/devices/$(<$ROOT/zip0/address)/device")" = 0xa250 ]
}

test_the_devices_parameter_mixes_generations() {
	unload
	modprobe hisi_sim devices=zip@v2,zip,hpre@v2,zip@v3
	[ \
		"$(cat $ROOT/zip0/generation $ROOT/zip1/generation $ROOT/hpre0/generation $ROOT/zip2/generation |
		tr '\n' ' ')" = '2 3 2 3 ' ]
	[ "$(<"/sys/bus/pci/devices/$(<$ROOT/hpre0/address)/revision")" = 0x21 ]
	[ "$(<"/sys/bus/pci/devices/$(<$ROOT/zip1/address)/revision")" = 0x30 ]
}

test_such_a_device_can_be_taken_away_and_brought_back() {
	unload
	modprobe hisi_sim devices=zip
	until_true 30 uacce_count 1
	echo 0 >$ROOT/zip0/live
	uacce_count 0
	echo 1 >$ROOT/zip0/live
	until_true 30 uacce_count 1
}

test_a_directory_made_by_hand_pins_the_module() {
	unload
	modprobe hisi_sim
	mkdir $ROOT/mine
	exits 1 rmmod hisi_sim
	rmdir $ROOT/mine
	rmmod hisi_sim
	modprobe hisi_sim devices=zip,zip
}

test_it_unloads_with_queues_open() {
	unload
	modprobe hisi_sim devices=zip
	until_true 30 test -c /dev/hisi_zip-0
	exec 7<>/dev/hisi_zip-0 8<>/dev/hisi_zip-0
	timeout 600 rmmod hisi_sim
	uacce_count 0
	exec 7>&- 8>&-
}

test_it_unloads_under_busy_clients() {
	local i pid

	[ -x "$CLIENT" ] || skip 'busy_client is not built'
	for ((i = 0; i < ROUNDS; i++)); do
		unload
		modprobe hisi_sim devices=zip
		until_true 30 test -c /dev/hisi_zip-0
		"$CLIENT" hisi_zip-0 8 >busy &
		pid=$!
		until_true 120 grep -q busy busy
		timeout 600 rmmod hisi_sim
		wait $pid
	done
}

test_loading_and_unloading_leaves_nothing() {
	local i

	unload
	for ((i = 0; i < ROUNDS; i++)); do
		modprobe hisi_sim devices=zip,zip
		rmmod hisi_sim
	done
	not grep hisi_sim /proc/iomem
	not grep hisi_sim /proc/interrupts
	uacce_count 0
}

[ -d /sys/module/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
run_tests "$@"
status=$?
unload
modprobe hisi_sim devices=zip,zip
exit $status
