#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl device on a running kernel: virtual functions, isolation and resets of simulated devices.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"

ITEM=/sys/kernel/config/hisi_sim/wdctl-device
VF=

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
}

name_of() { basename "$(echo "/sys/bus/pci/devices/$1/uacce/"*)"; }
there() { [ -e "/dev/$(name_of "$1")" ]; }

# A device of 64 queues that can have three virtual functions: its name in D, its address in PF.
own() {
	drop
	mkdir $ITEM
	echo 64 >$ITEM/queues
	echo 3 >$ITEM/vfs
	echo 1 >$ITEM/live
	PF=$(cat $ITEM/address)
	until_true 30 there "$PF"
	D=$(name_of "$PF")
}

vf_there() {
	VF=$(basename "$(readlink -f "/sys/bus/pci/devices/$PF/virtfn0")")
	there "$VF"
}

test_virtual_functions_appear_and_go() {
	own
	wdctl device show "$D" | grep 'functions: 0 of 3'
	exits 2 wdctl device set "$D" Functions=4 2>err
	says 'expected a number from 0 to 3' err
	wdctl device set "$D" Functions=2
	[ "$(cat "/sys/bus/pci/devices/$PF/sriov_numvfs")" = 2 ]
	wdctl device set "$D" Functions=1
	until_true 30 vf_there
	wdctl device show "$PF" >got
	says "functions: 1 of 3: $(name_of "$VF")" got
	# A program has a queue of the virtual function.
	sleep 1000 <>"/dev/$(name_of "$VF")" &
	until_true 30 grep -x sleep "/proc/$!/comm"
	exits 3 wdctl device set "$D" Functions=0 2>err
	says "is open in sleep ($!)" err
	[ "$(cat "/sys/bus/pci/devices/$PF/sriov_numvfs")" = 1 ]
	kill $!
	wait $! || :
	until_true 30 wdctl device set "$D" Functions=0
	wdctl device show "$D" | grep 'functions: 0 of 3'
}

test_bandwidth_is_the_functions_own() {
	own
	wdctl device set "$D" Functions=1
	until_true 30 vf_there
	wdctl device set "$VF" Bandwidth=250
	wdctl device show "$VF" | grep 'bandwidth: 250'
	wdctl device show "$D" | grep 'bandwidth: 1000'
	wdctl device set "$D" Functions=0
}

isolated() { wdctl list "$D" | grep -q isolated; }

test_a_reset_ends_isolation() {
	own
	wdctl device set "$D" IsolateStrategy=1
	wdctl device show "$D" | grep 'after more than 1 resets'
	echo 1 >$ITEM/faults/reset
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 isolated
	echo 0 >$ITEM/faults/reset
	wdctl device reset "$D"
	wdctl device show --json "$D" | grep '"state": *"ok"'
}

test_users_are_refused() {
	own
	exits 1 as_nobody wdctl device reset "$D" 2>err
	says 'only root can reset it' err
	exits 1 as_nobody wdctl device set "$D" IsolateStrategy=3 2>err
	says 'only root can set it' err
}

at_exit() {
	drop
}

run_tests "$@"
