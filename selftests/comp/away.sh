#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Devices that go away, clients that die and deadlines that pass, as libwd_comp reports them.

. "$(dirname "$0")/../include/tap.sh"

DRIVER=/sys/bus/pci/drivers/hisi_zip
CLASS=/sys/class/uacce
SIM=/sys/kernel/config/hisi_sim
BUSY=$OUT/tests/comp/busy
KILLS=50
[ -z "${WD_TEST_BRIEF:-}" ] || KILLS=10

instances() {
	cat "$CLASS"/hisi_zip-*/available_instances | paste -sd' '
}

all_free() {
	[ "$(instances)" = "$1" ]
}

# The two devices are as they were before the last test.
two_unused() {
	[ "$(compgen -G "$CLASS/*" | sort | xargs -n1 basename | paste -sd' ')" = 'hisi_zip-0 hisi_zip-1' ] &&
		[ -e "$WORK/unused" ] && all_free "$(<"$WORK/unused")"
}

# Two devices with all queues free, whatever state the previous test left.
fresh() {
	local item

	for item in comp_away comp_slow; do
		[ ! -d "$SIM/$item" ] || { echo 0 >"$SIM/$item/live"; rmdir "$SIM/$item"; }
	done
	if ! two_unused; then
		[ ! -d /sys/module/hisi_zip ] || timeout 600 modprobe -r hisi_zip
		timeout 600 modprobe hisi_zip
		until_true 30 test -e "$CLASS/hisi_zip-1/available_instances"
	fi
	before=$(instances)
	echo "$before" >"$WORK/unused"
}

# start: a busy client; its pid in $client.
start() {
	"$BUSY" "${1:-3000}" >ready 2>errors &
	client=$!
	until_true 60 test -s ready || { cat errors; return 1; }
}

# Every thread got an error, no answer was wrong, and the process survived.
all_refused() {
	wait "$client" || { echo "exit $?"; cat errors; return 1; }
	[ "$(grep -c 'No such device\|Input/output error' errors)" = 8 ] || { cat errors; return 1; }
}

test_a_client_lives_on_when_its_device_is_unbound() {
	local pci before

	fresh
	for name in hisi_zip-1 hisi_zip-0; do
		pci+=" $(basename "$(readlink "$CLASS/$name/device")")"
	done
	start
	for address in $pci; do
		timeout 600 bash -c "echo $address >$DRIVER/unbind"
	done
	all_refused
	for address in $pci; do
		echo "$address" >"$DRIVER/bind"
	done
	until_true 30 all_free "$before"
}

test_a_client_lives_on_when_the_driver_is_unloaded() {
	local before

	fresh
	start
	timeout 600 modprobe -r hisi_zip
	all_refused
	modprobe hisi_zip
	until_true 30 all_free "$before"
}

test_a_client_lives_on_when_the_simulated_devices_are_removed() {
	local item before

	fresh
	mkdir "$SIM/comp_away"
	echo zip >"$SIM/comp_away/type"
	echo 1 >"$SIM/comp_away/live"
	until_true 30 test -e "$CLASS/hisi_zip-2/available_instances"
	# Leave only the new device usable.
	echo -n >items
	for name in hisi_zip-0 hisi_zip-1; do
		basename "$(readlink "$CLASS/$name/device")" >>items
	done
	while read -r item; do
		echo "$item" >"$DRIVER/unbind"
	done <items
	start
	echo 0 >"$SIM/comp_away/live"
	all_refused
	rmdir "$SIM/comp_away"
	while read -r item; do
		echo "$item" >"$DRIVER/bind"
	done <items
	until_true 30 test -e "$CLASS/hisi_zip-1/available_instances"
}

test_killed_clients_leave_no_queue_behind() {
	local before i

	fresh
	for ((i = 0; i < KILLS; i++)); do
		: >ready
		start
		kill -9 "$client"
		wait "$client" || true
	done 2>/dev/null
	until_true 30 all_free "$before"
}

test_deadlines_are_kept_on_a_slow_device() {
	local before

	fresh
	mkdir "$SIM/comp_slow"
	echo zip >"$SIM/comp_slow/type"
	echo 500000000 >"$SIM/comp_slow/latency_ns"
	echo 1 >"$SIM/comp_slow/live"
	until_true 30 test -e "$CLASS/hisi_zip-2/available_instances"
	WD_TEST_SLOW=hisi_zip-2 "$OUT/tests/comp/test_deadline" >deadline || { cat deadline; return 1; }
	not grep -q '# SKIP' deadline
	echo 0 >"$SIM/comp_slow/live"
	rmdir "$SIM/comp_slow"
}

run_tests "$@"
