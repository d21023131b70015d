#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RocksDB with blocks of 256 KiB, which it compresses by one call each, with a window of 16 KiB. RocksDB verifies them.
# WD_TEST_LONG=1: more, and each level.

. "$(dirname "$0")/zlib.inc.sh"
need_kept_set rocksdb

COUNT=10000 LEVELS=1
[ -z "${WD_TEST_LONG:-}" ] || COUNT=300000 LEVELS='1 3 6'

# db_bench KIND BENCHMARKS [OPTION...]: KIND is a command before it.
db_bench() {
	# shellcheck disable=SC2086 # words
	$1 db_bench --db="$PWD/db" --benchmarks="$2" --num="$COUNT" --value_size=1000 --block_size=262144 \
		--compression_ratio=0.3 \
		--compression_type=zlib --compression_level="$LEVEL" --verify_checksum=1 --threads=2 "${@:3}" \
		>"$2.log" 2>&1 ||
		{ cat "$2.log"; return 1; }
}
LEVEL=6

# All is found, and good, with either library.
reads() {
	local kind

	for kind in 'stock with_set rocksdb' 'on_devices rocksdb --'; do
		db_bench "$kind" readrandom --use_existing_db
		says "($COUNT of $COUNT found)" readrandom.log
		db_bench "$kind" verifychecksum --use_existing_db
	done
	stock with_set rocksdb sst_dump --command=verify --file=db >verify.log 2>&1
	not grep -i corrupt verify.log
}

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
