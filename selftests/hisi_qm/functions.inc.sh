# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tests of whole functions, after tap.sh: the simulated device ITEM, whose PCI folder is PCI, and its users.
# A program's start takes seconds on the debug kernel: what tests do again and again needs none, or one without
# libraries.

ITEM=/sys/kernel/config/hisi_sim/functions
CLASS=/sys/class/uacce
CLIENT=$PROGRAMS/hisi_qm/busy_client
# Of the next device, and of its reset.
TYPE=zip GENERATION=3 METHOD=auto
# More of its attributes: words of NAME=VALUE.
ATTRIBUTES=

drop() {
	[ ! -d $ITEM ] || { echo 0 >$ITEM/live && rmdir $ITEM; }
}

# device QUEUES [VFS [MOST]]: a new physical function, which the driver has bound; PF and PCI are its address and
# folder. MOST: queues that one function may have.
device() {
	local attribute

	drop
	mkdir $ITEM
	for attribute in $ATTRIBUTES; do
		echo "${attribute#*=}" >"$ITEM/${attribute%%=*}"
	done
	echo $TYPE >$ITEM/type
	echo $GENERATION >$ITEM/generation
	echo $METHOD >$ITEM/reset_method
	echo "$1" >$ITEM/queues
	echo "${2:-7}" >$ITEM/vfs
	echo "${3:-$1}" >$ITEM/function_queues
	dmesg -C
	echo 1 >$ITEM/live
	read -r PF <$ITEM/address
	PCI=/sys/bus/pci/devices/$PF
	until_true 30 named "$PF"
}

# enable NUMBER: of virtual functions.
enable() {
	echo "$1" >"$PCI/sriov_numvfs"
}

named() {
	[ -n "$(name "$1")" ]
}

# Address of virtual function $1, from 1 on.
vf() {
	local folder

	folder=$(cd -P "$PCI/virtfn$(($1 - 1))" 2>/dev/null && pwd) || :
	echo "${folder##*/}"
}

# name ADDRESS: the function's uacce device.
name() {
	local device

	for device in /sys/bus/pci/devices/"$1"/uacce/*; do
		[ ! -e "$device" ] || echo "${device##*/}"
	done
}

# compress_as SECTION ADDRESS: data through a queue of that function, by a section of its own. Conditions call it, too,
# where no command that fails ends it.
compress_as() {
	local code=0

	wdctl section add "$1" NumProcesses=1 SyncCtxs=1 AsyncCtxs=1 Devices="$(name "$2")" >/dev/null || return
	WD_PATH=hw wdctl run --section "$1" -- wdzip -c /etc/services | gzip -dc | cmp - /etc/services ||
		code=$?
	wdctl section del "$1" >/dev/null || return
	return $code
}

compress() {
	compress_as functions "$1"
}

# round_trip ADDRESS: data through two queues of that function, one for each direction.
round_trip() {
	"$CLIENT" "$(name "$1")" once
}

# busy ADDRESS THREADS: starts a client, whose number is in client, and returns once all its queues have done requests.
busy() {
	rm -f "busy-$1"
	"$CLIENT" "$(name "$1")" "$2" >"busy-$1" 2>"busy-$1.err" &
	client=$!
	until_true 60 test -s "busy-$1" || { cat "busy-$1.err"; return 1; }
}

# all_refused CLIENT
all_refused() {
	wait "$1" || { cat busy-*.err; return 1; }
}

# available DEVICE NUMBER: it has that many free queues.
available() {
	local number

	{ read -r number <"$CLASS/$1/available_instances"; } 2>/dev/null && [ "$number" = "$2" ]
}

# shares NUMBER...: the virtual functions' queues, from the first function on.
shares() {
	local i=0 function number

	for number; do
		i=$((i + 1))
		function=$(vf $i)
		until_true 30 named "$function"
		until_true 30 available "$(name "$function")" "$number" ||
			{ echo "function $i: expected $number queues"; return 1; }
	done
	[ "$(<"$PCI/sriov_numvfs")" = $i ]
}

# section_drop: the section of compress, which an interrupted test has left.
section_drop() {
	! wdctl section show functions >/dev/null 2>&1 || wdctl section del functions >/dev/null
}
