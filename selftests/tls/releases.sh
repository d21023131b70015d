#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same module in the OpenSSL of later releases of Debian: 3.5, 3.6, 4.0. Each is a root folder in the cache, of some
# 500 MB, so this runs on demand only, with WD_TEST_LONG=1.

. "$(dirname "$0")/tls.inc.sh"
[ -n "${WD_TEST_LONG:-}" ] || not_here 'fetches three releases: only with WD_TEST_LONG=1'
need_set web

# shakes_hands OPTION...: this host's own client, which has no provider.
shakes_hands() {
	stock openssl s_client -connect "127.0.0.1:$PORT" -CAfile "$CERTS/all.pem" -verify_return_error "$@" \
		</dev/null >got 2>&1
	says 'Verify return code: 0 (ok)' got
}

# serves SUITE VERSION: a server with that OpenSSL, whose devices sign and agree, and what it offers by them.
serves() {
	SUITE=(--suite "$1" --bind "$WORK")
	conf
	certificates
	with_set web openssl version >got
	says "OpenSSL $2" got
	provided with_set web wd-emulate --hpre 1 -- openssl list -signature-algorithms >got
	says 'ECDSA @ warpdrive' got
	says 'RSA, rsaEncryption } @ warpdrive' got
	free_port PORT
	provided start server web --hpre 1 -- openssl s_server -accept "127.0.0.1:$PORT" -quiet -www \
		-cert "$CERTS/rsa.pem" \
		-key "$CERTS/rsa.key" -dcert "$CERTS/ec.pem" -dkey "$CERTS/ec.key"
	listening server "$PORT"
	shakes_hands -tls1_2 -sigalgs RSA-PSS+SHA256
	shakes_hands -sigalgs RSA-PSS+SHA256
	shakes_hands -sigalgs ECDSA+SHA256
	devices_did server 6
}

# passes SUITE: tests of selftests/openssl, with the libcrypto and libssl of that release.
passes() {
	local program

	SUITE=(--suite "$1")
	[ -e "$OUT/tests/openssl/test_keys" ] || skip 'the tests of selftests/openssl are not built'
	for program in test_keys test_pkey test_tls test_job; do
		with_set web wd-emulate --hpre 1 --sec 1 -- "$OUT/tests/openssl/$program" >got 2>&1 ||
			{ cat got; return 1; }
	done
}

# refuses SUITE: a value that can't be, with the reason in the log of the system or the output.
refuses() {
	SUITE=(--suite "$1" --bind "$WORK")
	conf 'min_bytes = few'
	provided with_set web wd-emulate --hpre 1 -- openssl list -providers >got 2>&1 || :
	not grep -q 'WarpDrive provider' got
}

test_openssl_3_5() { serves trixie 3.5; }
test_openssl_3_6() { serves sid 3.6; }
test_openssl_4_0() { serves experimental 4.0; }
test_programs_on_3_5() { passes trixie; }
test_programs_on_3_6() { passes sid; }
test_a_value_that_cannot_be_is_refused_by_4_0() { refuses experimental; }

run_tests "$@"
