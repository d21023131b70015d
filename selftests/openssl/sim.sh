#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of this folder, and openssl itself, on simulated HPRE and SEC devices, through the kernel.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/own_device.sh"
. "$(dirname "$0")/../include/openssl_conf.sh"

TESTS=$OUT/tests/openssl
# All vectors run natively; here they run only on demand.
[ -n "${WD_TEST_LONG:-}" ] || export WD_VECTORS_EVERY=1000
export WD_TEST_SIMULATED=1 OPENSSL_MODULES=$OUT/ossl-modules
# A busy machine may not run the device for a second.
export WD_OPENSSL_TIMEOUT_MS=30000

test_ciphers() { good test_cipher; }
test_authenticated_encryption() { good test_aead; }
test_digests() { good test_digest; }
test_verification() { good test_verify; }
test_children_go_on() { good test_fork; }
test_threads() { good test_threads; }

# in_full PROGRAM: it takes minutes here.
in_full() {
	[ -z "${WD_TEST_BRIEF:-}" ] || skip 'takes minutes in a VM; it runs natively'
	good "$1"
}
test_keys() { in_full test_pkey; }
test_connections() { in_full test_tls; }
test_vectors_of_keys() { in_full test_key_vectors; }
test_vectors_of_ciphers_and_digests() { in_full test_vectors; }

# speed OPTION...: openssl's own measurement has signed something.
speed() {
	OPENSSL_CONF=conf openssl speed -elapsed -seconds 1 "$@" >got 2>&1 || { cat got; return 1; }
	not grep -E 'error:|failure' got
	# As a process or several report it.
	grep -qE '(private rsa[^:]* for 1s: |^\+R1:)[1-9]' got || { cat got; return 1; }
}

test_openssl_speed_with_jobs_and_processes() {
	openssl_conf 'devices = require' 'fallback = no'
	speed -async_jobs 8 rsa2048
	speed -multi 2 rsa2048
}

test_the_devices_are_reported() {
	openssl_conf 'devices = require'
	OPENSSL_CONF=conf openssl list -providers -verbose >got
	says warpdrive got
	OPENSSL_CONF=$PWD/conf wdctl doctor >got || :
	says hisi_hpre got
}

at_exit() {
	own_device_drop hpre hisi_hpre
	own_device_drop sec hisi_sec2
}

need_sim hisi_hpre 0
need_sim hisi_sec2 0
[ -e "$OPENSSL_MODULES/warpdrive.so" ] || need_skip 'the provider was left out of the build'
need_commands openssl
own_device hpre hisi_hpre
own_device sec hisi_sec2
run_tests "$@"
