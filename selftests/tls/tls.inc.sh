# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others with the provider in their configuration; included by the scripts of this area.

. "$(dirname "${BASH_SOURCE[0]}")/../include/programs.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../include/openssl_conf.sh"

export OPENSSL_MODULES=$OUT/ossl-modules
need_built() {
	[ -e "$OPENSSL_MODULES/warpdrive.so" ] || not_here 'the provider was left out of the build'
	command -v openssl >/dev/null || not_here 'openssl is not installed'
}

# conf [LINE...]: the file conf, with these lines for the provider. An emulated device on a busy machine may not run for
# a second.
conf() {
	openssl_conf "$@"
	grep -q timeout_ms conf || echo 'timeout_ms = 30000' >>conf
}

# stock COMMAND...: without the provider. provided COMMAND...: with the file conf of this folder.
stock() { OPENSSL_CONF=/dev/null "$@"; }
provided() { OPENSSL_CONF=$PWD/conf "$@"; }

# certificates: $CERTS with rsa.pem, rsa.key, ec.pem and ec.key, self-signed for localhost, and all.pem, which trusts
# both. They are made without the provider, once for each script.
certificates() {
	CERTS=$WORK/certs
	[ ! -e "$CERTS/all.pem" ] || return 0
	mkdir -p "$CERTS"
	certificate rsa -newkey rsa:2048
	certificate ec -newkey ec -pkeyopt ec_paramgen_curve:P-256
	# A server that has changed its user reads them, too.
	chmod 755 "$WORK" && chmod 644 "$CERTS"/*
	cat "$CERTS"/*.pem >"$WORK/all.pem"
	mv "$WORK/all.pem" "$CERTS/"
}
certificate() {
	stock openssl req -x509 -nodes -days 2 -subj "/O=$1/CN=localhost" \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
		-keyout "$CERTS/$1.key" -out "$CERTS/$1.pem" "${@:2}" 2>"$WORK/req.log"
}

# client_conf LINE...: the file client.cnf with libssl's settings for the client, as in Groups = X25519.
client_conf() {
	printf '%s\n' 'openssl_conf = init' '[init]' 'ssl_conf = ssl' '[ssl]' 'system_default = client' '[client]' \
		"$@" >client.cnf
}

# handshakes COUNT LINE... [-- FILE]: full handshakes with the server at PORT, AT_ONCE at a time, all of which must be
# good. The lines are for client_conf. With FILE they go on until it exists.
PORT=
AT_ONCE=8
handshakes() {
	local count=$1 lines=() until=()

	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	[ $# = 0 ] || until=("$2")
	client_conf "${lines[@]}"
	OPENSSL_CONF=$PWD/client.cnf python3 "$TOP/selftests/tls/client.py" "$PORT" "$count" $AT_ONCE handshakes \
		"$CERTS/all.pem" "${until[@]}"
}
# shellcheck disable=SC2034 # of those who include this file
WITH_RSA='SignatureAlgorithms = RSA-PSS+SHA256:RSA+SHA256'
# shellcheck disable=SC2034
WITH_EC='SignatureAlgorithms = ECDSA+SHA256'
