#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RocksDB under wd-zstd, also with dictionaries, which are libzstd's alone.
# WD_TEST_LONG=1: more, and each level.

. "$(dirname "$0")/zstd.inc.sh"
. "$(dirname "$0")/../include/rocksdb.sh"
need_kept_set rocksdb

LEVELS=1
[ -z "${WD_TEST_LONG:-}" ] || LEVELS='1 3 6'
TYPE=zstd

test_levels() {
	for LEVEL in $LEVELS; do
		db_bench 'on_devices rocksdb --' filluniquerandom,flush,compact,levelstats --threads=1
		reads
	done
	did_at_least $((COUNT * 1000 / 2)) device_bytes db_bench
}

test_dictionaries() {
	db_bench 'on_devices rocksdb --' filluniquerandom,flush,compact --threads=1 \
		--compression_max_dict_bytes=16384 --compression_zstd_max_train_bytes=1000000
	reads
}

test_devices_that_answer_wrongly() {
	db_bench 'on_devices rocksdb --fault corrupt=5 --' filluniquerandom,flush --threads=1
	did_at_least 1 wrong db_bench
	reads
}

run_tests "$@"
