#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hardware generation 2 from end to end: an ordinary user, whose doorbells the kernel rings, in and outside of sections,
# with virtual functions, errors and resets.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
need_commands wdctl wdzip setpriv

. "$(dirname "$0")/functions.inc.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"

TREE=/sys/kernel/config/uacce
USER=65534
DATA=/etc/services

section_end() {
	wdctl section del gen2 >/dev/null 2>&1 || :
}

# usable ADDRESS: the function is there, and every user may open it.
usable() {
	named "$1" && chmod 666 "/dev/$(name "$1")"
}

# begin KIND DRIVER: a new device of generation 2, which the driver has bound: its uacce device is DEV.
begin() {
	tools_for_all
	section_end
	modprobe "$2"
	TYPE=$1 GENERATION=2 device 64 3
	until_true 30 usable "$PF"
	DEV=$(name "$PF")
	# What an earlier device at this address was set to is remembered.
	echo kernel >"$TREE/devices/$DEV/doorbells"
}

as_user() {
	setpriv --reuid $USER --regid $USER --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

# section DEVICE: gen2, which every user may attach to.
section() {
	section_end
	wdctl section add gen2 NumProcesses=2 SyncCtxs=1 AsyncCtxs=1 Devices="$1" 'AllowedUsers=*' >/dev/null
}

# Data through the section's device, as an ordinary user.
compresses() {
	WD_PATH=hw as_user wdctl run --section gen2 -- wdzip -c $DATA | gzip -dc | cmp - $DATA
}

resets() {
	wdctl list --json "$DEV" | sed -n 's/^ *"resets": *\([0-9]*\).*/\1/p'
}

reset_done() {
	[ "$(resets)" = "$1" ]
}

test_a_user_compresses_in_a_section() {
	begin zip hisi_zip
	[ "$(cat "/sys/class/uacce/$DEV/api")" = hisi_qm_v2 ]
	section "$DEV"
	compresses
	[ "$(cat "$TREE/devices/$DEV/doorbells")" = kernel ]
	wdctl list --json "$DEV" >got
	says '"doorbells":"kernel"' got
	wdctl list "$DEV" >got
	not grep doorbells got
}

test_the_doorbells_are_an_administrators() {
	begin zip hisi_zip
	printf '[device %s]\nDoorbells = exclusive\n' "$PF" >conf
	wdctl apply conf >/dev/null
	wdctl save >saved
	says 'Doorbells = exclusive' saved
	wdctl list "$DEV" >got
	says "$DEV: one section at a time has it" got
	section "$DEV"
	compresses
	exits 1 as_user bash -c "exec 7<>/dev/$DEV" 2>err
	says 'Device or resource busy' err
	wdctl section del gen2 >/dev/null
	echo mapped >"$TREE/devices/$DEV/doorbells"
	section "$DEV"
	compresses
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

	begin zip hisi_zip
	section "$DEV"
	# An uncorrectable memory error of the queue manager, and of the engine.
	for error in 'qm 2' 'engine 1'; do
		count=$((count + 1))
		echo "$error" >$ITEM/faults/error
		until_true 60 reset_done $count
		compresses
	done
	echo 1 >"$PCI/reset"
	until_true 60 reset_done 3
	compresses
}

test_virtual_functions() {
	local vf

	begin zip hisi_zip
	enable 2
	for vf in "$(vf 1)" "$(vf 2)"; do
		until_true 30 usable "$vf"
		[ "$(cat "/sys/bus/pci/devices/$vf/revision")" = 0x21 ]
		[ "$(cat "$TREE/devices/$(name "$vf")/doorbells")" = kernel ]
		section "$(name "$vf")"
		compresses
	done
	# Of the function alone, then of all with the physical one.
	echo 1 >"/sys/bus/pci/devices/$vf/reset"
	compresses
	echo 1 >"$PCI/reset"
	compresses
	echo 'qm 2' >$ITEM/faults/error
	until_true 60 reset_done 2
	until_true 60 compresses
	wdctl section del gen2 >/dev/null
	enable 0
	section "$DEV"
	compresses
}

# selftest ALGORITHM...: as an ordinary user, on the device.
selftest() {
	section "$DEV"
	WD_PATH=hw as_user wdctl run --section gen2 -- wd-selftest --device "$DEV" "$@"
}

test_the_other_engines() {
	begin sec hisi_sec2
	# An uncorrectable memory error of the engine.
	echo 'engine 2' >$ITEM/faults/error
	until_true 60 reset_done 1
	selftest
	METHOD=none begin hpre hisi_hpre
	dmesg >log
	says 'firmware has no method (_DSM)' log
	begin hpre hisi_hpre
	echo 'engine 5' >$ITEM/faults/error
	until_true 60 reset_done 1
	selftest
}

# sample NAME [ARGUMENT]...: a program of docs/examples, as an ordinary user in the section, on the device only.
sample() {
	WD_PATH=hw as_user wdctl run --section gen2 -- "$EXAMPLES/$1" "${@:2}"
}

# begin_samples KIND DRIVER: begins a test of samples, in a folder where the user reads and writes.
begin_samples() {
	begin "$@"
	[ -x "$EXAMPLES/agree" ] || skip 'docs/examples are not built'
	section "$DEV"
	chmod 777 .
}

test_samples_of_ciphers_digests_and_aead() {
	begin_samples sec hisi_sec2
	head -c 32 /dev/urandom >key
	head -c 48 /dev/urandom >key_iv
	sample hash_file $DATA 2>err | same - <(sha256sum $DATA)
	says 'done by sim' err
	sample cbc_stream -e key_iv <$DATA >sealed 2>err
	says 'done by sim' err
	WD_PATH=soft "$EXAMPLES/cbc_stream" -d key_iv <sealed 2>err | same - $DATA
	sample crypt_file -e key $DATA box 2>err
	says 'done by sim' err
	WD_PATH=soft "$EXAMPLES/crypt_file" -d key box opened 2>err
	same opened $DATA
}

test_samples_of_rsa_and_dh() {
	begin_samples hpre hisi_hpre
	openssl genrsa -traditional -out pem 2048 2>/dev/null
	openssl rsa -in pem -traditional -outform DER -out key 2>/dev/null
	openssl rsa -in pem -pubout -out public 2>/dev/null
	chmod 644 key
	# The hash is SEC's part, which isn't there.
	exits 1 sample sign_file key $DATA 2>err >signature
	WD_PATH= as_user wdctl run --section gen2 -- "$EXAMPLES/sign_file" key $DATA 2>err >signature
	says 'done by sim' err
	openssl dgst -sha256 -verify public -signature signature $DATA
	sample agree >got
	says 'both sides have the same secret' got
	[ "$(grep -c 'by sim' got)" = 4 ]
}

at_exit() {
	section_end
	drop
}

run_tests "$@"
