#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs with this host's libcrypto in themselves: hidden from the module, shown to it as a whole, or in part.

. "$(dirname "$0")/../include/programs.sh"

need_built() {
	[ -e "$OUT/ossl-modules/warpdrive.so" ] || not_here 'the provider was left out of the build'
}
need_devices
command -v gcc >/dev/null || not_here 'gcc is not installed'
LIBCRYPTO=$(gcc -print-file-name=libcrypto.a)
[ -e "$LIBCRYPTO" ] || not_here 'libcrypto.a is not installed'
# What it needs itself: newer ones use zlib and libzstd.
read -ra NEEDED < <(pkg-config --static --libs-only-l libcrypto | sed 's/-lcrypto *//')
read -ra DEVICES <"$TOP/selftests/openssl/devices"

# program OPTION...: it prints whether the provider offers RSA, signs, and verifies; with these options for the linker.
program() {
	cat >program.c <<-'END'
		#include <openssl/evp.h>
		#include <openssl/provider.h>
		#include <stdio.h>
		int main(void)
		{
			OSSL_PROVIDER *theirs = OSSL_PROVIDER_load(NULL, "default");
			OSSL_PROVIDER *ours = OSSL_PROVIDER_load(NULL, "warpdrive");
			EVP_SIGNATURE *offered = EVP_SIGNATURE_fetch(NULL, "RSA", "provider=warpdrive");
			int preferred = EVP_set_default_properties(NULL, "?provider=warpdrive");
			EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
			EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *again = EVP_MD_CTX_new();
			unsigned char sig[256];
			size_t len = sizeof(sig);

			printf("%s\n", offered ? "offered" : "nothing");
			EVP_SIGNATURE_free(offered);
			if (!theirs || !ours || preferred <= 0 ||
			    EVP_DigestSignInit_ex(ctx, NULL, "SHA256", NULL, NULL, key, NULL) <= 0 ||
			    EVP_DigestSign(ctx, sig, &len, (const unsigned char *)"abc", 3) <= 0 ||
			    EVP_DigestVerifyInit_ex(again, NULL, "SHA256", NULL, NULL, key, NULL) <= 0 ||
			    EVP_DigestVerify(again, sig, len, (const unsigned char *)"abc", 3) <= 0)
				return 1;
			EVP_MD_CTX_free(ctx);
			EVP_MD_CTX_free(again);
			EVP_PKEY_free(key);
			OSSL_PROVIDER_unload(ours);
			return 0;
		}
	END
	gcc -O1 -w -pthread -o program program.c "$@" -Wl,--whole-archive "$LIBCRYPTO" -Wl,--no-whole-archive \
		"${NEEDED[@]}"
}

# runs: what it has printed is in got, and what its devices did in stats.
runs() {
	OPENSSL_MODULES=$OUT/ossl-modules OPENSSL_CONF=/dev/null WD_OPENSSL_TIMEOUT_MS=30000 \
		wd-emulate "${DEVICES[@]}" --stats stats -- timeout -k 5 60 ./program >got </dev/null
}

test_hidden_it_is_another_one() {
	program
	runs
	says offered got
	busy stats hpre
}

test_shown_as_a_whole_it_is_the_module_s_too() {
	program -rdynamic
	runs
	says offered got
	busy stats hpre
}

# The module's calls would reach two libraries.
test_shown_in_part_nothing_is_offered() {
	local shown

	for shown in EVP_PKEY_sign OSSL_PARAM_locate_const EVP_MAC_fetch; do
		program "-Wl,--export-dynamic-symbol=$shown"
		runs
		says nothing got
		[ "$(requests stats '')" = 0 ]
	done
}

test_without_a_device_nothing_is_offered() {
	program
	OPENSSL_MODULES=$OUT/ossl-modules OPENSSL_CONF=/dev/null ./program >got
	says nothing got
}

run_tests "$@"
