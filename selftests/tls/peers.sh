#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A server and a client of OpenSSL with devices, and peers that have nothing of OpenSSL: GnuTLS and NSS.

. "$(dirname "$0")/tls.inc.sh"
need_kept_set tls-peers

# Versions, certificates and groups that go together, in the words of OpenSSL, GnuTLS and NSS.
CASES='tls1_2 TLS1.2 tls1.2 rsa X25519 X25519 x25519
tls1_2 TLS1.2 tls1.2 ec P-256 SECP256R1 P256
tls1_3 TLS1.3 tls1.3 rsa P-384 SECP384R1 P384
tls1_3 TLS1.3 tls1.3 ec X25519 X25519 x25519
tls1_3 TLS1.3 tls1.3 rsa ffdhe2048 FFDHE2048 FF2048'
signatures() {
	case $1 in
	rsa) OPENSSL_SIGNS=rsa_pss_rsae_sha256 GNUTLS_SIGNS=+SIGN-RSA-PSS-RSAE-SHA256 NSS_SIGNS=rsa_pss_rsae_sha256 ;;
	ec)
		OPENSSL_SIGNS=ECDSA+SHA256 GNUTLS_SIGNS=+SIGN-ECDSA-SECP256R1-SHA256:+SIGN-ECDSA-SHA256 \
			NSS_SIGNS=ecdsa_secp256r1_sha256
		;;
	esac
}

# for_each COMMAND: for each case, with these variables.
for_each() {
	local version gnutls_version nss_version kind group gnutls_group nss_group

	while read -r version gnutls_version nss_version kind group gnutls_group nss_group; do
		signatures "$kind"
		"$1" </dev/null || { echo "$1 failed: $version, $kind, $group"; return 1; }
	done <<<"$CASES"
}

# NSS's database, which trusts both certificates and has their keys.
database() {
	local kind

	mkdir db
	stock with_set tls-peers certutil -N -d db --empty-password
	for kind in rsa ec; do
		stock openssl pkcs12 -export -in "$CERTS/$kind.pem" -inkey "$CERTS/$kind.key" -name $kind \
			-passout pass: -out $kind.p12
		stock with_set tls-peers pk12util -d db -i $kind.p12 -W ''
		stock with_set tls-peers certutil -M -n $kind -t CTP,, -d db
	done
}

our_server() {
	certificates
	conf 'fallback = no'
	free_port PORT
	provided start server tls-peers --hpre 1 "$@" -- openssl s_server -accept "127.0.0.1:$PORT" -www \
		-cert "$CERTS/rsa.pem" \
		-key "$CERTS/rsa.key" -dcert "$CERTS/ec.pem" -dkey "$CERTS/ec.key"
	listening server "$PORT"
}

gnutls_client() {
	printf 'GET / HTTP/1.0\r\n\r\n' |
		stock with_set tls-peers timeout 60 gnutls-cli -p "$PORT" --x509cafile "$CERTS/all.pem" \
		--priority \
		"NORMAL:-VERS-ALL:+VERS-$gnutls_version:-SIGN-ALL:$GNUTLS_SIGNS:-GROUP-ALL:+GROUP-$gnutls_group" \
		127.0.0.1 >got 2>&1 || { cat got; return 1; }
	says 'HTTP/1.0 200 ok' got && says "Description: ($gnutls_version" got
}

# With -Q it ends after the handshake, which it would not do at the end of its input.
nss_client() {
	stock with_set tls-peers timeout 60 tstclnt -h 127.0.0.1 -p "$PORT" -d db -V "$nss_version:$nss_version" \
		-J "$NSS_SIGNS" \
		-I "$nss_group" -Q >got 2>&1 || { cat got; return 1; }
	says "subject DN: CN=localhost,O=$kind" got
}

test_gnutls_as_client() {
	our_server
	for_each gnutls_client
	end_all
	busy server.stats hpre
}

test_nss_as_client() {
	our_server
	database
	for_each nss_client
	end_all
	busy server.stats hpre
}

# Else the others would prove less.
test_clients_notice_devices_that_fail() {
	our_server --fault fail=1000000
	not for_each gnutls_client
}

our_client() {
	provided timeout 60 wd-emulate --hpre 1 --stats client.stats -- openssl s_client -connect "127.0.0.1:$PORT" \
		"-$version" -sigalgs "$OPENSSL_SIGNS" -groups "$group" -CAfile "$CERTS/all.pem" -verify_return_error \
		-cert "$CERTS/$kind.pem" -key "$CERTS/$kind.key" <<<Q >got 2>&1 || { cat got; return 1; }
	says 'Verify return code: 0 (ok)' got && busy client.stats hpre
}

# Both ask the client for a certificate, too.
test_gnutls_as_server() {
	certificates
	conf 'fallback = no'
	free_port PORT
	stock start server tls-peers -- gnutls-serv --echo -p "$PORT" --require-client-cert \
		--x509cafile "$CERTS/all.pem" \
		--verify-client-cert --x509certfile "$CERTS/rsa.pem" --x509keyfile "$CERTS/rsa.key" \
		--x509certfile "$CERTS/ec.pem" \
		--x509keyfile "$CERTS/ec.key" --priority NORMAL
	listening server "$PORT"
	for_each our_client
}

test_nss_as_server() {
	certificates
	conf 'fallback = no'
	database
	free_port PORT
	stock start server tls-peers -- selfserv -d db -n rsa -e ec -p "$PORT" -V tls1.2:tls1.3 -rr \
		-I x25519,P256,P384,FF2048
	listening server "$PORT"
	for_each our_client
}

run_tests "$@"
