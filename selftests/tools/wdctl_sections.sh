#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections with wdctl: on a tree of plain files, with fake_uacce.so instead of the kernel.

. "$(dirname "$0")/sections_cases.sh"
. "$(dirname "$0")/machine.sh"

# w COMMAND...: runs wdctl on it.
w() {
	LD_PRELOAD=$FAKE wdctl "$@" --root r
}

held() {
	put "$U/sections/$1/.held" "$2"
}

# The holders of a draining section end. The status changes in one step, because wdctl may be reading it.
let_go() {
	rm "$U/sections/$1/.held"
	put configured configured
	mv configured "$U/sections/$1/status"
}

# A file with all kinds of entries.
design() {
	cat <<'END'
[SSL]
NumProcesses = 2
LimitDevAccess = 1
Devices = hisi_zip-0, hisi_zip-1      ; default: every device present
Nodes = 0=2+2 1=1+0                     ; node=sync+async
QueuePriority = 5
AllowedGroups = www-data

[device hisi_zip-0]
Priority = -10
END
}

test_the_files_of_the_design_and_the_seed_work_as_written() {
	machine
	design >f
	w apply f >got
	[ "$(cat got)" = "9 steps done" ]
	w section show SSL >got
	golden got <<'END'
[SSL]
NumProcesses = 2
LimitDevAccess = 1
Nodes = 0=2+2 1=1+0
Devices = 0000:75:00.0, 0000:b5:00.0
QueuePriority = 5
AllowedGroups = 33
; state: live
END
	[ "$(cat "$U/devices/hisi_zip-0/priority")" = -10 ]
	printf '%s\n' '[IPSec] NumProcesses = 3 LimitDevAccess = 0' '[TLS] NumProcesses = 3 LimitDevAccess = 1' |
		w apply - >got
	[ "$(state IPSec) $(state TLS)" = "live live" ]
}

test_check_finds_all_errors_and_does_not_ask_the_kernel() {
	mkdir r
	put r/etc/passwd "alice:x:1000:1000::/:/bin/sh"
	printf '%s\n' '[S]' 'NumProcesses = many' 'Foo = 1' 'AllowedUsers = alice, bob' '[T] Live = 3' >f
	exits 1 wdctl check f --root r 2>err
	golden err <<END
f:2: [S] NumProcesses: expected a number from 1 to 65535, not 'many'
f:3: [S] unknown key 'Foo', expected one of NumProcesses, LimitDevAccess, SyncCtxs, AsyncCtxs, Nodes, Devices, \
QueuePriority, MaxExtraCtxs, Bandwidth, MaxPinned, AllowedUsers, AllowedGroups, Live
f:4: [S] AllowedUsers: expected the name of an existing user, not 'bob'
f:5: [T] Live: expected 0 or 1 (or no, yes, off, on, false, true), not '3'
END
	exits 1 wdctl check --json f --root r | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["error_count"] == 4 and [e["line"] for e in d["errors"]] == [2, 3, 4, 5], d'
	echo '[S]' | wdctl check - --root r >got
	[ "$(cat got)" = "1 section, 0 devices: no errors" ]
	echo x | exits 1 wdctl check - --root r 2>err
	says "standard input:1: " err
	exits 1 wdctl check missing 2>err
	says "wdctl check: missing: No such file or directory" err
	exits 2 wdctl check 2>err
	exits 2 wdctl check a b 2>err
}

test_ten_megabytes_of_noise_change_nothing() {
	machine
	picture >want
	head -c 10000000 /dev/urandom >f
	exits 1 w apply f >got 2>err
	[ ! -s got ]
	[ "$(wc -l <err)" = 21 ]
	says " more errors" err
	not grep -q '[^[:print:]]' err
	picture | same - want
}

test_save_names_what_lasts() {
	machine
	after | w apply - >/dev/null
	w save saved
	w save | same - saved
	says "[device 0000:75:00.0]" saved
	says "Devices = 0000:75:00.0" saved
}

test_save_orders_no_defaults() {
	machine
	put r/sys/devices/pci/0000:b5:00.0/numa_node 1
	put "$U/devices/hisi_zip-0/zone_id" -1
	[ -z "$(w save)" ]
	put "$U/devices/hisi_zip-1/zone_id" 0
	put "$U/devices/hisi_zip-0/latency" 11
	w save | golden <(cat <<-'END'
		[device 0000:75:00.0]
		Latency = 11

		[device 0000:b5:00.0]
		Zone = 0
	END
	)
}

test_bandwidth_needs_functions_of_its_own() {
	machine
	picture >want
	printf '%s\n' '[All] Bandwidth = 500' '[A] Bandwidth = 1 Devices = hisi_zip-0 SyncCtxs = 0' \
		'[B] Devices = hisi_zip-1, hisi_zip-0' '[Off] Live = 0 Bandwidth = 3 Devices = hisi_zip-0' >f
	exits 1 w check f 2>err
	[ "$(wc -l <err)" = 2 ]
	says "f:1: [All] Bandwidth: expected Devices, too: a limit holds for a whole function" err
	says "f:2: [A] Bandwidth: [B] has device hisi_zip-0, too: a limit holds for a whole function" err
	says "'wdctl device set DEVICE Functions=N' makes N, 'wdctl list' shows" err
	echo '[A] Bandwidth = 1 Devices = hisi_zip-0 SyncCtxs = 0' >f
	w check f >/dev/null
	exits 1 w plan f 2>err
	says "section A: Bandwidth: it has 1 of the 64 contexts of hisi_zip-0: a limit holds for a whole function" err
	exits 2 w section add A Bandwidth=1 2>err
	says "[A] Bandwidth: expected Devices, too" err
	picture | same - want
	echo '[A] Bandwidth = 1 Devices = hisi_zip-0 NumProcesses = 32' | w plan - >got
	says "section A: live" got
}

test_save_replaces_a_file_or_leaves_it() {
	machine
	after | w apply - >/dev/null
	echo old >saved
	chmod 640 saved
	w save saved
	[ "$(stat -c %a saved)" = 640 ]
	w save | same - saved
	# What it had is kept, once.
	[ "$(echo saved*) $(cat saved~)" = "saved saved~ old" ]
	w save saved
	[ "$(cat saved~)" = old ]
	exits 1 w save missing/saved 2>err
	says "missing/saved: No such file or directory" err
	w save /dev/stdout | same - saved
	exits 1 w save >/dev/full 2>err
	exits 2 w save a b 2>err
	exits 2 w save --json a 2>err
	w save --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
s = {x["name"]: x for x in d["sections"]}
assert s["New"]["devices"] == ["0000:75:00.0"] and s["New"]["allowed_uids"] == ["0", "5-9"], s
assert s["Zoned"]["nodes"] == [{"node": 0, "sync": 1, "async": 1}, {"node": 1, "sync": 1, "async": 1}], s
assert s["Off"]["state"] == "configured" and s["Off"]["live"] is False, s
assert d["devices"][0]["parent"] == "0000:75:00.0" and d["devices"][0]["priority"] == -10, d'
}

test_a_live_section_changes_while_live_where_it_can() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	echo '[S] NumProcesses = 9 QueuePriority = 3 MaxExtraCtxs = 1 AllowedUsers = 5 AllowedGroups = 6' |
		w apply -v - >got
	[ "$(wc -l <got)" = 5 ]
	not grep -q 'drain\|live$' got
	echo '[S] NumProcesses = 900' | exits 1 w apply - 2>err
	says "num_processes = 900 (was 9): not enough free contexts: hisi_zip-" err
	held S 9
	echo '[S] NumProcesses = 8' | exits 3 w apply - 2>err
	says "num_processes = 8 (was 9): in use: the slots named above must be free first" err
	[ "$(cat "$U/sections/S/num_processes")" = 9 ]
}

test_held_slots_refuse_what_needs_a_drain() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' >f
	exits 3 w apply --wait 0 f 2>err
	says 'section S: drain and wait: processes hold its slots; ' err
	says 'hold its slots; use --wait to wait longer, or --revoke to take them away' err
	says "section S: still draining: the section is draining: 1 slots are attached" err
	[ "$(cat "$U/sections/S/sync_ctxs")" = 1 ]
	[ "$(state S)" = draining ]
	# Run again after their end, it finishes.
	let_go S
	w apply f >/dev/null
	[ "$(state S) $(cat "$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_a_drain_is_waited_for() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' >f
	w apply --wait 3600 f >got &
	until_true 30 grep -q draining "$U/sections/S/status"
	let_go S
	wait $!
	[ "$(state S) $(cat "$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_a_wait_can_be_interrupted() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' | NTH_INT=1 exits 1 w apply --wait 3600 - 2>err
	says "section S: drain and wait: interrupted" err
	says "section S: still draining" err
}

# ended CODE COMMAND...: the command ends long before its wait of an hour.
ended() {
	local want=$1
	shift
	LD_PRELOAD=$FAKE exits "$want" timeout -k 5 300 wdctl "$@" --root r
}

# A becomes live and has a holder at once; B asks for too much.
a_holds_b_fails() {
	machine
	printf '[A]\n[B]\nNumProcesses = 900\n' >f
	export FAKE_ATTACHES=A
}

test_undoing_waits_for_holders_for_seconds_only() {
	a_holds_b_fails
	ended 1 apply --wait 3600 f 2>err
	says "section B: live: not enough free contexts" err
	says "section A: still draining: processes hold its slots" err
	[ "$(state A)" = draining ]
	absent "$U/sections/B"
}

test_a_signal_ends_the_waits_of_undoing() {
	a_holds_b_fails
	# B's live=1 is the fifth step and fails; undoing first removes B.
	NTH_INT=6 ended 1 apply --wait 3600 f 2>err
	says "section A: still draining: processes hold its slots, and the wait for them was interrupted" err
	absent "$U/sections/B"
}

test_a_second_signal_ends_the_waits_of_undoing_the_first() {
	machine
	printf '[A]\n[B]\n' >f
	# Signals after A is live, and after it has begun to drain.
	FAKE_ATTACHES=A NTH_INT=2 NTH_INT2=3 ended 1 apply --wait 3600 f 2>err
	says "interrupted" err
	says "section A: still draining: processes hold its slots, and the wait for them was interrupted" err
}

test_revoke_takes_held_slots() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' | w apply -v --revoke - >got
	golden got <<'END'
section S: revoke
section S: sync_ctxs = 3 (was 1)
section S: live
END
	[ "$(state S)" = live ]
	# Revoked slots can't be returned.
	echo '[S] NumProcesses = 2 SyncCtxs = 1' | NTH_FAIL=2 exits 1 w apply --revoke - 2>err
	says "section S: live again, but its revoked slots stay lost" err
	[ "$(state S) $(cat "$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_one_writer_at_a_time() {
	machine
	echo '[S]' >f
	# Holds a lock like wdctl's until told to release it.
	mkfifo go
	mkdir r/run
	flock r/run/wdctl.lock cat go >/dev/null &
	until_true 30 not flock -n r/run/wdctl.lock true
	exits 3 w apply f 2>err
	says "another wdctl is changing sections" err
	exits 3 w section add X 2>err
	[ -z "$(ls "$U/sections")" ]
	w plan f >/dev/null
	w section list 2>/dev/null
	: >go
	wait $!
	w apply f >/dev/null
}

test_the_lock_is_for_the_owner_only() {
	machine
	w section add S >/dev/null
	[ "$(stat -c %a r/run/wdctl.lock)" = 600 ]
	rm r/run/wdctl.lock
	ln -s "$PWD/victim" r/run/wdctl.lock
	exits 1 w section set S NumProcesses=2 2>err
	says "r/run/wdctl.lock: " err
	absent victim
}

test_absent_devices() {
	machine
	picture >want
	printf '%s\n' '[S]' '[device hisi_sec2-0]' 'Priority = 1' >f
	exits 1 w apply f 2>err
	says "wdctl apply: line 2: [device hisi_sec2-0] is not present" err
	exits 1 w plan f 2>err
	picture | same - want
	w apply --missing-ok f 2>err >/dev/null
	says "note: device hisi_sec2-0: not present, so its settings are skipped" err
	[ "$(state S)" = live ]
	# A section may claim a device that isn't present yet.
	echo '[T] Devices = hisi_sec2-0' | w apply - 2>err >/dev/null || :
	says "note: section T: device hisi_sec2-0 is not present: its share waits for it" err
}

test_apply_of_one_device_leaves_everything_else() {
	machine
	printf '%s\n' '[S] Devices = hisi_zip-1' '[device hisi_zip-1]' 'Priority = 7' '[device 0000:75:00.0]' \
		'Priority = 5' '[device hisi_sec2-0]' 'Priority = 1' >f
	w apply --device hisi_zip-0 f 2>err
	[ ! -s err ]
	[ "$(cat "$U/devices/hisi_zip-0/priority")" = 5 ]
	[ "$(cat "$U/devices/hisi_zip-1/priority")" = 0 ]
	absent "$U/sections/S"
	[ "$(w apply --device 0000:75:00.0 f)" = 'nothing to do' ]
	# A section that the file doesn't have is nobody's business here.
	w section add T >/dev/null
	w apply --device hisi_zip-0 f 2>err
	[ ! -s err ]
	picture >want
	exits 1 w apply --device hisi_sec2-0 f 2>err
	says "--device hisi_sec2-0: not present" err
	w apply --missing-ok --device hisi_sec2-0 f 2>err
	says "note: --device hisi_sec2-0: not present" err
	exits 2 w apply --device hisi_zip-0 --prune f 2>err
	says "--device: expected without --prune" err
	picture | same - want
}

test_apply_of_one_device_makes_the_sections_that_wait_for_it() {
	machine
	printf '%s\n' '[A] NumProcesses = 2 Devices = 0000:75:00.0' '[B] Devices = hisi_zip-1' '[All]' \
		'[Off] Live = 0' >f
	w apply --device hisi_zip-0 f >/dev/null
	[ "$(state A) $(state All)" = "live live" ]
	absent "$U/sections/B"
	absent "$U/sections/Off"
	# A section that has the device stays as it was made by hand.
	w section set A NumProcesses=3 >/dev/null
	[ "$(w apply --device hisi_zip-0 f)" = 'nothing to do' ]
	# Errors elsewhere in the file concern others.
	echo '[Who] AllowedUsers = nobody-there' >>f
	exits 1 w apply --device hisi_zip-1 f 2>err
	w apply --keep-going --device hisi_zip-1 f 2>err >/dev/null
	says "not 'nobody-there'" err
	[ "$(state B)" = live ]
}

test_what_fails_is_left_out_if_it_is_to_go_on() {
	machine
	printf '%s\n' '[Old] NumProcesses = 2' '[Wrong] QueuePriority = 1' | w apply - >/dev/null
	picture >want
	cat >f <<-'END'
		[Fits] NumProcesses = 3
		[Big] NumProcesses = 900
		[Who] AllowedUsers = nobody-there
		[Wrong] QueuePriority = 8
		[Old] NumProcesses = 4
		[device hisi_sec2-0] Priority = 1
		[device hisi_zip-0] Priority = 3
	END
	exits 1 w apply --prune f 2>err
	picture | same - want
	exits 1 w plan --keep-going f >got 2>err
	says "section Fits: live" got
	picture | same - want
	exits 1 w apply --prune --keep-going f >got 2>err
	[ "$(cat got)" = "5 steps done" ]
	says "f:3: [Who] AllowedUsers: expected the name of an existing user, not 'nobody-there'" err
	says "f:4: [Wrong] QueuePriority: expected a number from 0 to 7" err
	says "[device hisi_sec2-0] is not present" err
	says "section Big: live: not enough free contexts: " err
	[ "$(state Fits) $(state Old) $(state Wrong)" = "live live live" ]
	[ "$(cat "$U/sections/Old/num_processes") $(cat "$U/sections/Wrong/queue_priority")" = "4 1" ]
	[ "$(cat "$U/devices/hisi_zip-0/priority")" = 3 ]
	absent "$U/sections/Big"
	absent "$U/sections/Who"
	exits 1 w apply --keep-going f >got 2>err
	[ "$(cat got)" = "0 steps done" ]
	# When the cause is gone, the rest follows.
	put r/etc/passwd "nobody-there:x:65533:1::/:/bin/sh"
	sed -i 's/900/1/; s/= 8/= 7/; s/.*sec2.*//' f
	w apply --keep-going f >/dev/null
	[ "$(state Big) $(state Who) $(cat "$U/sections/Wrong/queue_priority")" = "live live 7" ]
	[ "$(w apply --keep-going f)" = "nothing to do" ]
}

# What a section is in a picture of the tree.
part() {
	grep "/sections/$1/" "$2" || :
}

test_going_on_an_object_is_old_or_new() {
	local i n s

	after >f
	n=$(count_operations)
	picture >new
	machine
	before | w apply - >/dev/null
	picture >old
	for i in $(BY=3 steps "$n"); do
		machine
		before | w apply - >/dev/null
		NTH_FAIL=$i exits 1 w apply --prune --keep-going f >got 2>err
		says ": Input/output error" err
		picture >is
		for s in Gone Shape Smaller Bigger Off Zoned New; do
			[ "$(part $s is)" = "$(part $s old)" ] || [ "$(part $s is)" = "$(part $s new)" ]
		done
		w apply --prune --keep-going f >/dev/null
		picture | same - new
	done
}

test_a_device_has_one_block_whatever_it_is_called() {
	machine
	printf '%s\n' '[device hisi_zip-0]' 'Priority = 1' '[device 0000:75:00.0]' 'Priority = 2' >f
	exits 1 w apply f 2>err
	says "line 1: [device hisi_zip-0] and line 3: [device 0000:75:00.0] are the same device" err
	[ "$(cat "$U/devices/hisi_zip-0/priority")" = 0 ]
}

test_a_zone_under_a_section_of_somebody_else_is_refused() {
	machine
	echo '[Zoned] Nodes = 0=1+1' | w apply - >/dev/null
	printf '%s\n' '[device hisi_zip-0]' 'Zone = 1' >f
	exits 1 w apply f 2>err
	says "device hisi_zip-0: its node can't change: " err
	says "can't change: section Zoned, which is not in the file, is live and uses nodes" err
}

test_section_drain_goes_on_alone_and_revoke_ends_it() {
	machine
	w section add A >/dev/null
	held A 1
	w section drain A >got 2>err
	says "note: section A: draining, processes hold its slots" err
	[ "$(state A)" = draining ]
	exits 3 w section live A --wait 0 2>err
	exits 3 w section del A --wait 0 2>err
	[ "$(state A)" = draining ]
	w section revoke A >got
	[ "$(state A)" = configured ]
	w section live A >/dev/null
	held A 1
	w section del --revoke A >/dev/null
	absent "$U/sections/A"
}

test_section_refuses_bad_usage() {
	local name

	machine
	w section add A >/dev/null
	picture >want
	exits 2 w section 2>err
	says "expected add, set, del, show, list, live, drain or revoke" err
	exits 2 w section frobnicate 2>err
	for name in a/b .. . "" "$(printf 'x%.0s' $(seq 32))" "$(printf 'x%.0s' $(seq 200))" "$(printf 'a\033[b')"; do
		exits 2 w section add "$name" 2>err
		says "expected a name of 1 to 31 letters" err
		not grep -q "$(printf '\033')" err
	done
	exits 2 w section add 2>err
	exits 2 w section add B NumProcesses 2>err
	says "expected KEY=VALUE, not 'NumProcesses'" err
	exits 2 w section add B NumProcesses=0 2>err
	says "wdctl section: [B] NumProcesses: expected a number from 1 to 65535, not '0'" err
	exits 2 w section add B Foo=0 2>err
	says "unknown key 'Foo'" err
	exits 2 w section add B SyncCtxs=0 AsyncCtxs=0 2>err
	says "expected at least one context" err
	exits 1 w section add A 2>err
	says "A: exists already" err
	for verb in set del show live drain revoke; do
		exits 1 w section $verb B 2>err
		says "wdctl section: B: no such section" err
	done
	exits 1 w section del A B 2>err
	exits 2 w section list A 2>err
	exits 2 w section list --dry-run 2>err
	exits 2 w section live --json A 2>err
	exits 2 w section drain --wait x A 2>err
	says "--wait x: expected seconds from 0" err
	picture | same - want
}

test_section_show_says_why_it_is_not_live() {
	machine
	w section add A NumProcesses=200 Live=0 >/dev/null
	exits 1 w section live A 2>err
	printf 'configured\nhisi_zip-0: \033[31m400 contexts are needed, 64 are free\n' >"$U/sections/A/status"
	w section show A >got
	says '; last refusal: hisi_zip-0: \x1b[31m400 contexts are needed, 64 are free' got
	w section show --json A | python3 -c '
import json, sys
s = json.load(sys.stdin)["sections"][0]
assert s["state"] == "configured" and s["num_processes"] == 200 and "400 contexts" in s["reason"], s'
}

test_without_sections_in_the_kernel_it_says_so() {
	local c

	mkdir r
	echo '[S]' >f
	for c in 'apply f' 'plan f' save 'section list' 'section add S'; do
		exits 1 w $c 2>err
		says "$U: this kernel has no sections; run 'wdctl doctor' for the cause" err
	done
}

test_without_configfs_it_names_the_command() {
	mkdir -p r/sys/module/uacce r/proc
	put r/proc/mounts "none /sys sysfs rw 0 0"
	exits 1 w section list 2>err
	says "configfs is not mounted; run 'mount -t configfs none /sys/kernel/config'" err
}

test_a_tree_of_plain_files_is_refused_halfway_and_left_as_it_was() {
	machine
	picture >want
	unset FAKE_UACCE
	echo '[S] NumProcesses = 2' | exits 1 wdctl apply - --root r 2>err
	says "section S: num_processes = 2: this kernel has no such attribute" err
	absent "$U/sections/S"
	picture | same - want
}

# The number of operations, and with it the time, is proportional to the sections.
test_a_thousand_sections_cost_a_thousand_times_one() {
	machine
	put "$U/devices/hisi_zip-0/total_ctxs" 1024
	seq -f '[s%g] SyncCtxs = 1 AsyncCtxs = 0 Devices = hisi_zip-0' 1000 >f
	NTH_LOG=log w apply f >got
	[ "$(wc -l <log)" = 4000 ]
	w section list >got
	[ "$(wc -l <got)" = 1001 ]
	w save >saved
	w apply saved >got
	[ "$(cat got)" = "nothing to do" ]
	w apply --prune /dev/null >got
	[ "$(cat got)" = "2000 steps done" ]
}

test_export_systemd_has_the_program_it_came_from() {
	wdctl export systemd >got
	says "ExecStart=$(readlink -f "$OUT/bin/wdctl") apply --keep-going --missing-ok --wait 0 /etc" got
	says "Restart=on-failure" got
	wdctl export systemd --program /usr/sbin/wdctl >got.service
	says "ExecStart=/usr/sbin/wdctl apply" got.service
	exits 2 wdctl export systemd --program wdctl 2>err
	exits 2 wdctl export systemd --program '/bin/x y' 2>err
	not grep settle got.service
	command -v systemd-analyze >/dev/null || skip "systemd-analyze is not here; the rest passed"
	sed -i 's|/usr/sbin/wdctl|/bin/true|; /^Documentation/d' got.service
	systemd-analyze verify "$PWD/got.service" 2>err || { cat err; grep -q 'got.service:' err && return 1; }
}

test_export_systemd_device_is_a_template_for_one_device() {
	wdctl export systemd-device --program /usr/sbin/wdctl >got@.service
	says "ExecStart=/usr/sbin/wdctl apply --keep-going --missing-ok --wait 0 --device %i /etc" got@.service
	says "Restart=on-failure" got@.service
	says "After=sys-kernel-config.mount warpdrive-sections.service" got@.service
	not grep -F '[Install]' got@.service
	command -v systemd-analyze >/dev/null || skip "systemd-analyze is not here; the rest passed"
	sed -i 's|/usr/sbin/wdctl|/bin/true|; /^Documentation/d' got@.service
	systemd-analyze verify "$PWD/got@.service" 2>err || { cat err; grep -q 'got@.*service:' err && return 1; }
}

test_export_udev_gives_the_nodes_to_a_group() {
	wdctl export udev | grep -v '^#' >got
	golden got <<'END'
SUBSYSTEM=="uacce", GROUP="accel", MODE="0660"
ACTION=="add", SUBSYSTEM=="uacce", TAG+="systemd", ENV{SYSTEMD_WANTS}+="warpdrive-device@%k.service"
ACTION=="add|remove", SUBSYSTEM=="uacce", RUN+="/bin/touch /run/wdctl.changed"
END
	wdctl export udev --group zip | grep -q 'GROUP="zip"'
	wdctl export sysusers | grep -qx 'g accel - -'
	exits 2 wdctl export udev --group 'a"b' 2>err
	exits 2 wdctl export 2>err
	exits 2 wdctl export foo 2>err
	says "expected systemd, systemd-device, systemd-cdi, systemd-cdi-path, systemd-dropin, " err
}

# Nodes 0 and 1 have a ZIP device each, and node 1 the only SEC device.
test_plan_names_the_devices_of_each_endpoint() {
	machine
	device hisi_sec2-2 0000:76:00.0 1 64
	printf '%s\n' '[S]' 'NumProcesses = 2' 'LimitDevAccess = 1' >f
	wdctl plan --root r f >got 2>&1
	says "section S: each of the 2 slots S_DEV0_INT_N has hisi_zip-0, without hisi_sec2" got
	says "section S: each of the 2 slots S_DEV1_INT_N has hisi_sec2-2 hisi_zip-1" got
	# The file's own settings of devices count, and devices without contexts don't.
	printf '%s\n' '[device hisi_sec2-2]' 'Zone = 0' >>f
	wdctl plan --root r f >got 2>&1
	says "S_DEV0_INT_N has hisi_sec2-2 hisi_zip-0" got
	says "S_DEV1_INT_N has hisi_zip-1, without hisi_sec2" got
	echo '[S] LimitDevAccess = 1 Nodes = 1=1+0' | wdctl plan --root r - >got 2>&1
	says "S_DEV0_INT_N has hisi_sec2-2 hisi_zip-1" got
	not grep -q S_DEV1 got
	echo "[S] LimitDevAccess = 1 Devices = hisi_zip-1,hisi_zip-9,$PARENT0" | wdctl plan --root r - >got 2>&1
	says "S_DEV2_INT_N has hisi_zip-9" got
	echo '[S] LimitDevAccess = 0' | wdctl plan --root r - >got 2>&1
	not grep -q _INT_N got
}

test_export_cdi_has_one_device_a_node() {
	machine
	put r/etc/group "accel:x:998:
zip:x:997:"
	wdctl export cdi --root r | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["kind"] == "warpdrive/uacce" and d["cdiVersion"], d
assert [x["name"] for x in d["devices"]] == ["hisi_zip-0", "hisi_zip-1", "all"], d
assert d["devices"][0]["containerEdits"]["deviceNodes"] == [
	{"path": "/dev/hisi_zip-0", "type": "c", "permissions": "rw", "fileMode": 0o660, "gid": 998}], d
assert len(d["devices"][2]["containerEdits"]["deviceNodes"]) == 2, d'
	wdctl export cdi --root r --group zip | grep -q '"gid": *997'
	exits 1 wdctl export cdi --root r --group nobodys 2>err
	says "group nobodys doesn't exist" err
	mkdir empty
	wdctl export cdi --root empty 2>err |
		python3 -c 'import json, sys; assert json.load(sys.stdin)["devices"] == []'
	says "no accelerators" err
	says "group accel doesn't exist, so only root will open the nodes" err
}

test_every_key_is_in_the_manual_page_and_completed() {
	local kind key

	for kind in S 'device d'; do
		printf '%s\n' "[$kind]" 'x = 1' | exits 1 wdctl check - 2>err
		for key in $(sed 's/.*expected one of //; s/,//g' err); do
			says "$key" <(sed 's/\\-/-/g' "$TOP/configfs-tools/man/warpdrive.conf.5")
			[ "$kind" != S ] || says "$key=" "$TOP/configfs-tools/completion/wdctl"
		done
	done
	# The page's example is valid.
	sed -n '/^\.EX/,/^\.EE/{/^\./d; s/\\-/-/g; s/www-data/root/; p}' "$TOP/configfs-tools/man/warpdrive.conf.5" >f
	wdctl check f >got
	[ "$(cat got)" = "2 sections, 1 device: no errors" ]
}

test_progress_is_for_terminals() {
	machine
	seq -f '[s%g] AsyncCtxs = 0' 60 >f
	w apply f >got 2>err
	[ ! -s err ]
	command -v script >/dev/null || skip "script is not here"
	machine
	LD_PRELOAD=$FAKE script -qec "wdctl apply --root r f" /dev/null >got </dev/null
	says "180 steps done" got
}

run_tests "$@"
