#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl on a running kernel: modules are really loaded and unloaded. Leaves two simulated devices, as it found them.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"
# shellcheck source=selftests/sim/nosva_counts.sh
. "$(dirname "$0")/../sim/nosva_counts.sh"

MODULES="uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim"

loaded() {
	[ -e "/sys/module/$1/initstate" ]
}

# from nothing | from ENGINES: each test states its first state, no modules or these simulated devices. A process'
# memory may belong to a device for a moment after the process' end, which keeps its queues, and uacce, in use.
from() {
	until_true 30 wdctl unload >/dev/null
	[ "$1" = nothing ] || wdctl load --sim "$1" >/dev/null
}

devices() {
	wdctl list | awk 'NR > 1 { print $1 }' | wc -l
}

test_load_loads_in_order_and_says_so() {
	from nothing
	wdctl load >got
	[ "$(cut -d: -f1 got | xargs)" = "uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre" ]
	says "uacce: loaded (updates" got
	loaded uacce
	loaded hisi_zip
	not loaded hisi_sim
}

test_load_makes_simulated_devices() {
	from nothing
	wdctl load --sim zip,zip >got
	says "hisi_sim: loaded (updates" got
	[ "$(devices)" = 2 ]
	wdctl list --json | python3 -c '
import json, sys
d = json.load(sys.stdin)["devices"]
assert len(d) == 2
for x in d:
	assert x["simulated"] is True and x["state"] == "ok" and x["sva"] is True, x
	assert set(["zlib", "gzip", "deflate"]) <= set(x["algorithms"]), x
	assert x["available"] > 0 and x["iommu"] == "sva-sim", x'
}

# sim_alone ENGINES: the simulator without uacce, which modprobe would load first: it offers no address spaces then.
sim_alone() {
	local how file rest

	while read -r how file rest; do
		case $file in
		*/uacce.ko*) ;;
		*/hisi_sim.ko*) insmod "$file" "devices=$1" ;;
		*) [ "$how" = builtin ] || insmod "$file" 2>/dev/null || : ;;
		esac
	done < <(modprobe --show-depends hisi_sim)
}

test_a_device_without_shared_addresses_says_why_the_kernel_executes_submissions() {
	# Debian's kernels for arm64 are built without.
	local why="this kernel was built without CONFIG_ARM_SMMU_V3_SVA"

	[ "$(uname -m)" != x86_64 ] || why="no IOMMU translates"
	from nothing
	sim_alone zip
	not loaded uacce
	modprobe hisi_zip
	dmesg | grep -F "no shared virtual addressing, so the kernel executes submissions: $why"
	[ "$(devices)" = 1 ]
}

test_devices_of_all_engines_can_be_simulated() {
	from nothing
	wdctl load --sim zip,sec,hpre >got
	[ "$(devices)" = 3 ]
	wdctl list --json | python3 -c '
import json, sys
all = json.load(sys.stdin)["devices"]
d = [x for x in all if x["name"].startswith("hisi_sec2-")]
assert len(d) == 1 and d[0]["state"] == "ok", d
assert d[0]["algorithms"] == ["cipher", "digest", "aead"] and d[0]["lacks"] == [], d
d = [x for x in all if x["name"].startswith("hisi_hpre-")]
assert len(d) == 1 and d[0]["state"] == "ok", d
assert d[0]["algorithms"] == "rsa dh ecdh ecdsa sm2 x25519 x448".split(), d'
	wdctl doctor >got
	says "no problems" got
}

test_wrong_results_are_counted_and_the_device_is_named() {
	local node faults

	from zip
	node=$(wdctl list | awk 'NR == 2 { print $1 }')
	faults=$(echo /sys/kernel/config/hisi_sim/*/faults)
	echo 1/1 >"$faults/corrupt"
	seq 1 300000 >f
	wdzip -vk f 2>err
	echo 0 >"$faults/corrupt"
	gzip -dc f.gz | same - f
	says "path soft" err
	wdctl list --json "$node" | python3 -c '
import json, sys
assert json.load(sys.stdin)["devices"][0]["wrong_results"] > 0'
	wdctl top --once --json | python3 -c '
import json, sys
assert json.load(sys.stdin)["devices"][0]["wrong_results"] > 0'
	exits 1 wdctl doctor >got
	says "$node: processes that verify results have found" got
	says "wdctl device set $node Priority=100" got
	dmesg | grep -q "$node: .* results were wrong so far, as processes report"
	eval "$(grep -o "wdctl device set $node Priority=100" got)"
	wdzip -vc f 2>err >f.gz
	says "path soft" err
}

test_load_again_changes_nothing() {
	from zip
	wdctl load --sim zip >got
	[ "$(grep -c "already there (loaded" got)" = 6 ]
	exits 3 wdctl load --sim zip,zip 2>err
	says "hisi_sim: already loaded with devices=zip" err
	[ "$(devices)" = 1 ]
}

test_load_adds_what_is_missing() {
	from nothing
	modprobe uacce
	wdctl load --sim zip >got
	says "uacce: already there" got
	says "hisi_zip: loaded" got
	[ "$(devices)" = 1 ]
}

test_load_undoes_what_it_did_on_failure() {
	from nothing
	mkdir b
	head -c 5000 /dev/urandom >b/hisi_zip.ko
	exits 1 wdctl load --from b >got 2>err
	says "b/hisi_zip.ko: Exec format error" err
	says "hisi_qm: unloaded again" got
	says "uacce: unloaded again" got
	for m in $MODULES; do
		not loaded "$m"
	done
}

test_load_undoes_only_what_it_did() {
	from nothing
	modprobe uacce
	mkdir b
	head -c 5000 /dev/urandom >b/hisi_zip.ko
	exits 1 wdctl load --from b >got 2>err
	loaded uacce
	not loaded hisi_qm
}

test_dry_run_changes_nothing() {
	from nothing
	wdctl load --dry-run --sim zip >got
	says "hisi_sim: would be loaded" got
	not loaded uacce
	wdctl load --sim zip >/dev/null
	wdctl unload --dry-run >got
	says "uacce: would be unloaded" got
	[ "$(devices)" = 1 ]
}

test_unload_goes_the_other_way_and_is_repeatable() {
	from zip,zip
	wdctl unload >got
	[ "$(cut -d: -f1 got | xargs)" = "hisi_sim hisi_hpre hisi_sec2 hisi_zip hisi_qm uacce" ]
	for m in $MODULES; do
		not loaded "$m"
	done
	[ "$(wdctl unload)" = "nothing is loaded" ]
}

test_unload_refuses_while_a_process_has_a_queue() {
	local node

	from zip
	node=$(wdctl list | awk 'NR == 2 { print $1 }')
	exec 8<>"/dev/$node"
	exits 3 wdctl unload >got 2>err
	exec 8>&-
	says "$node: in use by process $BASHPID (" err
	[ ! -s got ]
	for m in $MODULES; do
		loaded "$m"
	done
	wdctl unload
}

test_forced_unload_cuts_processes_off_but_keeps_uacce() {
	local node

	from zip
	node=$(wdctl list | awk 'NR == 2 { print $1 }')
	exec 8<>"/dev/$node"
	exits 3 wdctl unload --force >got 2>err
	says "hisi_zip: unloaded" got
	says "uacce: still loaded" got
	not loaded hisi_sim
	loaded uacce
	exec 8>&-
	wdctl unload
	not loaded uacce
}

test_unload_and_load_many_times() {
	local i

	for i in $(seq 10); do
		from zip,zip
		[ "$(devices)" = 2 ]
	done
}

test_doctor_is_content_with_simulated_devices() {
	from zip,zip
	wdctl doctor >got || {
		cat got
		return 1
	}
	says "no problems" got
	says "sva-sim" got
	says "room for its registers" got
}

test_a_device_without_sva_is_mediated_or_forbidden() {
	local device function config=f.conf

	from nothing
	have_nosva
	from zip@nosva
	device=$(wdctl list | awk 'NR == 2 { print $1 }')
	function=$(basename "$(readlink -f /sys/class/uacce/"$device"/device)")
	[ "$(wdctl list | awk 'NR == 2 { print $(NF - 5) }')" = mediated ]
	wdctl doctor >got || { cat got; false; }
	says "$device: mediated, without shared virtual addressing: it is simulated without" got
	wdctl selftest >got
	says 'sim' got
	not grep FAIL got

	printf '[device %s]\nMemory = sva\n' "$function" >$config
	wdctl apply $config >got
	[ "$(cat /sys/kernel/config/uacce/devices/"$device"/memory)" = sva ]
	wdctl save | same - $config
	wdctl list >got
	says "$device: nobody can open it" got
	seq 300000 >f
	wdzip -kv f 2>err
	says 'path soft' err
	exits 1 wdctl doctor >got
	says "$device: nobody can open it" got
	eval "$(grep -o "wdctl device set $device Memory=auto" got)"
	wdzip -kvf f 2>err
	says 'path sim' err
	exits 2 wdctl device set "$device" Memory=all 2>err
	says "Memory: expected auto, sva or mediated, not 'all'" err
}

test_a_device_with_sva_is_mediated_if_demanded() {
	local device function

	from zip
	device=$(wdctl list | awk 'NR == 2 { print $1 }')
	function=$(basename "$(readlink -f /sys/class/uacce/"$device"/device)")
	wdctl device set "$device" Memory=mediated
	[ "$(wdctl list | awk 'NR == 2 { print $(NF - 5) }')" = sva ]
	echo "$function" >/sys/bus/pci/drivers/hisi_zip/unbind
	echo "$function" >/sys/bus/pci/drivers/hisi_zip/bind
	[ "$(wdctl list | awk 'NR == 2 { print $(NF - 5) }')" = mediated ]
	wdctl doctor >got || { cat got; false; }
	says "$device: mediated, as its attribute memory demands" got
	seq 300000 >f
	wdzip -kv f 2>err
	says 'path sim' err
	gzip -dc f.gz | same - f
	wdctl device set "$device" Memory=auto
	echo "$function" >/sys/bus/pci/drivers/hisi_zip/unbind
	echo "$function" >/sys/bus/pci/drivers/hisi_zip/bind
	[ "$(wdctl list | awk 'NR == 2 { print $(NF - 5) }')" = sva ]
}

test_doctor_says_what_to_load() {
	from nothing
	exits 1 wdctl doctor >got
	says "uacce: installed (updates" got
	says "-> wdctl load" got
	says "no accelerator" got
}

test_anybody_may_look_but_not_change() {
	from zip
	as_nobody wdctl list >got
	says hisi_zip- got
	exits 1 as_nobody wdctl doctor >got
	says "can't be opened by user 65534" got
	exits 1 as_nobody wdctl unload >got 2>err
	says "needs root" err
	[ "$(devices)" = 1 ]
	from nothing
	exits 1 as_nobody wdctl load 2>err
	says "needs root" err
}

run_tests "$@"
rc=$?
wdctl unload >/dev/null && wdctl load --sim zip,zip >/dev/null || rc=1
exit $rc
