#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Languages whose own libraries call zlib: Node, PHP, Java.
# WD_TEST_LONG=1: also with devices that fail, and the JDK's own tests, of the source package of this host's JDK.

. "$(dirname "$0")/zlib.inc.sh"
need_devices
BIG_BYTES=2500000
HERE=$TOP/selftests/zlib

# Node of Debian looks for parts of itself in /usr/share, whose folders only this process and its children see.
# shellcheck disable=SC2016 # for the shell there
NODE='mount -t overlay overlay -o "lowerdir=$WARPDRIVE_PROGRAMS/usr/share:/usr/share" /usr/share && exec node "$@"'
AS_ROOT=()
[ "$(id -u)" = 0 ] || AS_ROOT=(-r)

node_trip() {
	"$@" unshare -m "${AS_ROOT[@]}" bash -c "$NODE" bash "$HERE/round_trip.js" "$BIG" big.gz
	unpacks big.gz
	rm big.gz
}

test_node() {
	need_also node
	unshare -m "${AS_ROOT[@]}" true || skip 'this user may not mount anything'
	big_file
	node_trip on_none node
	none_deflated
	node_trip on_devices node --
	devices_deflated $((10 * BIG_BYTES)) node
	[ -n "${WD_TEST_LONG:-}" ] || return 0
	mv did before
	node_trip on_devices node --fault fail=60/4 --
	did_at_least 1 parts_redone node
}

# The set has no link of the name php.
php_trip() {
	# shellcheck disable=SC2016 # for the shell there
	"$@" bash -c 'exec "$WARPDRIVE_PROGRAMS"/usr/bin/php[0-9].[0-9] -n -d memory_limit=-1 "$@"' bash \
		"$HERE/round_trip.php" "$BIG" big.gz
	unpacks big.gz
	rm big.gz
}

test_php() {
	need_also php
	big_file
	php_trip on_none php
	none_deflated
	php_trip on_devices php --
	devices_deflated $((10 * BIG_BYTES))
	[ -n "${WD_TEST_LONG:-}" ] || return 0
	mv did before
	php_trip on_devices php --fault fail=60/4 --
	did_at_least 1 parts_redone
}

test_jar() {
	command -v jar >/dev/null || skip 'no JDK is installed'
	big_file
	mkdir in
	cp "$BIG" in/file
	# One stream, which is reset, compresses the manifest, which is small, and then the file.
	on_devices host -- jar cf one.jar -C in file
	devices_deflated $((BIG_BYTES / 2))
	mkdir out
	python3 -m zipfile -t one.jar
	python3 -m zipfile -e one.jar out
	same in/file out/file
	rm -r out
	mkdir out
	(cd out && on_devices host -- jar xf ../one.jar)
	same in/file out/file
}

# Each is a class with a main(), which fails by an exception.
JDK='DeInflate DeflateIn_InflateOut InflateIn_DeflateOut TotalInOut FlaterTest FlaterCriticalArray StoredCRC
DataDescriptor GZIP/Accordion GZIP/GZIPInputStreamRead'

test_java() {
	local name version

	[ -n "${WD_TEST_LONG:-}" ] || skip 'only with WD_TEST_LONG=1'
	command -v javac >/dev/null || skip 'no JDK is installed'
	version=$(javac -version 2>&1 | grep -oE '[0-9]+' | head -n 1)
	source_of "openjdk-$version"
	for name in $JDK; do
		on_devices host -- java "$SOURCE/test/jdk/java/util/zip/$name.java" >java.log 2>&1 ||
			{ echo "$name:"; tail -n 30 java.log; return 1; }
	done
	devices_deflated 1000000
}

run_tests "$@"
