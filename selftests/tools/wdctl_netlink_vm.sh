#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What wdctl does with netlink, on a running kernel with two simulated devices: ctx, top, monitor, run.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"

U=/sys/kernel/config/uacce

[ -d $U/sections ] || skip "this kernel has no sections"
DEV0=$(ls $U/devices | sed -n 1p)
DEV1=$(ls $U/devices | sed -n 2p)
[ -n "$DEV1" ] || skip "there are no two devices"
PARENT0=$(basename "$(readlink "/sys/class/uacce/$DEV0/device")")

machine() {
	wdctl apply --prune --revoke /dev/null >/dev/null
}

at_exit() {
	machine
	chmod 600 /dev/hisi_zip-*
}

# section NAME KEY=VALUE...
section() {
	wdctl section add "$@" >/dev/null
}

# slots NAME ATTACHED [LINGERING WAITING]
slots_are() {
	wdctl section show "$1" | grep -q "attached $2, lingering ${3:-0}; waiting ${4:-0}$"
}

# hold NAME: starts a process with a slot, HOLDER.
hold() {
	wdctl run --section "$1" -- sleep 1000 &
	HOLDER=$!
	until_true 30 has_become_sleep $HOLDER
}

has_become_sleep() {
	[ "$(cat "/proc/$1/comm")" = sleep ]
}

end() {
	kill "$@"
	wait "$@" || :
}

json() {
	python3 -c "import json, sys
$1"
}

# ------ run ------

test_any_program_draws_from_the_slot() {
	machine
	section A NumProcesses=2 Devices=$DEV0
	wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0 8<>/dev/$DEV0; wdctl ctx --json --pid \$\$" >got
	json '
d = json.load(open("got"))
assert d["all_users"] and d["complete"], d
c = d["contexts"]
assert len(c) == 2 and c[0]["ctx"] != c[1]["ctx"], c
for x in c:
	assert x["device"] == "'$DEV0'" and x["comm"] == "bash" and x["section"] == "A", x
	assert x["slot"] == "A_INT_0" and x["class"] == "slot" and x["state"] == "init", x'
	wdctl ctx >got 2>err
	says "no contexts" err
	slots_are A 0
}

test_beyond_its_share_and_its_devices_a_program_is_refused() {
	machine
	section A Devices=$DEV0
	exits 1 wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0 8<>/dev/$DEV0; exec 9<>/dev/$DEV0" 2>err
	says "/dev/$DEV0: Disk quota exceeded" err
	exits 1 wdctl run --section A -- bash -c "exec 7<>/dev/$DEV1" 2>err
	says "/dev/$DEV1: Permission denied" err
}

test_the_command_keeps_its_options_and_its_exit_code() {
	machine
	section A
	exits 7 wdctl run --section A sh -c 'echo "$0 $*"; exit 7' --section --json >got
	[ "$(cat got)" = "--section --json" ]
	exits 127 wdctl run --section A -- ./nothing 2>err
	says "wdctl run: ./nothing: No such file or directory" err
	: >file
	exits 126 wdctl run --section A -- ./file 2>err
	says "Permission denied" err
	wdctl run --verbose --section A true 2>err
	says "slot A_INT_0" err
	says "$DEV0: 1+1 contexts" err
}

test_every_refusal_has_its_sentence() {
	machine
	exits 125 wdctl run --section A -- true 2>err
	says "section A: there is no section of this name" err
	section A LimitDevAccess=1 Devices=$DEV0,$DEV1
	exits 125 wdctl run --section A --slot A_INT_0 -- true 2>err
	says "the section has no slot of this name" err
	exits 125 wdctl run --section A --device nothing -- true 2>err
	says "the section has no such device now" err
	wdctl run -v --section A --device $DEV1 -- true 2>err
	says "slot A_DEV1_INT_0" err
	wdctl run -v --section A --slot A_DEV1_INT_0 -- true 2>err
	says "$DEV1: 1+1 contexts" err
	wdctl section drain A >/dev/null
	exits 125 wdctl run --section A -- true 2>err
	says "the section is not live" err
}

test_the_next_client_is_refused_with_numbers() {
	machine
	section A
	hold A
	exits 125 wdctl run --section A -- touch ran 2>err
	says "section A: all slots of the section are taken" err
	says "1 slot, 1 attached, 0 lingering, 0 waiting; --wait MS" err
	exits 125 wdctl run --section A --wait 100 -- touch ran 2>err
	says "no slot came free in time" err
	absent ran
	end $HOLDER
	until_true 30 slots_are A 0
}

test_who_waits_gets_a_turn_when_a_client_is_killed() {
	local holder second third

	machine
	section A
	hold A
	holder=$HOLDER
	wdctl run --section A --wait forever -- sh -c 'echo second; exec sleep 1000' >got 2>err &
	second=$!
	until_true 30 slots_are A 1 0 1
	# It waits before it prints that it does.
	until_true 30 says "all slots are taken, waiting" err >/dev/null
	wdctl run --section A --wait forever -- sleep 1000 2>/dev/null &
	third=$!
	until_true 30 slots_are A 1 0 2
	# A waiter that is killed leaves the queue.
	end $third
	until_true 30 slots_are A 1 0 1
	kill -9 $holder
	until_true 30 grep -qx second got
	slots_are A 1 0 0
	end $second
	until_true 30 slots_are A 0
}

used_are() {
	[ "$(cat $U/devices/$DEV0/used_ctxs)" = "$1" ]
}

test_what_a_killed_client_had_comes_back() {
	local before client

	machine
	section A
	before=$(cat $U/devices/$DEV0/used_ctxs)
	wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0; echo ready; read -r" <> <(:) >got &
	client=$!
	until_true 30 grep -q ready got
	[ "$(cat $U/devices/$DEV0/used_ctxs)" = $((before + 1)) ]
	slots_are A 1
	kill -9 $client
	until_true 30 slots_are A 0
	until_true 30 used_are "$before"
	wdctl run --section A -- true
}

test_children_do_not_have_the_slot() {
	machine
	section A
	wdctl run --section A -- bash -c "(exec 7<>/dev/$DEV0; wdctl ctx --json --pid \$BASHPID); :" >got
	says '"class":"pool"' got
}

test_the_program_is_told_about_its_slot() {
	machine
	section A
	wdctl run --section A -- sh -c 'echo "$$,200,A,A_INT_0 A"; echo "$WD_ATTACHED $WD_SECTION"
		readlink /proc/$$/fd/200' >got
	[ "$(sed -n 1p got)" = "$(sed -n 2p got)" ]
	sed -n 3p got | grep -q '^socket:'
}

test_closing_the_socket_gives_the_slot_back() {
	machine
	section A
	wdctl run --section A -- bash -c 'wdctl section show A; exec 200<&-; wdctl section show A' >got
	[ "$(grep -o 'attached [0-9]' got | xargs)" = "attached 1 attached 0" ]
}

test_a_real_job_runs_in_a_section() {
	machine
	section A SyncCtxs=4 AsyncCtxs=0
	head -c 100000 /dev/zero >f
	wdctl run --section A -- wdzip -k -v f 2>err
	says "path sim" err
	gzip -dc f.gz | same - f
}

# ------ ctx, list ------

test_root_sees_all_contexts_and_others_their_own() {
	machine
	chmod 666 /dev/hisi_zip-*
	exec 8<>"/dev/$DEV0"
	wdctl ctx >got 2>err
	grep -q "^$DEV0 .* $BASHPID .* pool .* init " got
	[ ! -s err ]
	as_nobody bash -c "exec 7<>/dev/$DEV1; wdctl ctx; wdctl ctx --json; wdctl top --once" >got 2>err
	not grep -q "^$DEV0 .* init" got
	[ "$(grep -c "^$DEV1 .* pool .* init" got)" = 2 ]
	says '"all_users":false' got
	says "only your own contexts are listed" got
	says "only contexts of user 65534 are listed; listing all needs CAP_SYS_ADMIN" err
	exec 8>&-
}

test_ctx_lists_what_is_asked_for() {
	machine
	section A Devices=$DEV0
	exec 8<>"/dev/$DEV1"
	wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0
		for o in '--dev $DEV0' '--dev $PARENT0' '--section A' \"--pid \$\$\" '--dev $DEV1'; do
			wdctl ctx \$o | awk 'NR > 1 { print \$1 }'
		done" >got
	exec 8>&-
	[ "$(xargs <got)" = "$DEV0 $DEV0 $DEV0 $DEV0 $DEV1" ]
	exits 1 wdctl ctx --dev nothing 2>err
	says "nothing: no such device" err
	exits 1 wdctl ctx --section B 2>err
	says "B: there is no such section" err
}

test_a_name_chosen_by_a_process_is_escaped() {
	machine
	bash -c "printf '\033[31mx\n' >/proc/\$\$/comm; exec 7<>/dev/$DEV0; wdctl ctx; wdctl top --once" >got
	[ "$(grep -cF '\x1b[31mx' got)" = 2 ]
	not grep -q "$(printf '\033')" got
}

test_list_and_section_list_have_the_kernels_counts() {
	machine
	section A NumProcesses=3 SyncCtxs=2
	hold A
	wdctl list >got
	[ "$(awk -v d=$DEV0 '$1 == d { print $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1) }' got)" = \
		"$(cat $U/devices/$DEV0/{total,reserved,used,free}_ctxs | xargs)" ]
	wdctl section list >got
	[ "$(awk 'NR == 2 { print $8, $9, $10, $11 }' got)" = "3 1 0 0" ]
	{ wdctl section list --json; wdctl section show --json A; } >got
	[ "$(grep -c '"attached":1' got)" = 2 ]
	wdctl doctor >got || :
	says "netlink family uacce answers" got
	end $HOLDER
}

test_apply_says_who_holds_what_has_to_drain_and_changes_nothing() {
	local before

	machine
	section A NumProcesses=2
	section B NumProcesses=2
	wdctl run --section A -- sh -c "exec 3<>/dev/$DEV0; exec sleep 1000" &
	HOLDER=$!
	until_true 30 has_become_sleep $HOLDER
	before=$(grep -r . $U/sections)
	printf '%s\n' '[A] NumProcesses = 2 SyncCtxs = 2' '[B] NumProcesses = 2 SyncCtxs = 2' >f
	exits 3 wdctl apply --wait 0 f >got 2>err
	[ ! -s got ]
	says "section A: of 2 slots 1 are attached, 0 lingering; contexts are open in sh ($HOLDER)" err
	says "so nothing has been changed" err
	not grep -q "section B" err
	exits 3 wdctl section del A --wait 0 2>err
	[ "$(grep -r . $U/sections)" = "$before" ]
	# Other processes may attach all the while.
	wdctl run --section A -- true
	wdctl apply -v --wait 600 f >got 2>err &
	until_true 30 says "note: waiting: section A: of 2 slots" err
	[ ! -s got ]
	end $HOLDER
	wait $!
	[ "$(cat $U/sections/[AB]/{sync_ctxs,live} | xargs)" = "2 2 1 1" ]
}

# The name of a process that has the slot's context from the one that opened it, by inheritance.
test_a_context_is_held_by_whom_its_file_was_passed_to() {
	local child

	machine
	section A NumProcesses=2
	wdctl run --section A -- sh -c "exec 3<>/dev/$DEV0; sleep 1000 & echo \$! >child"
	child=$(cat child)
	until_true 30 slots_are A 0 1
	until_true 30 has_become_sleep "$child"
	wdctl ctx >got
	grep -E "^$DEV0 +[0-9]+ +$child +sleep +A " got
	wdctl ctx --json | grep '"passed": *true'
	exits 3 wdctl section del A --wait 0 2>err
	says "contexts are open in sleep ($child)" err
	exits 3 wdctl unload 2>err
	says "in use by process $child (sleep), 1 queue" err
	# The opener is there, but has closed the file.
	sh -c "exec 3<>/dev/$DEV1; sleep 1000 & echo \$! >child2; exec 3>&-; exec tail -f /dev/null" &
	until_true 30 test -s child2
	until_true 30 has_become_sleep "$(cat child2)"
	wdctl ctx --dev $DEV1 >got
	grep -E "^$DEV1 +[0-9]+ +$(cat child2) +sleep +- " got
	kill "$child" "$(cat child2)" $!
	wait $! || :
	until_true 30 wdctl section del A
}

# Processes, mounts and nodes of its own, of two devices one, and no configfs.
test_a_container_has_sections_and_its_own_remedies() {
	machine
	section A NumProcesses=2
	cat >inside <<'END'
mkdir dev
mount -t tmpfs none dev
cp -a /dev/null "/dev/$1" dev/
mount --rbind dev /dev
umount /sys/kernel/config
wdctl doctor >doctor || echo $? >status
wdctl list >list
wdctl section list >sections
wdctl section show A >shown
wdctl section list --json >json
wdctl run --section A -v -- wdctl ctx 2>attached
END
	unshare --mount --pid --fork --mount-proc bash -eu inside $DEV0
	says 'inside a container' doctor
	says "netlink family uacce answers" doctor
	says "/dev/$DEV1: this container wasn't given it" doctor
	not grep -E 'mknod|mount|modprobe|systemctl|make install|no sections' doctor
	says "$DEV0" list
	grep -E '^A +live +2 +all ' sections
	says 'NumProcesses = 2' shown
	says '; state: live' shown
	grep '"name": *"A"' json
	says 'A_INT_0' attached
}

test_who_waits_for_holders_can_be_interrupted() {
	local before pid

	machine
	section A NumProcesses=2
	hold A
	before=$(grep -r . $U/sections)
	wdctl section set A SyncCtxs=2 --wait 600 2>err &
	pid=$!
	until_true 30 says "note: waiting: " err
	kill -INT $pid
	exits 1 wait $pid
	says "interrupted; nothing has been changed" err
	[ "$(grep -r . $U/sections)" = "$before" ]
	end $HOLDER
}

test_others_may_look_and_attach_where_allowed() {
	machine
	chmod 666 /dev/hisi_zip-*
	section A AllowedUsers=65534
	section B
	as_nobody wdctl list >got
	says "$DEV0" got
	[ "$(awk -v d=$DEV0 '$1 == d { print $(NF - 3) }' got)" = 4 ]
	as_nobody wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0; wdctl ctx" >got 2>err
	says A_INT_0 got
	exits 125 as_nobody wdctl run --section B -- true 2>err
	says "neither this user nor its groups are allowed in the section" err
}

# ------ monitor ------

# watch_events OPTION...: writes events to the file events from now on; MONITOR is the process.
watch_events() {
	watch_events_into events "$@"
}

watch_events_into() {
	rm -f monitor_err
	wdctl monitor "${@:2}" >"$1" 2>monitor_err &
	MONITOR=$!
	until_true 30 grep -qs "^wdctl monitor: listening" monitor_err
}

test_monitor_sees_all_of_a_sections_life() {
	machine
	watch_events --json
	mkdir $U/sections/A
	echo 1 >$U/sections/A/live
	wdctl run --section A -- true
	echo 0 >$U/sections/A/live
	rmdir $U/sections/A
	until_true 30 grep -q section-del events
	end $MONITOR
	json '
seen, last = [], {}
for line in open("events"):
	e = json.loads(line)
	assert e["event"] != "lost" and e["time"].endswith("Z"), e
	assert last.setdefault(e["group"], e["seq"] - 1) == e["seq"] - 1, (e, last)
	last[e["group"]] = e["seq"]
	if e.get("section") == "A":
		seen.append(e["event"] + (" " + e["details"]["state"] if "details" in e else ""))
	if e["event"] == "slot-attach":
		assert e["slot"] == "A_INT_0" and e["pid"] > 1, e
want = ["section-add configured", "section-change live", "slot-attach", "slot-detach", "section-change draining",
	"section-change configured", "section-del"]
assert seen == want, seen'
}

test_monitor_ends_as_told() {
	machine
	watch_events --count 2
	section A
	wait $MONITOR
	[ "$(wc -l <events)" = 2 ]
	says "config section-add A" events
	wdctl monitor --timeout 0.1 >got
	exits 1 wdctl monitor --timeout 0.1 --count 1 >got 2>err
	says "0 of 1 events came before the timeout" err
	watch_events_into /dev/full
	wdctl section del A >/dev/null
	exits 1 wait $MONITOR
}

test_monitor_tells_of_refused_opens_once() {
	local since

	machine
	since=$SECONDS
	section A Devices=$DEV0
	watch_events --json --group event
	wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0 8<>/dev/$DEV0
		for i in \$(seq 20); do : 9<>/dev/$DEV0; done" 2>/dev/null || :
	until_true 30 all_refusals_are_told
	end $MONITOR
	# One report at once, the others together a second later, or a few of those.
	[ "$(grep -c quota events)" -le $((SECONDS - since + 2)) ]
}

all_refusals_are_told() {
	json '
n = 0
for line in open("events"):
	e = json.loads(line)
	if e["event"] == "quota":
		assert e["device"] == "'$DEV0'" and e["section"] == "A" and e["error_name"] == "EDQUOT", e
		assert e["comm"] == "bash", e
		n += e["count"]
sys.exit(n != 20)'
}

# No event follows the loss to show the gap: the kernel's current number must reveal it.
test_monitor_says_how_many_were_lost() {
	local i

	machine
	watch_events --json --buffer 1 --group config
	kill -STOP $MONITOR
	for i in $(seq 150); do
		echo $((i % 100)) >"$U/devices/$DEV0/latency"
	done
	kill -CONT $MONITOR
	until_true 30 grep -q lost events
	for i in $(seq 3); do
		echo $i >"$U/devices/$DEV0/latency"
	done
	until_true 30 all_are_told
	end $MONITOR
	echo 10 >"$U/devices/$DEV0/latency"
	json '
last, lost = None, 0
for line in open("events"):
	e = json.loads(line)
	if e["event"] == "lost":
		lost += e["lost"]
		last = last + e["lost"]
		continue
	assert last is None or e["seq"] == last + 1, (e, last)
	last = e["seq"]
assert lost > 50, lost'
}

all_are_told() {
	json '
n = 0
for line in open("events"):
	e = json.loads(line)
	n += e["lost"] if e["event"] == "lost" else 1
sys.exit(n != 153)'
}

test_monitor_shows_others_what_they_may_see() {
	local monitor

	machine
	as_nobody wdctl monitor --json --count 2 >events 2>err &
	monitor=$!
	until_true 30 grep -q "listening to group config$" err
	says "listening to group config only; group event needs CAP_SYS_ADMIN" err
	section A AllowedUsers=65534
	wait $monitor
	not grep -q '"pid"' events
	exits 1 as_nobody wdctl monitor --group event 2>err
	says "group event: needs CAP_SYS_ADMIN" err
}

# ------ top ------

test_top_prints_pictures_where_there_is_no_screen() {
	machine
	section A NumProcesses=4
	hold A
	wdctl top --batch 2 --interval 0.1 >got
	[ "$(grep -c "^A  *live  *4  *1  *0  *0" got)" = 2 ]
	[ "$(grep -c "^$DEV0 " got)" = 2 ]
	not grep -q "$(printf '\033')" got
	wdctl top --batch 3 --interval 0.1 --json | json '
n = 0
for line in sys.stdin:
	d = json.loads(line)
	assert len(d["devices"]) == 2 and d["sections"][0]["attached"] == 1 and d["all_users"], d
	n += 1
assert n == 3, n'
	end $HOLDER
}

# on_terminal COLUMNS ROWS: standard input is a Python script that uses "t", a wdctl top on its own terminal.
on_terminal() {
	python3 -c '
import fcntl, os, pty, select, signal, struct, sys, termios, time
class Top:
	def __init__(self, columns, rows):
		self.text = b""
		ready, go = os.pipe()
		pid, fd = pty.fork()
		if not pid:
			os.environ["TERM"] = "xterm"
			os.read(ready, 1)
			os.execvp("wdctl", ["wdctl", "top", "-i", "0.2"])
		self.pid, self.fd = pid, fd
		self.size(columns, rows)
		self.before = termios.tcgetattr(fd)
		os.write(go, b"x")
	def size(self, columns, rows):
		fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
	def until(self, text):
		end = time.time() + 300
		while text not in self.text:
			assert time.time() < end, (text, self.text[-2000:])
			if select.select([self.fd], [], [], 0.1)[0]:
				try:
					self.text += os.read(self.fd, 65536)
				except OSError:
					assert text in self.text, (text, self.text[-2000:])
	def over(self):
		self.until(b"\x1b[?1049l")
		status = os.waitpid(self.pid, 0)[1]
		assert os.waitstatus_to_exitcode(status) == 0, status
		assert termios.tcgetattr(self.fd)[:6] == self.before[:6]
		assert self.text.endswith(b"\x1b[?25h\x1b[?1049l"), self.text[-200:]
t = Top(int(sys.argv[1]), int(sys.argv[2]))
t.until(b"\x1b[?1049h")
exec(sys.stdin.read())
' "$@"
}

test_top_gives_the_terminal_back() {
	machine
	on_terminal 100 24 <<'END'
t.until(b"NODE")
os.write(t.fd, b"\x03")
t.over()
END
	on_terminal 100 24 <<'END'
t.until(b"NODE")
os.write(t.fd, b"q")
t.over()
END
	on_terminal 100 24 <<'END'
t.until(b"NODE")
os.kill(t.pid, signal.SIGTERM)
t.over()
END
}

test_top_follows_the_size_of_the_terminal() {
	machine
	for i in $(seq 9); do
		echo "[s$i]"
	done | wdctl apply - >/dev/null
	on_terminal 200 40 <<'END'
t.until(b"s9 ")
t.until(b"DEVICE             CTX")
t.text = b""
t.size(30, 6)
t.until(b"more sections")
t.text = b""
t.until(b"devices, 0 contexts open; 9 \x1b[K\r\n")
t.size(1, 1)
t.text = b""
t.until(b"\x1b[H2\x1b[K\x1b[J")
os.write(t.fd, b"q")
t.over()
END
}

# ------ the module is unloaded ------

test_monitor_and_top_end_with_the_module() {
	machine
	watch_events
	# Earlier jobs' queues are returned a moment after the jobs' end; until then uacce stays in use.
	until_true 30 wdctl unload >/dev/null
	exits 1 wait $MONITOR
	says "the module uacce was unloaded" monitor_err
	exits 1 wdctl ctx 2>err
	says "this kernel has no netlink family 'uacce'" err
	exits 125 wdctl run --section A -- true 2>err
	wdctl load --sim zip,zip >/dev/null
}

run_tests "$@"
