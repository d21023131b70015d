#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl export cdi: specifications of sections, on a tree of plain files with fake_uacce.so in place of the kernel.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../tools/machine.sh"

# w COMMAND...: runs wdctl on it.
w() {
	LD_PRELOAD=$FAKE wdctl "$@" --root r
}

# follows_rules FILE: as a runtime would read it.
follows_rules() {
	python3 "$TOP/selftests/deploy/cdi.py" "$1"
}

# names FILE: of its devices, in one line.
names() {
	python3 -c 'import json, sys; print(*[d["name"] for d in json.load(open(sys.argv[1]))["devices"]])' "$1"
}

# Two live sections, of one device and of all, and one that isn't live.
sections() {
	machine
	printf 'accel:x:57:\n' >>r/etc/group
	printf '%s\n' '[web]' "Devices = $PARENT1" '[All]' '[Off]' 'Live = no' | w apply - >/dev/null
}

test_a_live_section_is_a_device_with_its_nodes_and_its_name() {
	sections
	w export cdi --sections >got
	follows_rules got
	python3 - <<-'END'
		import json
		spec = json.load(open("got"))
		assert spec["cdiVersion"] == "0.5.0" and spec["kind"] == "warpdrive/section", spec
		def node(name):
		    return {"path": "/dev/" + name, "type": "c", "permissions": "rw", "fileMode": 0o660, "gid": 57}
		assert spec["devices"] == [
		    {"name": "All", "containerEdits": {"deviceNodes": [node("hisi_zip-0"), node("hisi_zip-1")],
		                                       "env": ["WD_SECTION=All"]}},
		    {"name": "web", "containerEdits": {"deviceNodes": [node("hisi_zip-1")],
		                                       "env": ["WD_SECTION=web"]}}], spec["devices"]
	END
}

test_the_group_of_the_process_needs_a_newer_version() {
	sections
	w export cdi --sections --gid >got
	follows_rules got
	says '"cdiVersion":"0.7.0"' got
	[ "$(grep -c additionalGids got)" = 2 ]
	w export cdi --gid >got
	follows_rules got
	says '"cdiVersion":"0.7.0"' got
	w export cdi --sections --gid --group www-data >got
	says '"gid":33' got
	exits 1 w export cdi --sections --gid --group nobody-has-it >got 2>err
	says "group nobody-has-it doesn't exist" err
	[ ! -s got ]
}

test_without_its_group_a_device_is_for_root() {
	sections
	sed -i /accel/d r/etc/group
	w export cdi --sections >got 2>err
	follows_rules got
	not grep gid got
	says "group accel doesn't exist" err
	exits 1 w export cdi --sections --gid 2>err
	says "group accel doesn't exist" err
}

test_absent_devices_and_names_that_CDI_lacks_are_left_out() {
	sections
	printf '%s\n' '[Absent]' 'Devices = 0fff:0f:00.0' '[_a]' '[a-]' '[-]' '[9-9]' | w apply - >/dev/null
	w export cdi --sections >got 2>err
	follows_rules got
	[ "$(names got)" = "9-9 Absent All web" ]
	[ "$(grep -c 'is left out: a name in CDI begins and ends with a letter or digit' err)" = 3 ]
	says 'section _a is left out' err
	python3 -c '
import json
d = json.load(open("got"))["devices"][1]
assert d == {"name": "Absent", "containerEdits": {"env": ["WD_SECTION=Absent"]}}, d'
}

test_a_machine_without_sections_has_a_file_without_devices() {
	machine
	w export cdi --sections --output out.json 2>/dev/null
	follows_rules out.json
	[ "$(names out.json)" = "" ]
	make_root empty
	wdctl export cdi --sections --output out.json --root empty 2>err
	follows_rules out.json
	# Once, although the file is written until it agrees.
	[ "$(grep -c 'this kernel has no sections' err)" = 1 ]
}

test_the_file_is_replaced_in_one_step() {
	sections
	(umask 077 && w export cdi --sections --output out.json)
	[ "$(stat -c %a out.json)" = 644 ]
	w export cdi --sections | same - out.json
	ln out.json before
	w section del web >/dev/null
	w export cdi --sections --output out.json
	[ "$(names before) and $(names out.json)" = "All web and All" ]
	[ "$(ls)" = "$(printf '%s\n' before out.json r)" ]
	w export cdi --output out.json
	[ "$(names out.json)" = "hisi_zip-0 hisi_zip-1 all" ]
}

test_what_cant_be_written_leaves_the_old_file() {
	sections
	mkdir dir
	echo old >dir/out.json
	# A full disk, as far as a file's size tells.
	(trap '' XFSZ && ulimit -f 0 && exits 1 w export cdi --sections --output dir/out.json 2>&1) | cat >err
	says '--output dir/out.json: File too large' err
	[ "$(cat dir/out.json) $(ls dir)" = "old out.json" ]
	exits 1 w export cdi --sections --output /dev/full 2>err
	says '--output /dev/full: No space left on device' err
	exits 1 w export cdi --sections --output none/out.json 2>err
	says '--output none/out.json: No such file or directory' err
	exits 1 w export cdi --sections --output dir 2>err
	says '--output dir: Is a directory' err
}

# An instance that has read before a change, and writes after another instance has: by a file system call that is slow.
test_the_last_of_two_instances_to_write_has_the_last_state() {
	local i

	sections
	for i in $(seq 20); do
		w section set web MaxExtraCtxs=$i >/dev/null
		w export cdi --sections --output out.json &
		w section revoke web >/dev/null
		w export cdi --sections --output out.json &
		wait
		[ "$(names out.json)" = "All" ]
		w section live web >/dev/null
		w export cdi --sections --output out.json &
		w export cdi --sections --output out.json
		wait
		[ "$(names out.json)" = "All web" ]
	done
}

test_each_change_is_told_and_a_look_is_not() {
	sections
	rm r/run/wdctl.changed
	w section show web >/dev/null
	w export cdi --sections >/dev/null
	w section set web MaxExtraCtxs=1 --dry-run >/dev/null
	[ "$(w section set web MaxExtraCtxs=0)" = "nothing to do" ]
	absent r/run/wdctl.changed
	w section set web MaxExtraCtxs=1 >/dev/null
	rm r/run/wdctl.changed
	NTH_FAIL=2 exits 1 w section set web MaxExtraCtxs=2 NumProcesses=3 >/dev/null 2>&1
	rm r/run/wdctl.changed
	mkdir r/run/wdctl.changed
	w section set web MaxExtraCtxs=4 >/dev/null 2>err
	says "/run/wdctl.changed: Is a directory; run 'wdctl export cdi' again" err
}

test_the_units_write_where_runtimes_look() {
	wdctl export systemd-cdi --program /usr/sbin/wdctl >warpdrive-cdi.service
	wdctl export systemd-cdi-path >warpdrive-cdi.path
	says 'ExecStart=/usr/sbin/wdctl export cdi --sections --output /run/cdi/warpdrive.json' warpdrive-cdi.service
	says 'ExecStartPre=/bin/rm -f /run/wdctl.changed' warpdrive-cdi.service
	says 'PathExists=/run/wdctl.changed' warpdrive-cdi.path
	wdctl export udev | grep -F 'ACTION=="add|remove", SUBSYSTEM=="uacce", RUN+="/bin/touch /run/wdctl.changed"'
	command -v systemd-analyze >/dev/null || skip 'needs systemd'
	# Another path, since wdctl isn't installed.
	sed -i 's|/usr/sbin/wdctl|/bin/true|' warpdrive-cdi.service
	systemd-analyze verify --man=no ./warpdrive-cdi.path ./warpdrive-cdi.service >verify 2>&1
	not grep warpdrive verify
}

test_options_of_other_formats_are_refused() {
	exits 2 wdctl export udev --sections 2>err
	says '--sections: not an option of udev' err
	exits 2 wdctl export systemd --output f 2>err
	says '--output: not an option of systemd' err
	exits 2 wdctl export openssl --gid 2>err
	says '--gid: not an option of openssl' err
	exits 2 wdctl export 'a
b' 2>err
	says "not 'a\\x0ab'" err
}

# The rules refuse what they are for.
test_the_rules_find_errors() {
	local edit

	sections
	w export cdi --sections >good
	for edit in 's/0.5.0/0.1/' 's/"c"/"x"/' 's/"rw"/"rx"/' 's/"All"/"All-"/' 's|/dev/|dev/|' \
		's/fileMode":432/fileMode":1000/' 's/WD_SECTION=/WD_SECTION/' 's/"kind"/"sort"/' 's/"gid"/"group"/' \
		's/"env"/"additionalGids"/' 's/hisi_zip-0/hisi_zip-1/' 's/"name":"web"/"name":"All"/'; do
		sed "$edit" good >bad
		exits 1 follows_rules bad >said
		[ -s said ]
	done
}

run_tests "$@"
