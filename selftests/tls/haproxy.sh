#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HAProxy, which keeps many of the provider's requests in flight on one thread, and drops them when a client goes away.

. "$(dirname "$0")/tls.inc.sh"
. "$(dirname "$0")/haproxy.inc.sh"
need_set web

PARALLEL=200 LOST=300
[ -z "${WD_TEST_LONG:-}" ] || PARALLEL=500 LOST=5000

worker() { children "$(cat haproxy.pid)"; }
eventfds() { find "/proc/$(worker)/fd" -lname '*eventfd*' | wc -l; }
descriptors() { find "/proc/$(worker)/fd" -type l | wc -l; }
resident_kib() { awk '/^VmRSS/ { print $2 }' "/proc/$(worker)/status"; }
more_eventfds() { [ "$(eventfds)" -ge $(($1 + $2)) ]; }
no_more_descriptors() { [ "$(descriptors)" -le "$1" ]; }

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

# HAProxy tells all former workers to end once more at each reload and at its own end. One that is about to exit, whose
# connections have ended, has put back the signal's default action, and dies of it. So a former worker ends first.
reload() {
	sent=0 loads=$((loads + 1))
	until_true 20 reloaded
	until_true 20 one_worker
}
one_worker() { [ "$(worker | wc -l)" = 1 ]; }
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
