#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl doctor has findings about the replacement of zlib.

. "$(dirname "$0")/../include/tap.sh"

for program in wd-emulate wdctl; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not there"
		exit 4
	}
done
SHIM=$OUT/lib/warpdrive/zlib/libz.so.1
[ -e "$SHIM" ] || {
	echo '1..0 # SKIP the replacement of zlib was left out'
	exit 4
}

# findings COMMAND...: what doctor says about zlib, as STATE TEXT REMEDY; the command runs wdctl.
findings() {
	{ "$@" wdctl doctor --json || [ $? = 1 ]; } | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["area"] == "zlib":
        print(f["state"], f["text"], f["remedy"])
        assert (f["remedy"] is None) == (f["state"] == "ok"), f' >got
}

# elsewhere: an installation of wdctl and libwd_comp that the tests can change.
elsewhere() {
	mkdir -p bin lib/warpdrive/zlib
	cp "$OUT/bin/wdctl" bin/
	cp -a "$OUT"/lib/lib{wd,hisi_qm,wd_comp}.so* lib/
	cp "$SHIM" lib/warpdrive/zlib/
	PATH=$PWD/bin:$PATH
}

test_with_a_device_all_is_well() {
	findings wd-emulate --zip 2 --
	[ "$(grep -c '^ok ' got)" = 3 ]
	not grep -v '^ok ' got
	says "ok $(realpath "$SHIM") None" got
	says 'ok hisi_zip-0 may compress for zlib' got
	says 'ok hisi_zip-1 may compress for zlib' got
}

# A machine whose programs don't use it has no problem with that.
test_without_a_device_there_is_a_note() {
	findings wd-emulate --sec 1 --
	says 'note none of the devices compresses, so zlib itself does the work wdctl load' got
	[ "$(wc -l <got)" = 2 ]
	findings wd-emulate --zip 0 --
	says 'note there is no device, so zlib itself does the work wdctl load' got
	not grep '^problem' got
}

test_without_the_file_there_is_a_note() {
	elsewhere
	rm lib/warpdrive/zlib/libz.so.1
	findings wd-emulate --zip 1 --
	[ "$(wc -l <got)" = 1 ]
	says "note the replacement of zlib isn't installed: there is no $PWD/lib/warpdrive/zlib/libz.so.1" got
	says 'install the package warpdrive-zlib' got
}

test_the_file_is_found_where_the_libraries_are() {
	elsewhere
	mv lib odd
	LD_LIBRARY_PATH=$PWD/odd findings wd-emulate --zip 1 --
	says "ok $PWD/odd/warpdrive/zlib/libz.so.1" got
}

test_a_file_that_is_none_is_a_problem() {
	elsewhere
	echo 'no library' >lib/warpdrive/zlib/libz.so.1
	findings wd-emulate --zip 1 --
	[ "$(wc -l <got)" = 1 ]
	says "problem $PWD/lib/warpdrive/zlib/libz.so.1 can't be loaded: " got
	says 'make install-user && ldconfig' got
}

test_a_file_that_the_user_can_not_read_is_a_problem() {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	elsewhere
	chmod a+rx ..
	chmod 600 lib/warpdrive/zlib/libz.so.1
	findings setpriv --reuid 65534 --regid 65534 --clear-groups env LD_LIBRARY_PATH="$PWD/lib"
	local library=$PWD/lib/warpdrive/zlib/libz.so.1
	says "problem $library: user 65534 can't read it chmod a+r $library" got
}

run_tests "$@"
