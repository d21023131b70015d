#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/vm promises about status, output, complaints and time. Boots a few VMs.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vm() { scripts/vm --no-modules "$@" >"$scratch/out" 2>"$scratch/err"; }
# gives CODE COMMAND...
gives() {
	local want=$1 code=0
	shift
	"$@" || code=$?
	[ $code = "$want" ] || { echo "exit status $code, not $want"; cat "$scratch/out" "$scratch/err"; return 1; }
}
# shellcheck disable=SC2016
facts() {
	gives 3 vm --smp 4 --numa 2 --mem 1G -- bash -c 'echo "$PWD"; nproc; ls -d /sys/devices/system/node/node? | wc -l; id -u; readlink /proc/self/fd/0; echo words >&2
		touch build/vm/written; touch /usr/unwritten; exit 3'
}
output() { diff <(printf '%s\n' "$PWD" 4 2 0 /dev/null) "$scratch/out" && diff <(echo words) <(grep -v '^vm: waiting' "$scratch/err"); }
written() { [ -e "${BUILD:-build}/vm/written" ] && rm "${BUILD:-build}/vm/written"; }
unwritten() { [ ! -e /usr/unwritten ]; }
complaint() { gives 70 vm -- sh -c 'echo "BUG: made up by a test" >/dev/kmsg; exit 0' && grep -q 'made up by a test' "$scratch/err"; }
too_long() { gives 124 vm --timeout 15 -- sleep 600; }
refuses() { gives 69 vm --arch m68k -- true && gives 69 vm --kernel 2.6x -- true && gives 2 vm --nonsense -- true; }

test_that 'the exit status is that of the command' facts
test_that 'the output is that of the command, and nothing else' output
test_that 'the checkout is writable' written
test_that "the host's root is not" unwritten
test_that 'a complaint of the kernel fails the run' complaint
test_that 'time runs out' too_long
test_that 'what it does not know is refused' refuses
tap_done
