#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make dkms-install into a scratch root; dkms itself, unpacked from its package, builds that source for packaged
# headers.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
version=$(cat VERSION)
dkms=$(command -v dkms || true)
if [ -z "$dkms" ]; then
	scripts/kernel package dkms "$scratch/dkms" || exit 1
	dkms=$scratch/dkms/usr/sbin/dkms
fi

# complete PACKAGE FILE...: these and others are there.
complete() {
	local folder=$root/usr/src/$1-$version file code=0
	for file in dkms.conf Kbuild VERSION kernel/compat/compat.h include/uapi/misc/uacce/uacce.h "${@:2}"; do
		[ -e "$folder/$file" ] || { echo "$file is missing"; code=1; }
	done
	find "$folder" -name '*.o' -o -name '*.ko' | grep . && code=1
	return $code
}

run_dkms() {
	mkdir -p "$scratch/tree" "$scratch/install"
	PATH=$scratch/dkms/usr/lib/dkms:$scratch/cc:$PATH bash "$dkms" "$@" --dkmstree "$scratch/tree" \
		--sourcetree "$root/usr/src" \
		--installtree "$scratch/install" >"$scratch/log" 2>&1 </dev/null ||
		{ tail -n 20 "$scratch/log"; find "$scratch/tree" -name make.log -exec tail -n 20 {} +; return 1; }
}

# built PACKAGE RELEASE MODULE...: these and no others.
built() {
	local package=$1 release=$2 ko code=0

	shift 2
	[ "$(find "$scratch/tree/$package/$version/$release" -name '*.ko*' | wc -l)" = $# ] || code=1
	for ko; do
		find "$scratch/tree/$package/$version/$release" -name "$ko.ko*" 2>/dev/null |
			grep -q . || { echo "$ko.ko is missing"; code=1; }
	done
	return $code
}

# says_what_is_lost RELEASE: dkms, as it installs the modules beside drivers of the kernel's own.
says_what_is_lost() {
	local own=$scratch/install/$1/kernel/drivers/crypto/hisilicon

	mkdir -p "$own/zip" "$own/sec2"
	touch "$own/zip/hisi_zip.ko" "$own/sec2/hisi_sec2.ko"
	run_dkms install "warpdrive/$version" -k "$1" -a x86_64 --no-depmod || return
	find "$scratch/install/$1/updates" -name 'hisi_zip.ko*' | grep -q . || { echo 'not installed'; return 1; }
	grep -q "these modules take the place of the kernel's own hisi_sec2 hisi_zip when" "$scratch/log" ||
		{ cat "$scratch/log"; return 1; }
}

test_that 'make dkms-install works' quiet_make dkms-install DESTDIR="$root"
test_that 'the simulator is no part of it' absent "$root/usr/src/warpdrive-sim-$version"
test_that 'the source is complete, and nothing else' complete warpdrive kernel/uacce/Kbuild kernel/hisi_qm/Kbuild
test_that 'make dkms-install-sim works' quiet_make dkms-install-sim DESTDIR="$root"
test_that 'the source of the simulator is complete' complete warpdrive-sim kernel/hisi_sim/Kbuild model/model.h
test_that 'dkms accepts it' run_dkms add "warpdrive/$version"
test_that 'and the simulator' run_dkms add "warpdrive-sim/$version"
# Headers of another release name its compiler. dkms never meets such headers, so link this machine's compiler.
compiler() {
	local wanted
	wanted=$(scripts/kernel compiler "$(scripts/kernel headers "$1")")
	mkdir -p "$scratch/cc"
	[ -z "$wanted" ] || command -v "$wanted" >/dev/null || ln -sf "$(command -v gcc)" "$scratch/cc/$wanted"
}
# The other kernels are built for without dkms by selftests/tree/modules.sh.
# shellcheck disable=SC2046 # a list of words
for kernel in $([ -z "${WD_TEST_LONG:-}" ] && scripts/kernel default || scripts/kernel list | grep -v arm64); do
	# dkms runs on the machine that it builds for, which has its release's tools.
	[ -z "$(scripts/kernel tools "$kernel")" ] || continue
	compiler $kernel
	release=$(scripts/kernel release $kernel)
	for package in warpdrive warpdrive-sim; do
		test_that "dkms builds $package for $kernel" run_dkms build "$package/$version" -k "$release" \
			-a x86_64 --kernelsourcedir "$(scripts/kernel headers $kernel)"
	done
	test_that "every module of $kernel is there" built warpdrive "$release" \
		uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre
	test_that "so is the simulator, alone" built warpdrive-sim "$release" hisi_sim
	test_that "dkms says what a machine with $kernel loses" says_what_is_lost "$release"
done
tap_done
