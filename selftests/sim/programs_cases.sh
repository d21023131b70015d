# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on a device of each engine, of generation GENERATION. Sourced by scripts that make the devices.

. "$(dirname "$0")/../include/openssl_conf.sh"
. "$(dirname "$0")/programs_devices.sh"

# A busy machine may not run the device for a second.
export WD_OPENSSL_TIMEOUT_MS=30000

# passes AREA/PROGRAM: its skips are accepted.
passes() {
	"$OUT/tests/$1" >log || { grep -v '^ok' log; return 1; }
	says 'fail:0' log
}

free() { cat "$CLASS/$(node hisi_zip)/available_instances"; }
free_are() { [ "$(free)" = "$1" ]; }
free_are_not() { ! free_are "$1"; }

test_known_answers_are_right() {
	wdctl selftest >got || { cat got; return 1; }
}

test_wdzip_packs_and_unpacks() {
	head -c 1000000 "$OUT/bin/wdctl" >plain
	WD_PATH=hw wdzip -c plain >packed
	gzip -dc packed | same - plain
	gzip -c plain | WD_PATH=hw wdzip -dc | same - plain
}

# Without WD_PATH small requests are left to software, as the devices look like hardware.
test_requests_of_compression() { WD_PATH=hw passes comp/test_cq; }
test_random_requests_to_ciphers_and_digests() { WD_NO_LARGE=1 WD_CROSS_CASES=20 passes crypto/test_cross; }
test_random_requests_with_public_keys() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'takes minutes in a VM; known answers and handshakes run'
	WD_FEW_REQUESTS=1 WD_CROSS_ROUNDS=1 passes pubkey/test_cross
}

test_handshakes() {
	[ $GENERATION = 3 ] || skip 'devices of generation 2 have no curves'
	WD_PATH=hw "$OUT/examples/handshakes" >out
	says ' 0 failed' out
	says ' 0 by soft' out
}

test_the_provider_signs() {
	command -v openssl >/dev/null || skip 'the machine has no openssl command'
	openssl_conf 'devices = require' 'fallback = no'
	openssl genrsa -out key 2048
	openssl rsa -in key -pubout -out public
	OPENSSL_CONF=conf openssl dgst -sha256 -sign key -out signature "$0"
	openssl dgst -sha256 -verify public -signature signature "$0"
}

test_the_zlib_replacement_compresses() {
	export WD_ZLIB_STATS=$PWD/did

	wd-zlib -- python3 -c '
import sys, zlib
data = open(sys.argv[1], "rb").read(1000000)
open("packed", "wb").write(zlib.compress(data))' "$OUT/bin/wdctl"
	python3 -c '
import sys, zlib
assert zlib.decompress(open("packed", "rb").read()) == open(sys.argv[1], "rb").read(1000000)' "$OUT/bin/wdctl"
	grep -E 'deflate_device_bytes=[1-9]' did
}

test_a_killed_process_leaves_nothing() {
	local all

	all=$(free)
	yes | WD_PATH=hw wdzip -c >/dev/null &
	until_true 60 free_are_not "$all"
	kill -9 $!
	wait $! || :
	until_true 60 free_are "$all"
	test_wdzip_packs_and_unpacks
}

# copies_until FILE: prints plain again and again until the file exists; copies has its name as often.
copies_until() {
	while [ ! -e "$1" ]; do
		echo plain >>copies
		cat plain
	done
}

test_a_reset_under_load_is_survived() {
	local all packing

	all=$(free)
	head -c 4000000 < <(yes "$(head -c 2000 "$OUT/bin/wdctl" | base64 -w 0)") >plain
	copies_until over | wdzip -c >packed &
	packing=$!
	until_true 60 free_are_not "$all"
	echo 1 >"$CLASS/$(node hisi_zip)/device/reset"
	touch over
	wait $packing
	gzip -dc packed | same - <(xargs cat <copies)
	test_wdzip_packs_and_unpacks
}
