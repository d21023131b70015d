# SPDX-License-Identifier: Apache-2.0
# Sourced: tests that every engine's driver has to pass, on a simulated device made for it. The sourcing script sets:
#   MODULE KIND	the driver, and hisi_sim's name of its devices
#   QUEUES ALGORITHMS	the default number of queues, and the algorithms in their order
# An engine's own tests and run_tests follow.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim "$MODULE" 0
! compgen -G "/sys/class/uacce/$MODULE-*" >/dev/null ||
	need_skip "there is a $MODULE device, and the tests make their own"

CYCLES=${WD_TEST_BRIEF:+2}	# how often to unbind and bind

ITEM=/sys/kernel/config/hisi_sim/${KIND}test
DRIVER=/sys/bus/pci/drivers/$MODULE
CLASS=/sys/class/uacce
CLIENT=$PROGRAMS/hisi_qm/${KIND}_client

device() {
	basename "$(compgen -G "$CLASS/$MODULE-*" | head -1)"
}

there() {
	compgen -G "$CLASS/$MODULE-*" >/dev/null
}

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
	[ ! -d /sys/module/$MODULE ] || timeout 600 modprobe -r $MODULE
}

# begin [PARAMETER...]: loads the driver with these and makes one device. Without any, the last test's device is kept.
begin() {
	dmesg -C
	[ $# != 0 ] || not there || return 0
	drop
	timeout 600 modprobe $MODULE "$@"
	mkdir $ITEM
	echo $KIND >$ITEM/type
	echo 1 >$ITEM/live
	until_true 30 test -e "$DRIVER/$(cat $ITEM/address)"
}

# refused PARAMETER=VALUE TEXT: the module doesn't load and reports why.
refused() {
	drop
	dmesg -C
	exits 1 modprobe $MODULE "$1"
	dmesg >log
	says "$MODULE: $1: expected $2" log
	absent /sys/module/$MODULE
}

attr() {
	[ "$(cat "$CLASS/$(device)/$1")" = "$2" ]
}

test_parameters_are_those_of_the_documentation() {
	begin
	sed -n 's|^What:.*/parameters/||p' "$TOP/docs/abi/module-$MODULE" | sort >documented
	ls /sys/module/$MODULE/parameters | sort >present
	same documented present
	[ "$(cat /sys/module/$MODULE/parameters/pf_q_num)" = $QUEUES ]
}

test_parameters_out_of_range_are_refused() {
	refused pf_q_num=1 2..1024
	refused pf_q_num=1025 2..1024
	refused uacce_mode=2 '0 or 1'
	refused vfs_num=64 0..63
}

test_it_describes_itself() {
	local alg

	begin
	until_true 30 there
	attr algorithms "$(tr ' ' '\n' <<<"$ALGORITHMS")"
	attr api hisi_qm_v3
	until_true 30 attr available_instances 64
	for alg in $ALGORITHMS; do
		attr "$MODULE-$alg/wd_type" crypto
		attr "$MODULE-$alg/name" $alg
	done
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
	for ((i = 0; i < ${CYCLES:-3}; i++)); do
		until_true 30 there
		exec 7<>"/dev/$(device)"
		timeout 600 bash -c "echo $address >$DRIVER/unbind"
		not there
		timeout 600 bash -c "echo $address >$DRIVER/bind"
		exec 7<&-
	done
	until_true 30 there
	WD_TEST_BRIEF=1 "$CLIENT"
	dmesg | grep "$MODULE" >log || :
	not grep -iE 'timeout|fail|error' log
}

test_a_reset_leaves_a_device_that_works() {
	local address

	begin
	address=$(cat $ITEM/address)
	until_true 30 there
	exec 7<>"/dev/$(device)"
	timeout 600 bash -c "echo 1 >/sys/bus/pci/devices/$address/reset"
	exec 7<&-
	WD_TEST_BRIEF=1 "$CLIENT"
	until_true 30 attr available_instances 64
	attr isolate 0
}

test_the_device_goes_away_under_a_client() {
	local pid i

	begin
	for i in 1 2; do
		until_true 30 there
		"$CLIENT" >/dev/null 2>&1 &
		pid=$!
		echo 0 >$ITEM/live
		not there
		wait $pid || :
		echo 1 >$ITEM/live
	done
	until_true 30 there
	WD_TEST_BRIEF=1 "$CLIENT"
}

at_exit() {
	drop
}

# begin_debugfs: as begin; DEBUGFS is then the device's folder there.
begin_debugfs() {
	begin
	DEBUGFS=/sys/kernel/debug/$MODULE/$(cat $ITEM/address)
	says start "$DEBUGFS/qm/status"
}
