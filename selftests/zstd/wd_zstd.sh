#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wd-zstd: each way to call libzstd, with devices and without; its exit status, and what --check finds.

. "$(dirname "$0")/../include/tap.sh"

for program in wd-emulate wd-zstd; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not there"
		exit 4
	}
done
WAYS=$OUT/tests/zstd/ways
# They would keep devices away, or be mixed with the tests' own.
unset SOURCE_DATE_EPOCH LD_PRELOAD ${!WD_@}

# counted FIELD FILE: of the only line.
counted() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" "$2"; }

data() {
	{ while cat /usr/bin/bash; do :; done || :; } 2>/dev/null | head -c "${1:-700000}"
}

# ways FOLDER [COMMAND...] : [WAY...]: the program, by way of a command.
ways() {
	local folder=$1 by=()

	shift
	mkdir -p "$folder"
	while [ "$1" != : ]; do
		by+=("$1")
		shift
	done
	"${by[@]}" "$WAYS" f "$folder" "${@:2}" >"$folder.out" || {
		sed 's/^/# /' "$folder.out"
		return 1
	}
}

test_no_way_fails_and_devices_take_part() {
	local way

	data >f
	for way in simple cctx without_dict two parameters pieces flushes turns old_stream; do
		rm -f counts
		ways dev wd-emulate --zip 1 -- wd-zstd --stats counts -- : $way
		[ "$(counted device_bytes counts)" -gt 0 ] || {
			echo "# $way: $(cat counts)"
			return 1
		}
	done
}

test_what_a_producer_would_break_is_left_alone() {
	local way

	data >f
	for way in long_distance level_19 own_producer fixed_memory dictionary small; do
		rm -f counts
		ways dev wd-emulate --zip 1 -- wd-zstd --stats counts -- : $way
		[ "$(counted frames_offered counts)" = 0 ] || {
			echo "# $way: $(cat counts)"
			return 1
		}
		ways stock : $way
		same stock/$way dev/$way
	done
	# Of two frames, devices have the one without.
	for way in workers given_up prefix; do
		rm -f counts
		ways dev wd-emulate --zip 1 -- wd-zstd --stats counts -- : $way
		[ "$(counted frames_offered counts)" = 1 ] || {
			echo "# $way: $(cat counts)"
			return 1
		}
	done
}

test_without_a_device_each_byte_is_libzstds() {
	data >f
	ways stock :
	ways own wd-zstd -- :
	diff -r stock own
	ways off wd-emulate --zip 1 -- env WD_ZSTD=off wd-zstd -- :
	diff -r stock off
	ways epoch wd-emulate --zip 1 -- env SOURCE_DATE_EPOCH=1 wd-zstd -- :
	diff -r stock epoch
}

test_a_device_that_answers_wrongly_changes_no_data() {
	data >f
	ways dev wd-emulate --zip 1 --fault corrupt=2 -- env WD_REST=0 wd-zstd --stats counts -- : two pieces simple
	[ "$(counted zstd_bytes counts)" -gt 0 ]
}

test_a_device_of_generation_2_is_none() {
	data >f
	rm -f counts
	ways v2 wd-emulate --zip 1@v2 -- wd-zstd --stats counts -- : two
	[ "$(counted device_bytes counts)" = 0 ]
}

test_levels_and_sizes_are_the_callers() {
	data >f
	ways dev wd-emulate --zip 1 -- wd-zstd --levels 4-6 --stats counts -- : two
	[ "$(counted frames_offered counts)" = 0 ]
	rm counts
	ways dev wd-emulate --zip 1 -- wd-zstd --min 1m --stats counts -- : two
	[ "$(counted frames_offered counts)" = 0 ]
	exits 125 wd-zstd --levels 0-6 -- true 2>err
	says "--levels 0-6: expected LOW-HIGH" err
	exits 125 wd-zstd 2>err
	says "expected a COMMAND" err
	exits 127 wd-zstd -- ./none 2>err
}

test_check_says_what_is_there_and_what_is_not() {
	wd-emulate --zip 1 -- wd-zstd --check >out
	says "a device finds matches (sim)" out
	says "have a libzstd of their own" out
	exits 1 env WD_ZSTD=off wd-zstd --check >out
	says "problem  WD_ZSTD=off" out
	wd-emulate --zip 1 -- wd-zstd --check --json | python3 -c 'import json, sys
assert json.load(sys.stdin)["problems"] == 0'
	[ -n "$(ls /sys/class/uacce 2>/dev/null)" ] || exits 1 wd-zstd --check >out
}

test_wdctl_doctor_says_which_zstd_is_out_of_reach() {
	mkdir bin
	printf '#!/bin/sh\n' >bin/zstd
	chmod +x bin/zstd
	PATH=$PWD/bin:$PATH wdctl doctor >out || :
	says "$PWD/bin/zstd contains a libzstd of its own" out
	says "'wdzip --format=zstd'" out
	cp "$WAYS" bin/zstd
	PATH=$PWD/bin:$PATH wdctl doctor >out || :
	not grep 'contains a libzstd of its own' out
	says "libwd-zstd.so.0" out
}

run_tests "$@"
