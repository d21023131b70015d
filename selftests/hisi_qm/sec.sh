#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SEC driver on a simulated device made for it: what it says, raw descriptors, binding, going away.

. "$(dirname "$0")/../include/tap.sh"

ITEM=/sys/kernel/config/hisi_sim/sectest
DRIVER=/sys/bus/pci/drivers/hisi_sec2
CLASS=/sys/class/uacce
CLIENT=$OUT/tests/hisi_qm/sec_client
CYCLES=8

device() {
	basename "$(compgen -G "$CLASS/hisi_sec2-*" | head -1)"
}

there() {
	compgen -G "$CLASS/hisi_sec2-*" >/dev/null
}

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
	[ ! -d /sys/module/hisi_sec2 ] || timeout 60 modprobe -r hisi_sec2
}

# begin [PARAMETER...]: the driver, loaded anew, and one device.
begin() {
	drop
	dmesg -C
	timeout 60 modprobe hisi_sec2 "$@"
	mkdir $ITEM
	echo sec >$ITEM/type
	echo 1 >$ITEM/live
	until_true 30 test -e "$DRIVER/$(cat $ITEM/address)"
}

# refused PARAMETER=VALUE TEXT: the module doesn't load and says why.
refused() {
	drop
	dmesg -C
	exits 1 modprobe hisi_sec2 "$1"
	dmesg >log
	says "hisi_sec2: $1: expected $2" log
	absent /sys/module/hisi_sec2
}

attr() {
	[ "$(cat "$CLASS/$(device)/$1")" = "$2" ]
}

test_parameters_are_those_of_the_documentation() {
	begin
	sed -n 's|^What:.*/parameters/||p' "$TOP/docs/abi/module-hisi_sec2" | sort >documented
	ls /sys/module/hisi_sec2/parameters | sort >present
	same documented present
	[ "$(cat /sys/module/hisi_sec2/parameters/pf_q_num)" = 256 ]
}

test_parameters_out_of_range_are_refused() {
	refused pf_q_num=1 2..1024
	refused pf_q_num=1025 2..1024
	refused uacce_mode=2 '0 or 1'
}

test_it_describes_itself() {
	local alg

	begin
	until_true 30 there
	attr algorithms $'cipher\ndigest\naead'
	attr api hisi_qm_v3
	attr available_instances 64
	for alg in cipher digest aead; do
		attr "hisi_sec2-$alg/wd_type" crypto
		attr "hisi_sec2-$alg/name" $alg
	done
}

test_its_counters_can_be_read() {
	local dir

	begin
	dir=/sys/kernel/debug/hisi_sec2/$(cat $ITEM/address)
	says SEC_BD_NUM_IN_SEC= "$dir/sec_dfx/regs"
	says 'SEC_SAA_EN= 0x0000000f' "$dir/sec_dfx/regs"
	says start "$dir/qm/status"
}

test_without_uacce_mode_it_binds_and_offers_nothing() {
	begin uacce_mode=0
	not there
}

test_raw_descriptors() {
	begin
	until_true 30 there
	"$CLIENT"
}

test_it_unbinds_and_binds_with_queues_open() {
	local i address

	begin
	address=$(cat $ITEM/address)
	for ((i = 0; i < CYCLES; i++)); do
		until_true 30 there
		exec 7<>"/dev/$(device)"
		timeout 60 bash -c "echo $address >$DRIVER/unbind"
		not there
		timeout 60 bash -c "echo $address >$DRIVER/bind"
		exec 7<&-
	done
	until_true 30 there
	"$CLIENT"
	dmesg | grep hisi_sec2 >log || :
	not grep -iE 'timeout|fail|error' log
}

test_the_device_goes_away_under_a_client() {
	local pid i

	begin
	for i in 1 2 3; do
		until_true 30 there
		"$CLIENT" >/dev/null 2>&1 &
		pid=$!
		echo 0 >$ITEM/live
		not there
		wait $pid || :
		echo 1 >$ITEM/live
	done
	until_true 30 there
	"$CLIENT"
}

at_exit() {
	drop
}

[ -d /sys/kernel/config/hisi_sim ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
modinfo hisi_sec2 >/dev/null 2>&1 || { echo '1..0 # SKIP hisi_sec2 is not there'; exit 4; }
run_tests
