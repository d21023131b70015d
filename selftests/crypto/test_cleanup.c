// SPDX-License-Identifier: Apache-2.0
/* Sessions of a program that has ended libcrypto: they are refused, with the reason. */
#include <openssl/crypto.h>

#include "aead_test.h"
#include "digest_test.h"
#include "kselftest_harness.h"

static handle_t digest(void)
{
	struct wd_digest_sess_setup s = { .alg = WD_DIGEST_SHA256 };

	return wd_digest_alloc_sess(&s, NULL);
}

static handle_t cipher(void)
{
	struct wd_cipher_sess_setup s = { .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC };

	return wd_cipher_alloc_sess(&s, NULL);
}

static handle_t aead(void)
{
	struct wd_aead_sess_setup s = { .calg = WD_CIPHER_AES, .cmode = WD_CIPHER_GCM };

	return wd_aead_alloc_sess(&s, NULL);
}

FIXTURE(ended) {
	handle_t h;
};

FIXTURE_VARIANT(ended) {
	handle_t (*alloc)(void);
	bool used;		/* a session was there before */
};

FIXTURE_VARIANT_ADD(ended, digest) { .alloc = digest };
FIXTURE_VARIANT_ADD(ended, digest_used) { .alloc = digest, .used = true };
FIXTURE_VARIANT_ADD(ended, cipher) { .alloc = cipher };
FIXTURE_VARIANT_ADD(ended, cipher_used) { .alloc = cipher, .used = true };
FIXTURE_VARIANT_ADD(ended, aead) { .alloc = aead };
FIXTURE_VARIANT_ADD(ended, aead_used) { .alloc = aead, .used = true };

FIXTURE_SETUP(ended)
{
	if (variant->used) {
		self->h = variant->alloc();
		ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	}
	/* Before the first use there is nothing to end. */
	ASSERT_EQ(1, OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL));
	OPENSSL_cleanup();
}

FIXTURE_TEARDOWN(ended)
{
}

TEST_F(ended, a_session_is_refused_with_the_reason)
{
	errno = 0;
	EXPECT_EQ(0, variant->alloc());
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_STREQ("libcrypto was ended by OPENSSL_cleanup(): Operation not supported", detail(0));
}

TEST_HARNESS_MAIN
