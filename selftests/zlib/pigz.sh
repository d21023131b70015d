#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pigz, with one thread and with several. Its blocks end by Z_BLOCK, and begin with a dictionary but with -i.
# WD_TEST_LONG=1: 30 MB, and each level.

. "$(dirname "$0")/zlib.inc.sh"
need_kept_set git-tools

LEVELS='1 6'
[ -z "${WD_TEST_LONG:-}" ] || LEVELS='1 2 3 4 5 6'

# packs OPTION... [-- OPTION...]: $BIG into big.gz, those behind -- are wd-emulate's. gzip and pigz unpack it.
packs() {
	local pigz=()

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		pigz+=("$1")
		shift
	done
	big_file
	on_devices git-tools "${@:2}" -- pigz "${pigz[@]}" -c "$BIG" >big.gz
	unpacks big.gz
	stock with_set git-tools pigz -t big.gz
	on_devices git-tools -- pigz -dc big.gz | same "$BIG" -
}

test_one_thread() {
	local level

	for level in $LEVELS; do
		packs -p1 "-$level"
	done
	devices_deflated $((BIG_BYTES / 2)) pigz
}

test_one_thread_independent() {
	packs -p1 -i
	devices_deflated $((BIG_BYTES / 2)) pigz
}

test_threads() {
	packs -p4
	devices_deflated $((BIG_BYTES / 2)) pigz
}

test_threads_independent() {
	local level

	for level in $LEVELS; do
		packs -p4 -i -b 512 "-$level"
	done
	devices_deflated $((BIG_BYTES / 2)) pigz
}

test_zlib_and_zip() {
	big_file
	on_devices git-tools -- pigz -i -z -c "$BIG" >big.zz
	python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))' <big.zz |
		same "$BIG" -
	on_devices git-tools -- pigz -i -K -c "$BIG" >big.zip
	python3 -m zipfile -e big.zip out
	same "$BIG" out/*
	devices_deflated $((BIG_BYTES / 2)) pigz
}

# As they misbehave, also the waits for what never comes are part of it.
test_devices_that_misbehave() {
	packs -p1 -- --fault stuck=1/50,drop=1/100
	packs -p1 -i -- --fault stuck=1/50,drop=1/100
	packs -p4 -i -- --fault stuck=1/50,drop=1/100
	did_at_least 1 parts_redone pigz
}

test_devices_that_fail() {
	packs -p4 -i -- --fault fail=60/4
	did_at_least 1 parts_redone pigz
	packs -p4 -i -- --fault error=1/10
	packs -p4 -i -- --fault remove=1/10
	packs -p4 -i -- --fault delay=1/3:1ms,reorder=1/3
}

# Who asks for more than level 6 wants what zlib makes.
test_the_highest_level_is_zlib_s() {
	big_file
	on_devices git-tools -- pigz -9 -p4 -i -n -c "$BIG" >big.gz
	none_deflated
	stock with_set git-tools pigz -9 -p4 -i -n -c "$BIG" | same big.gz -
}

run_tests "$@"
