#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The modules build without a warning (W=1) for every supported kernel, including cross builds.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# In a folder of their own, so that everything is compiled.
builds() {
	local log=$scratch/$1.log
	BUILD=$scratch/$1 WERROR=1 MAKEFLAGS='' scripts/modules "$1" >"$log" 2>&1 || { tail -n 40 "$log"; return 1; }
	! grep 'warning:' "$log"
}

loads_by_name() {
	local ko
	for ko in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		compgen -G "$scratch/$1/kmod/*/kernel/*/$ko.ko" >/dev/null || { echo "$ko.ko is missing"; return 1; }
	done
}

for kernel in 6.1 6.12 arm64; do
	# This run has already built them, just as strictly.
	[[ " ${WD_MODULES_BUILT:-} " != *" $kernel "* ]] || continue
	test_that "the modules build for $kernel without a warning" builds $kernel
	test_that "all of them are there for $kernel" loads_by_name $kernel
	rm -rf "${scratch:?}/$kernel"
done
tap_done
