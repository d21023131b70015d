#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip without any device.

RUN=()
WANT=soft
MANY=150
. "$(dirname "$0")/wdzip_cases.sh"

test_is_refused_by_path_hw_without_a_device() {
	[ ! -e /sys/class/uacce ] || [ -z "$(ls /sys/class/uacce)" ] || skip "there is a device"
	text 10 >f
	exits 1 wdzip --path hw f 2>err
	says "wdzip: no compression session" err
	exits 1 env WD_PATH=hw wdzip f
	exits 1 env WD_PATH=soft wdzip --path hw f
	[ -s f ]
}

test_100_mb_survive_a_pipe_of_two() {
	text 104857600 >f
	wdzip -c f | wdzip -dc | same - f
}

# lose_device COMMAND...: the command's third stream call fails as after the device's removal.
lose_device() {
	cat >lose.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
static int calls;
#define LOSE(name) \
	int name(unsigned long long sess, void *strm) \
	{ \
		int (*real)(unsigned long long, void *) = \
			(int (*)(unsigned long long, void *))dlsym(RTLD_NEXT, #name); \
		return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == 3 ? -ENODEV : real(sess, strm); \
	}
LOSE(wd_compress)
LOSE(wd_strm_compress)
LOSE(wd_strm_decompress)
END
	gcc -shared -fPIC -o lose.so lose.c
	LD_PRELOAD=./lose.so "$@"
}

test_begins_a_file_anew_when_its_device_goes() {
	local threads

	text 9000000 >f
	for threads in 1 3; do
		lose_device wdzip -T $threads -kf f 2>err
		says "f: device lost, starting again" err
		gzip -dc f.gz | same - f
	done
	lose_device wdzip -d -o g f.gz 2>err
	says "f.gz: device lost, starting again" err
	same f g
	lose_device wdzip -t f.gz
	lose_device wdzip -o h.gz 2>err <f
	gzip -dc h.gz | same - f
}

test_a_pipe_whose_device_goes_is_an_error() {
	local threads

	text 9000000 >f
	for threads in 1 3; do
		exits 1 lose_device wdzip -T $threads -c f 2>err >got
		says "f: compression failed" err
	done
	exits 1 lose_device wdzip -o g.gz 2>err < <(cat f)
	absent g.gz
	gzip -k f
	exits 1 lose_device wdzip -dc f.gz 2>err >got
	says "f.gz: decompression failed" err
}

# shorter FILE OTHER
shorter() {
	[ "$(stat -c %s "$1")" -lt "$(stat -c %s "$2")" ]
}

test_results_are_as_short_as_those_of_whole_buffers() {
	tar -C "$TOP" -cf f docs kernel model
	wdzip -T 3 -9 -c f >f.gz
	gzip -9 -n -c f >g.gz
	# The parts cost something.
	[ $(($(stat -c %s f.gz) * 100)) -lt $(($(stat -c %s g.gz) * 101)) ]
	head -c 400000 f >small
	wdzip -9 -c small >f.gz
	gzip -9 -n -c small >g.gz
	shorter f.gz g.gz
}

test_says_why_it_is_soft() {
	text 1000 >f
	wdzip --path soft -v -c f 2>err >/dev/null
	says "path soft (" err
}

run_tests "$@"
