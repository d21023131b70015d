#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The areas' tables of tests: what is wrong in one is named, and make check leaves no area's place out.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# reads WHAT SANITIZER: what tests.awk prints for the table "tests".
reads() {
	(cd "$scratch" && awk -v what="$1" -v san="$2" -v area=area -v limit=120 -v bin=/bin -v src=/src \
		-f "$OLDPWD/scripts/make/tests.awk" tests)
}

# refused "LINE" "MESSAGE": a table with the line is an error that names place and reason.
refused() {
	printf '# A comment.\n%s\n' "$1" >"$scratch/tests"
	! reads list '' >"$scratch/said" 2>&1 && grep -qF "tests:$2" "$scratch/said" && return
	cat "$scratch/said"
	return 1
}

# gives WHAT SANITIZER "LINES": what the table of the next test prints.
gives() {
	printf '%s\n' '# name where flags' 'test_a  native,emulated*,v2*,nosva  asan*,tsan*' \
		'test_b  vm  once,limit=7' 'test_c  native  plain,strict' 'case.sh  native,vm*  user' \
		'aid  helper' 'child  child' >"$scratch/tests"
	[ "$(reads "$1" "$2")" = "$3" ] || { reads "$1" "$2"; return 1; }
}

plain='native area 120 - /bin/test_a
native area 120 strict /bin/test_c
native area 120 - /src/case.sh
emulated area 120 later /bin/test_a
v2 area 120 later /bin/test_a
nosva area 120 - /bin/test_a
vm area 7 once /bin/test_b
vm area 120 later,user /src/case.sh'
asan='native area 120 later /bin/test_a
emulated area 120 later /bin/test_a
v2 area 120 later /bin/test_a
nosva area 120 later /bin/test_a'
tsan='native area 120 later /bin/test_a
emulated area 120 later /bin/test_a
v2 area 120 later,long /bin/test_a
nosva area 120 later /bin/test_a'

# Each area has something in make check in each of its places.
all_places() {
	local table place
	for table in selftests/*/tests; do
		for place in native emulated vm; do
			awk -v place="(^|,)$place" '!/^#/ && $2 ~ place { any = 1 }
				!/^#/ && $2 ~ place "(,|$)" { found = 1 }
				END { exit any && !found }' "$table" || echo "$table: $place"
		done
	done | grep . && return 1
	return 0
}

# A program without a line in the table never runs. The other sources belong to one.
all_there() {
	local table folder name
	for table in selftests/*/tests; do
		folder=${table%/tests}
		awk '!/^#/ && NF { print $1 }' "$table" | while read -r name; do
			grep -q "^${name}_SRCS " "$folder/Makefile" || [ -e "$folder/$name" ] ||
				[ -e "$folder/$name.c" ] || echo "$table: $name has no source"
		done
		for name in $(cd "$folder" && compgen -G 'test_*.c'); do
			grep -q "^${name%.c} " "$table" || echo "$table: $name is missing"
		done
	done | grep . && return 1
	return 0
}

test_that 'an unknown place is named' refused 'test_a  nativ' '2: "nativ": expected some of: native emulated'
test_that 'an unknown flag is named' refused 'test_a  native  fast' '2: "fast": expected some of: asan tsan'
test_that 'all run with AddressSanitizer' refused 'test_a native asan' '2: every C program runs with ASan'
test_that 'a limit is a number' refused 'test_a  native  limit=no' '2: "limit=no": expected some of'
test_that 'a line has a place' refused 'test_a' '2: "test_a" has no place'
test_that 'a line has no fourth word' refused 'test_a native asan tsan' '2: expected a name, places and flags'
test_that 'a name is there once' refused $'test_a native\ntest_a vm' '3: "test_a" is there twice'
test_that 'scripts run in some places only' refused 'a.sh native,emulated' '2: a script runs in the places'
test_that 'other generations are emulated' refused 'test_a native,v2' '2: v2 and mixed are other devices'
test_that 'the runner gets all lines' gives list '' "$plain"
test_that 'AddressSanitizer gets the C programs of the host' gives list address "$asan"
test_that 'ThreadSanitizer gets those that want it' gives list thread "$tsan"
test_that 'all C programs are built' gives programs '' $'test_a\ntest_b\ntest_c\naid\nchild'
test_that 'with a sanitizer those that run, and what they start' gives programs thread $'test_a\nchild'
test_that 'a kselftest has what runs in the VM' gives kselftest '' $'test_b\ncase.sh'
test_that 'make check leaves no place of an area out' all_places
test_that 'each line has a program, and each program a line' all_there
tap_done
