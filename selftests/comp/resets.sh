#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs whose devices have an error every second and are reset by their driver, or are reset by PCI: no call fails, no
# result is wrong, no memory is written after a call has returned. WD_TEST_LONG=1: for ten minutes each.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2

SIM=/sys/kernel/config/hisi_sim
CLASS=/sys/class/uacce
BUSY=$OUT/tests/comp/busy
LASTS=20
[ -z "${WD_TEST_LONG:-}" ] || LASTS=600

# resets: of both devices so far.
resets() {
	wdctl top --once --json | python3 -c 'import json, sys; print(sum(d["resets"] for d in json.load(sys.stdin)["devices"]))'
}

# Errors of both devices, a second apart.
errors() {
	local item

	for item in "$SIM"/zip0 "$SIM"/zip1; do
		# Refused in the middle of a reset.
		echo 'qm 2' >"$item/faults/error" 2>/dev/null || :
	done
	sleep 1
}

is_quiet() {
	local name

	for name in "$CLASS"/hisi_zip-*; do
		[ "$(cat "$name/available_instances")" = "$(cat "unused-${name##*/}")" ] || return 1
	done
	wdctl top --once --json | python3 -c '
import json, sys
sys.exit(any(d["quarantined"] or d["state"] != "ok" for d in json.load(sys.stdin)["devices"]))'
}

# One device after the other, so that the other one is at work.
resets_by_pci() {
	local name

	for name in "$CLASS"/hisi_zip-*; do
		echo 1 >"$name/device/reset" || return
		sleep 1
	done
}

# loses_nothing_once COMMAND: clients at work, while COMMAND runs again and again.
loses_nothing_once() {
	local client code=0

	rm -f ready
	"$BUSY" $LASTS >ready 2>errors &
	client=$!
	until_true 60 test -s ready || { cat errors; return 1; }
	while kill -0 $client 2>/dev/null; do
		"$1"
	done
	wait $client || code=$?
	[ $code = 2 ] || { echo "exit status $code"; cat errors; return 1; }
	[ "$(grep -c ': no error$' errors)" = 8 ] || { echo 'expected 8 clients without an error:'; cat errors; return 1; }
	until_true 30 is_quiet
}

# loses_nothing COMMAND RESETS: until there were that many resets.
loses_nothing() {
	local name before

	for name in "$CLASS"/hisi_zip-*; do
		cat "$name/available_instances" >"unused-${name##*/}"
	done
	before=$(resets)
	while [ $(($(resets) - before)) -lt "$2" ]; do
		loses_nothing_once "$1" || return
	done
}

# A busy machine has fewer resets than seconds.
test_no_request_is_lost_by_errors() {
	loses_nothing errors 4
}

test_no_request_is_lost_by_resets_by_pci() {
	loses_nothing resets_by_pci 1
}

run_tests
