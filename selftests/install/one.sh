#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make t builds and runs one test, and says what is wrong with its arguments.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

t() { env -u OUT -u TOP MAKEFLAGS='' make --no-print-directory t "$@" >"$scratch/out" 2>"$scratch/err"; }

# refused "MESSAGE" ARGUMENT...
refused() {
	! t "${@:2}" && grep -qF "make t: $1" "$scratch/err" && [ ! -s "$scratch/out" ] && return
	cat "$scratch/out" "$scratch/err"
	return 1
}

# prints LINE ARGUMENT...: the test passes, and its TAP is all that is printed.
prints() {
	t "${@:2}" && grep -q "$1" "$scratch/out" && ! grep -qvE '^(TAP|1\.\.|#|ok |$)' "$scratch/out" && return
	cat "$scratch/out" "$scratch/err"
	return 1
}

test_that 'a test is named' refused 'TEST=: expected FOLDER/PROGRAM'
test_that 'its folder is there' refused 'TEST=nowhere/test_a: there is no selftests/nowhere' TEST=nowhere/test_a
test_that 'its program is there' refused 'TEST=comp/test_a: selftests/comp/tests has no test_a' TEST=comp/test_a
test_that 'it runs in that place' refused 'TEST=comp/test_abi+emulated: test_abi runs in these places only: native' \
	TEST=comp/test_abi+emulated
test_that 'a VM is asked for' refused 'TEST=uacce/test_mmap: test_mmap runs in the VM: VM=1' TEST=uacce/test_mmap
test_that 'a sanitizer is known' refused 'SAN=memory: expected address or thread' TEST=comp/test_abi SAN=memory
test_that 'a test has that sanitizer' \
	refused 'TEST=comp/test_abi: selftests/comp/tests has no test_abi for SAN=thread' TEST=comp/test_abi SAN=thread
test_that 'a VM has no sanitizer' refused 'VM=1 and SAN=... exclude each other' TEST=uacce/test_mmap VM=1 SAN=address
test_that 'a program prints its TAP' prints '^ok 1 ' TEST=comp/test_abi
test_that 'a script does, too' prints '^ok 1 ' TEST=tree/tables.sh
test_that 'a program runs on emulated devices' prints '^ok 1 ' TEST=comp/test_generations+emulated
test_that 'a script that builds for the VM runs, too' prints '^ok 1 ' TEST=uacce/kselftest_build.sh
tap_done
