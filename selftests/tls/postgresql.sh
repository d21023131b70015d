#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL, whose server and clients verify each other's names, with devices.

. "$(dirname "$0")/tls.inc.sh"
. "$(dirname "$0")/../include/postgresql.sh"
need_kept_set db

cluster() {
	certificates
	make_cluster
	cp "$CERTS"/{rsa,ec}.{key,pem} own
	chmod 600 own/*.key
}

# server KIND OPTION...: with the certificate of that kind, and devices by these options.
server() {
	cluster
	provided start server db --hpre 1 "${@:2}" -- "${AS[@]}" "${POSTGRES[@]}" -c ssl=on \
		-c ssl_cert_file="$PWD/own/$1.pem" -c ssl_key_file="$PWD/own/$1.key"
	listening server "$PORT"
}

connection="host=localhost hostaddr=127.0.0.1 port=$PORT user=tester dbname=postgres"
connection+=" sslmode=verify-full sslrootcert=$CERTS/all.pem"

# Each connection has a process of its own at the server, and one here.
query() {
	stock with_set db psql -X -A -t \
		-c "select ssl and version = 'TLSv1.3' from pg_stat_ssl where pid = pg_backend_pid()" \
		"$connection"
}

connections() {
	local i pids=''

	for i in 1 2 3 4 5 6; do
		query >got.$i 2>&1 &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || { cat got.*; return 1; }
	done
	[ "$(cat got.*)" = "$(printf 't\n%.0s' 1 2 3 4 5 6)" ] || { cat got.* server.log; return 1; }
}

test_rsa() {
	conf 'fallback = no'
	server rsa
	connections
	devices_did server 6
}

test_ec() {
	conf 'fallback = no'
	server ec
	connections
	devices_did server 6
}

test_a_client_with_devices() {
	conf 'fallback = no'
	server rsa
	provided with_set db wd-emulate --hpre 1 --stats client.stats -- psql -X -A -t -c 'select 6 * 7' \
		"$connection" >got
	says 42 got
	busy client.stats hpre
}

# Else the others would prove nothing.
test_devices_that_fail_are_noticed() {
	conf 'fallback = no'
	server rsa --fault fail=1000000
	not query >got 2>&1
	says 'SSL error' got
}

run_tests "$@"
