#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# DPDK's driver for UADK, from Debian's source package and unchanged, compiled against our headers; then Debian's own
# test program with it, on emulated devices of each generation. The number of its tests that were executed is printed:
# the driver says what it has, and the rest is skipped.
# WD_TEST_LONG=1 fetches DPDK, and runs its program for throughput as well; and the programs of later releases, with
# their compression driver. Where Debian has no source of such a DPDK, the drivers are those of another DPDK, of which
# Ceph's source package has a copy.

. "$(dirname "$0")/../include/programs.sh"
. "$(dirname "$0")/ceph/source.sh"

need_built() {
	[ -e "$OUT/lib/warpdrive/uadk/libwd_crypto.so" ] || not_here 'the libraries were left out of the build'
}
exec 3>&1
need_kept_set dpdk
# The newest may differ from the programs' own by a correction.
SOURCE=$("$TOP/scripts/programs" --source dpdk 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$SOURCE")"
SOURCE=$(tail -n 1 <<<"$SOURCE")
SET=dpdk
ROOT=$("$TOP/scripts/programs" dpdk)

export LD_LIBRARY_PATH=$OUT/lib/warpdrive/uadk
EXECUTED=74		# with DPDK 22.11

# The drivers' own headers only: others of the same folders are installed, perhaps in another version.
own_headers() {
	local header

	rm -rf own
	mkdir own
	for header in drivers/bus/vdev/bus_vdev_driver lib/cryptodev/cryptodev_pmd lib/eal/include/dev_driver \
		lib/compressdev/rte_compressdev_pmd lib/compressdev/rte_compressdev_internal; do
		ln -s "$SOURCE/$header.h" own/
	done
	ln -s "$(compgen -G "$ROOT/usr/include/bsd" || compgen -G "$ROOT/usr/include/*/bsd")" own/bsd
}

# compile_driver KIND: crypto or compress
compile_driver() {
	local flags arch

	flags=$(PKG_CONFIG_PATH=$OUT/lib/warpdrive/uadk/pkgconfig pkg-config --cflags libwd_crypto) || return
	arch=$(cc -print-multiarch)
	own_headers
	# Programs have what else is undefined. The paths are words.
	# shellcheck disable=SC2086
	cc -shared -fPIC -O1 -o driver.so -DALLOW_EXPERIMENTAL_API -DALLOW_INTERNAL_API -include rte_config.h \
		-march="$(case $(uname -m) in x86_64) echo corei7 ;; *) echo armv8-a+crc ;; esac)" $flags \
		-I"$ROOT/usr/include/dpdk" -I"$ROOT/usr/include/$arch/dpdk" -Iown \
		"$SOURCE/drivers/$1/uadk/uadk_$1_pmd.c" -L"$ROOT/usr/lib/$arch" -lrte_bus_vdev \
		-L"$OUT/lib/warpdrive/uadk" -l:libwd_crypto.so.2 -l:libwd_comp.so.2 -l:libwd.so.2 >compiled.log 2>&1 ||
		{ cat compiled.log; return 1; }
}

# with_driver DEVICES PROGRAM ARGUMENT...: without the system's folder for running programs. Programs for throughput
# find their own memory pools in a folder of the system's.
with_driver() {
	# shellcheck disable=SC2016,SC2086 # expanded where the set's programs are; words
	with_set $SET wd-emulate --stats stats $1 -- sh -c '
		program=$1
		shift
		case $program in
		*-perf) set -- -d "$(ls "$WARPDRIVE_PROGRAMS"/usr/lib/*/librte_mempool_ring.so)" "$@" ;;
		esac
		exec env RUNTIME_DIRECTORY="$PWD" LD_PRELOAD="$LD_PRELOAD:$PWD/driver.so" \
			"$program" --no-huge -m 256 --no-pci --file-prefix "wd$$" "$@"' sh "${@:2}"
}

# autotest DEVICES: the program ends when it is told to, and not before its test has ended.
autotest() {
	local in=in.$$

	mkfifo $in
	with_driver "$1" dpdk-test -l 0 --vdev crypto_uadk <$in >autotest.log 2>&1 &
	started="$started $!"
	trap end_all EXIT
	exec 9>$in
	rm $in
	echo cryptodev_uadk_autotest >&9
	until_true 200 ended_or_gone
	echo quit >&9
	exec 9>&-
	until_true 60 has_ended
	end_all
}
ended_or_gone() { grep -qE '^Test (OK|Failed)' autotest.log || has_ended; }

# The last summary is that of all suites.
summary() { sed -n "s/^ *+ Tests $1 *: *//p" autotest.log | tail -n 1; }

passes() {
	autotest "$1"
	echo "# cryptodev_uadk_autotest $1: executed $(summary Executed), passed $(summary Passed)," \
		"failed $(summary Failed)" >&3
	[ "$(summary Executed)" = "$EXECUTED" ] && [ "$(summary Failed)" = 0 ] && grep -q '^Test OK' autotest.log &&
		busy stats sec2 || { grep -E 'failed|Failed|line' autotest.log; tail -n 20 autotest.log; return 1; }
}

test_generation_3() {
	compile_driver crypto
	passes '--sec 1'
}

test_generation_2() {
	compile_driver crypto
	passes '--sec 1@v2'
}

# perf DEVICES TEST OPTION...: DPDK's other program. Two threads spin for each other and the emulator, so its times mean
# nothing.
perf() {
	with_driver "$1" dpdk-test-crypto-perf -l 0,1 --vdev crypto_uadk -- --ptest "${@:2}" \
		--devtype crypto_uadk --optype cipher-only \
		--cipher-algo aes-cbc --cipher-op encrypt --cipher-key-sz 16 --cipher-iv-sz 16 --total-ops 64 \
		--burst-sz 16 --silent --csv-friendly >perf.log 2>&1 ||
		{ tail -n 20 perf.log; return 1; }
	busy stats sec2
}

throughput() {
	local devices

	compile_driver crypto
	for devices in '--sec 1' '--sec 1@v2'; do
		perf "$devices" throughput --buffer-sz 64,1024
		[ "$(grep -c '^1,.*,16,64,64,0,0,' perf.log)" = 2 ] || { cat perf.log; return 1; }
		perf "$devices" verify --buffer-sz 2048 \
			--test-file "$SOURCE/app/test-crypto-perf/data/aes_cbc_128_sha.data"
		grep -qE '^ *1, *2048,16,64,64,0,0,0$' perf.log || { cat perf.log; return 1; }
	done
}

# later SUITE EXECUTED: the programs of that release, which see no other folder of this host.
later() {
	local why

	# shellcheck disable=SC2034 # of with_set
	SET=dpdk-compress SUITE=(--suite "$1" --bind /sys --bind "$OUT" --bind "$PWD") EXECUTED=$2
	ROOT=$("$TOP/scripts/programs" $SET --suite "$1" 2>why </dev/null) || skip "$(tail -n 1 why)"
	if ! SOURCE=$("$TOP/scripts/programs" --source dpdk --suite "$1" 2>why </dev/null); then
		why=$(grep 'programs: ' why | tail -n 1)
		ceph_source || skip "$why; $WHY"
		SOURCE=$CEPH/$ceph_dpdk
		echo "# DPDK of $1: ${why#programs: }; the drivers are those of the copy in Ceph's source" >&3
	fi
}

# compresses DEVICES: the program compares what it decompresses.
compresses() {
	with_driver "$1" dpdk-test-compress-perf -l 0,1 --vdev compress_uadk -- --driver-name compress_uadk \
		--input-file "$PWD/text" --ptest verify --operation comp_and_decomp --compress-level 1 --num-iter 1 \
		--pool-sz 64 --burst-sz 16 --seg-sz 8192 --huffman-enc fixed >perf.log 2>&1 &&
		grep -qE '^ +1 +1 +[0-9]+ +[0-9.]+$' perf.log || { tail -n 20 perf.log; return 1; }
	echo "# dpdk-test-compress-perf $1:$(tail -n 1 perf.log), $(requests stats zip) requests of devices" >&3
	busy stats zip
}

release() {
	later "$@"
	compile_driver crypto
	passes '--sec 1'
	passes '--sec 1@v2'
	compile_driver compress
	cat "$TOP"/docs/*.md | head -c 1000000 >text
	# Only this generation has raw deflate, which is all that the driver wants.
	compresses '--zip 1'
	compresses '--zip 1,sva=0'
}

if [ -n "${WD_TEST_LONG:-}" ]; then
	test_throughput() { throughput; }
	test_debian_13() { release trixie 75; }
	test_debian_sid() { release sid 75; }
fi
run_tests "$@"
