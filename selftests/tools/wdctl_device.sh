#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl device on recorded machines: what it shows of a device, and which file it writes.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/roots.sh"

PF=0000:75:00.0

# A device of everything: two of seven virtual functions, the first with a driver.
full_device() {
	local p=r/sys/devices/pci

	make_root r
	add_device r hisi_zip-0 $PF isolate_strategy=2
	add_device r hisi_zip-1 0000:75:00.1 isolate_strategy=2
	put $p/$PF/sriov_totalvfs 7
	put $p/$PF/sriov_numvfs 2
	put $p/$PF/reset_method 'flr bus'
	put $p/$PF/reset ''
	put $p/0000:75:00.1/reset ''
	ln -s ../0000:75:00.1 $p/$PF/virtfn0
	ln -s ../0000:75:00.2 $p/$PF/virtfn1
	ln -s ../$PF $p/0000:75:00.1/physfn
	put r/sys/kernel/debug/hisi_zip/$PF/alg_qos 1000
	put r/sys/kernel/debug/hisi_zip/0000:75:00.1/alg_qos 250
}

# set_to FILE VALUE: what the last command has written.
set_to() { [ "$(cat "r/$1")" = "$2" ]; }

device() { wdctl device --root r "$@"; }

test_show_tells_what_a_device_can_do() {
	full_device
	device show hisi_zip-0 >got
	says 'parent: 0000:75:00.0, driver hisi_zip' got
	says 'functions: 2 of 7: hisi_zip-1, 0000:75:00.2' got
	says 'isolation: after more than 2 resets within an hour' got
	says 'reset: flr bus' got
	says 'bandwidth: 1000' got
	not grep -q '^hisi_zip-1' got
	device show 0000:75:00.1 >got
	says 'functions: it is a virtual function of hisi_zip-0' got
	says 'bandwidth: 250' got
	device show >got
	[ "$(grep -c '^hisi_zip' got)" = 2 ]
}

test_show_tells_what_a_device_cannot_do() {
	make_root r
	add_device r hisi_zip-0 $PF
	device show >got
	says "functions: it can't have virtual functions" got
	says 'isolation: its driver has none' got
	says 'reset: impossible' got
	says 'bandwidth: no limits known' got
}

test_json_has_it_too() {
	full_device
	device show --json >got
	python3 - got <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["devices"]
assert [x["name"] for x in d] == ["hisi_zip-0", "hisi_zip-1"], d
assert d[0]["functions_max"] == 7 and d[0]["virtual_functions"] == 2, d[0]
assert d[0]["functions"] == ["0000:75:00.1", "0000:75:00.2"], d[0]
assert d[0]["isolate_strategy"] == 2 and d[0]["bandwidth"] == 1000, d[0]
assert d[0]["can_reset"] is True and d[0]["reset_methods"] == ["flr", "bus"], d[0]
assert d[1]["functions_max"] is None and d[1]["functions"] == [], d[1]
assert d[1]["physical_function"] == "0000:75:00.0" and d[1]["bandwidth"] == 250, d[1]
END
}

test_set_writes_the_kernels_files() {
	full_device
	device set hisi_zip-0 Functions=3 IsolateStrategy=0
	set_to sys/devices/pci/$PF/sriov_numvfs 3
	set_to sys/class/uacce/hisi_zip-0/isolate_strategy 0
	device set hisi_zip-1 Bandwidth=500
	set_to sys/kernel/debug/hisi_zip/$PF/alg_qos '0000:75:00.1 500'
}

test_set_takes_the_keys_of_the_file() {
	full_device
	mkdir -p r/sys/kernel/config/uacce/sections
	put r/sys/kernel/config/uacce/devices/hisi_zip-0/priority 0
	put r/sys/kernel/config/uacce/devices/hisi_zip-0/latency 10
	device set $PF Priority=-5 functions=0
	set_to sys/kernel/config/uacce/devices/hisi_zip-0/priority -5
	set_to sys/devices/pci/$PF/sriov_numvfs 0
}

test_dry_run_changes_nothing() {
	full_device
	device set --dry-run hisi_zip-0 Functions=3 IsolateStrategy=2 >got
	[ "$(cat got)" = 'device hisi_zip-0: Functions = 3 (was 2)' ]
	set_to sys/devices/pci/$PF/sriov_numvfs 2
	device reset --dry-run hisi_zip-0 >got
	says 'device hisi_zip-0: reset' got
	set_to sys/devices/pci/$PF/reset ''
}

# refused STATUS TEXT ARGUMENT...: it ends so, and has changed nothing.
refused() {
	local status=$1 text=$2

	shift 2
	exits "$status" device "$@" 2>err
	says "$text" err
	set_to sys/devices/pci/$PF/sriov_numvfs 2
	set_to sys/class/uacce/hisi_zip-0/isolate_strategy 2
}

test_bad_input_changes_nothing() {
	full_device
	refused 2 'expected show, set or reset'
	refused 2 'expected show, set or reset' list
	refused 2 'expected DEVICE KEY=VALUE' set hisi_zip-0
	refused 2 'expected DEVICE...' reset
	refused 1 'hisi_zip-7: no such device' set hisi_zip-7 Functions=1
	refused 1 'hisi_zip-7: no such device' reset hisi_zip-0 hisi_zip-7
	set_to sys/devices/pci/$PF/reset ''
	refused 1 'hisi_zip-7: no such device' show hisi_zip-7
	refused 2 'Functions=8: expected a number from 0 to 7' set hisi_zip-0 IsolateStrategy=1 Functions=8
	refused 2 'Functions=-1: expected a number from 0 to 7' set hisi_zip-0 Functions=-1
	refused 2 'Functions=: expected a number from 0 to 7' set hisi_zip-0 Functions=
	refused 2 'IsolateStrategy=65536: expected a number from 0 to 65535' set hisi_zip-0 IsolateStrategy=65536
	refused 2 'Bandwidth=0: expected a number from 1 to 1000' set hisi_zip-0 Functions=1 Bandwidth=0
	refused 2 'Function=1: expected one of the keys Functions, IsolateStrategy' set hisi_zip-0 Function=1
	refused 2 'Functions: expected KEY=VALUE' set hisi_zip-0 Functions
	refused 2 'expected a number' set hisi_zip-0 Functions=1 Priority=low
	refused 2 'it is a virtual function itself' set hisi_zip-1 Functions=1
	refused 2 "--json is for 'show'" set --json hisi_zip-0 Functions=1
	refused 2 "--dry-run is for 'set' and 'reset'" show --dry-run
}

test_what_a_device_cannot_do_is_said() {
	make_root r
	add_device r hisi_zip-0 $PF
	exits 2 device set hisi_zip-0 Functions=1 2>err
	says "it can't have virtual functions" err
	exits 2 device set hisi_zip-0 IsolateStrategy=1 2>err
	says "its driver doesn't isolate devices" err
	exits 2 device set hisi_zip-0 Bandwidth=1 2>err
	says Bandwidth=1 err
	exits 1 device reset hisi_zip-0 2>err
	says "it can't be reset" err
}

test_reset_writes_for_each_device() {
	full_device
	device reset hisi_zip-0 hisi_zip-1
	set_to sys/devices/pci/$PF/reset 1
	set_to sys/devices/pci/0000:75:00.1/reset 1
	put r/sys/class/uacce/hisi_zip-0/isolate 1
	exits 1 device reset hisi_zip-0 2>err
	says 'it is isolated still' err
}

run_tests "$@"
