#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip's formats beside gzip's: zstd, pzstd, lz4 and Python's zlib read its files, and it reads theirs.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"

for tool in zstd lz4; do
	command -v $tool >/dev/null || {
		echo "1..0 # SKIP $tool is not installed"
		exit 4
	}
done

# Data of programs, and of a size that several threads share.
data() {
	{ while cat /usr/bin/bash; do :; done || :; } 2>/dev/null | head -c "${1:-12000000}"
}

test_zstd_and_wdzip_read_each_others_files() {
	local options size

	for options in '' -T1 -T3 -1 '-19 -T2' --rsyncable --long=20; do
		for size in 0 1 500000 6000000; do
			[ $size -lt 1000000 ] || [ "$options" != '-19 -T2' ] || continue
			data $size >f
			# shellcheck disable=SC2086
			wdzip -F zstd $options -kf f
			zstd -qdc f.zst | same - f
			wdzip -dc f.zst | same - f
		done
	done
	for options in -1 -3 --no-check --ultra\ -20 --long=24 '-5 --rsyncable -T2'; do
		data 3000000 >f
		# shellcheck disable=SC2086
		zstd -q $options -c f >g.zst
		wdzip -dc g.zst | same - f
	done
}

test_lz4_and_wdzip_read_each_others_files() {
	local options size

	for options in '' -T1 -T3 -9 -12; do
		for size in 0 1 500000 9000000; do
			[ $size -lt 9000000 ] || [ "$options" != -12 ] || continue
			data $size >f
			# shellcheck disable=SC2086
			wdzip -F lz4 $options -kf f
			lz4 -qdc f.lz4 | same - f
			lz4 -qt f.lz4
			wdzip -dc f.lz4 | same - f
		done
	done
	for options in -1 -9 -B4 -B7 -BD -BX --no-frame-crc --content-size; do
		data 3000000 >f
		lz4 -q $options -c f >g.lz4
		wdzip -dc g.lz4 | same - f
	done
}

test_zlib_is_what_python_reads_and_writes() {
	local threads

	data >f
	for threads in 1 3; do
		wdzip -F zlib -T $threads -kf f
		python3 -c 'import sys, zlib
sys.exit(zlib.decompress(open("f.zz", "rb").read()) != open("f", "rb").read())'
		wdzip -F zlib -dc f.zz | same - f
	done
	python3 -c 'import zlib; open("g.zz", "wb").write(zlib.compress(open("f", "rb").read(), 9))'
	wdzip -F zlib -t g.zz
	# Any text may begin like zlib's format.
	exits 1 wdzip -t g.zz 2>err
	says "not in gzip format, nor in zstd's or lz4's" err
	exits 1 wdzip -F zlib -t f 2>err
	says "not in zlib format" err
}

test_the_format_is_recognised_by_its_first_bytes() {
	local format

	data 3000 >f
	for format in gzip zstd lz4; do
		wdzip -F $format -c f >$format
	done
	for format in gzip zstd lz4; do
		wdzip -dc <$format | same - f
	done
	wdzip -dc gzip zstd lz4 >all
	cat f f f | same - all
}

test_suffixes_follow_the_format() {
	data 3000 >f
	wdzip -F zstd f && absent f && wdzip -d f.zst && absent f.zst
	wdzip -F lz4 f && absent f && wdzip -d f.lz4 && absent f.lz4
	wdzip -F zstd -S .x -k f && [ -s f.x ]
	cp f t.tar && wdzip -F zstd -c t.tar >t.tzst && rm t.tar && wdzip -d t.tzst && same t.tar f
	wdzip -F zstd -k f
	exits 2 wdzip -F lz4 f.zst 2>err
	says "already has a suffix" err
	# The file without suffix stands for the one with the format's.
	wdzip -F zstd -t f 2>/dev/null || :
	rm f && wdzip -F zstd -d f && [ -s f ]
}

test_lists_files_of_each_format() {
	data 6000000 >f
	wdzip -F zstd -T2 -k f
	wdzip -F lz4 -T2 -k f
	wdzip -lv f.zst f.lz4 >list
	says "zstd  $(gzip -c f | tail -c8 | head -c4 | od -An -tx4 --endian=little | tr -d ' ')" list
	says "lz4  " list
	says " 6000000 " list
	says "(totals)" list
}

test_frames_that_follow_each_other_or_are_skipped_are_one_file() {
	data 5000000 >f
	wdzip -F zstd -c f >g.zst
	printf '\x5f\x2a\x4d\x18\x04\0\0\0abcd' >skip
	cat skip g.zst skip g.zst skip >h.zst
	wdzip -dc h.zst >out
	cat f f | same - out
	wdzip -F lz4 -c f >g.lz4
	cat skip g.lz4 skip g.lz4 skip >h.lz4
	wdzip -dc h.lz4 >out
	cat f f | same - out
	! command -v pzstd >/dev/null || { pzstd -q -p 2 -c f >p.zst && wdzip -dc p.zst | same - f; }
	head -c 100 /dev/zero | cat g.zst - >z.zst
	wdzip -t z.zst
	printf 'garbage' | cat g.zst - >z.zst
	exits 2 wdzip -t z.zst 2>err
	says "trailing garbage" err
}

test_damage_is_an_error() {
	local format at size

	data 100000 >f
	for format in zstd lz4; do
		wdzip -F $format -c f >good
		size=$(stat -c %s good)
		for at in 3 4 9 100 $((size / 2)) $((size - 1)); do
			head -c "$at" good >cut
			exits 1 wdzip -t cut 2>err
		done
		for at in 20 $((size / 2)) $((size - 2)); do
			cp good bad
			printf '\x5a\xa5' | dd of=bad bs=1 seek="$at" conv=notrunc status=none
			exits 1 wdzip -t bad 2>err
		done
	done
}

test_says_what_it_does_not_read() {
	data 200000 >f
	lz4 -qlc f >legacy
	exits 1 wdzip -t legacy 2>err
	says "LZ4's legacy frames, which wdzip doesn't read" err
	# A dictionary with an identifier: its magic number, the identifier, and tables that zstd makes.
	split -b 2000 f part. && zstd -q --train part.* -o dictionary --maxdict=20000 2>/dev/null
	zstd -q -D dictionary -c f >needs
	exits 1 wdzip -t needs 2>err
	says "needs a dictionary" err
	head -c 300000000 /dev/zero | zstd -q --long=28 -c >long
	exits 1 wdzip -t long 2>err
	says "larger window" err
	wdzip --long=28 -t long
}

test_options_that_do_not_go_together_are_refused() {
	echo text >f
	exits 1 wdzip -F xz f 2>err
	says "-F xz: expected gzip, zlib, zstd or lz4" err
	exits 1 wdzip -F zstd -N f 2>err
	says "zstd has no names" err
	exits 1 wdzip -F lz4 --long f 2>err
	says "expected -F zstd" err
	exits 1 wdzip -F lz4 --level=13 f 2>err
	says "expected 1 to 12 for lz4" err
	exits 1 wdzip --level=10 f 2>err
	says "expected 1 to 9 for gzip" err
	exits 1 wdzip -F zstd --level=20 f 2>err
	says "expected a number, 1 to 19" err
	exits 1 wdzip -F zstd --long=9 f 2>err
	says "expected a number, 10 to 31" err
	# gzip's rule: two options, the last of which counts.
	wdzip -19 -c f | gzip -dc | same - f
	[ -s f ]
}

test_a_missing_library_is_named() {
	mkdir -p broken
	: >broken/libzstd.so.1
	echo text >f
	LD_LIBRARY_PATH=$PWD/broken exits 1 wdzip -F zstd f 2>err
	says "libzstd.so.1 can't be loaded" err
	LD_LIBRARY_PATH=$PWD/broken wdzip -c f | gzip -dc | same - f
}

# 1 GiB on demand: a run without WD_TEST_LONG takes a sixteenth.
test_many_threads_take_bounded_memory() {
	local most size=$((64 << 20))

	[ -z "${WD_TEST_LONG:-}" ] || size=$((1 << 30))
	most=$( (ulimit -v 1500000; head -c $size /dev/zero | wdzip -F zstd -T4 -c | zstd -dc | wc -c))
	[ "$most" = $size ]
}

# The line is for work of more than a second, on a terminal.
test_threads_show_progress_on_a_gibibyte() {
	local format

	[ -n "${WD_TEST_LONG:-}" ] || skip "a GiB, with WD_TEST_LONG=1"
	command -v script >/dev/null || skip "no script(1)"
	head -c $((1 << 30)) /dev/urandom >f
	for format in zstd lz4; do
		script -qec "wdzip -F $format -T4 -c f >/dev/null" /dev/null >tty
		grep -q 'f: .*% of 1024 MiB, ' tty || {
			echo "# $format: $(head -c 300 tty)"
			return 1
		}
	done
}

run_tests "$@"
