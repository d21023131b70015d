#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hardware generation 2 from end to end: an ordinary user, whose doorbells the kernel rings, in and outside of sections,
# with virtual functions, errors and resets.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
command -v wdctl >/dev/null && command -v wdzip >/dev/null || need_skip 'wdctl and wdzip are not installed'
command -v setpriv >/dev/null || need_skip 'setpriv is not installed'

SIM=/sys/kernel/config/hisi_sim
TREE=/sys/kernel/config/uacce
USER=65534
DATA=/etc/services

drop() {
	wdctl section del gen2 >/dev/null 2>&1 || :
	[ ! -d $SIM/gen2 ] || { echo 0 >$SIM/gen2/live && rmdir $SIM/gen2; }
}

# name ADDRESS: the function's uacce device.
name() {
	local device

	for device in /sys/bus/pci/devices/"$1"/uacce/*; do
		[ ! -e "$device" ] || echo "${device##*/}"
	done
}

named() {
	[ -n "$(name "$1")" ] && chmod 666 "/dev/$(name "$1")"
}

# device KIND DRIVER: a new device of generation 2, which the driver has bound: its address and its name are PF and DEV.
device() {
	drop
	modprobe "$2"
	mkdir $SIM/gen2
	echo "$1" >$SIM/gen2/type
	echo 2 >$SIM/gen2/generation
	echo 3 >$SIM/gen2/vfs
	dmesg -C
	echo 1 >$SIM/gen2/live
	PF=$(cat $SIM/gen2/address)
	until_true 30 named "$PF"
	DEV=$(name "$PF")
	# What an earlier device at this address was set to is remembered.
	echo kernel >"$TREE/devices/$DEV/doorbells"
}

as_user() {
	setpriv --reuid $USER --regid $USER --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

# section DEVICE: gen2, which every user may attach to.
section() {
	wdctl section del gen2 >/dev/null 2>&1 || :
	wdctl section add gen2 NumProcesses=2 SyncCtxs=1 AsyncCtxs=1 Devices="$1" 'AllowedUsers=*' >/dev/null
}

# compress: data through the section's device, as an ordinary user.
compress() {
	WD_PATH=hw as_user wdctl run --section gen2 -- wdzip -c $DATA | gzip -dc | cmp - $DATA
}

resets() {
	wdctl list --json "$DEV" | sed -n 's/^ *"resets": *\([0-9]*\).*/\1/p'
}

reset_done() {
	[ "$(resets)" = "$1" ]
}

test_a_user_compresses_in_a_section() {
	device zip hisi_zip
	[ "$(cat "/sys/class/uacce/$DEV/api")" = hisi_qm_v2 ]
	section "$DEV"
	compress
	[ "$(cat "$TREE/devices/$DEV/doorbells")" = kernel ]
	wdctl list --json "$DEV" >got
	says '"doorbells":"kernel"' got
	wdctl list "$DEV" >got
	not grep doorbells got
}

test_the_doorbells_are_an_administrators() {
	device zip hisi_zip
	printf '[device %s]\nDoorbells = exclusive\n' "$PF" >conf
	wdctl apply conf >/dev/null
	wdctl save >saved
	says 'Doorbells = exclusive' saved
	wdctl list "$DEV" >got
	says "$DEV: one section at a time has it" got
	section "$DEV"
	compress
	exits 1 as_user bash -c "exec 7<>/dev/$DEV" 2>err
	says 'Device or resource busy' err
	wdctl section del gen2 >/dev/null
	echo mapped >"$TREE/devices/$DEV/doorbells"
	section "$DEV"
	compress
	wdctl list "$DEV" >got
	says "$DEV: every process that can open it may ring" got
	wdctl doctor >got || :
	says "$DEV: every process that can open it may ring" got
	printf '[device %s]\nDoorbells = loud\n' "$PF" >conf
	exits 1 wdctl apply conf 2>err
	says 'expected kernel, exclusive or mapped' err
}

test_errors_end_with_a_working_device() {
	local error count=0

	device zip hisi_zip
	section "$DEV"
	# An uncorrectable memory error of the queue manager, and of the engine.
	for error in 'qm 2' 'engine 1'; do
		count=$((count + 1))
		echo "$error" >$SIM/gen2/faults/error
		until_true 60 reset_done $count
		compress
	done
	echo 1 >"/sys/bus/pci/devices/$PF/reset"
	until_true 60 reset_done 3
	compress
}

test_virtual_functions() {
	local vf

	device zip hisi_zip
	timeout 60 bash -c "echo 2 >/sys/bus/pci/devices/$PF/sriov_numvfs"
	for vf in 0 1; do
		vf=$(basename "$(readlink "/sys/bus/pci/devices/$PF/virtfn$vf")")
		until_true 30 named "$vf"
		[ "$(cat "/sys/bus/pci/devices/$vf/revision")" = 0x21 ]
		[ "$(cat "$TREE/devices/$(name "$vf")/doorbells")" = kernel ]
		section "$(name "$vf")"
		compress
	done
	# Of the function alone, then of all with the physical one.
	echo 1 >"/sys/bus/pci/devices/$vf/reset"
	compress
	echo 1 >"/sys/bus/pci/devices/$PF/reset"
	compress
	echo 'qm 2' >$SIM/gen2/faults/error
	until_true 60 reset_done 2
	until_true 60 compress
	wdctl section del gen2 >/dev/null
	timeout 60 bash -c "echo 0 >/sys/bus/pci/devices/$PF/sriov_numvfs"
	section "$DEV"
	compress
}

# selftest ALGORITHM...: as an ordinary user, on the device.
selftest() {
	section "$DEV"
	WD_PATH=hw as_user wdctl run --section gen2 -- wd-selftest --device "$DEV" "$@"
}

test_the_other_engines() {
	device sec hisi_sec2
	# An uncorrectable memory error of the engine.
	echo 'engine 2' >$SIM/gen2/faults/error
	until_true 60 reset_done 1
	selftest
	device hpre hisi_hpre
	dmesg >log
	says 'firmware has no method (_DSM)' log
	echo 'engine 5' >$SIM/gen2/faults/error
	until_true 60 reset_done 1
	selftest
}

at_exit() {
	drop
}

run_tests "$@"
