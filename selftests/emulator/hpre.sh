#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Emulated HPRE devices: their names, their results, and their injected faults.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate
client=$OUT/tests/hisi_qm/hpre_client

names() {
	local want=$1

	shift
	[ "$("$emulate" "$@" -- ls /sys/class/uacce | xargs)" = "$want" ]
}

attr() {
	[ "$("$emulate" --hpre 1 -- cat "/sys/class/uacce/hisi_hpre-0/$1")" = "$2" ]
}

# The client notices that a device that computes nothing gives no results.
wrong_without_engine() {
	! "$emulate" --hpre 1 --engine none -- "$client" >/dev/null 2>&1
}

test_that 'alone, they are all there is' names 'hisi_hpre-0 hisi_hpre-1' --hpre 2
test_that 'numbers go on behind those of the other kinds' names 'hisi_hpre-2 hisi_sec2-1 hisi_zip-0' --zip 1 --sec 1 \
	--hpre 1
test_that 'more devices than there can be are refused' exits 2 "$emulate" --sec 10 --hpre 7 -- true
test_that 'the classes of algorithms are lines' attr algorithms $'rsa\ndh\necdh\necdsa\nsm2\nx25519\nx448'
test_that 'the device has the engine'\''s id' attr device/device 0xa258
test_that 'a class is of the category crypto' attr hisi_hpre-ecdsa/wd_type crypto
test_that 'raw descriptors are executed' "$emulate" --hpre 1 -- "$client"
test_that 'raw descriptors are executed beside a ZIP device' "$emulate" --zip 1 --hpre 1 -- "$client"
test_that 'late completions are waited for' "$emulate" --hpre 1 --fault delay=1/50:3ms --seed 3 -- "$client"
test_that 'an engine that computes nothing is found out' wrong_without_engine
tap_done
