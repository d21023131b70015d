# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Libraries and tools on another uacce than ours: mainline's, with mainline's drivers, on simulated devices. Most
# machines have that one. Sourced after GENERATION, that of the hardware, is set.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
. "$(dirname "$0")/../include/openssl_conf.sh"

ROOT=/sys/kernel/config/hisi_sim
MODULES=${BUILD:-$TOP/build}/mainline/$(uname -r)/uacce
CLASS=/sys/class/uacce
ENGINES='zip sec hpre'
# wdctl tries to load the libraries.
export LD_LIBRARY_PATH=$OUT/lib OPENSSL_MODULES=$OUT/ossl-modules
# A busy machine may not run the device for a second.
export WD_OPENSSL_TIMEOUT_MS=30000

drop_all() {
	local engine module

	for engine in $ENGINES; do
		[ ! -d $ROOT/foreign_$engine ] ||
			{ echo 0 >$ROOT/foreign_$engine/live && rmdir $ROOT/foreign_$engine; }
	done
	for module in hisi_sim hisi_zip hisi_sec2 hisi_hpre hisi_qm uacce; do
		[ ! -d /sys/module/$module ] || timeout 600 rmmod $module
	done
}

there() { compgen -G "/dev/$1-*" >/dev/null; }

# node ENGINE: the name of its device.
node() { basename "$(compgen -G "$CLASS/$1-*")"; }

# begin: mainline's modules, and a device of each engine.
begin() {
	local engine module

	drop_all
	modprobe -a authenc dh_generic ecdh_generic curve25519_generic
	insmod "$MODULES/uacce.ko"
	insmod "$MODULES/hisi_qm.ko"
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		insmod "$MODULES/$module.ko" uacce_mode=1
	done
	modprobe hisi_sim old_drivers=1
	for engine in $ENGINES; do
		mkdir $ROOT/foreign_$engine
		echo $engine >$ROOT/foreign_$engine/type
		echo $GENERATION >$ROOT/foreign_$engine/generation
		echo 1 >$ROOT/foreign_$engine/live
	done
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		until_true 60 there $module
	done
}

# passes AREA/PROGRAM: its skips are accepted.
passes() {
	"$OUT/tests/$1" >log || { grep -v '^ok' log; return 1; }
	says 'fail:0' log
}

free() { cat "$CLASS/$(node hisi_zip)/available_instances"; }
free_are() { [ "$(free)" = "$1" ]; }
free_are_not() { ! free_are "$1"; }

test_the_devices_are_listed() {
	wdctl list --json >got
	python3 -c '
import json
devices = json.load(open("got"))["devices"]
assert len(devices) == 3, devices
for d in devices:
	assert d["api"] == "hisi_qm_v'$GENERATION'" and d["sva"] is True and d["state"] == "ok", d
	assert d["available"] > 0 and d["simulated"] is None and d["priority"] is None, d'
}

# problems: prints doctor's, except that our installed modules aren't those that are loaded.
problems() {
	wdctl doctor >got || :
	sed -n '/^problem/p' got | sed '/ is another build than the installed one/d'
}

test_doctor_judges_it_by_facts() {
	local module

	chmod 600 /dev/hisi_*
	problems | same - /dev/null
	says "another uacce than WarpDrive's" got
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		says "sva        $(node $module): on" got
	done
	not grep -E 'wdctl save|no sections are restored|netlink' got
	chmod 660 /dev/hisi_*
	problems >found
	case $GENERATION in
	2) [ "$(grep -c 'maps the device.s mailbox' found)" = 3 ] ;;
	*) same found /dev/null ;;
	esac
}

test_a_command_that_needs_our_uacce_says_so() {
	exits 1 wdctl ctx 2>got
	says "another uacce than WarpDrive's" got
	not grep sections got
}

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

at_exit() {
	drop_all
	modprobe hisi_zip uacce_mode=1
	modprobe hisi_sim devices=zip,zip
}

[ -e "$MODULES/hisi_zip.ko" ] || need_skip "mainline's uacce is built for 6.1 and 6.12 (sim/mainline_build.sh)"
need_root
begin
run_tests "$@"
