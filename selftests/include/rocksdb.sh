# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# RocksDB with blocks of 256 KiB, which it compresses by one call each, and verifies; included after preloaded.sh. TYPE
# is the compression. WD_TEST_LONG=1: more.

COUNT=10000
[ -z "${WD_TEST_LONG:-}" ] || COUNT=300000
LEVEL=6

# db_bench KIND BENCHMARKS [OPTION...]: KIND is a command before it.
db_bench() {
	# shellcheck disable=SC2086 # words
	$1 db_bench --db="$PWD/db" --benchmarks="$2" --num="$COUNT" --value_size=1000 --block_size=262144 \
		--compression_ratio=0.3 \
		--compression_type="$TYPE" --compression_level="$LEVEL" --verify_checksum=1 --threads=2 "${@:3}" \
		>"$2.log" 2>&1 ||
		{ cat "$2.log"; return 1; }
}

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
