#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL under wd-zstd: its log of changes, from which a server recovers, and backups that server or client
# compress, which are verified and started. Servers listen at a socket in the test's folder only.
# WD_TEST_LONG=1: more rows, and each level.

. "$(dirname "$0")/zstd.inc.sh"
. "$(dirname "$0")/../include/postgresql.sh"
need_kept_set db

ROWS=20000 LEVELS=1
[ -z "${WD_TEST_LONG:-}" ] || ROWS=400000 LEVELS='1 2 3 4 5 6'
export PGUSER=tester PGDATABASE=postgres

# up OPTION...: waits until the server takes connections.
up() {
	export PGHOST=$PWD/sockets PGPORT=$PORT
	until_true 30 up_or_ended
	query 'select 1' >made || { cat server.log; return 1; }
}
up_or_ended() { has_ended || query 'select 1' >made 2>&1; }

# serve OPTION...: a server with these options and devices, and one table. It has devices for pages as well, which have
# 8 KiB.
serve() {
	make_cluster
	POSTGRES+=(-c listen_addresses= -c autovacuum=off)
	WD_ZSTD_MIN=4k start_on_devices server db -- "${AS[@]}" "${POSTGRES[@]}" "$@"
	up
	make_rows "$ROWS"
}

# backup METHOD LEVEL: METHOD has the side that compresses: server-zstd or client-zstd.
backup() {
	rm -rf backup
	on_devices db -- pg_basebackup -D backup -F tar -X stream -Z "$1:level=$2" --no-sync --checkpoint=fast
	zstd -qt backup/*.zst
	backup_is_good
}

# The databases as initdb makes them have more than 20 MB.
test_backups_by_the_server() {
	local level

	serve
	for level in $LEVELS; do
		backup server-zstd "$level"
	done
	end_softly
	did_at_least 10000000 device_bytes
}

test_backups_by_the_client() {
	local level

	serve
	for level in $LEVELS; do
		backup client-zstd "$level"
	done
	did_at_least 10000000 device_bytes pg_basebackup
}

# Several threads would get an error of a producer.
test_backups_by_several_threads() {
	local side

	serve
	for side in server client; do
		backup $side-zstd 3,workers=2
	done
	end_softly
}

pages_of_log() {
	local file

	# Its end is an error.
	for file in own/data/pg_wal/0*; do
		stock with_set db pg_waldump -wb "$file" 2>/dev/null | grep FPW || :
	done
}

# After a checkpoint the first change of a page puts all of it into the log.
test_recovery_from_a_compressed_log() {
	serve -c wal_compression=zstd
	query checkpoint >made
	query 'update t set n = n + 1' >made
	contents >before
	# The process of a connection counts when it has ended, after its client.
	until_true 20 did_at_least 1000000 device_bytes >made
	kill -QUIT "$(head -n 1 own/data/postmaster.pid)"
	until_true 20 has_ended
	pages_of_log >pages
	says 'method: zstd' pages
	start again db -- "${AS[@]}" "${POSTGRES[@]}"
	up
	contents | same before -
	says 'redo done' again.log
}

run_tests "$@"
