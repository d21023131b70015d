#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a library compresses is for devices, unless the library is a part of WarpDrive: its file's name decides.

. "$(dirname "$0")/zlib.inc.sh"
need_devices

# library NAME: a program whose library of that name compresses a megabyte.
library() {
	cat >lib.c <<-'END'
		#include <zlib.h>
		int squeeze(unsigned char *to, unsigned long *len, unsigned char *from, unsigned long n)
		{
			z_stream s = { .next_in = from, .avail_in = n, .next_out = to, .avail_out = *len };
			return deflateInit(&s, 1) || deflate(&s, Z_FINISH) != Z_STREAM_END || deflateEnd(&s);
		}
	END
	cat >program.c <<-'END'
		#include <stdlib.h>
		int squeeze(unsigned char *to, unsigned long *len, unsigned char *from, unsigned long n);
		int main(void)
		{
			unsigned long n = 1 << 20, len = 2 << 20, i;
			unsigned char *from = malloc(n), *to = malloc(len);
			for (i = 0; i < n; i++)
				from[i] = (unsigned char)(i * i >> 7);
			return squeeze(to, &len, from, n);
		}
	END
	mkdir -p lib
	rm -f lib/*
	gcc -shared -fPIC -Wl,-soname,"$1" -o "lib/$1" lib.c -lz
	gcc -o program program.c "lib/$1" -Wl,-rpath,"$PWD/lib" -lz
	rm -f did
	on_devices host -- ./program
}

test_libraries_whose_names_begin_like_ours_have_devices() {
	local name

	for name in libwdm.so.1 libwdi.so libwd-x.so.0 libwd_.so libwd.so0 libuacce.so; do
		library $name
		devices_deflated 1000000 program
	done
}

test_our_libraries_have_none() {
	local file

	for file in "$OUT"/lib/libwd*.so.0 "$OUT"/lib/libuacce-emu.so.0; do
		# One that the program loads by itself can't be replaced.
		[[ $file != */libwd.so.0 && $file != */libwd_comp.so.0 && $file != */libuacce-emu.so.0 ]] || continue
		library "${file##*/}"
		[ "$(sum_of deflate_device_bytes)" = 0 ] || { cat did; return 1; }
	done
}

run_tests "$@"
