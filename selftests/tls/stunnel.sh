#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stunnel in front of a server that speaks no TLS, and in front of a client that doesn't; and curl, which verifies.
# stunnel asks libcrypto for "provider!=fips": it prefers devices by the second property.

. "$(dirname "$0")/tls.inc.sh"
need_set web

# tunnel NAME LINE...: a configuration of a service, which stunnel serves in the foreground.
tunnel() {
	printf '%s\n' 'foreground = yes' 'pid =' 'debug = notice' "[$1]" "${@:2}" >"$1.conf"
	[ "$(id -u)" != 0 ] || sed -i '1i setuid = nobody\nsetgid = nogroup' "$1.conf"
}

# A server of plain HTTP, and stunnel, which does the handshakes for it at PORT, with devices by these options.
serve() {
	local plain

	certificates
	free_port plain
	mkdir -p htdocs
	echo hello >htdocs/index.html
	(cd htdocs && exec python3 -m http.server --bind 127.0.0.1 "$plain") >plain.log 2>&1 </dev/null &
	started="$started $!"
	trap end_all EXIT
	listening plain "$plain"
	free_port PORT
	tunnel server "accept = 127.0.0.1:$PORT" "connect = 127.0.0.1:$plain" "cert = $CERTS/rsa.pem" \
		"key = $CERTS/rsa.key"
	provided start server web "$@" -- stunnel4 "$PWD/server.conf"
	listening server "$PORT"
}

test_a_server() {
	conf 'fallback = no'
	serve --hpre 1
	handshakes 30 'Groups = X25519'
	handshakes 30 'MaxProtocol = TLSv1.2' 'Groups = P-256'
	devices_did server 120
}

test_curl_verifies_by_way_of_a_device() {
	conf 'fallback = no' 'algorithms = pkey rsa-public'
	serve --hpre 1
	provided with_set web wd-emulate --hpre 1 --stats "$PWD/curl.stats" -- \
		curl -sS --cacert "$CERTS/all.pem" "https://localhost:$PORT/" >got
	says hello got
	# A client verifies by a certificate that it trusts.
	not provided with_set web wd-emulate --hpre 1 -- curl -sS --cacert "$CERTS/ec.pem" \
		"https://localhost:$PORT/" 2>err
	says 'certificate' err
	devices_did curl 3
}

test_both_ends() {
	local near

	conf 'fallback = no'
	serve --hpre 1
	free_port near
	tunnel client 'client = yes' "accept = 127.0.0.1:$near" "connect = 127.0.0.1:$PORT" "CAfile = $CERTS/all.pem" \
		'verifyChain = yes' 'checkHost = localhost'
	provided start client web --hpre 1 -- stunnel4 "$PWD/client.conf"
	listening client "$near"
	for _ in 1 2 3 4 5; do
		stock with_set web curl -sS "http://127.0.0.1:$near/" >got
		says hello got
	done
	end_all
	busy client.stats hpre
	busy server.stats hpre
}

run_tests "$@"
