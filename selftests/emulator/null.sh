#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Null devices: rings of any size wrap, and options that need an engine are refused.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate
client=$OUT/tests/emulator/null_client
said=$(mktemp)
trap 'rm -f "$said"' EXIT

client() {
	timeout 2000 "$emulate" --null "$@" -- "$client" >"$said" 2>&1 || { cat "$said"; return 1; }
}

waiting() {
	WD_WAIT=$1 client "${@:2}"
}

# The message names the wrong option.
refused() {
	local code=0

	"$emulate" --null "$@" -- true 2>"$said" || code=$?
	[ "$code" = 2 ] && grep -q -- "$1 has no effect with --null" "$said" ||
		{ echo "exit status $code"; cat "$said"; return 1; }
}

test_that 'all requests complete' client
test_that 'rings of an odd size go round' client --depth 97
test_that 'small rings go round' client --depth 48
test_that 'a waiter that never sleeps is served' waiting spin
test_that 'a waiter that never sleeps is served by small rings' waiting spin --depth 48
test_that 'a waiter that sleeps at once is served' waiting sleep
test_that 'it combines with --zip and --queues' client --zip 2 --queues 3
for option in '--latency 5' '--bandwidth 5' '--workers 1' '--engine none' --mainline-poll --trap-doorbells; do
	# shellcheck disable=SC2086
	test_that "$option is refused" refused $option
done
tap_done
