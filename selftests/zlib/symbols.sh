#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shim's file has the distribution's symbols with their versions, and needs the C library alone.
set -u
. "$(dirname "$0")/../include/tap.sh"

shim=$OUT/lib/warpdrive/zlib/libz.so.1
stock=$(ldconfig -p | sed -n 's/^\tlibz\.so\.1 .*=> //p' | head -1)

names() {
	nm -D --with-symbol-versions --defined-only "$1" | awk '{ print $NF }' | sort
}

test_same_symbols_with_the_same_versions() {
	[ "$(names "$stock" | grep -c inflate)" -gt 5 ]
	diff <(names "$stock") <(names "$shim")
}

test_the_soname_is_libz_so_1() {
	readelf -d "$shim" | grep -q 'SONAME.*\[libz\.so\.1\]'
}

test_it_needs_the_C_library_alone() {
	local needed

	needed=$(readelf -d "$shim" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	[ "$needed" = libc.so.6 ] || { echo "it needs $needed"; return 1; }
}

test_no_relocations_in_its_code() {
	not grep -q TEXTREL <(readelf -d "$shim")
}

[ -r "$shim" ] || skip "the build left out $shim, which needs libz.a"
[ -r "$stock" ] || skip 'no libz.so.1 is installed'
run_tests "$@"
