#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HAProxy on a simulated HPRE device, through the kernel, which counts its requests; the device goes away under load.

. "$(dirname "$0")/tls.inc.sh"
. "$(dirname "$0")/haproxy.inc.sh"
. "$(dirname "$0")/../include/own_device.sh"

# shellcheck disable=SC2034 # of tls.inc.sh
SIMULATED=1
FEW=20

# requests_of COMMAND: how many the queues that it has now have done.
requests_of() { wdctl ctx | awk -v command="$1" '$4 == command { n += $NF } END { print n + 0 }'; }

# queues_did COUNT: HAProxy's.
queues_did() {
	local did

	did=$(requests_of haproxy)
	[ "$did" -ge "$1" ] || {
		echo "expected $1 requests, got $did:"
		wdctl ctx
		return 1
	}
}

test_handshakes() {
	conf 'fallback = no'
	serve
	AT_ONCE=$FEW handshakes $FEW "$WITH_RSA" 'Groups = X25519'
	AT_ONCE=$FEW handshakes $FEW "$WITH_EC" 'Groups = P-256'
	# The key's part, and two for the agreement on a secret.
	queues_did $((2 * FEW * 3))
	ends_softly
}

test_clients_vanish() {
	conf 'fallback = no'
	serve
	vanish 100
	handshakes $FEW
	queues_did $((FEW * 3))
	ends_softly
}

test_nobody_notices_that_the_device_is_gone() {
	local load

	own_device hpre hisi_hpre
	conf
	serve
	handshakes $FEW
	queues_did 1
	handshakes $FEW -- "$PWD/enough" >got &
	load=$!
	echo 0 >"$OWN-hpre/live"
	handshakes $FEW "$WITH_EC"
	touch enough
	wait $load || { cat got haproxy.log; return 1; }
	[ "$(requests_of haproxy)" = 0 ]
	ends_softly
}

at_exit() {
	own_device_drop hpre hisi_hpre
}

need_sim hisi_hpre 0
need_set web
busybox ip link set lo up
own_device hpre hisi_hpre
run_tests "$@"
