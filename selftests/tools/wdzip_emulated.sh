#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip on two emulated devices, no kernel module needed.

RUN=(wd-emulate --zip 2 --)
WANT=sim
MANY=20
. "$(dirname "$0")/wdzip_cases.sh"

command -v wd-emulate >/dev/null || {
	echo "1..0 # SKIP wd-emulate is not built"
	exit 4
}

test_the_same_program_takes_the_other_path_on_request() {
	text 100000 >f
	wz --path soft -v -c f 2>err >a.gz
	says "path soft" err
	wz --path hw -v -c f 2>err >b.gz
	says "path sim" err
	wz -dc a.gz | same - f
	wdzip -dc b.gz | same - f
}

test_20_mb_survive_a_pipe_of_two() {
	text 20000000 >f
	wz -c f | wz -dc | same - f
}

test_devices_have_a_part_in_zstd_and_lz4() {
	local format threads

	text 9000000 >f
	for format in zstd lz4; do
		command -v $format >/dev/null || continue
		for threads in 1 3; do
			wd-emulate --zip 1 -- wdzip -F $format -T $threads -vc f 2>err >f.x
			says "path sim" err
			wdzip -dc f.x | same - f
			$format -qt <f.x
		done
	done
	wd-emulate --zip 1@v2 -- wdzip -F lz4 -vc f 2>err | wdzip -dc | same - f
	says "path soft (no device offers it)" err
}

test_parts_go_to_all_devices() {
	text 8000000 >f
	wd-emulate --stats stats --zip 2 -- wdzip -c f | gzip -dc | same - f
	[ "$(awk '$3 > 2' stats | wc -l)" = 2 ] || { cat stats; return 1; }
}

# A device that is about to go refuses streams for as long as others may need to see that it has gone.
test_a_file_survives_a_device_that_fails_each_time() {
	text 1000000 >f
	wd-emulate --zip 1 --fault fail=1/1 -- wdzip -T 1 -kv f 2>err
	[ "$(grep -c 'f: device lost, starting again: ' err)" = 4 ]
	says "path soft" err
	gzip -dc f.gz | same - f
	gzip -c f >g.gz
	wd-emulate --zip 1 --fault fail=1/1 -- wdzip -dkv g.gz 2>err
	says "path soft" err
	same g f
	rm f.gz
	exits 1 wd-emulate --zip 1 --fault fail=1/1 -- wdzip --path hw -T 1 -kv f 2>err
	says "f: compression failed: " err
	absent f.gz
}

# The software path does a part again whose completion is lost or wrong.
test_parts_survive_what_devices_do() {
	text 3000000 >f
	wd-emulate --zip 2 --fault fail=1/4 -- wdzip -c f >f.gz 2>err || { cat err; return 1; }
	gzip -dc f.gz | same - f
}

# The deadline of one piece passes; then the file is compressed again from its beginning.
dropped_of_a_file() {
	text 100000 >f
	wd-emulate --zip 1 --fault drop=1 -- timeout 200 wdzip -k f 2>err
	says "f: device lost, starting again: the deadline passed" err
	gzip -dc f.gz | same - f
}

# After that deadline the software path compresses the part.
dropped_of_a_pipe() {
	text 1000000 >f
	wd-emulate --zip 1 --fault drop=1 -- timeout 200 wdzip -vc <f 2>err >f.gz
	says "path soft and sim" err || says "path sim and soft" err
	gzip -dc f.gz | same - f
}

dropped_without_another_try() {
	text 100000 >f
	exits 1 wd-emulate --zip 1 --fault drop=1 -- timeout 200 wdzip -c f 2>err >out.gz
	says "f: compression failed: the deadline passed" err
}

# They wait together, since each waits for half a minute.
test_a_completion_that_a_device_drops_costs_a_file_or_a_part_time_and_is_an_error_in_a_pipe() {
	local name waiters=() waiter

	for name in dropped_of_a_file dropped_of_a_pipe dropped_without_another_try; do
		mkdir $name
		(cd $name && $name) &
		waiters+=($!)
	done
	for waiter in "${waiters[@]}"; do
		wait "$waiter"
	done
}

run_tests "$@"
