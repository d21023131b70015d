// SPDX-License-Identifier: Apache-2.0
/* Spare libcrypto contexts of a session: a context with an old key is never used again. */
#include "../../user/drivers/soft/evp.c"
#include "kselftest_harness.h"

static const struct crypto_alg ecb = { .name = "ecb(aes)", .sec = { .kind = SEC_KIND_CIPHER }, .evp = "AES-%u-ECB" };

/* A session without a driver's part. */
FIXTURE(session) {
	struct crypto_sess s;
};

FIXTURE_SETUP(session)
{
	self->s = (struct crypto_sess){
		.alg = &ecb, .granule = 16, .needs = CRYPTO_HAS_KEY, .keyed = CRYPTO_HAS_KEY, .key_len = 16
	};
	ASSERT_EQ(0, soft_evp_alloc(&self->s, NULL, NULL, 128));
	ASSERT_EQ(0, soft_evp_rekey(&self->s));
}

FIXTURE_TEARDOWN(session)
{
	soft_evp_free(self->s.evp);
}

static void key_set(struct crypto_sess *s, unsigned char byte)
{
	memset(s->key, byte, 16);
	soft_evp_rekey(s);
}

static unsigned int first_byte(struct soft_ctx *x)
{
	unsigned char in[16] = { 0 }, out[16] = { 0 };

	return soft_cipher_update(x->cipher, out, in, 16) ? out[0] : 256;
}

TEST_F(session, a_context_that_was_out_when_the_key_changed_is_not_given_again)
{
	struct soft_ctx *old[SOFT_EVP_SPARE + 1], *x;
	unsigned int i, want, was;

	for (i = 0; i <= SOFT_EVP_SPARE; i++) {
		old[i] = soft_ctx_get(&self->s, false);
		ASSERT_NE(NULL, old[i]);
	}
	was = first_byte(old[0]);
	key_set(&self->s, 0x55);
	x = soft_ctx_get(&self->s, false);
	ASSERT_NE(NULL, x);
	want = first_byte(x);
	EXPECT_NE(was, want);
	soft_ctx_put(x);
	/* There is one context more than spare places. */
	for (i = 0; i <= SOFT_EVP_SPARE; i++)
		soft_ctx_put(old[i]);
	for (i = 0; i <= SOFT_EVP_SPARE; i++) {
		old[i] = soft_ctx_get(&self->s, false);
		ASSERT_NE(NULL, old[i]);
		EXPECT_EQ(want, first_byte(old[i]));
	}
	for (i = 0; i <= SOFT_EVP_SPARE; i++)
		soft_ctx_put(old[i]);
}

TEST_F(session, one_that_came_back_too_late_is_not_given_again)
{
	struct soft_ctx *x[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		x[i] = soft_ctx_get(&self->s, false);
		ASSERT_NE(NULL, x[i]);
	}
	soft_ctx_put(x[0]);
	key_set(&self->s, 0x66);
	/* As if a put had checked the key before the change. */
	atomic_store(x[1]->home, x[1]);
	for (i = 0; i < 2; i++) {
		x[i] = soft_ctx_get(&self->s, false);
		ASSERT_NE(NULL, x[i]);
		EXPECT_EQ(atomic_load(&self->s.evp->gen), x[i]->gen);
	}
	for (i = 0; i < 2; i++)
		soft_ctx_put(x[i]);
}

TEST_HARNESS_MAIN
