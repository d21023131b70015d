#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl selftest on emulated devices that work, that compute wrong results, and that do not answer.

. "$(dirname "$0")/../include/tap.sh"

for program in wd-emulate wdctl wd-selftest; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not built"
		exit 4
	}
done

# selftest DEVICES [OPTION...]
selftest() {
	local devices

	read -ra devices <<<"$1"
	wd-emulate "${devices[@]}" -- wdctl selftest "${@:2}"
}

test_each_algorithm_of_each_device_has_the_known_answer() {
	local alg

	selftest '--zip 1 --sec 1 --hpre 1' --measure 0 --json >got
	for alg in zlib gzip deflate lz77_zstd lz4 cipher digest aead rsa dh ecdh ecdsa sm2 x25519 x448; do
		grep -qE "\"algorithm\": \"$alg\", .*\"result\": \"ok\", \"path\": \"sim\"" got ||
			{ echo "no $alg"; return 1; }
	done
	says '"failed": 0' got
	python3 -m json.tool got >/dev/null
}

test_the_speed_is_measured() {
	selftest '--zip 1' --measure 5 >got
	grep -qE '^hisi_zip-0 +gzip compress +ok +sim +[0-9]+\.[0-9] MB/s +RFC 1952' got
	says '8 passed, 0 failed, 0 skipped' got
}

test_only_the_named_device_is_tested() {
	selftest '--zip 2' --device hisi_zip-1 --measure 0 >got
	says hisi_zip-1 got
	not grep -q hisi_zip-0 got
}

test_a_device_that_is_not_there_is_named() {
	exits 1 selftest '--zip 1' --device hisi_zip-7 >got 2>err
	says 'wd-selftest: device hisi_zip-7: not there' err
	[ ! -s got ]
}

test_wrong_answers_are_failures_that_name_the_device() {
	exits 1 selftest '--zip 1 --sec 1 --hpre 1 --fault corrupt=1/1' --measure 0 >got 2>err
	says 'device hisi_zip-0: 8 of 8 tests failed' err
	says 'device hisi_sec2-1: 25 of 25 tests failed' err
	grep -qE '^hisi_hpre-2 +P-256 public value +FAIL +sim +- +wrong answer' got
	grep -qE '^hisi_hpre-2 +RSA-2048 sign +FAIL' got
	grep -qE '^hisi_hpre-2 +ECDSA P-256 verify +FAIL' got
	grep -qE '^hisi_hpre-2 +ECDSA P-256 refuse +FAIL +sim +- +wrong answer' got
	says 'device hisi_hpre-2: 11 of 12 tests failed' err
}

test_no_answer_is_a_failure() {
	exits 1 selftest '--zip 1 --fault drop=1/1' --timeout 100 --measure 0 >got 2>err
	says 'the device did not answer in time' got
	says '0 passed, 8 failed, 0 skipped' got
}

# The environment asks for software: the answers still come from the device.
test_the_software_path_is_never_taken() {
	WD_PATH=soft selftest '--zip 1' --measure 0 >got
	not grep -qw soft got
	says '8 passed' got
}

test_a_signal_ends_it_and_says_so() {
	local pid code=0

	wd-emulate --zip 1 -- bash -c 'wdctl selftest --measure 600000 >got 2>err & echo $! >pid; wait $!' &
	pid=$!
	until_true 30 grep -qs 'zlib decompress' got
	kill -INT "$(cat pid)" 2>/dev/null || kill -TERM "$(cat pid)"
	wait $pid || code=$?
	[ $code -gt 128 ]
	says interrupted err
}

test_bad_options_are_refused() {
	exits 2 wdctl selftest --timeout 0 2>err
	says '--timeout 0: expected milliseconds, 1 .. 600000' err
	exits 2 wdctl selftest --measure -1 2>err
	says '--measure -1: expected milliseconds, 0 .. 600000' err
	exits 2 wdctl selftest --measure 5x 2>err
	exits 2 wdctl selftest more 2>err
	says "unexpected argument 'more'" err
}

test_without_a_device_there_is_nothing_to_pass() {
	! compgen -G '/sys/class/uacce/*' >/dev/null || skip 'this machine has a device'
	exits 1 wdctl selftest 2>err
	says "no device to test; 'wdctl doctor' says why" err
}

run_tests "$@"
