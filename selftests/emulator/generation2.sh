#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Emulated devices of hardware generation 2: their attributes, their queues by hand, and faults.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate
client=$OUT/tests/emulator/generation2_client

# attr OPTION DEVICE ATTRIBUTE VALUE
attr() {
	[ "$("$emulate" $1 -- cat "/sys/class/uacce/$2/$3")" = "$4" ]
}

window() {
	local page

	page=$(getconf PAGESIZE)
	attr '--zip 1@v2' hisi_zip-0 region_mmio_size $((page * (1 + 4096 / page)))
}

no_class() {
	! "$emulate" --hpre 1@v2 -- cat /sys/class/uacce/hisi_hpre-0/hisi_hpre-ecdsa/name 2>/dev/null
}

both() {
	[ \
		"$("$emulate" --zip 1@v2 --sec 1@v3 \
		-- cat /sys/class/uacce/hisi_zip-0/api /sys/class/uacce/hisi_sec2-1/api | xargs)" = \
		'hisi_qm_v2 hisi_qm_v3' ]
}

# Text that is no number of devices is refused with what was expected.
refused() {
	local said code=0

	said=$("$emulate" "--$1" "$2" -- true 2>&1) || code=$?
	[ $code = 2 ] &&
		[ "$said" = "wd-emulate: --$1 $2: expected a number from 0 to 16, which @v2 or @v3 may follow" ]
}

all_refused() {
	local option text

	for option in zip sec hpre; do
		for text in 1@v1 1@v4 1@v 1@ @v2 v2 1@2 1@V2 '1@v2 ' ' 1@v2' 1@v2@v3 x@v2 17@v2 \
			-1@v2 +1@v2 99999999999999999999@v2 ''; do
			refused $option "$text" || { echo "# --$option '$text'"; return 1; }
		done
	done
}

too_many() {
	[ "$("$emulate" --zip 10@v2 --sec 7@v2 -- true 2>&1)" = \
		'wd-emulate: 17 devices: expected at most 16 of all kinds together' ]
}

# A client of generation 3 gets a queue, and then nothing but errors.
other_generation() {
	! "$emulate" --sec 1@v2 -- "$OUT/tests/hisi_qm/sec_client" >/dev/null 2>&1
}

# Without STOP_QP: whatever completions there are, each queue's end is found.
drained() {
	timeout 60 "$emulate" --zip 1@v2 --fault "$1" --seed 5 -- "$OUT/tests/emulator/drain_client"
}

test_that 'the interface is that of the generation' attr '--zip 1@v2' hisi_zip-0 api hisi_qm_v2
test_that 'so it is for N@v3 and for N' both
test_that 'the window reaches up to the doorbell' window
test_that 'the revision is that of the generation' attr '--sec 1@v2' hisi_sec2-0 device/revision 0x21
test_that 'ZIP has two algorithms' attr '--zip 1@v2' hisi_zip-0 algorithms $'zlib\ngzip'
test_that 'SEC has three' attr '--sec 1@v2' hisi_sec2-0 algorithms $'cipher\ndigest\naead'
test_that 'HPRE has no curves' attr '--hpre 1@v2' hisi_hpre-0 algorithms $'rsa\ndh'
test_that 'there is no folder of what it lacks' no_class
test_that 'other text is refused, and the message says what was expected' all_refused
test_that 'so are more devices than there can be' too_many
test_that 'descriptors by hand' "$emulate" --zip 1@v2 -- "$client"
test_that 'descriptors by hand, with a latency' "$emulate" --zip 2@v2 --latency 300000 --queues 4 -- "$client"
test_that 'clients of the other generation get errors' other_generation
test_that 'a queue ends after duplicate completions' drained duplicate=1/3
test_that 'a queue ends after lost completions' drained drop=1/3
test_that 'a queue ends after reordered completions' drained reorder=1/3
test_that 'a device without an engine' "$emulate" --zip 1@v2 --engine none -- true
tap_done
