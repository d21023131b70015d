#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bpftrace scripts see what programs do, whose numbers are known, on simulated devices.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/kept.sh"

BT=$TOP/user/tools/bpftrace
T=/sys/kernel/tracing

[ -d /sys/class/uacce ] && [ -n "$(ls /sys/class/uacce)" ] || skip "there is no device"
[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
kept programs observe || skip "the set is not in the cache: scripts/programs observe fetches it"
[ -x "$OUT/examples/comp_block" ] || skip "the examples are not built"
readelf -n "$OUT/lib/libwd.so.0" | grep -q 'Provider: libwd' || skip "built without sys/sdt.h"
[ -d $T/events ] || mount -t tracefs tracefs $T
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
DEV=$(ls /sys/class/uacce | sed -n 1p)

# traced SCRIPT LIBRARY COMMAND...: what the script prints of the command goes to the file got.
traced() {
	local script=$1 library=$2 tracer
	shift 2

	# The output comes line by line. BTF is enough: the folder of modules may lead to headers that are incomplete.
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount -t tmpfs none "/lib/modules/$(uname -r)" && exec "$@"' sh \
		"$TOP/scripts/programs" observe -- bpftrace -B line "$BT/$script" $library >got 2>err &
	tracer=$!
	until_true 300 has_begun $tracer || { cat got err; return 1; }
	"$@" >out 2>&1 || { cat out; return 1; }
	# scripts/programs becomes the program.
	kill -INT $tracer || { cat got err; return 1; }
	wait $tracer || :
}

has_begun() {
	grep -q '^ready$' got || ! kill -0 "$1" 2>/dev/null
}

# counted KEYS NUMBER
counted() {
	grep -qF "[$1]: $2" got || { echo "expected [$1]: $2 in:"; cat got err; return 1; }
}

test_latency_counts_each_request() {
	seq 20000 >f
	traced wd-latency.bt "$OUT/lib/libwd.so.0" both
	counted "compression, sim" 2002
	# The blocks, the file, and what it has become.
	packed=$(sed -n 's/.* -> \([0-9]*\) bytes.*/\1/p' block.out)
	counted "compression, sim" $((2000 * 4096 + $(stat -c %s f) + packed))
	grep -q '@us\[compression, sim\]' got
	not grep -q @failed got
}

both() {
	"$OUT/examples/comp_block" f >block.out
	"$OUT/examples/comp_async"
}

test_fallbacks_name_the_reason() {
	seq 20000 >f
	traced wd-fallbacks.bt "$OUT/lib/libwd.so.0" env WD_PATH=soft "$OUT/examples/comp_block" f
	counted "comp_block, compression, asked for" 2
	traced wd-fallbacks.bt "$OUT/lib/libwd.so.0" "$OUT/examples/comp_block" f
	not grep -q '@fallbacks' got
}

opens() {
	wdctl section add T NumProcesses=1 SyncCtxs=1 AsyncCtxs=0 Devices=$DEV >/dev/null
	wdctl run --section T -- bash -c "exec 7<>/dev/$DEV; : 8<>/dev/$DEV; : 8<>/dev/$DEV" || :
	bash -c "exec 7<>/dev/$DEV"
	wdctl section del T >/dev/null
}

test_opens_name_the_rule() {
	traced wd-opens.bt '' opens
	counted "bash, $DEV, slot" 1
	counted "bash, $DEV, pool" 1
	counted "bash, $DEV, T, the process has its share" 2
}

test_sleepers_are_seen() {
	seq 20000 >f
	traced wd-sleepers.bt "$OUT/lib/libwd.so.0" env WD_WAIT=sleep "$OUT/examples/comp_block" f
	grep -qE '^@sleeps\[comp_block\]: [1-9]' got || { cat got err; false; }
}

signs() {
	local i

	for i in 1 2 3; do
		OPENSSL_CONF=$PWD/wd.cnf wd-emulate --hpre 1 -- openssl dgst -sha256 -sign key.pem -out signature f
	done
}

test_operations_of_openssl_are_seen() {
	[ -e "$OUT/ossl-modules/warpdrive-devices.so" ] || skip 'the provider was left out'
	wdctl export openssl --algorithms rsa >wd.cnf
	openssl genrsa -out key.pem 2048 2>/dev/null
	seq 10 >f
	traced wd-openssl.bt "$OUT/ossl-modules/warpdrive-devices.so" signs
	counted "openssl, rsa, sim" 3
}

test_streams_of_zlib_are_seen() {
	[ -e "$OUT/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	python3 -c 'import zlib' || skip "Python has no zlib"
	traced wd-streams.bt "$OUT/lib/warpdrive/zlib/libz.so.1" "$OUT/bin/wd-zlib" -- python3 -c '
import zlib
data = bytes(range(256)) * 8192
for _ in range(3):
    z = zlib.compressobj()
    z.compress(data) + z.flush()
    del z'
	counted "python3, deflate, device" 3
	counted "python3, deflate, device" $((3 * 256 * 8192))
}

run_tests "$@"
