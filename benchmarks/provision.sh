#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the VM, on one device of 1,024 queues: times a process that attaches, then wdctl with N sections of one
# context each. Rows as wd-bench prints them.
set -euo pipefail

SIM=/sys/kernel/config/hisi_sim
PATH=$OUT/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The existing device has fewer queues than pf_q_num asks for, so it stays without a driver.
modprobe -r hisi_zip
modprobe hisi_zip uacce_mode=1 pf_q_num=1024 2>/dev/null
mkdir $SIM/many
echo 1024 >$SIM/many/queues
echo 1 >$SIM/many/live
address=$(cat $SIM/many/address)
device=$(ls "/sys/bus/pci/devices/$address/uacce")

# timed FILE CMD...: appends the command's milliseconds to FILE
timed() {
	local file=$1 start=$EPOCHREALTIME
	shift
	"$@" >/dev/null
	echo $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) >>"$file"
}

median() {
	sort -n "$1" | sed -n 2p
}

measure() {
	local n=$1 round what
	seq -f "[s%g] NumProcesses = 1 SyncCtxs = 1 AsyncCtxs = 0 Devices = $device" "$n" >"$work/file"
	rm -f "$work"/{apply,save,list,again}
	for round in 1 2 3; do
		timed "$work/apply" wdctl apply "$work/file"
		timed "$work/again" wdctl apply "$work/file"
		timed "$work/save" wdctl save
		timed "$work/list" wdctl section list
		wdctl apply --prune /dev/null >/dev/null
	done
	for what in apply again save list; do
		median "$work/$what" >"$work/$what.$n"
	done
}

echo "[one] NumProcesses = 1 SyncCtxs = 1 AsyncCtxs = 0 Devices = $device" | wdctl apply - >/dev/null
"$OUT/bench/wd-bench" attach one "/dev/$device"
wdctl apply --prune /dev/null >/dev/null

# The floor is four times the time for a fourth of the sections.
measure 250
measure 1000
for what in apply again save list; do
	few=$(($(cat "$work/$what.250") * 4)) all=$(cat "$work/$what.1000")
	echo "row provision.1000.$what.ms $all ms $few $(awk "BEGIN { printf \"%.3f\", $all / ($few ? $few : 1) }")"
done
echo 0 >$SIM/many/live
rmdir $SIM/many
