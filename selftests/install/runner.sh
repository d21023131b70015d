#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runner counts what happened, and nothing passes for having said nothing.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/selftests" "$scratch/scripts" "$scratch/build/user/tests/area"
cp selftests/exec selftests/runner.py "$scratch/selftests/"
cp scripts/kernel-splats "$scratch/scripts/"
mkdir "$scratch/selftests/area"

# gives "LAST LINE" CODE, with the program that comes on stdin
gives() {
	local want=$1 code=0
	cat >"$scratch/program"
	chmod +x "$scratch/program"
	echo "native area 2 $scratch/program" >"$scratch/build/user/tests/area/list"
	BUILD=$scratch/build python3 "$scratch/selftests/runner.py" --native "$scratch/build/user" -- >"$scratch/said" || code=$?
	[ "$(tail -n 1 "$scratch/said")" = "$want" ] && [ $code = "$2" ] || { cat "$scratch/said"; echo "exit status $code"; return 1; }
}
says() { printf '#!/bin/sh\n%s\n' "$1" | gives "$2" "$3"; }
nothing() {
	: >"$scratch/build/user/tests/area/list"
	! BUILD=$scratch/build python3 "$scratch/selftests/runner.py" --native "$scratch/build/user" >"$scratch/said" &&
		[ "$(tail -n 1 "$scratch/said")" = '0 passed, 0 failed, 0 skipped' ]
}

test_that 'each line of TAP is a test' says 'echo "ok 1 - a"; echo "ok 2 - b # SKIP why"; echo "ok 3 - c"' '2 passed, 0 failed, 1 skipped' 0
test_that 'not ok is a failure whatever the exit status' says 'echo "not ok 1 - a"' '0 passed, 1 failed, 0 skipped' 1
test_that 'so is an exit status after nothing but ok' says 'echo "ok 1 - a"; exit 1' '1 passed, 1 failed, 0 skipped' 1
test_that 'so is a crash' says 'kill -SEGV $$' '0 passed, 1 failed, 0 skipped' 1
test_that 'so is a test that never ends' says 'sleep 60' '0 passed, 1 failed, 0 skipped' 1
test_that 'so is a plan that was not kept' says 'echo 1..3; echo "ok 1 - a"' '1 passed, 1 failed, 0 skipped' 1
test_that 'exit status 4 is a skip' says 'echo "# no device"; exit 4' '0 passed, 0 failed, 1 skipped' 1
test_that 'a program without TAP is one test' says 'exit 0' '1 passed, 0 failed, 0 skipped' 0
test_that 'a run without a test is a failure' nothing
tap_done
