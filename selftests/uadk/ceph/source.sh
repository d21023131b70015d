# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests take from Ceph's source package: its compressors, and the drivers for UADK of the DPDK that comes with
# it, which Debian's releases have no source of.

ceph_dpdk=src/nvmeof/gateway/spdk/dpdk
ceph_parts="src/compressor $ceph_dpdk/drivers/crypto/uadk $ceph_dpdk/drivers/compress/uadk $ceph_dpdk/drivers/bus/vdev
	$ceph_dpdk/lib/cryptodev $ceph_dpdk/lib/compressdev $ceph_dpdk/lib/eal/include"

# ceph_source: sets CEPH to the folder; it is fetched with WD_TEST_LONG=1 only. It fails, and WHY is the reason.
ceph_source() {
	local fetch=(--source ceph --suite sid) part

	for part in $ceph_parts; do
		fetch+=(--part "$part")
	done
	WHY="Ceph's source is not in the cache: WD_TEST_LONG=1 fetches it, 250 MB"
	[ -n "${WD_TEST_LONG:-}" ] || kept sources ceph@src-compressor || return
	CEPH=$("$TOP/scripts/programs" "${fetch[@]}" 2>&1 </dev/null) || { WHY=$(tail -n 1 <<<"$CEPH"); return 1; }
	CEPH=$(tail -n 1 <<<"$CEPH")
}
