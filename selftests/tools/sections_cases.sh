# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What wdctl must do with sections, on the real or the fake kernel; included by wdctl_sections*.sh, which have
#   DEV0 DEV1 PARENT0 PARENT1 two devices and their parents, each device with at least 64 contexts
#   U                configfs' folder uacce
#   machine          resets it: no sections, priorities 0, nodes 0 and 1
#   w COMMAND...     runs wdctl on it, with nth_step.so

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"

golden() {
	diff -u - "$1"
}

# The tree as an administrator sees it. Of a status only the first line: the cause of a refusal stays below it.
picture() {
	(cd "$U" && grep -r . --include='[a-z]*' . |
		grep -v '/\(total\|reserved\|used\|free\|quarantined\)_ctxs:' |
		awk -F: '!/\/status:/ || !seen[$1]++' | sort)
}

state() {
	head -1 "$U/sections/$1/status"
}

# Changing "before" to "after" takes a step of every kind; no device needs more than 64 contexts for it.
before() {
	cat <<'END'
[Gone] NumProcesses = 2
[Shape] NumProcesses = 2 SyncCtxs = 2
[Smaller] NumProcesses = 8
[Bigger] NumProcesses = 2
[Off] NumProcesses = 2
[Zoned] Nodes = 0=1+1 1=1+1
END
}

after() {
	cat <<END
[New] NumProcesses = 10 AllowedUsers = root, 5-9 Devices = $PARENT0
[Shape] NumProcesses = 3 SyncCtxs = 4 QueuePriority = 7
[Smaller] NumProcesses = 3
[Bigger] NumProcesses = 6 MaxExtraCtxs = 2
[Off] NumProcesses = 2 SyncCtxs = 5 Live = no
[Zoned] Nodes = 0=1+1 1=1+1
[device $DEV0] Priority = -10 Zone = 1
[device $PARENT1] MaxCtxsPerProcess = 8
END
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
	NTH_LOG=log w apply -v --prune f | same - plan
	sed -n 's/^section \(.*\): make$/mkdir sections\/\1/p
		s/^section \(.*\): remove$/rmdir sections\/\1/p
		s/^section \(.*\): live$/write sections\/\1\/live 1/p
		s/^section \(.*\): drain.*$/write sections\/\1\/live 0/p
		s/ (was .*)$//
		s/^\(section\|device\) \([^:]*\): \([a-z_]*\) = \([^(]*[^( ]\)$/write \1s\/\2\/\3 \4/p' plan |
		same - log
	golden plan <<END
section Shape: drain and wait
section Off: drain and wait
section Zoned: drain and wait
section Gone: drain and wait
section Gone: remove
section Smaller: num_processes = 3 (was 8)
device $DEV0: priority = -10 (was 0)
device $DEV0: zone_id = 1 (was 0)
device $DEV1: max_ctxs_per_process = 8 (was 0)
section New: make
section New: num_processes = 10
section New: devices = $PARENT0
section New: allowed_uids = 0,5-9
section New: live
section Shape: num_processes = 3 (was 2)
section Shape: sync_ctxs = 4 (was 2)
section Shape: queue_priority = 7 (was 0)
section Shape: live
section Bigger: num_processes = 6 (was 2)
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
	says "note: section Gone: not in the file, left as it is" err
	w plan --json f >got 2>err
	[ ! -s err ]
	python3 -c '
import json
d = json.load(open("got"))
assert len(d["steps"]) == len(open("plan").readlines()), d
assert d["errors"] == [] and len(d["notes"]) == 1 and "Gone" in d["notes"][0], d
assert {"kind": "section", "name": "Smaller", "action": "set", "attribute": "num_processes", "value": "3",
	"was": "8"} in d["steps"], d'
}

test_twice_changes_nothing() {
	machine
	after | w apply - >/dev/null
	picture >want
	after | NTH_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
	absent log
	picture | same - want
	# The same content in another notation.
	after | sed "s/$PARENT0/$DEV0/; s/root, 5-9/9 8 7 6 5 0/" | NTH_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
}

# The number of operations that lead from before to after.
count_operations() {
	machine
	before | w apply - >/dev/null
	rm -f log
	NTH_LOG=log w apply --prune f >/dev/null
	wc -l <log
}

# The steps to try: all of them, or on a slow machine every BYth.
steps() {
	seq 1 "${BY:-1}" "$1"
}

test_a_failure_of_any_step_is_undone() {
	local i n

	after >f
	n=$(count_operations)
	machine
	before | w apply - >/dev/null
	picture >want
	for i in $(steps "$n"); do
		NTH_FAIL=$i exits 1 w apply --prune f >got 2>err
		[ ! -s got ]
		says ": Input/output error" err
		picture | same - want
	done
	NTH_FAIL=$n exits 1 w apply --prune f >got 2>err
	says "$((n - 1)) of $((n - 1)) steps undone" err
	w apply --prune f >got
	[ "$(cat got)" = "$n steps done" ]
}

test_killed_after_any_step_running_it_again_finishes() {
	local i n

	after >f
	n=$(count_operations)
	picture >want
	for i in $(BY=${BY_KILL:-1} steps "$n"); do
		machine
		before | w apply - >/dev/null
		NTH_KILL=$i exits 137 w apply --prune f >/dev/null
		w apply --prune f >/dev/null
		picture | same - want
	done
}

test_killed_while_undoing_running_it_again_finishes() {
	local i n code=137 killed=0

	after >f
	n=$(count_operations)
	picture >want
	# Ends when the undoing had fewer operations than that.
	for ((i = n + 1; code == 137; i += ${BY:-1})); do
		machine
		before | w apply - >/dev/null
		code=0
		NTH_FAIL=$n NTH_KILL=$i w apply --prune f >/dev/null 2>&1 || code=$?
		w apply --prune f >/dev/null
		picture | same - want
		killed=$((killed + 1))
	done
	[ $code = 1 ]
	[ $killed -gt $((10 / ${BY:-1})) ]
}

test_interrupted_after_any_step_it_is_undone() {
	local i n

	after >f
	n=$(count_operations)
	machine
	before | w apply - >/dev/null
	picture >want
	for i in $(steps $((n - 1))); do
		NTH_INT=$i exits 1 w apply --prune f >got 2>err
		says "interrupted" err
		says "$i of $i steps undone" err
		picture | same - want
	done
}

test_two_at_once_are_one_after_the_other() {
	local first second=0

	machine
	seq -f '[s%g] AsyncCtxs = 0 AllowedUsers = 1 QueuePriority = 1' 40 >a
	seq -f '[s%g] AsyncCtxs = 0 AllowedUsers = 2 QueuePriority = 2' 40 >b
	w apply a >got &
	w apply b >got || second=$?
	first=0
	wait $! || first=$?
	# An operation that waited for too long has changed nothing.
	case $first:$second in 0:0 | 0:3 | 3:0) ;; *) return 1 ;; esac
	[ "$(cat "$U"/sections/*/{queue_priority,allowed_uids} | sort -u | wc -l)" = 1 ]
}

# A kernel that answers says which devices a section has, and these are saved by name.
unnamed() {
	if [ -n "${kernel_answers:-}" ]; then sed '/\/sections\/[^/]*\/devices:/d'; else cat; fi
}

test_what_is_saved_is_applied_as_the_same() {
	machine
	after | w apply - >/dev/null
	picture >want
	w save | NTH_LOG=log w apply - >got
	[ "$(cat got)" = "nothing to do" ]
	absent log
	# On an empty machine it makes the same sections.
	w save saved
	machine
	w apply saved >/dev/null
	picture | unnamed >got
	unnamed <want | same - got
	w save | same - saved
}

test_what_is_not_in_the_file_is_left_alone_and_said() {
	machine
	before | w apply - >/dev/null
	echo '[Gone] NumProcesses = 2' | w apply - >got 2>err
	[ "$(cat got)" = "nothing to do" ]
	[ "$(grep -c 'left as it is' err)" = 5 ]
	says "wdctl apply: note: section Zoned: not in the file, left as it is (--prune removes it)" err
	: | w apply --prune - >/dev/null
	[ -z "$(ls "$U/sections")" ]
}

test_a_refused_live_says_why_and_nothing_stays() {
	machine
	picture >want
	echo '[Big] NumProcesses = 40000' | exits 1 w apply - 2>err
	says "wdctl apply: section Big: live: not enough free contexts: " err
	grep -q "$DEV0\|$DEV1\|$PARENT0\|$PARENT1" err
	grep -q 80000 err
	says "2 of 2 steps undone" err
	picture | same - want
}

test_section_verbs() {
	machine
	w section add A NumProcesses=2 "Nodes=0=2+2 1=1+0" AllowedUsers=root >got
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
	# A kernel with netlink also tells who holds slots.
	w section list | awk '{ print $1, $2, $3, $4, $5, $6, $7, $NF }' >got
	golden got <<'END'
NAME STATE PROCESSES ACCESS CTXS NODES PRIORITY DEVICES
A live 2 all 4+1 - 7 -
B live 1 all 1+1 - 0 -
END
	w section drain A B >got
	[ "$(state A) $(state B)" = "configured configured" ]
	w section del A B >got
	[ -z "$(ls "$U/sections")" ]
	w section list 2>err
	says "no sections" err
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
