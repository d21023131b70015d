#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gzip's own tests with wdzip as gzip, without a device and on emulated ones. The source package comes from the mirror.
# Those in the file gzip_differs fail by intention, which is tested as well; gzip itself passes all.
# WD_TEST_LONG=1: on emulated devices also those with 4 GiB and with two thousand processes.

. "$(dirname "$0")/../include/tap.sh"

DIFFERS=$(realpath "$(dirname "$0")/gzip_differs")
SOURCE=$("$TOP/scripts/programs" --source gzip 2>/dev/null) || {
	echo "1..0 # SKIP the source package gzip can't be had"
	exit 4
}
GZIP_STOCK=$(command -v gzip)

# build PROGRAM: a folder with that program as gzip, and with gzip's scripts, which call it.
build() {
	local script name version

	version=$("$1" --version | sed -n '1s/.* //p')
	mkdir -p build/tests
	ln -s "$1" build/gzip
	for script in "$SOURCE"/z*.in "$SOURCE"/g*.in; do
		name=$(basename "$script" .in)
		[ "$name" != zless ] || continue
		sed -e "s|[@]GREP@|grep|g; s|[@]VERSION@|$version|g" -e "s/'gzip'/gzip/g; s/'zdiff'/zdiff/g" \
			-e "s/'zgrep'/zgrep/g" "$script" >"build/$name"
		chmod 755 "build/$name"
	done
	(cd build && built_programs=$(find . -maxdepth 1 ! -type d -printf '%f ') && declare -p built_programs) >env
	echo "VERSION=$version" >>env
}

# one NAME COMMAND...: one of gzip's tests, in the folder above; COMMAND runs it. 77: it skips itself.
one() {
	(
		cd build/tests
		set -a
		. ../../env
		srcdir=$SOURCE/tests abs_srcdir=$SOURCE/tests abs_top_srcdir=$SOURCE abs_top_builddir=$PWD/..
		LC_ALL=C SHELL=/bin/sh GREP=grep CC=gcc PATH=${PWD%/*}:$PATH TMPDIR=${PWD%/*}
		exec "${@:2}" /bin/sh "$SOURCE/tests/$1" 9>&2
	)
}

names() {
	sed -n '/^TESTS =/,/[^\\]$/p' "$SOURCE/tests/Makefile.am" |
		grep -oE '[a-z0-9-]+[[:space:]]*\\?$' | tr -d '\\ \t'
}

# option_of NAME: prints what the list has for that test: nothing, a minus, or the option with which it passes.
option_of() { awk -v name="$1" '$1 == name { print $2 }' "$DIFFERS"; }

# result NAME CODE COMMAND...: the test ends with that code, or skips itself.
result() {
	local code=0

	one "$1" "${@:3}" >"$1.log" 2>&1 </dev/null || code=$?
	[ $code != "$2" ] && [ $code != 77 ] || return 0
	echo "$1: ended with $code, expected $2"
	tail -n 20 "$1.log"
	bad=1
}

# suite COMMAND...: all of gzip's tests. A test that differs has to fail, or it needs no line in the list any more.
suite() {
	local name option bad=0

	[ "$(names | wc -l)" -ge 20 ]
	for name in $(names); do
		[[ " $LEFT_OUT " != *" $name "* ]] || continue
		option=$(option_of "$name")
		result "$name" $((!!${#option})) "$@"
		[[ $option != -?* ]] || GZIP=$option result "$name" 0 "$@"
	done
	return $bad
}
LEFT_OUT=

test_gzip_itself_passes() {
	[ "$("$GZIP_STOCK" --version | head -n 1)" = 'gzip 1.12' ] || skip 'the tests are of another gzip'
	build "$GZIP_STOCK"
	DIFFERS=/dev/null suite env
}

test_wdzip_passes_without_a_device() {
	build "$OUT/bin/wdzip"
	suite env WD_PATH=soft
}

test_wdzip_passes_on_emulated_devices() {
	[ -x "$OUT/bin/wd-emulate" ] || skip 'the emulator was left out of the build'
	build "$OUT/bin/wdzip"
	[ -n "${WD_TEST_LONG:-}" ] || LEFT_OUT='mixed list-big'
	suite wd-emulate --zip 1 --
}

test_each_difference_has_a_test_and_a_reason() {
	local name option reason

	while read -r name option reason; do
		[[ $name != "#"* ]] || continue
		names | grep -qxF -- "$name"
		[[ $option == -* ]]
		[ -n "$reason" ]
	done <"$DIFFERS"
}

run_tests "$@"
