#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HAProxy, which keeps many of the provider's requests in flight on one thread, and drops them when a client goes away.

. "$(dirname "$0")/tls.inc.sh"
need_set web

PARALLEL=200 LOST=300
[ -z "${WD_TEST_LONG:-}" ] || PARALLEL=500 LOST=5000

haproxy_conf() {
	certificates
	free_port PORT
	cat "$CERTS/rsa.pem" "$CERTS/rsa.key" >site.pem.rsa
	cat "$CERTS/ec.pem" "$CERTS/ec.key" >site.pem.ecdsa
	cat >haproxy.cfg <<-END
		global
			nbthread 2
			maxconn 1000
			ssl-mode-async
			ssl-default-bind-options ssl-min-ver TLSv1.2
		defaults
			mode http
			log stderr format raw daemon
			option dontlog-normal
			error-log-format "%[fc_err_str]: %[ssl_fc_err_str]"
			timeout client 30s
			timeout server 30s
			timeout connect 30s
		frontend tls
			bind 127.0.0.1:$PORT ssl crt $PWD/site.pem.rsa crt $PWD/site.pem.ecdsa
			http-request return status 200 content-type text/plain string "hello"
	END
}

# serve OPTION...: a master and its worker, with devices by these options.
serve() {
	haproxy_conf
	provided start haproxy web "$@" -- haproxy -W -db -p haproxy.pid -f haproxy.cfg
	listening haproxy "$PORT"
}

worker() { children "$(cat haproxy.pid)"; }
eventfds() { find "/proc/$(worker)/fd" -lname '*eventfd*' | wc -l; }
descriptors() { find "/proc/$(worker)/fd" -type l | wc -l; }
resident_kib() { awk '/^VmRSS/ { print $2 }' "/proc/$(worker)/status"; }
more_eventfds() { [ "$(eventfds)" -ge $(($1 + $2)) ]; }
no_more_descriptors() { [ "$(descriptors)" -le "$1" ]; }

# ends_softly: HAProxy waits for what is in flight, and then ends. A job that nobody wakes would be in its way.
ends_softly() {
	sent=0
	until_true 20 has_softly_ended
	not grep -iE 'alert|exited with code [1-9]' haproxy.log
}

# A master that is still loading may lose a signal.
has_softly_ended() {
	! has_ended || return 0
	[ $((sent++ % 100)) != 0 ] || kill -USR1 "$(cat haproxy.pid)"
	return 1
}

# Each paused handshake has a descriptor of its own.
test_many_handshakes_are_in_flight_at_once() {
	local clients before

	conf 'fallback = no'
	serve --hpre 1 --latency 100000000
	handshakes 1
	before=$(eventfds)
	AT_ONCE=$PARALLEL handshakes $PARALLEL "$WITH_RSA" >got &
	clients=$!
	until_true 20 more_eventfds "$before" 20
	wait $clients || { cat got; return 1; }
	AT_ONCE=$PARALLEL handshakes $PARALLEL "$WITH_EC" 'Groups = P-256'
	ends_softly
	devices_did haproxy $((2 * PARALLEL * 3))
}

vanish() { python3 "$TOP/selftests/tls/client.py" "$PORT" "$1" 32 vanish; }

test_clients_vanish() {
	local before kib

	conf 'fallback = no'
	serve --hpre 1 --latency 2000000
	handshakes 1
	before=$(descriptors)
	# Memory grows with the clients that are there at the same time, and not with all that have been.
	vanish $LOST
	until_true 20 no_more_descriptors "$before"
	kib=$(resident_kib)
	vanish $LOST
	until_true 20 no_more_descriptors "$before"
	[ "$(resident_kib)" -le $((kib + 20000)) ]
	handshakes 20
	ends_softly
	devices_did haproxy $((2 * LOST + 20))
}

test_nobody_notices_answers_that_do_not_come() {
	conf 'timeout_ms = 50'
	serve --hpre 1 --fault drop=1/5
	AT_ONCE=32 handshakes 60 "$WITH_RSA"
	vanish 60
	AT_ONCE=32 handshakes 60 "$WITH_EC" || { cat haproxy.log; return 1; }
	ends_softly
	devices_did haproxy 60
	conf 'timeout_ms = 50' 'fallback = no'
	serve --hpre 1 --fault drop=1/5
	not handshakes 60 "$WITH_RSA" >got
}

reload() {
	sent=0 loads=$((loads + 1))
	until_true 20 reloaded
}
loads=1
reloaded() {
	[ "$(grep -c 'Loading success' haproxy.log)" -lt $loads ] || return 0
	[ $((sent++ % 100)) != 0 ] || kill -USR2 "$(cat haproxy.pid)"
	return 1
}

test_reloads_under_load() {
	local load

	conf 'fallback = no'
	serve --hpre 1 --latency 1000000
	handshakes 50 -- "$PWD/enough" >got &
	load=$!
	reload
	reload
	touch enough
	wait $load || { cat got haproxy.log; return 1; }
	ends_softly
}

run_tests "$@"
