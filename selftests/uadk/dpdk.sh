#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# DPDK's driver for UADK, from Debian's source package and unchanged, compiled against our headers; then Debian's own
# test program with it, on emulated devices of each generation. The number of its tests that were executed is printed:
# the driver says what it has, and the rest is skipped.
# WD_TEST_LONG=1 fetches DPDK, and runs its program for throughput as well.

. "$(dirname "$0")/../include/programs.sh"

need_built() {
	[ -e "$OUT/lib/warpdrive/uadk/libwd_crypto.so" ] || not_here 'the libraries were left out of the build'
}
exec 3>&1
need_kept_set dpdk
# The newest may differ from the programs' own by a correction.
SOURCE=$("$TOP/scripts/programs" --source dpdk 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$SOURCE")"

export LD_LIBRARY_PATH=$OUT/lib/warpdrive/uadk
EXECUTED=74		# with DPDK 22.11

compile_driver() {
	local flags

	flags=$(PKG_CONFIG_PATH=$OUT/lib/warpdrive/uadk/pkgconfig pkg-config --cflags libwd_crypto) || return
	# The program has DPDK's own libraries already. Their paths are words.
	# shellcheck disable=SC2016,SC2086
	with_set dpdk sh -c 'cc -shared -fPIC -O1 -o driver.so -DALLOW_EXPERIMENTAL_API -DALLOW_INTERNAL_API \
		-include rte_config.h "-march=$1" $2 -I"$3/usr/include/dpdk" \
		-I"$3/usr/include/$(cc -print-multiarch)/dpdk" -I"$3/usr/include" \
		-I"$4/drivers/bus/vdev" -I"$4/lib/cryptodev" -I"$4/lib/eal/include" \
		"$4/drivers/crypto/uadk/uadk_crypto_pmd.c" \
		-L"$OUT/lib/warpdrive/uadk" -l:libwd_crypto.so.2 -l:libwd.so.2' \
		sh "$(case $(uname -m) in x86_64) echo corei7 ;; *) echo armv8-a+crc ;; esac)" "$flags" \
		"$(with_set dpdk sh -c 'echo "$WARPDRIVE_PROGRAMS"')" "$SOURCE" >compiled.log 2>&1 ||
		{ cat compiled.log; return 1; }
}

# autotest DEVICES: the program ends when it is told to, and not before its test has ended.
autotest() {
	local in=in.$$ pid

	mkfifo $in
	# shellcheck disable=SC2016 # expanded where the set's programs are
	with_set dpdk wd-emulate --stats stats $1 -- sh -c 'exec env LD_PRELOAD="$LD_PRELOAD:$PWD/driver.so" dpdk-test \
		--no-huge -m 256 --no-pci -l 0 --vdev crypto_uadk --file-prefix "wd$$"' <$in >autotest.log 2>&1 &
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
	compile_driver
	passes '--sec 1'
}

test_generation_2() {
	compile_driver
	passes '--sec 1@v2'
}

# perf DEVICES TEST OPTION...: DPDK's other program, which finds its own memory pools in a folder of the system's. Two
# threads spin for each other and the emulator, so its times mean nothing.
perf() {
	# shellcheck disable=SC2016 # expanded where the set's programs are
	with_set dpdk wd-emulate --stats stats $1 -- sh -c '
		pools=$(ls "$WARPDRIVE_PROGRAMS"/usr/lib/*/librte_mempool_ring.so)
		exec env LD_PRELOAD="$LD_PRELOAD:$PWD/driver.so" dpdk-test-crypto-perf \
		--no-huge -m 256 --no-pci -l 0,1 -d "$pools" --vdev crypto_uadk --file-prefix "wd$$" -- "$@" \
		--devtype crypto_uadk --optype cipher-only \
		--cipher-algo aes-cbc --cipher-op encrypt --cipher-key-sz 16 --cipher-iv-sz 16 --total-ops 64 \
		--burst-sz 16 --silent --csv-friendly' sh --ptest "${@:2}" >perf.log 2>&1 ||
		{ tail -n 20 perf.log; return 1; }
	busy stats sec2
}

throughput() {
	local devices

	compile_driver
	for devices in '--sec 1' '--sec 1@v2'; do
		perf "$devices" throughput --buffer-sz 64,1024
		[ "$(grep -c '^1,.*,16,64,64,0,0,' perf.log)" = 2 ] || { cat perf.log; return 1; }
		perf "$devices" verify --buffer-sz 2048 \
			--test-file "$SOURCE/app/test-crypto-perf/data/aes_cbc_128_sha.data"
		grep -qE '^ *1, *2048,16,64,64,0,0,0$' perf.log || { cat perf.log; return 1; }
	done
}

[ -z "${WD_TEST_LONG:-}" ] || test_throughput() { throughput; }
run_tests "$@"
