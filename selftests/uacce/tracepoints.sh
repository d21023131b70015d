#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tracepoints of the running kernel are those of docs/abi/tracepoints, and each of them fires.

compgen -G '/sys/class/uacce/*' >/dev/null || { echo '1..0 # SKIP no uacce device'; exit 4; }

. "$(dirname "$0")/../include/where.sh"
. "$(dirname "$0")/../include/tap.sh"

T=/sys/kernel/tracing
U=/sys/kernel/config/uacce
ABI=$TOP/docs/abi/tracepoints

[ -d $U/sections ] || skip "this kernel has no sections"
[ -d $T/events ] || mount -t tracefs tracefs $T 2>/dev/null || skip "the kernel has no tracefs"
[ -d $T/events/uacce ] || skip "the kernel has no tracepoints"
DEV=$(ls $U/devices | sed -n 1p)
[ -n "$DEV" ] || skip "there is no device"

at_exit() {
	echo 0 >$T/events/uacce/enable
	wdctl apply --prune --revoke /dev/null >/dev/null
}

documented() {
	awk '$1 == "Tracepoint:" { name = $2 } $1 == "Fields:" { $1 = name; print }' "$ABI" | sort
}

# Each tracepoint with its own fields, in their order.
live() {
	local format

	for format in $T/events/uacce/*/format; do
		awk '$1 == "name:" { line = $2 }
			/^\tfield:/ { split($0, part, ";"); n = split(part[1], word, /[ \t]+/); f = word[n]
				sub(/\[.*/, "", f); if (f !~ /^common_/) line = line " " f }
			END { print line }' "$format"
	done | sort
}

test_the_fields_are_the_documented_ones() {
	documented >documented
	live >live
	[ -s live ] && diff documented live
}

trace() {
	echo >$T/trace
	echo 1 >$T/events/uacce/enable
	"$@" || { echo "$* failed"; false; }
	echo 0 >$T/events/uacce/enable
	cat $T/trace >traced
}

fired() {
	grep -qE " $1: .*$2" traced || {
		echo "expected $1 with $2 in:"
		cat traced
		return 1
	}
}

job() {
	wdctl section add T NumProcesses=1 SyncCtxs=1 AsyncCtxs=0 Devices=$DEV >/dev/null
	wdctl run --section T -- bash -c "exec 7<>/dev/$DEV; : 8<>/dev/$DEV" 2>/dev/null
	head -c 100000 /dev/zero >zeros
	WD_SECTION=T wdzip -kf zeros
	wdctl section del T >/dev/null
}

test_a_job_of_a_section_is_traced() {
	trace job
	fired section_state "section=T state=live"
	fired attach "section=T comm=wdctl pid=[0-9]+ index=0 endpoint=0"
	fired queue_open "device=$DEV id=[0-9]+ class=slot .*result=0"
	fired quota_refused "device=$DEV section=T error=-122"
	fired queue_refused "device=$DEV section=T error=-122 reason=quota"
	fired queue_start "device=$DEV .*result=0"
	fired queue_stop "device=$DEV .*killed=0 result=0 ns=[1-9]"
	fired queue_close "device=$DEV"
	fired detach "section=T comm=wdctl"
	fired section_state "section=T state=configured"
	[ "$(grep -c ' attach: ' traced)" = "$(grep -c ' detach: ' traced)" ]
}

test_a_reset_is_traced() {
	trace wdctl device reset "$DEV"
	fired device_state "device=$DEV state=resetting"
	fired reset "device=$DEV resets=[1-9]"
	fired device_state "device=$DEV state=ok"
}

test_a_queue_that_does_not_stop_is_traced() {
	[ -x "$OUT/tests/hisi_qm/test_stuck" ] || skip "hisi_qm/test_stuck isn't built"
	trace stuck
	fired queue_quarantined "device=hisi_zip-[0-9]+ id=[0-9]+ quarantined=[1-9]"
}

stuck() {
	"$OUT/tests/hisi_qm/test_stuck" >tap
	not grep -q SKIP tap || skip "$(grep SKIP tap)"
}

# Tracing that begins while nobody listens, and ends: nothing is left in the trace.
test_nothing_is_traced_when_off() {
	echo >$T/trace
	: <>"/dev/$DEV"
	not grep -q queue_open $T/trace
}

run_tests "$@"
