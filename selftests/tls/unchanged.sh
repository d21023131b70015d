#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A client sees the same server with the provider as without it: protocols, groups, signatures, ciphers.

. "$(dirname "$0")/tls.inc.sh"
need_set web

GROUPS_ASKED='X25519 X448 P-256 P-384 P-521 P-224 P-192 secp256k1 brainpoolP256r1 brainpoolP384r1 brainpoolP512r1
	ffdhe2048 ffdhe3072'
SIGNATURES_ASKED='RSA+SHA1 RSA+SHA256 RSA+SHA384 RSA+SHA512 RSA-PSS+SHA256 RSA-PSS+SHA384 RSA-PSS+SHA512 ECDSA+SHA1
	ECDSA+SHA256 ECDSA+SHA384 ECDSA+SHA512'
CIPHERS_ASKED='ECDHE-RSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-CHACHA20-POLY1305
	ECDHE-RSA-AES128-SHA256 DHE-RSA-AES128-GCM-SHA256 DHE-RSA-AES256-CCM AES256-GCM-SHA384 AES128-SHA'

# serve OPTION...: the server of the openssl command, with both certificates.
serve() {
	certificates
	free_port PORT
	start server web --hpre 1 -- openssl s_server -accept "127.0.0.1:$PORT" -quiet -www -cipher 'ALL:@SECLEVEL=0' \
		-cert "$CERTS/rsa.pem" -key "$CERTS/rsa.key" -dcert "$CERTS/ec.pem" -dkey "$CERTS/ec.key" \
		-groups "$(xargs <<<"$GROUPS_ASKED" | tr ' ' :)" -dhparam dh.pem
	listening server "$PORT"
}

# ask OPTION...: what the server has chosen, or that it has refused.
ask() {
	echo "$*:"
	stock openssl s_client -connect "127.0.0.1:$PORT" -servername localhost -CAfile "$CERTS/all.pem" "$@" \
		</dev/null \
		2>/dev/null |
		grep -E '^ *(New,|Server Temp Key|Peer signature type|Peer signing digest|Verification)' || :
}

view() {
	local one

	for one in -tls1 -tls1_1 -tls1_2 -tls1_3; do
		ask $one -cipher 'ALL:@SECLEVEL=0'
	done
	for one in $GROUPS_ASKED; do
		ask -tls1_2 -groups "$one" -cipher 'ECDHE:@SECLEVEL=0'
		ask -tls1_3 -groups "$one"
	done
	for one in $SIGNATURES_ASKED; do
		ask -tls1_2 -sigalgs "$one" -cipher 'ALL:@SECLEVEL=0'
		ask -tls1_3 -sigalgs "$one"
	done
	for one in $CIPHERS_ASKED; do
		ask -tls1_2 -cipher "$one:@SECLEVEL=0"
	done
}

test_the_view_is_the_same() {
	stock openssl dhparam -dsaparam -out dh.pem 2048 2>/dev/null
	stock serve
	view >without
	end_all
	conf 'fallback = no'
	provided serve
	view >with
	diff -u without with
	# The comparison isn't one of nothings.
	[ "$(grep -c '^New, TLSv1.3' with)" -ge 8 ]
	[ "$(grep -c '^New, TLSv1.2' with)" -ge 12 ]
	devices_did server 50
}

run_tests "$@"
