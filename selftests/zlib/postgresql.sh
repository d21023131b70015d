#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL: backups that server or client compress, and dumps, which are read back and compared.
# WD_TEST_LONG=1: more rows, and each level.

. "$(dirname "$0")/zlib.inc.sh"
. "$(dirname "$0")/../include/postgresql.sh"
need_kept_set db

ROWS=20000 LEVELS=1
[ -z "${WD_TEST_LONG:-}" ] || ROWS=400000 LEVELS='1 2 3 4 5 6'
export PGHOST=127.0.0.1 PGUSER=tester PGDATABASE=postgres

query() { stock with_set db psql -X -A -t -v ON_ERROR_STOP=1 -c "$1" "${2:-postgres}"; }

# serve OPTION...: a server with devices by these options, and one table of 100 bytes and more in each row.
serve() {
	make_cluster
	export PGPORT=$PORT
	start_on_devices server db "$@" -- "${AS[@]}" "${POSTGRES[@]}"
	listening server "$PORT"
	query "create table t as select n, md5(n::text) || repeat(md5((n % 100)::text), 2) as text
		from generate_series(1, $ROWS) n" >made
}

CONTENTS="select count(*), sum(n), md5(string_agg(text, ' ' order by n)) as sum from t"
contents() { query "$CONTENTS" "$@"; }

# PostgreSQL's own verification, of what tar and gzip have unpacked; then a server runs on it.
backup_is_good() {
	local archive sum

	rm -rf restored
	mkdir -m 700 restored
	for archive in backup/*.gz; do
		gzip -t "$archive"
	done
	tar -C restored --no-same-owner -xzf backup/base.tar.gz
	tar -C restored/pg_wal --no-same-owner -xf backup/pg_wal.tar*
	stock with_set db pg_verifybackup -m backup/backup_manifest restored >verified
	says 'backup successfully verified' verified
	contents >before
	sum=$(cut -d'|' -f3 before)
	[ -n "$sum" ]
	echo "$CONTENTS" >query
	stock with_set db "${AS[@]}" postgres --single -D "$PWD/restored" postgres <query >single 2>&1 ||
		{ cat single; return 1; }
	says "$sum" single
}

# backup PLACE LEVEL: PLACE is the side that compresses, server or client.
backup() {
	rm -rf backup
	on_devices db -- pg_basebackup -D backup -F tar -X stream -Z "$1-gzip:level=$2" --no-sync --checkpoint=fast
	backup_is_good
}

test_backups_by_the_server() {
	local level

	serve
	for level in $LEVELS; do
		backup server "$level"
	done
	end_softly
	# The databases as initdb makes them have more than 20 MB.
	devices_deflated 10000000
}

test_backups_by_the_client() {
	local level

	serve
	for level in $LEVELS; do
		backup client "$level"
	done
	devices_deflated 10000000 pg_basebackup
}

# A server ends by itself, and with it what it counts.
end_softly() {
	kill -INT "$(head -n 1 own/data/postmaster.pid)"
	until_true 20 has_ended
	not grep -E 'PANIC|FATAL:  (server|terminated)|signal' server.log
}

# dumped FORMAT OPTION... -- COMMAND...: a dump, with devices by these options, that this command restores.
dumped() {
	local format=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	rm -rf dump
	on_devices db "${options[@]}" -- pg_dump -F "$format" -Z 3 -f dump
	[ "$format" = custom ] || gzip -t dump/*.gz
	query 'drop database if exists again' >made 2>&1
	query 'create database again' >made
	"${@:2}" pg_restore -d again dump
	contents >before
	contents again | same before -
}

test_dumps() {
	serve
	dumped directory -- stock with_set db
	dumped custom -- on_devices db --
	devices_deflated $((ROWS * 100)) pg_dump
}

test_dumps_while_devices_fail() {
	serve
	dumped directory --fault fail=60/4 -- stock with_set db
	did_at_least 1 parts_redone pg_dump
}

run_tests "$@"
