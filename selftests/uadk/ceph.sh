#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ceph's compressor for UADK, one file of Debian's source package and unchanged, compiled with stand-ins for the parts
# of Ceph that it uses; then objects through it, by several threads, on emulated devices of each kind and with faults.
# WD_TEST_LONG=1 fetches the source, 250 MB, of which a few files stay in the cache.

. "$(dirname "$0")/../include/programs.sh"
. "$(dirname "$0")/ceph/source.sh"

need_built() {
	[ -e "$OUT/lib/warpdrive/uadk/libwd_comp.so" ] || not_here 'the libraries were left out of the build'
}
need_devices
ceph_source || not_here "$WHY"
SOURCE=$CEPH/src/compressor
[ -e "$SOURCE/UadkAccel.cc" ] || not_here 'this Ceph has no compressor for UADK'

export LD_LIBRARY_PATH=$OUT/lib/warpdrive/uadk
THREADS=3 ROUNDS=7	# sizes, of one kind of data after the other
[ -z "${WD_TEST_LONG:-}" ] || ROUNDS=28
TRIPS=$((THREADS * ROUNDS * 2))
exec 3>&1

# Once for all tests.
compile() {
	local flags pc=$OUT/lib/warpdrive/uadk/pkgconfig tests=$TOP/selftests

	[ ! -x ../objects ] || return 0
	flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs libwd_comp libwd) || return
	# The flags are words.
	# shellcheck disable=SC2086
	g++ -std=c++20 -O1 -g -pthread -I"$tests/uadk/ceph" -I"$tests/uadk" -I"$tests/include" -I"$SOURCE" \
		"$SOURCE/UadkAccel.cc" "$tests/uadk/ceph/objects.cc" -o ../objects $flags -lz
}

# objects OPTION...: all trips, on devices by these options of wd-emulate. A trip that isn't right has failed with an
# error; wrong data fails the program.
objects() {
	compile
	wd-emulate --stats stats "$@" -- ../objects $THREADS $ROUNDS >objects.log 2>&1 ||
		{ tail -n 20 objects.log; return 1; }
	echo "# objects $*: $(tail -n 1 objects.log), $(requests stats zip) requests of devices" >&3
	busy stats zip
}

all_right() {
	objects "$@"
	says "$TRIPS right, 0 errors, 0 wrong" objects.log
}

test_generation_3() { all_right --zip 2; }
test_generation_2() { all_right --zip 2@v2; }
test_without_shared_addresses() { all_right --zip '1,sva=0'; }
test_failing_requests() { all_right --zip 2 --fault fail=1/40; }
test_resets() { all_right --zip 2 --fault error=1/150; }

# A stream that a device has begun ends with it.
test_removed_devices() {
	objects --zip 2 --fault remove=1/30
	[ "$(sed -n 's/ right,.*//p' objects.log)" -gt 0 ] || { cat objects.log; return 1; }
}

# Only with the check does anybody know.
test_wrong_results() {
	WD_VERIFY=1 objects --zip 2 --fault corrupt=1/40
	[ "$(sed -n 's/ right,.*//p' objects.log)" -gt 0 ] || { cat objects.log; return 1; }
}

# Ceph then takes another compressor.
test_no_device() {
	compile
	exits 1 ../objects 1 1 2>said
	says 'cannot get uadk device' said
}

run_tests "$@"
