#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections with wdctl: on a tree of plain files, with fake_uacce.so in the place of the kernel.

. "$(dirname "$0")/../include/tap.sh"

FAKE=$OUT/tests/tools/fake_uacce.so
U=sys/kernel/config/uacce

put() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
}

# device NAME PARENT ZONE TOTAL: in this test's machine r.
device() {
	local d=r/$U/devices/$1

	put "$d/priority" 0
	put "$d/zone_id" "$3"
	put "$d/max_ctxs_per_process" 0
	put "$d/latency" 10
	put "$d/throughput" 10
	put "$d/total_ctxs" "$4"
	put "$d/reserved_ctxs" 0
	put "$d/.parent" "$2"
	mkdir -p "r/sys/class/uacce/$1"
	put "r/sys/class/uacce/$1/api" hisi_qm_v3
	ln -sfn "../../../devices/pci/$2" "r/sys/class/uacce/$1/device"
}

# A machine with two devices and no sections.
machine() {
	rm -rf r
	mkdir -p "r/$U/sections"
	device hisi_zip-0 0000:75:00.0 0 256
	device hisi_zip-1 0000:b5:00.0 1 256
	put r/etc/passwd "alice:x:1000:1000::/:/bin/sh"
	put r/etc/group "www-data:x:33:"
	export FAKE_UACCE=$PWD/r/$U
}

# w COMMAND...: wdctl on it.
w() {
	LD_PRELOAD=$FAKE wdctl "$@" --root r
}

golden() {
	diff -u - "$1"
}

# What an admin can see of the tree.
picture() {
	(cd "r/$U" && grep -r . --include='[a-z]*' . | grep -v '/reserved_ctxs\|/total_ctxs' | sort)
}

held() {
	put "r/$U/sections/$1/.held" "$2"
}

state() {
	head -1 "r/$U/sections/$1/status"
}

# The holders of a draining section have gone; at one blow, somebody may be reading.
let_go() {
	rm "r/$U/sections/$1/.held"
	put configured configured
	mv configured "r/$U/sections/$1/status"
}

# The design's own file.
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

# From "before" to "after" takes a step of every kind.
before() {
	cat <<'END'
[Gone] NumProcesses = 4
[Shape] NumProcesses = 2 SyncCtxs = 2
[Smaller] NumProcesses = 20
[Bigger] NumProcesses = 2
[Off] NumProcesses = 2
[Zoned] Nodes = 0=1+1 1=1+1
END
}

after() {
	cat <<'END'
[New] NumProcesses = 40 AllowedUsers = alice, 5-9 Devices = 0000:75:00.0
[Shape] NumProcesses = 3 SyncCtxs = 4 QueuePriority = 7
[Smaller] NumProcesses = 3
[Bigger] NumProcesses = 30 MaxExtraCtxs = 2
[Off] NumProcesses = 2 SyncCtxs = 5 Live = no
[Zoned] Nodes = 0=1+1 1=1+1
[device hisi_zip-0] Priority = -10 Zone = 1
[device 0000:b5:00.0] MaxCtxsPerProcess = 8
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
	[ "$(cat "r/$U/devices/hisi_zip-0/priority")" = -10 ]
	printf '%s\n' '[IPSec] NumProcesses = 3 LimitDevAccess = 0' '[TLS] NumProcesses = 3 LimitDevAccess = 1' |
		w apply - >got
	[ "$(state IPSec) $(state TLS)" = "live live" ]
}

test_check_finds_all_errors_and_does_not_ask_the_kernel() {
	mkdir r
	put r/etc/passwd "alice:x:1000:1000::/:/bin/sh"
	printf '%s\n' '[S]' 'NumProcesses = many' 'Foo = 1' 'AllowedUsers = alice, bob' '[T] Live = 3' >f
	exits 1 wdctl check f --root r 2>err
	golden err <<'END'
f:2: [S] NumProcesses: expected a number from 1 to 65535, not 'many'
f:3: [S] unknown key 'Foo', expected one of NumProcesses, LimitDevAccess, SyncCtxs, AsyncCtxs, Nodes, Devices, QueuePriority, MaxExtraCtxs, AllowedUsers, AllowedGroups, Live
f:4: [S] AllowedUsers: expected the name of a user that exists, not 'bob'
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

test_plan_prints_exactly_what_apply_does() {
	local i n

	machine
	before | w apply - >/dev/null
	after >f
	picture >want
	w plan --prune f >plan
	w apply --dry-run --prune f | same - plan
	picture | same - want
	FAKE_UACCE_LOG=log w apply -v --prune f | same - plan
	sed -n 's/^section \(.*\): make$/mkdir sections\/\1/p
		s/^section \(.*\): remove$/rmdir sections\/\1/p
		s/^section \(.*\): live$/write sections\/\1\/live 1/p
		s/^section \(.*\): drain.*$/write sections\/\1\/live 0/p
		s/^\(section\|device\) \([^:]*\): \([a-z_]*\) = \([^(]*[^( ]\)\( (was .*)\)\{0,1\}$/write \1s\/\2\/\3 \4/p' plan |
		same - log
	golden plan <<'END'
section Shape: drain and wait
section Off: drain and wait
section Zoned: drain and wait
section Gone: drain and wait
section Gone: remove
section Smaller: num_processes = 3 (was 20)
device hisi_zip-0: priority = -10 (was 0)
device hisi_zip-0: zone_id = 1 (was 0)
device hisi_zip-1: max_ctxs_per_process = 8 (was 0)
section New: make
section New: num_processes = 40
section New: devices = 0000:75:00.0
section New: allowed_uids = 5-9,1000
section New: live
section Shape: num_processes = 3 (was 2)
section Shape: sync_ctxs = 4 (was 2)
section Shape: queue_priority = 7 (was 0)
section Shape: live
section Bigger: num_processes = 30 (was 2)
section Bigger: max_extra_ctxs = 2 (was 0)
section Off: sync_ctxs = 5 (was 1)
section Zoned: live
END
}

test_plan_as_json_has_the_same_steps() {
	machine
	before | w apply - >/dev/null
	after >f
	w plan f >plan 2>err
	says "note: section Gone: not wanted, left alone" err
	w plan --json f >got 2>err
	[ ! -s err ]
	python3 -c '
import json
d = json.load(open("got"))
assert len(d["steps"]) == len(open("plan").readlines()), d
assert d["errors"] == [] and len(d["notes"]) == 1 and "Gone" in d["notes"][0], d
assert {"kind": "section", "name": "Smaller", "action": "set", "attribute": "num_processes", "value": "3",
	"was": "20"} in d["steps"], d'
}

test_twice_changes_nothing() {
	machine
	after | w apply - >/dev/null
	picture >want
	after | FAKE_UACCE_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
	absent log
	picture | same - want
	# However it is written.
	after | sed 's/0000:75:00.0/hisi_zip-0/; s/alice, 5-9/5 6 7 8 9 1000/' | FAKE_UACCE_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
}

test_what_save_writes_apply_has_nothing_to_do_with() {
	machine
	after | w apply - >/dev/null
	w save | FAKE_UACCE_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
	absent log
	picture >want
	w save saved
	w save | same - saved
	says "[device 0000:75:00.0]" saved
	says "Devices = 0000:75:00.0" saved
	# And on a machine that has nothing yet, it makes the same.
	machine
	w apply saved >/dev/null
	picture | same - want
	w save | same - saved
}

test_save_replaces_a_file_or_leaves_it() {
	machine
	after | w apply - >/dev/null
	echo old >saved
	chmod 640 saved
	w save saved
	[ "$(stat -c %a saved)" = 640 ]
	w save | same - saved
	[ "$(echo saved*)" = saved ]
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
assert s["New"]["devices"] == ["0000:75:00.0"] and s["New"]["allowed_uids"] == ["5-9", "1000"], s
assert s["Zoned"]["nodes"] == [{"node": 0, "sync": 1, "async": 1}, {"node": 1, "sync": 1, "async": 1}], s
assert s["Off"]["state"] == "configured" and s["Off"]["live"] is False, s
assert d["devices"][0]["parent"] == "0000:75:00.0" and d["devices"][0]["priority"] == -10, d'
}

# each_operation: how many there are from before to after.
count_operations() {
	machine
	before | w apply - >/dev/null
	rm -f log
	FAKE_UACCE_LOG=log w apply --prune f >/dev/null
	wc -l <log
}

test_a_failure_of_any_step_is_undone() {
	local i n

	after >f
	n=$(count_operations)
	machine
	before | w apply - >/dev/null
	picture >want
	for i in $(seq "$n"); do
		FAKE_UACCE_FAIL=$i exits 1 w apply --prune f >got 2>err
		[ ! -s got ]
		says ": Input/output error" err
		picture | same - want
	done
	says "$((n - 1)) of $((n - 1)) steps undone" err
	w apply --prune f >got
	[ "$(cat got)" = "$n steps done" ]
}

test_killed_after_any_step_running_it_again_finishes() {
	local i n

	after >f
	n=$(count_operations)
	picture >want
	for i in $(seq "$n"); do
		machine
		before | w apply - >/dev/null
		FAKE_UACCE_KILL=$i exits 137 w apply --prune f >/dev/null
		w apply --prune f >/dev/null
		picture | same - want
	done
}

test_killed_while_undoing_running_it_again_finishes() {
	local i n code=137 killed=0

	after >f
	n=$(count_operations)
	picture >want
	# Until undoing had fewer operations than that.
	for ((i = n + 1; code == 137; i++)); do
		machine
		before | w apply - >/dev/null
		code=0
		FAKE_UACCE_FAIL=$n FAKE_UACCE_KILL=$i w apply --prune f >/dev/null 2>&1 || code=$?
		w apply --prune f >/dev/null
		picture | same - want
		killed=$((killed + 1))
	done
	[ $code = 1 ]
	[ $killed -gt 10 ]
}

test_two_at_once_are_one_after_the_other() {
	local first second=0

	machine
	seq -f '[s%g] AllowedUsers = 1 QueuePriority = 1' 40 >a
	seq -f '[s%g] AllowedUsers = 2 QueuePriority = 2' 40 >b
	w apply a >got &
	w apply b >got || second=$?
	first=0
	wait $! || first=$?
	# One that had to wait for too long has changed nothing.
	case $first:$second in 0:0 | 0:3 | 3:0) ;; *) return 1 ;; esac
	[ "$(cat "r/$U"/sections/*/{queue_priority,allowed_uids} | sort -u | wc -l)" = 1 ]
}

test_interrupted_after_any_step_it_is_undone() {
	local i n

	after >f
	n=$(count_operations)
	machine
	before | w apply - >/dev/null
	picture >want
	for i in $(seq $((n - 1))); do
		FAKE_UACCE_INT=$i exits 1 w apply --prune f >got 2>err
		says "interrupted" err
		says "$i of $i steps undone" err
		picture | same - want
	done
}

test_what_is_not_in_the_file_is_left_alone_and_said() {
	machine
	before | w apply - >/dev/null
	echo '[Gone] NumProcesses = 4' | w apply - >got 2>err
	[ "$(cat got)" = "nothing to do" ]
	[ "$(grep -c 'left alone' err)" = 5 ]
	says "wdctl apply: note: section Zoned: not wanted, left alone (--prune removes it)" err
	: | w apply --prune - >/dev/null
	[ -z "$(ls "r/$U/sections")" ]
}

test_a_refused_live_says_why_and_nothing_stays() {
	machine
	picture >want
	echo '[Big] NumProcesses = 200' | exits 1 w apply - 2>err
	says "wdctl apply: section Big: live: not enough free contexts: hisi_zip-" err
	says ": 400 contexts wanted, 256 free" err
	says "2 of 2 steps undone" err
	picture | same - want
}

test_a_live_section_changes_while_live_where_it_can() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	echo '[S] NumProcesses = 9 QueuePriority = 3 MaxExtraCtxs = 1 AllowedUsers = 5 AllowedGroups = 6' | w apply -v - >got
	[ "$(wc -l <got)" = 5 ]
	not grep -q 'drain\|live$' got
	held S 9
	echo '[S] NumProcesses = 8' | exits 3 w apply - 2>err
	says "num_processes = 8 (was 9): in use: the slots above have to be free for it" err
	[ "$(cat "r/$U/sections/S/num_processes")" = 9 ]
}

test_held_slots_refuse_what_needs_a_drain() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' >f
	exits 3 w apply --wait 0 f 2>err
	says "section S: drain and wait: processes hold its slots; --wait gives them longer, --revoke takes them away" err
	says "section S: goes on draining: processes hold its slots" err
	[ "$(cat "r/$U/sections/S/sync_ctxs")" = 1 ]
	[ "$(state S)" = draining ]
	# Run again when they have gone, it finishes.
	let_go S
	w apply f >/dev/null
	[ "$(state S) $(cat "r/$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_a_drain_is_waited_for() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' >f
	w apply --wait 60 f >got &
	until_true 30 grep -q draining "r/$U/sections/S/status"
	let_go S
	wait $!
	[ "$(state S) $(cat "r/$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_a_wait_can_be_interrupted() {
	machine
	echo '[S] NumProcesses = 2' | w apply - >/dev/null
	held S 1
	echo '[S] NumProcesses = 2 SyncCtxs = 3' | FAKE_UACCE_INT=1 exits 1 w apply --wait 3600 - 2>err
	says "section S: drain and wait: interrupted" err
	says "section S: goes on draining" err
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
	# What was taken can't be given back.
	echo '[S] NumProcesses = 2 SyncCtxs = 1' | FAKE_UACCE_FAIL=2 exits 1 w apply --revoke - 2>err
	says "section S: live again, but the slots that were taken stay lost" err
	[ "$(state S) $(cat "r/$U/sections/S/sync_ctxs")" = "live 3" ]
}

test_one_writer_at_a_time() {
	machine
	echo '[S]' >f
	# A lock like ours, held until told.
	mkfifo go
	mkdir r/run
	flock r/run/wdctl.lock cat go >/dev/null &
	until_true 10 not flock -n r/run/wdctl.lock true
	exits 3 w apply f 2>err
	says "another wdctl is changing sections" err
	exits 3 w section add X 2>err
	[ -z "$(ls "r/$U/sections")" ]
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
	says "wdctl apply: line 2: [device hisi_sec2-0] is not there" err
	exits 1 w plan f 2>err
	picture | same - want
	w apply --missing-ok f 2>err >/dev/null
	says "note: device hisi_sec2-0: not there, its settings are left out" err
	[ "$(state S)" = live ]
	# A section may claim what is not there yet.
	echo '[T] Devices = hisi_sec2-0' | w apply - 2>err >/dev/null || :
	says "note: section T: device hisi_sec2-0 is not there: its share waits for it" err
}

test_a_device_has_one_block_whatever_it_is_called() {
	machine
	printf '%s\n' '[device hisi_zip-0]' 'Priority = 1' '[device 0000:75:00.0]' 'Priority = 2' >f
	exits 1 w apply f 2>err
	says "line 1: [device hisi_zip-0] and line 3: [device 0000:75:00.0] are one device" err
	[ "$(cat "r/$U/devices/hisi_zip-0/priority")" = 0 ]
}

test_a_zone_under_a_section_of_somebody_else_is_refused() {
	machine
	echo '[Zoned] Nodes = 0=1+1' | w apply - >/dev/null
	printf '%s\n' '[device hisi_zip-0]' 'Zone = 1' >f
	exits 1 w apply f 2>err
	says "device hisi_zip-0: its node can't change: section Zoned, which is not in the file, is live and uses nodes" err
}

test_section_verbs() {
	machine
	w section add A NumProcesses=2 "Nodes=0=2+2 1=1+0" AllowedUsers=alice >got
	[ "$(state A)" = live ]
	w section add B Live=no >got
	[ "$(state B)" = configured ]
	w section live B >got
	[ "$(state B)" = live ]
	w section set A QueuePriority=7 >got
	[ "$(cat got)" = "1 step done" ]
	w section set A QueuePriority=7 >got
	[ "$(cat got)" = "nothing to do" ]
	w section set A -v SyncCtxs=4 Nodes= >got
	golden got <<'END'
section A: drain and wait
section A: sync_ctxs = 4 (was 1)
section A: nodes = (empty) (was 0=2+2 1=1+0)
section A: live
END
	w section list >got
	golden got <<'END'
NAME  STATE  PROCESSES  ACCESS  CTXS  NODES  PRIORITY  DEVICES
A     live   2          all     4+1   -      7         -
B     live   1          all     1+1   -      0         -
END
	w section drain A B >got
	[ "$(state A) $(state B)" = "configured configured" ]
	w section del A B >got
	[ -z "$(ls "r/$U/sections")" ]
	w section list 2>err
	says "no sections" err
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
	absent "r/$U/sections/A"
}

test_section_dry_run_changes_nothing() {
	machine
	w section add A >/dev/null
	picture >want
	w section add --dry-run B SyncCtxs=2 >got
	golden got <<'END'
section B: make
section B: sync_ctxs = 2
section B: live
END
	w section set --dry-run --json A SyncCtxs=2 | python3 -c '
import json, sys
assert [s["action"] for s in json.load(sys.stdin)["steps"]] == ["drain and wait", "set", "live"]'
	w section del --dry-run A >got
	w section drain --dry-run A >got
	w section revoke --dry-run A >got
	[ "$(cat got)" = "section A: revoke" ]
	picture | same - want
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
	printf 'configured\nhisi_zip-0: \033[31m400 contexts wanted, 256 free\n' >"r/$U/sections/A/status"
	w section show A >got
	says '; last refusal: hisi_zip-0: \x1b[31m400 contexts wanted, 256 free' got
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
		says "r/$U: this kernel has no sections; 'wdctl doctor' says what is missing" err
	done
}

test_a_tree_of_plain_files_is_refused_halfway_and_left_as_it_was() {
	machine
	picture >want
	unset FAKE_UACCE
	echo '[S] NumProcesses = 2' | exits 1 wdctl apply - --root r 2>err
	says "section S: num_processes = 2: this kernel has no such attribute" err
	absent "r/$U/sections/S"
	picture | same - want
}

# The number of operations, and with it the time, is that of the sections.
test_a_thousand_sections_cost_a_thousand_times_one() {
	machine
	put "r/$U/devices/hisi_zip-0/total_ctxs" 1024
	seq -f '[s%g] SyncCtxs = 1 AsyncCtxs = 0 Devices = hisi_zip-0' 1000 >f
	FAKE_UACCE_LOG=log w apply f >got
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
	says "ExecStart=$(readlink -f "$OUT/bin/wdctl") apply --missing-ok /etc/warpdrive/sections.conf" got
	wdctl export systemd --program /usr/sbin/wdctl >got.service
	says "ExecStart=/usr/sbin/wdctl apply" got.service
	exits 2 wdctl export systemd --program wdctl 2>err
	exits 2 wdctl export systemd --program '/bin/x y' 2>err
	command -v systemd-analyze >/dev/null || skip "systemd-analyze is not here; the rest passed"
	sed -i 's|/usr/sbin/wdctl|/bin/true|; /^Documentation/d' got.service
	systemd-analyze verify "$PWD/got.service" 2>err || { cat err; grep -q 'got.service:' err && return 1; }
}

test_export_udev_gives_the_nodes_to_a_group() {
	wdctl export udev | grep -v '^#' >got
	golden got <<'END'
SUBSYSTEM=="uacce", GROUP="accel", MODE="0660"
END
	wdctl export udev --group zip | grep -q 'GROUP="zip"'
	wdctl export sysusers | grep -qx 'g accel - -'
	exits 2 wdctl export udev --group 'a"b' 2>err
	exits 2 wdctl export 2>err
	exits 2 wdctl export foo 2>err
	says "expected systemd, udev, sysusers or cdi" err
}

test_export_cdi_has_one_device_a_node() {
	machine
	wdctl export cdi --root r | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["kind"] == "warpdrive/uacce" and d["cdiVersion"], d
assert [x["name"] for x in d["devices"]] == ["hisi_zip-0", "hisi_zip-1", "all"], d
assert d["devices"][0]["containerEdits"]["deviceNodes"] == [
	{"path": "/dev/hisi_zip-0", "type": "c", "permissions": "rw"}], d
assert len(d["devices"][2]["containerEdits"]["deviceNodes"]) == 2, d'
	mkdir empty
	wdctl export cdi --root empty 2>err | python3 -c 'import json, sys; assert json.load(sys.stdin)["devices"] == []'
	says "no accelerators" err
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
	# Its example is right.
	sed -n '/^\.EX/,/^\.EE/{/^\./d; s/\\-/-/g; s/www-data/root/; p}' "$TOP/configfs-tools/man/warpdrive.conf.5" >f
	wdctl check f >got
	[ "$(cat got)" = "2 sections, 1 device: no errors" ]
}

test_progress_is_for_terminals() {
	machine
	seq -f '[s%g]' 60 >f
	w apply f >got 2>err
	[ ! -s err ]
	command -v script >/dev/null || skip "script is not here"
	machine
	LD_PRELOAD=$FAKE script -qec "wdctl apply --root r f" /dev/null >got </dev/null
	says "120 steps done" got
}

run_tests "$@"
