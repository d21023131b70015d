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
	query "create table t as select n, md5(n::text) || repeat(md5((n % 100)::text), 2) as text from generate_series(1, $ROWS) n" >made
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
	stock with_set db "${AS[@]}" postgres --single -D "$PWD/restored" postgres <query >single 2>&1 || { cat single; return 1; }
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

# dumped OPTION...: in the format whose files gzip could read, and in that of one file.
dumped() {
	local format kind

	for format in directory custom; do
		rm -rf dump
		on_devices db "$@" -- pg_dump -F "$format" -Z 3 -f dump
		[ $format = custom ] || gzip -t dump/*.gz
		for kind in stock on_devices; do
			query 'drop database if exists again' >made
			query 'create database again' >made
			if [ $kind = stock ]; then
				stock with_set db pg_restore -d again dump
			else
				on_devices db -- pg_restore -d again dump
			fi
			contents >before
			contents again | same before -
		done
	done
}

test_dumps() {
	serve
	dumped
	devices_deflated $((ROWS * 100)) pg_dump
}

test_dumps_while_devices_fail() {
	serve
	dumped --fault fail=60/4
	did_at_least 1 parts_redone pg_dump
}

run_tests "$@"
