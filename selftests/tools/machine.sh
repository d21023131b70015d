# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A machine of plain files in r, with fake_uacce.so instead of the kernel's sections; included after include/tap.sh.

DEV0=hisi_zip-0 PARENT0=0000:75:00.0
DEV1=hisi_zip-1 PARENT1=0000:b5:00.0
U=r/sys/kernel/config/uacce
. "$(dirname "${BASH_SOURCE[0]}")/roots.sh"

FAKE="$OUT/tests/tools/nth_step.so $OUT/tests/tools/fake_uacce.so"

# device NAME PARENT ZONE TOTAL: adds a device to this test's machine r.
device() {
	local d=$U/devices/$1

	put "$d/priority" 0
	put "$d/zone_id" "$3"
	put "$d/max_ctxs_per_process" 0
	put "$d/latency" 10
	put "$d/throughput" 10
	put "$d/total_ctxs" "$4"
	put "$d/reserved_ctxs" 0
	put "$d/.parent" "$2"
	mkdir -p "r/sys/class/uacce/$1"
	put "r/sys/class/uacce/$1/api" hisi_qm_v3
	ln -sfn "../../../devices/pci/$2" "r/sys/class/uacce/$1/device"
}

# A machine with two devices and no sections.
machine() {
	rm -rf r
	mkdir -p "$U/sections"
	device $DEV0 $PARENT0 0 64
	device $DEV1 $PARENT1 1 64
	put r/etc/passwd "root:x:0:0::/:/bin/sh"
	put r/etc/group "www-data:x:33:"
	export FAKE_UACCE=$PWD/$U NTH_BELOW=$PWD/$U
}
