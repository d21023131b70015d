#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wd-emulate: options, exit status, what a program finds, and what remains afterwards.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate
dir=$(mktemp -d)
# The build's folder may be in one that only root reads: copies that every user can run.
open=$(mktemp -d)
trap 'rm -rf "$dir" "$open"' EXIT
cp -r "$OUT/bin" "$OUT/lib" "$open/" && chmod 755 "$open" || exit 1
export TMPDIR=$dir

# is EXPECTED COMMAND...: the command ends with this exit status
is() {
	local expected=$1 code=0

	shift
	"$@" >/dev/null || code=$?
	[ $code = "$expected" ] || { echo "exit status $code, expected $expected"; return 1; }
}

attr() {
	[ "$("$emulate" "${@:3}" -- cat "/sys/class/uacce/$1")" = "$2" ]
}

killed() {
	"$emulate" -- sh -c 'kill -9 $$'
	[ $? = 137 ]
}

nothing_left() {
	[ -z "$(ls "$dir")" ]
}

# Each process has its own two devices: opens change the count.
counts() {
	local got

	got=$("$@" "$emulate" --queues 8 \
		-- sh -c 'exec 7<>/dev/hisi_zip-0; cat /sys/class/uacce/hisi_zip-0/available_instances')
	[ "$got" = 7 ] || { echo "available: $got"; return 1; }
}

counts_for_user() {
	[ "$(id -u)" = 0 ] || { counts; return; }
	[ -d "$open/tmp" ] || mkdir -m 777 "$open/tmp" || return
	emulate=$open/bin/wd-emulate TMPDIR=$open/tmp counts setpriv --reuid 65534 --regid 65534 --clear-groups
}

# In a subfolder, by relative paths, with the name that was used.
cd_to_class() {
	local got

	got=$("$emulate" -- sh -c 'cd /sys/class/uacce && cat hisi_zip-0/simulated && /bin/pwd &&
		cd hisi_zip-0 && pwd -P')
	[ "$got" = $'1\n/sys/class/uacce\n/sys/class/uacce/hisi_zip-0' ] || { echo "$got"; return 1; }
}

as_nobody() {
	"$open/bin/wd-emulate" "$@" -- setpriv --reuid 65534 --regid 65534 --clear-groups \
		sh -c 'cat /sys/class/uacce/hisi_zip-0/simulated 2>&1; exec 7<>/dev/hisi_zip-0;
		cat /sys/class/uacce/hisi_zip-0/available_instances' 2>&1
}

user_told() {
	local got

	[ "$(id -u)" = 0 ] || return 0
	got=$(as_nobody --queues 8)
	[[ $got = *"user 65534 can't reach the emulated devices"*"expected wd-emulate --user 65534"* ]] ||
		{ echo "$got"; return 1; }
}

user_given() {
	local got

	[ "$(id -u)" = 0 ] || return 0
	chmod 711 "$dir"
	got=$(as_nobody --queues 8 --user nobody)
	[ "$got" = $'1\n7' ] || { echo "$got"; return 1; }
}

# report COMMAND: the report of a ZIP device that one process or several use, and of another that none does.
report() {
	"$emulate" --zip 1 --sec 1 --stats "$dir/../stats.$$" -- bash -c "export WD_PATH=hw; $1" &&
		cat "$dir/../stats.$$"
	rm -f "$dir/../stats.$$"
}

all_processes_are_reported() {
	local one two

	one=$(report 'wdzip -c /bin/sh >/dev/null') &&
		two=$(report '(wdzip -c /bin/sh & wdzip -c /bin/sh; wait) >/dev/null') || return
	awk '{ bytes += $5 }
		NR == 1 && $0 !~ /^hisi_zip-0 requests [1-9][0-9]* bytes_in [0-9]+ bytes_out [1-9][0-9]* wrong 0$/ ||
		NR == 2 && $0 != "hisi_sec2-1 requests 0 bytes_in 0 bytes_out 0 wrong 0" { bad = 1 }
		END { exit bad || NR != 2 || bytes != '"$(stat -Lc %s /bin/sh)"' }' <<<"$one" ||
		{ echo "reported: $one"; return 1; }
	[ "$(awk 'NR == 1 { print $3 / 2, $5 / 2, $7 / 2 }' <<<"$two")" = \
		"$(awk 'NR == 1 { print $3, $5, $7 }' <<<"$one")" ] ||
		{ echo "reported: $one, and of two processes $two"; return 1; }
}

# Three processes' shares, two queues each, are reserved; all programs together have the rest.
reserved_counts() {
	local got

	printf '[SSL]\nNumProcesses = 3\n' >"$dir/../sections.$$"
	got=$("$emulate" --queues 8 --sections "$dir/../sections.$$" -- bash -c '
		left=/sys/class/uacce/hisi_zip-0/available_instances
		cat $left; exec 7<>/dev/hisi_zip-0; cat $left
		bash -c "exec 8<>/dev/hisi_zip-0; cat $left; :"
		# wd-emulate needs a while to notice the end of a program.
		for ((i = 0; i < 6000; i++)); do [ "$(cat $left)" = 1 ] && break; sleep 0.05; done
		exec 7<&-; cat $left' | tr '\n' ' ')
	rm -f "$dir/../sections.$$"
	[ "$got" = '2 1 0 2 ' ] || { echo "available: $got"; return 1; }
}

# A section reserves all of the queues.
reserved_refused() {
	printf '[SSL]\nNumProcesses = 4\n' >"$dir/../sections.$$"
	is 1 "$emulate" --queues 8 --sections "$dir/../sections.$$" -- bash -c 'exec 7<>/dev/hisi_zip-0'
	local code=$?
	rm -f "$dir/../sections.$$"
	return $code
}

# The kernel's answer and its acknowledgement are two messages; wdctl waits for both.
slot_by_wdctl() {
	printf '[SSL]\nNumProcesses = 1\n' >"$dir/../sections.$$"
	is 5 "$emulate" --sections "$dir/../sections.$$" -- "$OUT/bin/wdctl" run -s SSL \
		-- sh -c '[ "$WD_SECTION" = SSL ] && exit 5'
	local code=$?
	rm -f "$dir/../sections.$$"
	return $code
}

# ends_as EXPECTED ARGUMENT...: the program prints that, and ends with success although the devices' threads remain
ends_as() {
	local got code=0

	got=$(timeout -s KILL 300 "$emulate" -- "$OUT/tests/emulator/last_client" "${@:2}") || code=$?
	[ "$code $got" = "0 $1" ] || { echo "exit status $code, printed: $got"; return 1; }
}

# A signal as soon as the folder exists, mostly while its files are still being created.
ended_early() {
	local sub="$dir/early" pid i code

	mkdir -p "$sub"
	for i in {1..5}; do
		# Under nohup the hang-up signal would be ignored.
		TMPDIR=$sub env --default-signal=HUP "$emulate" --zip 4 -- sleep 10000 &
		pid=$!
		until compgen -G "$sub/wd-emulate.*" >/dev/null; do
			kill -0 "$pid" || return 1
		done
		kill -"$1" "$pid"
		wait "$pid"
		code=$?
		[ $code = "$2" ] || { echo "try $i: status $code"; return 1; }
		rmdir "$sub" || return 1
		mkdir "$sub"
	done
	rmdir "$sub"
}

test_that 'exit status is the command'\''s' is 7 "$emulate" -- sh -c 'exit 7'
test_that 'a signal is 128 plus its number' killed
test_that 'one that comes early leaves nothing behind, and is the command'\''s' ended_early TERM 143
test_that 'so does a hang-up' ended_early HUP 129
test_that 'a command that does not exist is 127' is 127 "$emulate" -- "$dir/none"
test_that 'no command is a usage error' is 2 "$emulate" --zip 2
test_that 'an unknown option is a usage error' is 2 "$emulate" --frob -- true
for bad in '--zip 17' '--zip x' '--zip -1' '--queues 1' '--queues 1025' '--latency 1s' '--workers 9' '--depth 3' \
	'--depth 1025' '--engine fast' '--node x' '--node 0,' '--node 16' \
	'--sections /none'; do
	# shellcheck disable=SC2086
	test_that "$bad is a usage error" is 2 "$emulate" $bad -- true
done
for bad in '' fail fail= fail=x fail=1/0 fail=0/3 fail=1/0ms fail=1/5h fail=1/3601s fail=1/9,fail=1/9ms fail=1:256 \
	fail=1:1ms delay=1 delay=1:2 delay=1:11s drop=1:5 mailbox=1@0 error=1:2 remove=1:1ms \
	stuck=1@1024 fail=1@ 'fail=1 ' fail=1,, nonsense=1 drop=-1; do
	test_that "--fault '$bad' is a usage error" is 2 "$emulate" --fault "$bad" -- true
done
names_what_is_wrong() {
	"$emulate" --fault fail=1,drop=1/5h -- true 2>&1 |
		grep -q 'drop=1/5h: expected a time from 1ns to 3600s after /'
}
test_that 'a message names the fault that is wrong, and what was expected' names_what_is_wrong
test_that 'a null device has no faults' is 2 "$emulate" --null --fault fail=1 -- true
test_that 'a null device counts nothing' is 2 "$emulate" --null --stats - -- true
test_that 'a report that cannot be written is refused before the command starts' is 125 "$emulate" --stats /none/stats \
	-- touch "$dir/started"
test_that 'a report that is lost is an error' is 125 "$emulate" --stats /dev/full -- true
test_that 'what devices did for all processes is reported' all_processes_are_reported
test_that 'a fault that the device refuses is refused at open' is 1 "$emulate" --fault fail=1:0x13 -- \
	bash -c 'exec 7<>/dev/hisi_zip-0'
test_that 'faults of every kind are taken' is 0 "$emulate" --seed 7 \
	--fault fail=3:4@1,fail=1/9,delay=1/5:2ms,reorder=1/3:50us,\
drop=3/20,duplicate=1/5ms,corrupt=2/1s,stuck=0,mailbox=0:1s,error=1/900@2,remove=0,page-fault=1/100:10us -- bash -c \
'exec 7<>/dev/hisi_zip-0'
# The table of getopt is the list of options.
helps_with_each_option() {
	local help option code=0

	help=$("$emulate" --help) || return
	for option \
		in $(sed -n 's/^\t\t{ "\([a-z-]*\)", .*_argument, NULL, .*/\1/p' "$TOP/user/emulator/tool/main.c"); do
		grep -q -- "^  .*--$option .* " <<<"$help" || { echo "--help lacks --$option"; code=1; }
	done
	return $code
}
test_that 'help is not an error' is 0 "$emulate" --help
test_that 'and describes each option' helps_with_each_option
test_that 'devices are in sysfs' is 0 "$emulate" --zip 2 -- test -d /sys/class/uacce/hisi_zip-1
test_that 'no more devices than asked for' is 1 "$emulate" --zip 1 -- test -e /sys/class/uacce/hisi_zip-1
test_that 'no device at all' is 0 "$emulate" --zip 0 -- test ! -e /dev/hisi_zip-0
test_that 'a node is a character device' is 0 "$emulate" -- test -c /dev/hisi_zip-0
test_that 'queues are as many as asked for' attr hisi_zip-0/available_instances 17 --queues 17
test_that 'the device is a simulated one' attr hisi_zip-0/simulated 1
test_that 'the parent has a vendor' attr hisi_zip-0/device/vendor 0x19e5
test_that 'opens are counted' counts
test_that "an ordinary user's opens are counted" counts_for_user
test_that 'the class is a folder to go to' cd_to_class
test_that 'a service that changes its user is told' user_told
test_that "and finds the devices if they are that user's" user_given
test_that 'an unknown user is refused' is 2 "$emulate" --user nobody-of-that-name -- true
test_that 'devices are on their nodes' attr hisi_zip-1/zone_id 3 --zip 2 --node 0,3
test_that 'the last node is the others' is 0 "$emulate" --zip 3 --node 0,2 \
	-- grep -qx 2 /sys/class/uacce/hisi_zip-2/device/numa_node
test_that 'nodes have distances' is 0 "$emulate" --zip 2 --node 0,1 \
	-- grep -qx '10 20' /sys/devices/system/node/node0/distance
test_that 'what is reserved is not counted as free' reserved_counts
test_that 'an engine has its level' attr hisi_sec2-0/hisi_sec2-cipher/throughput 20 --zip 0 --sec 1
test_that 'an algorithm has its features' attr hisi_sec2-0/hisi_sec2-digest/flags 0x00000103 --zip 0 --sec 1
test_that 'another one has not' attr hisi_sec2-0/hisi_sec2-cipher/flags 0x00000003 --zip 0 --sec 1
test_that 'what is reserved is not for everybody' reserved_refused
test_that 'wdctl run gets a slot' slot_by_wdctl
for engine in all none; do
	test_that "requests in flight don't wait for each other's latency, engine $engine" is 0 \
		"$emulate" --engine $engine --latency 300000000 -- "$OUT/tests/emulator/latency_client" 300000000
done
test_that 'a process whose first thread ends is over' ends_as 'exit, SIGTERM taken, device'
test_that "and not before the program's other threads" ends_as $'work\nexit, SIGTERM taken, device' thread
test_that 'nothing is left behind' nothing_left
tap_done
