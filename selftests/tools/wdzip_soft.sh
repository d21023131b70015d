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

# [call=N] lose_device COMMAND...: the command's third call, or that one, fails as after the device's removal.
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
		return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == CALL ? -ENODEV : real(sess, strm); \
	}
LOSE(wd_compress)
LOSE(wd_strm_compress)
LOSE(wd_strm_decompress)
END
	gcc -shared -fPIC -DCALL="${call:-3}" -o lose.so lose.c
	LD_PRELOAD=./lose.so "$@"
}

test_begins_a_file_anew_when_its_device_goes() {
	local threads

	text 9000000 >f
	for threads in 1 3; do
		call=$threads lose_device wdzip -T $threads -kf f 2>err
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
		call=$threads exits 1 lose_device wdzip -T $threads -c f 2>err >got
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

test_one_thread_compresses_a_file_at_once() {
	local cpu

	tar -C "$TOP" -cf f docs kernel model
	wdzip -T 1 -c f >1.gz
	wdzip -T 2 -c f >2.gz
	gzip -dc 1.gz | same - f
	shorter 1.gz 2.gz
	wdzip -T 1 -c <f | same - 1.gz
	cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
	taskset -c "$cpu" wdzip -c f | same - 1.gz
	taskset -c "$cpu" wdzip -T 0 --path soft -c f | same - 1.gz
	wdzip -T 1 -1 -c f >1.gz
	wdzip -T 2 -1 -c f | same - 1.gz
}

# Above 128 MiB, and without the memory, in parts: their results for zeros are longer, too.
test_one_thread_compresses_a_large_file_in_parts() {
	truncate -s 128M f
	wdzip -T 1 -2 -c f >1.gz
	wdzip -T 2 -2 -c f >2.gz
	shorter 1.gz 2.gz
	(ulimit -v 250000; wdzip -T 1 -2 -c f) | same - 2.gz
	truncate -s +1 f
	wdzip -T 2 -2 -c f >2.gz
	wdzip -T 1 -2 -c f | same - 2.gz
}

test_a_file_that_grows_is_compressed_to_its_end() {
	text 3000000 >f
	cat >grow.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <sys/stat.h>
		int fstat(int fd, struct stat *st)
		{
			int (*real)(int, struct stat *) = (int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat");
			int ret = real(fd, st);

			if (st->st_size > 1000000)
				st->st_size = 1000000;
			return ret;
		}
	END
	gcc -shared -fPIC -o grow.so grow.c
	LD_PRELOAD=./grow.so wdzip -T 1 -c f | gzip -dc | same - f
}

# opens_at_each_request COMMAND...: whoever opens f for writing during a request of the command waits, or doesn't.
opens_at_each_request() {
	cat >open.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int wd_compress(unsigned long long sess, void *arg)
{
	int (*real)(unsigned long long, void *) =
		(int (*)(unsigned long long, void *))dlsym(RTLD_NEXT, "wd_compress");
	int fd = open("f", O_WRONLY | O_NONBLOCK);

	fprintf(stderr, "%s\n", fd < 0 && errno == EWOULDBLOCK ? "waits" : "opens");
	close(fd);
	return real(sess, arg);
}
END
	gcc -shared -fPIC -o open.so open.c
	LD_PRELOAD=./open.so "$@"
}

has_leases() {
	python3 -c 'import fcntl; fcntl.fcntl(open("f"), fcntl.F_SETLEASE, fcntl.F_RDLCK)' 2>/dev/null ||
		skip "this file system has no leases"
}

test_a_file_in_place_is_read_if_somebody_wants_to_write() {
	text 3000000 >f
	has_leases
	opens_at_each_request wdzip -T 1 -c f 2>err | gzip -dc | same - f
	[ "$(cat err)" = $'waits\nopens' ]
	opens_at_each_request wdzip -T 1 -c <f 2>err | gzip -dc | same - f
	[ "$(cat err)" = $'waits\nopens' ]
}

test_a_file_that_is_open_for_writing_is_read() {
	text 3000000 >f
	has_leases
	exec 8>>f
	opens_at_each_request wdzip -T 1 -c f 2>err | gzip -dc | same - f
	exec 8>&-
	[ "$(cat err)" = opens ]
}

test_says_why_it_is_soft() {
	text 1000 >f
	wdzip --path soft -v -c f 2>err >/dev/null
	says "path soft (" err
}

run_tests "$@"
