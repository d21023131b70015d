#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mainline's drivers on devices without shared virtual addressing: what they map is all that the device reaches.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/mainline_begin.sh"
. "$(dirname "$0")/nosva_counts.sh"

ITEM=$ROOT/vf
NOTESTS=/sys/module/cryptomgr/parameters/notests

# begin_nosva KIND ARGUMENT...: a device without SVA for begin_with_vfs.
begin_nosva() {
	have_nosva
	sva=0 begin_with_vfs "$@"
}

# with_tests: the kernel tests each algorithm.
with_tests() {
	has_self_tests
	[ ! -e $NOTESTS ] || echo 0 >$NOTESTS
}

# without_tests: the kernel doesn't test algorithms, which would map memory at the same time, and complain of failures.
without_tests() {
	if [ -e $NOTESTS ]; then
		echo 1 >$NOTESTS
	else
		has_self_tests && skip "this kernel can't leave its crypto self-tests out"
	fi
}

# passes KIND GENERATION NAMES COUNT: the kernel tests COUNT algorithms, whose memory is consecutive or in pieces.
passes() {
	with_tests
	for iommu in 1 0; do
		method=acpi generation=$2 begin_nosva "$1" 0 64
		until_true 120 self_tested "$3" "$4"
		# Each request maps its memory, and unmaps it.
		[ $(($(maps made) - $(maps present))) -ge 10 ]
		no_faults
		quiet
		echo "$address" >$DRIVER/unbind
		[ "$(maps present)" = 0 ]
	done
}

test_zip_passes_the_self_tests() {
	passes zip 3 hisi-deflate-acomp 1
}

test_sec_passes_the_self_tests() {
	passes sec 3 'hisi_sec_.*(aes|des3_ede)' 13
}

test_sec_of_generation_2_passes_the_self_tests() {
	passes sec 2 'hisi_sec_.*(aes|des3_ede)' 10
}

test_hpre_passes_the_self_tests() {
	passes hpre 3 hpre- 6
}

test_hpre_of_generation_2_passes_the_self_tests() {
	passes hpre 2 hpre- 2
}

test_it_unbinds_and_binds_again() {
	local i

	begin_nosva zip 0 16
	for i in 1 2 3; do
		echo "$address" >$DRIVER/unbind
		[ "$(maps present)" = 0 ]
		echo "$address" >$DRIVER/bind
		bound
	done
	echo 1 >"$PF/reset"
	bound
	no_faults
	quiet
}

# client COUNT: AES-CBC by so many transforms.
client() {
	"$OUT/tests/sim/alg_client" 'hisi_sec_cbc(aes)' "$1"
}

# begin_sec ARGUMENT...: a SEC device that programs can use.
begin_sec() {
	without_tests
	modprobe -q algif_skcipher || skip 'this kernel has no interface for ciphers'
	method=acpi begin_nosva sec "$@"
	client 1
}

# mappings_of COMMAND...: the number of mappings that the command makes.
mappings_of() {
	local before

	before=$(maps made)
	"$@" >&2
	echo $(($(maps made) - before))
}

# encrypt DRIVER FILE: writes 32 KiB, with AES-CBC, into the file. The kernel keeps their pages one by one.
encrypt() {
	python3 - "$@" <<-'END'
	import socket
	import sys

	cipher = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
	cipher.bind(("skcipher", sys.argv[1]))
	cipher.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, bytes(range(16)))
	operation, _ = cipher.accept()
	operation.sendmsg_afalg([bytes(range(256)) * 128], op=socket.ALG_OP_ENCRYPT, iv=bytes(16))
	open(sys.argv[2], "wb").write(operation.recv(32768))
	END
}

# segments_of COMMAND...: how many more segments than mappings the command has had.
segments_of() {
	local before made

	before=$(maps segments)
	made=$(mappings_of "$@")
	echo $(($(maps segments) - before - made))
}

test_an_IOMMU_makes_one_range_of_a_list_of_pages() {
	for iommu in 1 0; do
		begin_sec 0 4
		segments=$(segments_of encrypt 'hisi_sec_cbc(aes)' by_device)
		case $iommu in
		1) [ "$segments" = 0 ] ;;
		0) [ "$segments" -ge 14 ] ;;
		esac
		encrypt 'cbc(aes-generic)' by_software
		[ "$(stat -c %s by_device)" = 32768 ]
		same by_software by_device
		no_faults
	done
}

test_sec_encrypts_on_a_virtual_function() {
	begin_sec 1 4 vfs_num=1 pf_q_num=2
	vfs_bound 1
	client 2
	[ "$(cat "/sys/kernel/debug/hisi_sec2/$(vf 1)/sec_dfx/recv_cnt")" -ge 1 ]
	no_faults
	quiet
}

test_each_mapping_of_a_request_fails() {
	local n count before

	begin_sec 0 4
	before=$(maps present)
	count=$(mappings_of client 1)
	[ "$count" -ge 2 ]
	for ((n = 1; n <= count; n++)); do
		echo "fail $n" >$ITEM/faults/mapping
		not client 1
		[ "$(cat $ITEM/faults/mapping)" = 0 ]
		[ "$(maps present)" = "$before" ]
		client 1
	done
	[ "$(maps failed)" = "$count" ]
	no_faults
}

reset_completed() {
	grep -q "$address: Controller reset complete" <(dmesg)
}

# is_lost FAULTS: the device has noticed, reported a bus error, and been reset; then it works.
is_lost() {
	[ "$(maps faults)" -gt "$1" ]
	until_true 120 reset_completed
	grep -qE 'qm_axi_[rb]resp' <(dmesg)
	until_true 60 client 1
}

# The contexts of a queue, its rings and buffers, and at last source and destination.
test_the_device_reaches_nothing_that_a_request_has_lost() {
	local n count faults

	begin_sec 0 4
	count=$(mappings_of client 1)
	for ((n = 1; n <= count; n++)); do
		dmesg -C
		faults=$(maps faults)
		echo "lose $n" >$ITEM/faults/mapping
		client 1 || is_lost "$faults"
		[ "$(cat $ITEM/faults/mapping)" = 0 ]
	done
	# The last two are those of the payload.
	[ "$(maps faults)" -ge 2 ]
	reset_completed
}

# clients: one after another, until the file "stop" is there.
clients() {
	while [ ! -e stop ]; do
		! client 1 || echo done >>served
	done
}

begin_load() {
	clients >/dev/null 2>&1 &
	load=$!
	until_true 30 test -s served
}

end_load() {
	touch stop
	wait $load
}

test_it_unbinds_under_load() {
	begin_sec 0 4
	begin_load
	echo "$address" >$DRIVER/unbind
	[ "$(maps present)" = 0 ]
	echo "$address" >$DRIVER/bind
	rm served
	until_true 30 test -s served
	end_load
	no_faults
	quiet
}

test_the_device_goes_away_under_load() {
	begin_sec 0 4
	begin_load
	echo 0 >$ITEM/live
	absent "$PF"
	end_load
	not grep 'mappings were left' <(dmesg)
	quiet
}

run_mainline "$@"
[ ! -e $NOTESTS ] || echo 0 >$NOTESTS
modprobe hisi_zip uacce_mode=1
modprobe hisi_sim devices=zip,zip
exit $status
