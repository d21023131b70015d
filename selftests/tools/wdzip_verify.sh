#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip on an emulated device that computes wrongly: no file is lost, and no wrong one is called right.

. "$(dirname "$0")/../include/tap.sh"

command -v wd-emulate >/dev/null || {
	echo "1..0 # SKIP wd-emulate is not built"
	exit 4
}

# on RULE COMMAND: under a device that corrupts by that rule.
on() {
	local rule=$1

	shift
	wd-emulate --zip 1 --fault corrupt="$rule" -- "$@"
}

# compressed BYTES RULE: wdzip replaces the file by one that gzip accepts, and that has its content.
compressed() {
	head -c "$1" <(seq 1 10000000) >plain
	cp plain f
	on "$2" wdzip f 2>err || { cat err; return 1; }
	[ ! -e f ]
	gzip -dc f.gz | same - plain
	rm f.gz
}

test_a_file_of_parts_survives_wrong_results() {
	compressed 5000000 1/4
	compressed 5000000 1/1
}

# Each thread has a part on the device when the first result turns out to be wrong.
test_a_device_that_computes_wrongly_rests() {
	seq 1 3000000 >f
	WD_REST=86400 wd-emulate --zip 1 --stats stats --fault corrupt=1/1 -- wdzip -vk --threads 4 f 2>err
	gzip -dc f.gz | same - f
	says "devices rest after wrong results" err
	read -r _ _ requests _ <stats
	[ "$requests" -le 8 ] || { cat stats; return 1; }
}

test_a_file_of_one_stream_survives_wrong_results() {
	compressed 300000 1/4
	compressed 300000 1/1
}

# decompressed BYTES RULE: from a stream of gzip's, with and without an output.
decompressed() {
	head -c "$1" <(seq 1 10000000) >plain
	gzip -c plain >f.gz
	on "$2" wdzip -t f.gz 2>err || { cat err; return 1; }
	on "$2" wdzip -d f.gz 2>err || { cat err; return 1; }
	same f plain
	rm f
}

test_a_decompressed_file_survives_wrong_results() {
	decompressed 20000 1/1
	decompressed 300000 1/4
	decompressed 6000000 1/8
}

# What has left through a pipe can't be made again.
test_in_a_pipe_a_wrong_result_is_an_error() {
	head -c 3000000 /dev/urandom >plain
	gzip -c plain >f.gz
	exits 1 on 1/2 wdzip -dc <f.gz 2>err >out
	says wrong err
}

test_for_devices_only_a_wrong_result_is_an_error_and_the_input_stays() {
	seq 1 200000 >f
	cp f plain
	exits 1 on 1/1 wdzip --path hw f 2>err
	says "the device's result is wrong" err
	same f plain
	[ ! -e f.gz ]
}

test_corrupt_data_is_still_an_error() {
	seq 1 200000 | gzip -c >f.gz
	printf x | dd of=f.gz bs=1 seek=10000 conv=notrunc status=none
	exits 1 on 0 wdzip -t f.gz 2>err
	says 'f.gz: decompression failed' err
}

test_without_verifying_the_device_is_believed() {
	seq 1 200000 >f
	on 1/1 wdzip --no-verify f
	exits 1 gzip -t f.gz 2>/dev/null
	seq 1 200000 >g
	WD_VERIFY=0 on 1/1 wdzip g
	exits 1 gzip -t g.gz 2>/dev/null
}

run_tests "$@"
