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
	# pahole makes BTF, which the modules have none of; since 7.0 the kernel's makefile always names its version.
	! grep -v '^warning: pahole version differs' "$log" | grep 'warning:'
}

loads_by_name() {
	local ko
	for ko in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		compgen -G "$scratch/$1/kmod/*/kernel/*/$ko.ko" >/dev/null || { echo "$ko.ko is missing"; return 1; }
	done
}

# Releases that this run has already built for, just as strictly.
built=$(for kernel in ${WD_MODULES_BUILT:-}; do scripts/kernel release "$kernel"; done)
for kernel in $(scripts/kernel list); do
	[[ $'\n'$built$'\n' != *$'\n'"$(scripts/kernel release "$kernel")"$'\n'* ]] || continue
	test_that "the modules build for $kernel without a warning" builds $kernel
	test_that "all of them are there for $kernel" loads_by_name $kernel
	rm -rf "${scratch:?}/$kernel"
done
pattern=$(sed -n 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' packaging/dkms.conf)
# dkms builds for these, and for no newer kernel, which may lack something that the modules need.
accepted() {
	local code=0
	for kernel in $(scripts/kernel list); do
		[[ $(scripts/kernel release "$kernel") =~ $pattern ]] || { echo "dkms refuses $kernel"; code=1; }
	done
	return $code
}
refused() {
	local release
	for release in 5.10.0-1-amd64 6.0.0-1-amd64 6.0.12 6.20.1 7.4.0-1-amd64 7.10.1 7.31.0 8.0.1 16.1.0 6.1x; do
		[[ ! $release =~ $pattern ]] || { echo "dkms accepts $release"; return 1; }
	done
}
test_that "dkms accepts each of them" accepted
test_that "dkms accepts no other" refused
tap_done
