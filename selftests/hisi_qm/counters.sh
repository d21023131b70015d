#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Counters and dumps in debugfs: equal to what clients did, in the documented form, safe during resets; reset
# tracepoints.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
need_commands wdctl python3
. "$(dirname "$0")/functions.inc.sh"

COUNT=$PROGRAMS/hisi_qm/count_client
AS_USER="setpriv --reuid 1000 --clear-groups"
TRACE=/sys/kernel/tracing
QUEUES=8	# of each function
RESETS=10
[ -z "${WD_TEST_BRIEF:-}" ] || RESETS=3

# begin [VFS]: a new device, which the driver has bound, with that many virtual functions.
begin() {
	local vfs=${1:-0} i

	drop
	mkdir $ITEM
	echo $((QUEUES * (vfs + 1))) >$ITEM/queues
	echo "$vfs" >$ITEM/vfs
	echo $QUEUES >$ITEM/function_queues
	dmesg -C
	echo 1 >$ITEM/live
	PF=$(cat $ITEM/address)
	PCI=/sys/bus/pci/devices/$PF
	DEBUGFS=/sys/kernel/debug/hisi_zip/$PF
	until_true 30 named "$PF"
	[ "$vfs" = 0 ] || echo "$vfs" >"$PCI/sriov_numvfs"
	for ((i = 1; i <= vfs; i++)); do
		until_true 30 named "$(vf $i)"
	done
}

named() {
	[ -n "$(name "$1")" ]
}

# value FILE REGISTER: its value, in decimal
value() {
	local hex

	hex=$(awk -v name="$2" '$1 == name { print $NF }' "$1")
	[ -n "$hex" ] && echo $((hex))
}

# register_is REGISTER VALUE: a device that is simulated may show a new value a few milliseconds later.
register_is() {
	[ "$(value "$DEBUGFS/qm/regs" "$1")" = "$2" ]
}

settles() {
	until_true 30 register_is "$1" "$2" || { echo "$1 is $(value "$DEBUGFS/qm/regs" "$1"), expected $2"; return 1; }
}

# A device that has answered the second command has shown what was selected before the first.
device_looks() {
	echo eqc >"$DEBUGFS/qm/cmd"
	echo eqc >"$DEBUGFS/qm/cmd"
}

# all_queues_are REGISTER NUMBER: summed over the queues of the selected function.
all_queues_are() {
	local q sum=0 register=$1

	for ((q = 0; q < QUEUES; q++)); do
		echo $q >"$DEBUGFS/qm/current_q"
		device_looks
		sum=$((sum + $(value "$DEBUGFS/qm/regs" "$register")))
	done
	[ $sum = "$2" ]
}

# do_requests ADDRESS NUMBER: a client's requests on a queue of that function; IN and OUT are its bytes.
do_requests() {
	"$COUNT" "$(name "$1")" "$2" </dev/null >done
	read -r IN OUT <done
}

# sum_of_cores REGISTER
sum_of_cores() {
	local file sum=0

	for file in "$DEBUGFS"/*comp_core*/regs; do
		sum=$((sum + $(value "$file" "$1")))
	done
	echo $sum
}

sum_is() {
	[ "$(sum_of_cores "$1")" = "$2" ]
}

test_the_device_counts_its_clients_requests() {
	begin
	do_requests "$PF" 37
	settles QM_DFX_SEND_SQE_TO_ACC_CNT 37
	settles QM_DFX_WB_SQE_FROM_ACC_CNT 37
	settles QM_DFX_ACC_FINISH_CNT 37
	settles QM_DFX_CQE_ERR_CNT 0
	until_true 30 sum_is HZIP_GET_BD_NUM 37
	until_true 30 sum_is HZIP_DONE_BD_NUM 37
	until_true 30 sum_is HZIP_GET_RIGHT_BD 37
	sum_is HZIP_GET_ERROR_BD 0
	sum_is HZIP_CONSUMED_BYTE "$IN"
	sum_is HZIP_PRODUCED_BYTE "$OUT"
	[ "$(cat "$DEBUGFS/zip_dfx/recv_cnt")" = 37 ]
}

# listed ADDRESS KEY: what wdctl says of that function's device.
listed() {
	wdctl list "$1" --json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["devices"][0][sys.argv[1]])' "$2"
}

listed_is() {
	[ "$(listed "$1" "$2")" = "$3" ]
}

test_wdctl_lists_the_counts() {
	begin 1
	do_requests "$PF" 7
	until_true 30 listed_is "$PF" requests 7
	until_true 30 listed_is "$PF" bytes_in "$IN"
	listed_is "$PF" bytes_out "$OUT"
	listed_is "$PF" request_errors 0
	not listed_is "$PF" busy_cycles 0
	listed_is "$PF" opens 1
	listed_is "$PF" refused 0
	listed_is "$PF" resets 0
	# A virtual function has no counters of the device.
	listed_is "$(vf 1)" requests None
	listed_is "$(vf 1)" opens 0
	echo 1 >"$PCI/reset"
	until_true 60 listed_is "$PF" resets 1
	until_true 30 listed_is "$PF" requests 0
	listed_is "$PF" opens 1
}

# held ADDRESS NUMBER [COMMAND...]: a client does that many requests, and keeps its queue open until let_go.
held() {
	local function=$1 number=$2

	shift 2
	rm -f hold done
	mkfifo hold
	"$@" "$COUNT" "$(name "$function")" "$number" <hold >done &
	# Opening for both directions does not wait for a reader.
	exec 5<>hold
	until_true 60 test -s done
}

let_go() {
	exec 5>&-
	wait
}

# ctx_requests [COMMAND...]: REQUESTS of the contexts that wdctl lists, in their order.
ctx_requests() {
	"$@" wdctl ctx --json |
		python3 -c 'import json, sys; print([c["requests"] for c in json.load(sys.stdin)["contexts"]])'
}

test_contexts_and_functions_count_their_requests() {
	begin 1
	held "$PF" 11
	[ "$(ctx_requests)" = "[11]" ]
	do_requests "$(vf 1)" 4
	[ "$(ctx_requests)" = "[11]" ]
	listed_is "$PF" function_requests 11
	listed_is "$(vf 1)" function_requests 4
	let_go
	[ "$(ctx_requests)" = '[]' ]
	listed_is "$PF" function_requests 11
	do_requests "$PF" 2
	listed_is "$PF" function_requests 13
	listed_is "$(vf 1)" function_requests 4
}

test_a_count_survives_resets() {
	begin
	do_requests "$PF" 5
	held "$PF" 3
	echo 1 >"$PCI/reset"
	until_true 60 listed_is "$PF" resets 1
	let_go
	listed_is "$PF" function_requests 8
	do_requests "$PF" 1
	listed_is "$PF" function_requests 9
}

test_a_count_leaves_the_selection_alone() {
	begin 1
	echo 1 >"$DEBUGFS/current_qm"
	echo 3 >"$DEBUGFS/qm/current_q"
	held "$PF" 6
	[ "$(ctx_requests)" = "[6]" ]
	[ "$(cat "$DEBUGFS/current_qm") $(cat "$DEBUGFS/qm/current_q")" = '1 3' ]
	let_go
}

section_requests() {
	wdctl section list --json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["sections"][0]["requests"])'
}

test_a_section_counts_its_requests() {
	begin
	wdctl section add counted NumProcesses=1 SyncCtxs=1 Devices="$PF"
	held "$PF" 9 wdctl run --section counted --
	[ "$(section_requests)" = 9 ]
	wdctl top --once --json |
		python3 -c 'import json, sys; assert json.load(sys.stdin)["sections"][0]["requests"] == 9'
	let_go
	do_requests "$PF" 20
	[ "$(section_requests)" = 9 ]
	wdctl section del counted
}

test_a_user_sees_the_counts_of_own_contexts_only() {
	begin
	chmod 666 "/dev/$(name "$PF")"
	held "$PF" 2
	[ "$(ctx_requests $AS_USER)" = '[]' ]
	[ "$($AS_USER wdctl list --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["devices"][0]["function_requests"])')" = None ]
	let_go
	held "$PF" 3 $AS_USER
	[ "$(ctx_requests $AS_USER)" = '[3]' ]
	let_go
}

test_each_function_counts_its_own() {
	begin 1
	do_requests "$(vf 1)" 21
	settles QM_DFX_ACC_FINISH_CNT 21
	all_queues_are QM_DFX_SQE_CNT 0
	echo 1 >"$DEBUGFS/current_qm"
	[ "$(cat "$DEBUGFS/current_qm")" = 1 ]
	all_queues_are QM_DFX_SQE_CNT 21
	all_queues_are QM_DFX_CQE_CNT 21
	until_true 30 eval '! register_is QM_DFX_DB_CNT 0'
	do_requests "$PF" 5
	all_queues_are QM_DFX_SQE_CNT 21
	echo 0 >"$DEBUGFS/current_qm"
	all_queues_are QM_DFX_SQE_CNT 5
}

test_a_reset_begins_again_with_0() {
	begin
	do_requests "$PF" 3
	settles QM_DFX_ACC_FINISH_CNT 3
	echo 1 >"$PCI/reset"
	settles QM_DFX_ACC_FINISH_CNT 0
	all_queues_are QM_DFX_SQE_CNT 0
	do_requests "$PF" 2
	settles QM_DFX_ACC_FINISH_CNT 2
}

test_what_does_not_exist_is_refused() {
	begin 1
	exits 1 eval "echo 2 >'$DEBUGFS/current_qm'"
	exits 1 eval "echo x >'$DEBUGFS/current_qm'"
	exits 1 eval "echo -1 >'$DEBUGFS/current_qm'"
	exits 1 eval "echo $QUEUES >'$DEBUGFS/qm/current_q'"
	echo 1 >"$DEBUGFS/current_qm"
	echo $((QUEUES - 1)) >"$DEBUGFS/qm/current_q"
	exits 1 eval "echo $QUEUES >'$DEBUGFS/qm/current_q'"
	# A virtual function can't select.
	absent "$(dirname "$DEBUGFS")/$(vf 1)/current_qm"
	absent "$(dirname "$DEBUGFS")/$(vf 1)/qm/current_q"
	absent "$(dirname "$DEBUGFS")/$(vf 1)/qm/qm_state"
}

test_registers_have_the_form_of_mainline() {
	local file n=0

	begin 1
	for file in "$DEBUGFS/qm/regs" "$DEBUGFS"/*comp_core*/regs "$(dirname "$DEBUGFS")/$(vf 1)/qm/regs"; do
		not grep -vE '^[A-Z0-9_ ]{30}= 0x[0-9a-f]{8}$' "$file"
		n=$((n + 1))
	done
	[ $n -gt 5 ]
	[ "$(wc -l <"$(dirname "$DEBUGFS")/$(vf 1)/qm/regs")" = 1 ]
	not grep -vE '^[A-Z0-9_]+= 0x[0-9a-f]{8}$' "$DEBUGFS/cap_regs"
	says 'QM_CAP_VERSION= 0x00006f01' "$DEBUGFS/cap_regs"
	says 'QM_CAP_VERSION= 0x00006f01' "$(dirname "$DEBUGFS")/$(vf 1)/cap_regs"
}

idle_is() {
	[ "$(cat "$DEBUGFS/qm/qm_state")" = "$1" ]
}

test_the_device_is_idle_without_requests() {
	begin
	until_true 30 idle_is 1
	busy "$PF" 2
	until_true 60 idle_is 0
	drop
	all_refused "$client"
}

test_dumps_hide_addresses() {
	local queue

	begin
	held "$PF" 1
	for ((queue = 0; queue < QUEUES; queue++)); do
		echo "sqc $queue" >"$DEBUGFS/qm/cmd"
		echo "cqc $queue" >"$DEBUGFS/qm/cmd"
		echo "sq $queue 0" >"$DEBUGFS/qm/cmd" 2>/dev/null || :
	done
	let_go
	dmesg >log
	says 'SQC DW1 = 0xffffffff' log
	says 'SQC DW2 = 0xffffffff' log
	says 'CQC DW1 = 0xffffffff' log
	not grep -E ' [SC]QC DW[12] = 0x[0-9a-e]' log
	# The descriptor's addresses: input, output, context.
	for queue in 18 19 20 21; do
		says "SQE DW$queue = 0xffffffff" log
	done
	says 'SQE DW4 = 0x00001000' log
}

trace_on() {
	[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE || skip 'the kernel has no tracefs'
	echo >$TRACE/trace
	echo 1 >$TRACE/events/hisi_qm/reset_begin/enable
	echo 1 >$TRACE/events/hisi_qm/reset_end/enable
}

# traced TEXT
traced() {
	grep -qF "$1" $TRACE/trace
}

test_resets_are_traced() {
	begin 1
	trace_on
	echo 1 >"$PCI/reset"
	until_true 60 traced "reset_end: pci=$PF pf=1 result=0"
	traced "reset_begin: pci=$PF pf=1 error=0"
	traced "reset_begin: pci=$(vf 1) pf=0 error=0"
	until_true 60 traced "reset_end: pci=$(vf 1) pf=0 result=0"
	echo >$TRACE/trace
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 traced "reset_end: pci=$PF pf=1 result=0"
	traced "reset_begin: pci=$PF pf=1 error=1"
	echo 0 >$TRACE/events/hisi_qm/enable
}

reset_is_over() {
	grep -q 'reset and restarted' <(dmesg)
}

test_an_error_leaves_last_words() {
	begin
	do_requests "$PF" 4
	settles QM_DFX_ACC_FINISH_CNT 4
	dmesg -C
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 reset_is_over
	dmesg >log
	says 'QM_DFX_ACC_FINISH_CNT (0x104060): 0x00000000 => 0x00000004' log
	not grep -F QM_DFX_CQE_ERR_CNT log
}

# Reads and writes everything until the file "stop" is there; each access works or is refused.
look() {
	local file

	while [ ! -e stop ]; do
		while read -r file; do
			cat "$file" >/dev/null || :
		done < <(find "$DEBUGFS" -type f)
		echo 1 >"$DEBUGFS/current_qm" || :
		echo 1 >"$DEBUGFS/qm/current_q" || :
		echo sqc 0 >"$DEBUGFS/qm/cmd" || :
		echo 1 >"$DEBUGFS/clear_enable" || :
		echo 0 >"$DEBUGFS/clear_enable" || :
	done 2>/dev/null
}

test_files_are_safe_during_resets_and_removal() {
	local i looker

	begin 1
	look &
	looker=$!
	for ((i = 0; i < RESETS; i++)); do
		echo 1 >"$PCI/reset"
	done
	echo 'qm 2' >$ITEM/faults/error
	for ((i = 0; i < 3; i++)); do
		until_true 60 named "$PF"
		echo "$PF" >/sys/bus/pci/drivers/hisi_zip/unbind
		echo "$PF" >/sys/bus/pci/drivers/hisi_zip/bind
	done
	until_true 60 named "$PF"
	touch stop
	wait $looker
	do_requests "$PF" 1
}

run_tests "$@"
status=$?
drop
exit $status
