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

# serve OPTION...: a server with devices by these options, and one table.
serve() {
	make_cluster
	export PGPORT=$PORT
	start_on_devices server db "$@" -- "${AS[@]}" "${POSTGRES[@]}"
	listening server "$PORT"
	make_rows "$ROWS"
}

# backup PLACE LEVEL: PLACE is the side that compresses, server or client.
backup() {
	rm -rf backup
	on_devices db -- pg_basebackup -D backup -F tar -X stream -Z "$1-gzip:level=$2" --no-sync --checkpoint=fast
	gzip -t backup/*.gz
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
