#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zstd and LZ4 on simulated devices, through the kernel: what is listed, known answers, wdzip's formats, and a program
# under wd-zstd.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 1
WAYS=$OUT/tests/zstd/ways

# data COUNT: of a program.
data() { head -c "$1" "$(command -v bash)"; }

test_wdctl_lists_the_algorithms() {
	wdctl list --json >list
	python3 -c '
import json
devices = [d for d in json.load(open("list"))["devices"] if d["name"].startswith("hisi_zip")]
assert devices
for d in devices:
	assert set(["lz77_zstd", "lz77_only", "lz4"]) <= set(d["algorithms"]), d'
}

test_known_answers_of_each_that_libraries_use() {
	local alg

	wdctl selftest --measure 0 --json >got
	for alg in lz77_zstd lz4; do
		grep -qE "\"algorithm\": \"$alg\", .*\"result\": \"ok\", \"path\": \"sim\"" got ||
			{ cat got; return 1; }
	done
}

test_wdzip() {
	local format

	data 1000000 >f
	for format in zstd lz4; do
		command -v $format >/dev/null || skip "the command $format is not installed"
		wdzip -F $format -vc f 2>err >packed
		says 'path sim' err
		$format -dc <packed | same - f
		wdzip -dc packed | same - f
	done
}

test_a_program_under_wd_zstd() {
	local way

	[ -x "$WAYS" ] || skip 'the program ways was not built'
	data 300000 >f
	mkdir made
	for way in simple two pieces workers; do
		rm -f counts
		wd-zstd --stats counts -- "$WAYS" f made $way
		grep -q ' device_bytes=[1-9]' counts || { cat counts; return 1; }
	done
}

run_tests "$@"
