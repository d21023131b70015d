#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections seen from outside the library: a slot inherited over exec, kernels without sections, wdzip.
set -u
. "${TOP:?}/selftests/include/tap.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
helper=${OUT:?}/tests/libwd/section_exec
wdzip=$OUT/bin/wdzip
cat >"$dir/sections" <<'END'
[SSL]
NumProcesses = 1
QueuePriority = 3	; of 7
[PAIR]
NumProcesses = 2
[CLOSED]
AllowedUsers = 54321
END
head -c 100000 /dev/zero | tr '\0' 'x' >"$dir/f"

emulated() {
	"$OUT/bin/wd-emulate" --zip 2 --sections "$dir/sections" -- "$@"
}

# prints WORDS COMMAND...: the command's whole output is this one line.
prints() {
	local want=$1 got

	got=$("${@:2}" 2>&1)
	[ "$got" = "$want" ] || { printf 'expected %s\n     got %s\n' "$want" "$got"; return 1; }
}

slot="section section 'SSL' slot 'SSL_INT_0'"

refused() {
	! emulated "$@" >"$dir/out" 2>"$dir/err"
}

says() {
	grep -qF -- "$1" "$dir/err" || { cat "$dir/err"; return 1; }
}

unallowed() {
	refused "$wdzip" --section CLOSED -c "$dir/f" &&
		says 'neither this user nor its groups are allowed in the section' &&
		[ ! -s "$dir/out" ]
}

unknown_in_environment() {
	refused env WD_SECTION=NONE "$wdzip" -c "$dir/f" && says 'there is no section of this name' &&
		[ ! -s "$dir/out" ]
}

in_section() {
	emulated "$wdzip" --section SSL -v -c "$dir/f" 2>"$dir/err" | gzip -dc | cmp - "$dir/f" && says 'path sim'
}

in_none() {
	"$OUT/bin/wd-emulate" -- "$wdzip" --section SSL -v -c "$dir/f" 2>"$dir/err" | gzip -dc | cmp - "$dir/f" &&
		says 'no sections; continuing without a section' && says 'path sim'
}

bad_file() {
	printf '%b' "$1" >"$dir/bad"
	"$OUT/bin/wd-emulate" --zip 1 --queues 8 --sections "$dir/bad" -- true 2>"$dir/err"
	[ $? = 2 ] && says "$2"
}

# taken TEXT: for that text of sections, this user has a slot of section A.
taken() {
	printf '%b' "$1" >"$dir/file"
	"$OUT/bin/wd-emulate" --zip 1 --queues 8 --sections "$dir/file" -- "$helper" info A >"$dir/out" 2>"$dir/err"
	grep -q "^start 0 compress 0 section section 'A'" "$dir/out" || { cat "$dir/out" "$dir/err"; return 1; }
}

from_stdin() {
	printf '[A]\n' | "$OUT/bin/wd-emulate" --zip 1 --sections - -- "$helper" info A | grep -q "section 'A'"
}

not_taken() {
	! taken "$1" >/dev/null && says 'neither this user nor its groups are allowed in the section'
}

test_that 'a slot is inherited by what is executed' prints \
	"start 0 compress 0 $slot inherited 1 grants 2 priority 3" emulated "$helper" run SSL "$helper" info SSL
test_that 'a slot is inherited over several programs' prints \
	"start 0 compress 0 $slot inherited 1 grants 2 priority 3" emulated "$helper" run SSL env env "$helper" info SSL
test_that 'the first session finds what was inherited' prints \
	"start 0 compress 0 $slot inherited 1 grants 2 priority 3" emulated "$helper" run SSL "$helper" info
test_that 'and does so without WD_SECTION' prints \
	"start 0 compress 0 $slot inherited 1 grants 2 priority 3" emulated "$helper" run SSL env -u WD_SECTION \
	"$helper" info
test_that 'a child has no part in it' prints \
	"start 0 compress -87 none section '' slot '' inherited 0 grants 0 priority 0" emulated "$helper" run SSL \
	"$helper" fork
test_that 'a child gets a slot of its own where there is one' prints \
	"start 0 compress 0 section section 'PAIR' slot 'PAIR_INT_1' inherited 0 grants 2 priority 0" emulated \
	"$helper" run PAIR "$helper" fork
test_that 'what was inherited of another process is not believed' prints \
	"start 0 compress 0 $slot inherited 0 grants 2 priority 3" emulated env WD_ATTACHED=1,3,SSL,SSL_INT_0 \
	"$helper" info SSL
test_that 'an inherited slot is of one section' prints \
	"this process was executed with a slot of section SSL: Device or resource busy
start -16 compress -16 none section '' slot '' inherited 0 grants 0 priority 0" \
	emulated "$helper" run SSL "$helper" info PAIR
test_that 'a kernel without sections says so' prints \
	"start 0 compress 0 unprovisioned section 'SSL' slot '' inherited 0 grants 0 priority 0" \
	"$OUT/bin/wd-emulate" -- "$helper" info SSL
test_that 'QAT programs hold a slot when they were started' prints \
	'start 0 compress 0 section stop 0' emulated "$helper" icp SSL
test_that 'QAT programs are not started where nothing can be held' prints \
	'start -1 compress -95 none stop 0' "$OUT/bin/wd-emulate" -- "$helper" icp SSL
test_that 'QAT programs are not started where there is no uacce' prints \
	'start -1 compress -95 none stop 0' "$helper" icp SSL
if [ -x "$wdzip" ]; then
	test_that 'wdzip works in a section' in_section
	test_that 'wdzip says that there are no sections, and works' in_none
	test_that 'wdzip fails where it may not' unallowed
	test_that 'wdzip fails for an unknown section in the environment' unknown_in_environment
else
	skip_that 'wdzip works in a section' 'it was left out'
fi
test_that 'a file of sections names file and line of what is wrong' bad_file '[A]\nNonsense = 1\n' \
	"$dir/bad:2: [A] unknown key 'Nonsense', expected one of"
test_that 'a key before any section is wrong' bad_file 'SyncCtxs = 1\n' "$dir/bad:1:"
test_that 'a section twice is wrong' bad_file '[A]\n[A]\n' "$dir/bad:2: [A] expected once, found in line 1 too"
test_that 'a section larger than its devices is wrong' bad_file '[A]\nNumProcesses = 5\n' \
	'has 8 queues, but the sections need 10'
test_that 'a device that is not there is wrong' bad_file '[A]\nDevices = hisi_zip-1\n' \
	'expected an emulated device, not hisi_zip-1'
test_that 'a name that is too long is wrong' bad_file '[12345678901234567890123456789012]\n' '1 to 31 letters'
test_that 'a section without contexts is wrong' bad_file '[A]\nSyncCtxs = 0\nAsyncCtxs = 0\n' \
	'expected at least one context'
test_that 'settings of devices are wrong' bad_file '[device hisi_zip-0]\nPriority = 1\n' \
	'emulated devices have no settings'
test_that 'all that is wrong is said' bad_file '[A]\nNonsense = 1\nSyncCtxs = x\n' "$dir/bad:3: [A] SyncCtxs: expected"
test_that 'a section in one line is taken' taken '[A] NumProcesses = 2 LimitDevAccess = 0\n'
test_that 'sections on standard input are taken' from_stdin
test_that 'a user of a range is allowed' taken "[A]\nAllowedUsers = 54321, $(id -u)-$(($(id -u) + 9))\n"
test_that 'a user by name is allowed' taken "[A]\nAllowedUsers = $(id -un)\n"
test_that 'a user beside a range is refused' not_taken '[A]\nAllowedUsers = 54321-54330\n'
test_that 'a group is allowed' taken "[A]\nAllowedUsers = 54321\nAllowedGroups = $(id -g)\n"
test_that 'another group is refused' not_taken '[A]\nAllowedGroups = 54321\n'
tap_done
