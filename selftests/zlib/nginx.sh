#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nginx sends a file of 20 MB, which its module gzip compresses in pieces of 32 KB, out of memory of its own.
# WD_TEST_LONG=1: also when devices misbehave, and to more clients.

. "$(dirname "$0")/zlib.inc.sh"
need_set web

BIG_BYTES=20000000
CLIENTS=2
[ -z "${WD_TEST_LONG:-}" ] || CLIENTS=20
# Another user would not see the emulated devices.
USER_LINE=
[ "$(id -u)" != 0 ] || USER_LINE='user root;'

# serve LEVEL OPTION...: with devices by these options. nginx keeps only those variables that are named here: the
# emulator's, too.
serve() {
	big_file
	mkdir -p site
	ln -f "$BIG" site/big.txt
	free_port PORT
	cat >nginx.conf <<-END
		pid nginx.pid;
		daemon off;
		worker_processes 2;
		error_log stderr;
		env WD_ZLIB_STATS; env WD_EMULATE; env WD_EMULATE_ROOT;
		events {}
		http {
			client_body_temp_path t; proxy_temp_path t;
			fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
			access_log off;
			types { text/plain txt; }
			gzip on;
			gzip_types text/plain;
			gzip_comp_level $1;
			root $PWD/site;
			server { listen 127.0.0.1:$PORT; }
		}
	END
	start_on_devices nginx web "${@:2}" -- nginx -p "$PWD" -c nginx.conf -g "$USER_LINE"
	listening nginx "$PORT"
}

# fetch FILE: compressed, as it came.
fetch() {
	stock with_set web curl -sS -D "$1.head" -H 'Accept-Encoding: gzip' -o "$1" "http://127.0.0.1:$PORT/big.txt"
	grep -qi '^content-encoding: gzip' "$1.head"
}

clients() {
	local i pids=''

	for ((i = 0; i < CLIENTS; i++)); do
		fetch "got.$i" &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i"
	done
	for ((i = 0; i < CLIENTS; i++)); do
		unpacks "got.$i"
		rm "got.$i"
	done
}

# Its workers end by themselves, and with them what they count.
ends() {
	kill -QUIT "$(cat nginx.pid)"
	until_true 20 has_ended
	# It computes how much memory zlib takes, and complains of whatever else is wanted.
	not grep -F 'preallocated memory' nginx.log
	not grep -E '\[(alert|crit|emerg|error)\]|exited on signal' nginx.log
}

test_level_1() {
	serve 1
	clients
	ends
	devices_deflated $((BIG_BYTES * CLIENTS / 2))
}

test_level_6() {
	serve 6
	fetch got
	unpacks got
	ends
	devices_deflated $((BIG_BYTES / 2))
}

# curl unpacks by inflate().
test_a_client_unpacks() {
	serve 1
	on_devices web -- curl -sS --compressed -o got "http://127.0.0.1:$PORT/big.txt"
	same "$BIG" got
	ends
}

test_devices_that_fail() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'only with WD_TEST_LONG=1'
	serve 1 --fault fail=40/10,delay=1/10:1ms
	clients
	ends
	did_at_least 1 parts_redone
}

test_a_client_that_vanishes() {
	serve 1
	exec 5<>"/dev/tcp/127.0.0.1/$PORT"
	printf 'GET /big.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n' >&5
	head -c 100000 <&5 >/dev/null
	exec 5>&-
	fetch got
	unpacks got
	ends
}

run_tests "$@"
