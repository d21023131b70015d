#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# QEMU, from Debian's source package and unchanged, built against our headers; then live migrations with
# multifd-compression=uadk between two of them, on emulated devices of each kind and with faults. The memory of both is
# compared, and the guest, which writes all the time, has to go on. Runs with WD_TEST_LONG=1 only: it fetches QEMU's
# source and a root folder of a release that can build it, which has a GiB, and builds for a quarter of an hour. The
# program stays in the cache.

. "$(dirname "$0")/../include/programs.sh"

need_built() {
	[ -e "$OUT/lib/warpdrive/uadk/libwd_comp.so" ] || not_here 'the libraries were left out of the build'
}
[ -n "${WD_TEST_LONG:-}" ] || not_here 'builds QEMU, a quarter of an hour: WD_TEST_LONG=1 runs it'
SUITE=(--suite trixie)
need_devices
SOURCE=$("$TOP/scripts/programs" --source qemu "${SUITE[@]}" 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$SOURCE")"
SOURCE=$(tail -n 1 <<<"$SOURCE")
# It goes when another source comes.
BUILT=${SOURCE%/*}/uadk
ROOT=$("$TOP/scripts/programs" qemu "${SUITE[@]}" 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$ROOT")"
SUITE+=(--bind "$OUT" --bind "${SOURCE%/*}")
export LD_LIBRARY_PATH=$OUT/lib/warpdrive/uadk
exec 3>&1

build() (
	[ ! -x "$BUILT/qemu-system-riscv64" ] || return 0
	rm -rf "$BUILT"*
	mkdir "$BUILT.new" && cd "$BUILT.new" || return
	export PKG_CONFIG_PATH=$OUT/lib/warpdrive/uadk/pkgconfig
	with_set qemu "$SOURCE/configure" --cc=gcc --host-cc=gcc --target-list=riscv64-softmmu \
		--without-default-features --without-default-devices --enable-system --enable-tcg --enable-uadk \
		--enable-fdt=system --disable-docs --disable-tools --disable-werror --disable-plugins \
		--disable-download --disable-install-blobs &&
		with_set qemu nice ninja qemu-system-riscv64 &&
		mkdir "$BUILT" && mv qemu-system-riscv64 "$BUILT/" && rm -rf "$BUILT.new"
)

# migrate DEVICES DEVICES [CHANNELS]: of both sides, as options of wd-emulate.
migrate() {
	build >build.log 2>&1 || { tail -n 20 build.log; return 1; }
	SUITE+=(--bind "$PWD")
	with_set qemu python3 -B "$TOP/selftests/uadk/qemu.py" "$BUILT/qemu-system-riscv64" "$1" "$2" "${3:-4}" \
		>said 2>&1 ||
		{ cat said from.log to.log; return 1; }
	echo "# from $1 to $2, ${3:-4} channels: $(xargs <said); requests of devices: $(did from), $(did to)" >&3
}
did() {
	[ ! -e "$1.stats" ] || requests "$1.stats" zip
}

moved() {
	migrate "$@"
	says 'memory is the same' said
	says 'the guest goes on at the other side' said
}

# Both sides' devices work.
both_worked() {
	moved "$@"
	busy from.stats zip
	busy to.stats zip
}

test_generation_3() { both_worked '--zip 2' '--zip 2'; }
test_generation_2() { both_worked '--zip 1@v2' '--zip 1@v2'; }
test_one_channel() { both_worked '--zip 1' '--zip 1' 1; }
test_many_channels() { both_worked '--zip 2' '--zip 1@v2' 16; }
test_without_shared_addresses() { both_worked '--zip 1,sva=0' '--zip 1,sva=0'; }
test_failing_requests() { both_worked '--zip 2 --fault fail=1/100' '--zip 2 --fault fail=1/100'; }
test_resets() { both_worked '--zip 2 --fault error=1/3000' '--zip 2 --fault error=1/3000'; }

# It sends pages as they are.
test_no_device_here() { moved none '--zip 1'; }

stayed() {
	migrate "$@"
	says 'failed:' said
	says 'the guest goes on where it was' said
}

# QEMU wants devices only, so no software takes over.
test_no_device_there() { stayed '--zip 1' none; }
test_removed_here() { stayed '--zip 2 --fault remove=1/500' '--zip 2'; }
test_removed_there() { stayed '--zip 2' '--zip 2 --fault remove=1/500'; }

run_tests "$@"
