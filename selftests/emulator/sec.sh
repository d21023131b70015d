#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Emulated SEC devices: their names, their results, and their injected faults.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate
client=$OUT/tests/hisi_qm/sec_client

names() {
	local want=$1

	shift
	[ "$("$emulate" "$@" -- ls /sys/class/uacce | xargs)" = "$want" ]
}

attr() {
	[ "$("$emulate" --sec 1 -- cat "/sys/class/uacce/hisi_sec2-0/$1")" = "$2" ]
}

# The client notices that a device that computes nothing gives no results.
wrong_without_engine() {
	! "$emulate" --sec 1 --engine none -- "$client" >/dev/null 2>&1
}

reserved() {
	local file code=0

	file=$(mktemp)
	printf '[SSL]\nNumProcesses = 2\nSyncCtxs = 2\nAsyncCtxs = 2\nDevices = hisi_sec2-1\n' >"$file"
	"$emulate" --zip 1 --sec 1 --queues 8 --sections "$file" -- \
		bash -c 'exec 7<>/dev/hisi_zip-0 && ! (exec 8<>/dev/hisi_sec2-1) 2>/dev/null' || code=1
	sed -i s/sec2-1/sec2-0/ "$file"
	"$emulate" --zip 1 --sec 1 --sections "$file" -- true 2>/dev/null && code=2
	rm -f "$file"
	return $code
}

test_that 'alone, they are all there is' names 'hisi_sec2-0 hisi_sec2-1' --sec 2
test_that 'numbers go on behind those of ZIP devices' names 'hisi_sec2-2 hisi_zip-0 hisi_zip-1' --zip 2 --sec 1
test_that 'more devices than there can be are refused' exits 2 "$emulate" --zip 10 --sec 7 -- true
test_that 'the classes of algorithms are lines' attr algorithms $'cipher\ndigest\naead'
test_that 'the device has the engine'\''s id' attr device/device 0xa255
test_that 'a class is of the category crypto' attr hisi_sec2-aead/wd_type crypto
test_that 'a section can reserve them' reserved
test_that 'raw descriptors are executed' "$emulate" --sec 1 -- "$client"
test_that 'raw descriptors are executed beside a ZIP device' "$emulate" --zip 1 --sec 1 -- "$client"
test_that 'late completions are waited for' "$emulate" --sec 1 --fault delay=1/50:3ms --seed 3 -- "$client"
test_that 'a client that goes by the phase bit alone has every result' "$emulate" --sec 1 \
	-- "$OUT/tests/emulator/ring_client"
test_that 'an engine that computes nothing is found out' wrong_without_engine
tap_done
