#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs whose devices have an error every second and are reset by their driver, or are reset by PCI, or are functions
# that are reset one after the other: no call fails, no result is wrong, no memory is written after a call has returned.
# WD_TEST_LONG=1: for ten minutes each; WD_TEST_BRIEF=1: for ten seconds.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
. "$(dirname "$0")/../hisi_qm/functions.inc.sh"

SIM=/sys/kernel/config/hisi_sim
CLIENTS=("$OUT/tests/comp/busy")
LASTS=20
[ -z "${WD_TEST_BRIEF:-}" ] || LASTS=10
[ -z "${WD_TEST_LONG:-}" ] || LASTS=600

# resets: of both devices so far.
resets() {
	wdctl top --once --json |
		python3 -c 'import json, sys; print(sum(d["resets"] for d in json.load(sys.stdin)["devices"]))'
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

# Virtual functions, whose own resets leave the others at work, and the physical one, whose reset is all functions'.
resets_of_functions() {
	local function

	for function in virtfn0 virtfn1 .; do
		echo 1 >"$PCI/$function/reset" || return
		sleep 1
	done
}

# loses_nothing_once COMMAND: clients at work, while COMMAND runs again and again.
loses_nothing_once() {
	local client code=0

	rm -f ready
	"${CLIENTS[@]}" $LASTS >ready 2>errors &
	client=$!
	until_true 60 test -s ready || { cat errors; return 1; }
	while kill -0 $client 2>/dev/null; do
		"$1"
	done
	wait $client || code=$?
	[ $code = 2 ] || { echo "exit status $code"; cat errors; return 1; }
	[ "$(grep -c ': no error$' errors)" = 8 ] ||
		{ echo 'expected 8 clients without an error:'; cat errors; return 1; }
	until_true 30 is_quiet
}

# loses_nothing COMMAND RESETS: until there were that many resets, 20 times at most.
loses_nothing() {
	local name before times=0

	for name in "$CLASS"/hisi_zip-*; do
		cat "$name/available_instances" >"unused-${name##*/}"
	done
	before=$(resets)
	while [ $(($(resets) - before)) -lt "$2" ]; do
		[ $((times++)) -lt 20 ] || { echo "$(resets) resets, before it $before: expected $2 more"; return 1; }
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

# In a section, clients have contexts of the three functions only.
test_no_request_is_lost_by_resets_of_functions() {
	device 256 2
	enable 2
	until_true 30 named "$(vf 2)"
	wdctl section add functions NumProcesses=1 SyncCtxs=4 AsyncCtxs=4 Devices="$PF,$(vf 1),$(vf 2)" >/dev/null
	CLIENTS=(wdctl run --section functions -- "${CLIENTS[@]}")
	loses_nothing resets_of_functions 3
}

at_exit() {
	section_drop
	drop
}
run_tests "$@"
