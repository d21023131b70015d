# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A server of the set db; included after programs.sh.

# The server refuses to be root. In this namespace root's files are nobody's, and so are its processes.
AS=()
[ "$(id -u)" != 0 ] || AS=(unshare --user --map-user="$(id -u nobody)" --map-group="$(id -g nobody)")

# make_cluster: databases of a user tester, in own/data. POSTGRES: the server's command, which listens at PORT.
make_cluster() {
	"${AS[@]}" true || skip 'this user may not make a namespace'
	free_port PORT
	mkdir own sockets
	stock with_set db "${AS[@]}" initdb -D "$PWD/own/data" -U tester --auth=trust --no-sync \
		--locale=C >initdb.log 2>&1 || {
		cat initdb.log
		return 1
	}
	# shellcheck disable=SC2034 # of those who include this file
	POSTGRES=(postgres -D "$PWD/own/data" -F -c listen_addresses=127.0.0.1 -c port="$PORT"
		-c unix_socket_directories="$PWD/sockets")
}

query() { stock with_set db psql -X -A -t -v ON_ERROR_STOP=1 -c "$1" "${2:-postgres}"; }

# make_rows COUNT: a table t of 100 bytes and more in each row.
make_rows() {
	query "create table t as select n, md5(n::text) || repeat(md5((n % 100)::text), 2) as text
		from generate_series(1, $1) n" >made
}

# contents [DATABASE]: of that table.
CONTENTS="select count(*), sum(n), md5(string_agg(text, ' ' order by n)) as sum from t"
contents() { query "$CONTENTS" "$@"; }

# backup_is_good: PostgreSQL's own verification, of what tar and the archives' own programs have unpacked; then a server
# runs on it.
backup_is_good() {
	local sum

	rm -rf restored
	mkdir -m 700 restored
	tar -C restored --no-same-owner -xf backup/base.tar.*
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

# A server ends by itself, and with it what it counts.
end_softly() {
	kill -INT "$(head -n 1 own/data/postmaster.pid)"
	until_true 20 has_ended
	not grep -E 'PANIC|FATAL:  (server|terminated)|signal' server.log
}
