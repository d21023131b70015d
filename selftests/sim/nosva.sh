#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Devices without shared virtual addressing, with our drivers: what they map, and what becomes of an access elsewhere.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/nosva_counts.sh"

CONFIG=/lib/modules/$(uname -r)/build/.config

drop_all() {
	[ ! -d $ROOT/nosva ] || { echo 0 >$ROOT/nosva/live && rmdir $ROOT/nosva; }
	timeout 600 modprobe -r -q hisi_sim
}

# begin KIND GENERATION VFS: one device without SVA, which isn't live.
begin() {
	drop_all
	dmesg -C
	modprobe hisi_sim
	ITEM=$ROOT/nosva
	mkdir $ITEM
	echo "$1" >$ITEM/type
	echo "$2" >$ITEM/generation
	echo "$3" >$ITEM/vfs
	echo 0 >$ITEM/sva
}

go_live() {
	echo 1 >$ITEM/live
	address=$(cat $ITEM/address)
	PF=/sys/bus/pci/devices/$address
}

driver_of() {
	basename "$(readlink "$1/driver")"
}

# bound FUNCTION: one of our drivers has it, and has told why the kernel executes processes' submissions.
bound() {
	[ -e "$1/driver" ]
	grep -q "${1##*/}: no shared virtual addressing, so the kernel executes submissions: " <(dmesg)
	[ -e "$1/uacce" ]
}

test_the_attribute_is_refused_where_a_device_can_have_no_mappings_of_its_own() {
	[ -r "$CONFIG" ] || skip "$CONFIG can't be read"
	! grep -qE '^CONFIG_(ARCH_HAS_)?DMA_OPS=y' "$CONFIG" || skip 'devices can have operations of their own'
	modprobe hisi_sim
	mkdir $ROOT/nosva
	not eval "echo 0 >$ROOT/nosva/sva"
	grep -q 'nosva: sva 0: the kernel was built without CONFIG_ARCH_HAS_DMA_OPS' <(dmesg)
	[ "$(cat $ROOT/nosva/sva)" = 1 ]
}

test_the_devices_parameter_makes_such_devices() {
	have_nosva
	drop_all
	modprobe hisi_sim devices=zip@nosva,zip@v2@noiommu,zip@v3,sec@v2@nosva
	[ "$(cat $ROOT/zip{0,1,2}/sva $ROOT/sec0/sva | tr '\n' ' ')" = '0 0 1 0 ' ]
	[ "$(cat $ROOT/zip{0,1}/iommu $ROOT/sec0/iommu | tr '\n' ' ')" = '1 0 1 ' ]
	[ "$(cat $ROOT/zip{0,1,2}/generation $ROOT/sec0/generation | tr '\n' ' ')" = '3 2 3 2 ' ]
	ITEM=$ROOT/zip0
	[ "$(maps present)" -gt 0 ]
	ITEM=$ROOT/zip2
	[ "$(maps made)" = 0 ]
}

test_what_is_no_such_device_is_refused() {
	local spec

	for spec in zip@nosva@v2 zip@ zip@v2@ zip@nosva@ zip@nosva@noiommu zip@v2@v3 zip@sva zip@nosv zip@v; do
		drop_all
		dmesg -C
		exits 1 modprobe hisi_sim devices=$spec
		grep -q "\"$spec\": expected zip, zip@v2 or zip@v3, then @nosva, @noiommu or nothing" <(dmesg)
	done
	modprobe hisi_sim
}

# cycles: unbinds and binds; nothing stays mapped.
cycles() {
	local driver i

	driver=$(driver_of "$PF")
	for i in 1 2 3; do
		[ "$(maps present)" -gt 0 ]
		echo "$address" >"$PF/driver/unbind"
		[ "$(maps present)" = 0 ]
		dmesg -C
		echo "$address" >"/sys/bus/pci/drivers/$driver/bind"
		bound "$PF"
	done
	no_faults
}

# binds_and_unbinds KIND
binds_and_unbinds() {
	local generation iommu

	have_nosva
	for generation in 3 2; do
		iommu=$((generation - 2))
		begin "$1" $generation 0
		echo $iommu >$ITEM/iommu
		go_live
		bound "$PF"
		cycles
	done
}

test_zip_binds_and_unbinds() {
	binds_and_unbinds zip
}

test_sec_binds_and_unbinds() {
	modprobe hisi_sec2
	binds_and_unbinds sec
}

test_hpre_binds_and_unbinds() {
	modprobe hisi_hpre
	binds_and_unbinds hpre
}

test_virtual_functions_have_mappings_of_their_own() {
	local generation pf i

	have_nosva
	for generation in 3 2; do
		begin zip $generation 2
		go_live
		pf=$(maps present)
		echo 2 >"$PF/sriov_numvfs"
		[ "$(maps present)" -gt "$pf" ]
		for i in 0 1; do
			bound "$(readlink -f "$PF/virtfn$i")"
		done
		echo 1 >"$PF/virtfn1/reset"
		echo 0 >"$PF/sriov_numvfs"
		[ "$(maps present)" = "$pf" ]
		echo 2 >"$PF/sriov_numvfs"
		no_faults
		echo 0 >$ITEM/live
		echo 1 >$ITEM/live
		no_faults
	done
}

test_it_survives_a_function_level_reset() {
	have_nosva
	begin zip 3 0
	go_live
	echo 1 >"$PF/reset"
	bound "$PF"
	cycles
}

# The driver's count of mappings is found by the first N that is left.
test_each_mapping_of_a_probe_fails() {
	local n driver failures=0

	have_nosva
	begin zip 3 0
	go_live
	driver=$(driver_of "$PF")
	for ((n = 1; n < 100; n++)); do
		echo "$address" >"$PF/driver/unbind"
		echo "fail $n" >$ITEM/faults/mapping
		[ "$(cat $ITEM/faults/mapping)" = "fail $n" ]
		if echo "$address" >"/sys/bus/pci/drivers/$driver/bind"; then
			break
		fi
		[ "$(cat $ITEM/faults/mapping)" = 0 ]
		[ "$(maps present)" = 0 ]
		failures=$((failures + 1))
		echo "$address" >"/sys/bus/pci/drivers/$driver/bind"
	done
	[ $failures -gt 0 ]
	[ "$(maps failed)" = $failures ]
	[ "$(cat $ITEM/faults/mapping)" != 0 ]
	no_faults
}

# The probe fails, as the mailbox's context or the rings of events are there. The next probe finds no trace of it.
test_the_mailbox_reaches_nothing_that_is_lost() {
	local n driver

	have_nosva
	begin zip 3 0
	go_live
	driver=$(driver_of "$PF")
	echo "$address" >"$PF/driver/unbind"
	for ((n = 1; n < 100; n++)); do
		echo "lose $n" >$ITEM/faults/mapping
		! echo "$address" >"/sys/bus/pci/drivers/$driver/bind" || break
		[ "$(cat $ITEM/faults/mapping)" = 0 ]
		[ "$(maps present)" = 0 ]
		[ "$(maps faults)" -ge "$n" ]
	done
	[ $n -gt 1 ]
	grep -q "isn't mapped for it" <(dmesg)
	echo 0 >$ITEM/faults/mapping
	echo "$address" >"$PF/driver/unbind"
	go_live_again
	bound "$PF"
	no_faults
}

go_live_again() {
	echo 0 >$ITEM/live
	go_live
}

test_it_goes_away_with_notice_and_without() {
	have_nosva
	begin zip 3 2
	go_live
	echo 2 >"$PF/sriov_numvfs"
	echo 0 >$ITEM/live
	absent "$PF"
	go_live
	echo 2 >"$PF/sriov_numvfs"
	echo now >$ITEM/faults/remove
	absent "$PF"
	go_live
	bound "$PF"
	not grep 'mappings were left' <(dmesg)
}

test_only_such_a_device_has_mappings_that_fail() {
	have_nosva
	begin zip 3 0
	not eval "echo fail 1 >$ITEM/faults/mapping"
	grep -q "nosva/faults/mapping: the device isn't live" <(dmesg)
	echo 0 >$ITEM/faults/mapping
	echo 1 >$ITEM/sva
	go_live
	not eval "echo fail 1 >$ITEM/faults/mapping"
	grep -q 'nosva/faults/mapping: a device with SVA has no mappings' <(dmesg)
	dmesg -C
	for text in 1 fail 'fail 0' 'fail -1' 'fail 1 2' 'lost 1' 'fail 9999999999' ''; do
		not eval "echo $text >$ITEM/faults/mapping"
	done
	[ "$(dmesg | grep -c 'nosva/faults/mapping: expected fail N, lose N or 0')" = 8 ]
	not eval "echo 0 >$ITEM/sva"
}

[ -d /sys/module/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
run_tests "$@"
status=$?
drop_all
timeout 600 modprobe -r -q hisi_sec2 hisi_hpre
modprobe hisi_sim devices=zip,zip
exit $status
