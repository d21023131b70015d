#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RocksDB, which compresses with a window of 16 KiB.
# WD_TEST_LONG=1: more, and each level.

. "$(dirname "$0")/zlib.inc.sh"
. "$(dirname "$0")/../include/rocksdb.sh"
need_kept_set rocksdb

LEVELS=1
[ -z "${WD_TEST_LONG:-}" ] || LEVELS='1 3 6'
TYPE=zlib

test_levels() {
	for LEVEL in $LEVELS; do
		db_bench 'on_devices rocksdb --' filluniquerandom,flush,compact,levelstats --threads=1
		reads
	done
	devices_deflated $((COUNT * 1000 / 2)) db_bench
}

test_devices_that_fail() {
	db_bench 'on_devices rocksdb --fault fail=60/4 --' filluniquerandom,flush --threads=1
	did_at_least 1 parts_redone db_bench
	reads
}

run_tests "$@"
