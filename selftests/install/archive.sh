#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shared libwd_comp contains libdeflate where there is an archive that fits, and is linked with the shared one where
# there is none.

. "$(dirname "$0")/../include/tap.sh"

# links_with ARCHIVE: how make would link the library if the compiler named this file.
links_with() {
	cat >cc <<-END
		#!/bin/sh
		[ "\$*" = -print-file-name=libdeflate.a ] && echo '$1' || exec cc "\$@"
	END
	chmod +x cc
	make -C "$TOP/user/algs/comp" -n -B V=1 CC="$PWD/cc" BUILD="$PWD" 2>/dev/null |
		grep -- '-Wl,-soname,libwd_comp.so' >linked
}

test_libwd_comp_contains_libdeflate() {
	local archive

	archive=$(cc -print-file-name=libdeflate.a)
	[ "$archive" != libdeflate.a ] || skip 'there is no libdeflate.a'
	links_with "$archive"
	says "$archive" linked
	not grep -e '-ldeflate' linked
	readelf -dW "$OUT/lib/libwd_comp.so" >needed
	not grep libdeflate needed
}

test_libwd_comp_does_without_an_archive() {
	links_with libdeflate.a
	says '-ldeflate' linked
	not grep libdeflate.a linked
}

# Its code has an address of data in four bytes, or on arm64 in parts that only a program can fill in.
test_libwd_comp_does_without_an_archive_that_fits_programs_only() {
	cat >data.c <<-'END'
		extern int libdeflate_data[];
		int *libdeflate_address(void) { return libdeflate_data; }
		int libdeflate_data[100000];
	END
	cc -c -fno-pic -fno-pie -mcmodel=small data.c
	ar rc "$PWD/libdeflate.a" data.o
	if cc -shared -nostdlib -Wl,-z,text -Wl,--whole-archive libdeflate.a -o data.so 2>/dev/null; then
		skip 'the linker makes a shared library of such code here'
	fi
	links_with "$PWD/libdeflate.a"
	says '-ldeflate' linked
	not grep libdeflate.a linked
}

run_tests "$@"
