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

complete() {
	local file code=0
	for file in dkms.conf Kbuild VERSION kernel/uacce/Kbuild kernel/compat/compat.h \
		include/uapi/misc/uacce/uacce.h model/model.h; do
		[ -e "$root/usr/src/warpdrive-$version/$file" ] || { echo "$file is missing"; code=1; }
	done
	find "$root/usr/src/warpdrive-$version" -name '*.o' -o -name '*.ko' | grep . && code=1
	return $code
}

run_dkms() {
	mkdir -p "$scratch/tree" "$scratch/install"
	PATH=$scratch/dkms/usr/lib/dkms:$scratch/cc:$PATH bash "$dkms" "$@" --dkmstree "$scratch/tree" \
		--sourcetree "$root/usr/src" \
		--installtree "$scratch/install" >"$scratch/log" 2>&1 </dev/null ||
		{ tail -n 20 "$scratch/log"; find "$scratch/tree" -name make.log -exec tail -n 20 {} +; return 1; }
}

built() {
	local release=$1 ko code=0
	for ko in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		find "$scratch/tree/warpdrive/$version/$release" -name "$ko.ko*" 2>/dev/null |
			grep -q . || { echo "$ko.ko is missing"; code=1; }
	done
	return $code
}

test_that 'make dkms-install works' quiet_make dkms-install DESTDIR="$root"
test_that 'the source is complete, and nothing else' complete
test_that 'dkms accepts it' run_dkms add "warpdrive/$version"
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
	test_that "dkms builds it for $kernel" run_dkms build "warpdrive/$version" -k "$release" -a x86_64 \
		--kernelsourcedir "$(scripts/kernel headers $kernel)"
	test_that "every module of $kernel is there" built "$release"
done
tap_done
