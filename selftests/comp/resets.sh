#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs whose devices are reset time and again, by their driver after errors or by hand: no call fails, no result is
# wrong, no memory is written after a call has returned. WD_TEST_LONG=1: for ten minutes each.

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

# Resets of one function after the other. A request may be repeated four times only, so that on a busy machine it needs
# the pause; the long test has a tenth of it.
resets_by_pci() {
	local name pause=1

	[ -z "${WD_TEST_LONG:-}" ] || pause=0.1
	for name in "$CLASS"/hisi_zip-*; do
		echo 1 >"$name/device/reset"
		sleep $pause
	done
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

# survives COMMAND: a busy program does, while the command runs again and again.
survives() {
	local name before client code=0

	for name in "$CLASS"/hisi_zip-*; do
		cat "$name/available_instances" >"unused-${name##*/}"
	done
	before=$(resets)
	"$BUSY" $LASTS >ready 2>errors &
	client=$!
	until_true 60 test -s ready || { cat errors; return 1; }
	while kill -0 $client 2>/dev/null; do
		"$1"
	done
	wait $client || code=$?
	[ $code = 2 ] || { echo "exit status $code"; cat errors; return 1; }
	[ "$(grep -c ': no error$' errors)" = 8 ] || { cat errors; return 1; }
	until_true 30 is_quiet
	# A busy machine has fewer.
	[ $(($(resets) - before)) -ge 4 ]
}

test_no_request_is_lost_by_errors() {
	survives errors
}

test_no_request_is_lost_by_resets_by_pci() {
	survives resets_by_pci
}

run_tests
