// SPDX-License-Identifier: Apache-2.0
/* RSA and DH in the HPRE engine: against libcrypto, at all sizes. */
#include "kselftest_harness.h"
#include "hpre_rig.h"

FIXTURE(dev) {
	struct rig r;
	BN_CTX *ctx;
	BIGNUM *m, *a, *b, *c, *want;
};

FIXTURE_SETUP(dev)
{
	hpre_rig_init(&self->r);
	self->ctx = BN_CTX_new();
	self->m = BN_new();
	self->a = BN_new();
	self->b = BN_new();
	self->c = BN_new();
	self->want = BN_new();
}

FIXTURE_TEARDOWN(dev)
{
	BN_CTX_free(self->ctx);
	BN_free(self->m);
	BN_free(self->a);
	BN_free(self->b);
	BN_free(self->c);
	BN_free(self->want);
	rig_free(&self->r);
}

static const u32 rsa_bytes[] = { 128, 256, 384, 512 };
static const u32 dh_bytes[] = { 96, 128, 192, 256, 384, 512 };

TEST_F(dev, a_power_is_libcryptos_at_every_size_of_rsa)
{
	struct rig *r = &self->r;
	u32 i, way;

	for (i = 0; i < sizeof(rsa_bytes) / sizeof(rsa_bytes[0]); i++)
		for (way = 0; way < 3; way++) {
			u32 k = rsa_bytes[i];

			/* The public exponent, one as long as the modulus, and a modulus with zeroes in front. */
			BN_rand(self->m, (int)k * 8 - (way == 2 ? 77 : 0), BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
			BN_rand_range(self->b, self->m);
			if (way)
				BN_rand_range(self->a, self->m);
			else
				BN_set_word(self->a, 65537);
			put_bn(r, AT_KEY, 0, k, self->a);
			put_bn(r, AT_KEY, 1, k, self->m);
			put_bn(r, AT_IN, 0, k, self->b);
			ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, k)) TH_LOG("%u bytes", k);
			BN_mod_exp(self->want, self->b, self->a, self->m, self->ctx);
			EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want)) TH_LOG("%u bytes, way %u", k, way);
		}
	EXPECT_EQ(12, wdm_device_stats(r->dev)->completions);
}

TEST_F(dev, zero_and_one_have_their_powers)
{
	struct rig *r = &self->r;

	BN_rand(self->m, 1024, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
	put_hex(r, AT_KEY, 0, 128, "010001");
	put_bn(r, AT_KEY, 1, 128, self->m);
	put_hex(r, AT_IN, 0, 128, "00");
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "00"));
	put_hex(r, AT_IN, 0, 128, "01");
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "01"));
	BN_sub_word(self->m, 1);
	put_bn(r, AT_IN, 0, 128, self->m);
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_TRUE(is_bn(r, AT_OUT, 0, 128, self->m));
}

/* A prime that fits a key with this exponent: one in 65536 is a multiple of e plus 1, and leaves e no inverse. */
static void prime_for(BIGNUM *p, u32 bytes, BN_ULONG e)
{
	do
		BN_generate_prime_ex(p, (int)bytes * 8, 0, NULL, NULL, NULL);
	while (BN_mod_word(p, e) == 1);
}

/* The device makes a key from primes; the private key reverses libcrypto's operation with the public one. */
static void key_of(struct __test_metadata *_metadata, FIXTURE_DATA(dev) *self, u32 k, bool bigger_first)
{
	struct rig *r = &self->r;
	BIGNUM *p = self->a, *q = self->b, *e = self->c;
	unsigned char key[4 * HPRE_MAX_BYTES];
	u32 h = k / 2;

	do {
		prime_for(p, h, 65537);
		prime_for(q, h, 65537);
	} while (bigger_first != (BN_cmp(p, q) > 0));
	BN_set_word(e, 65537);
	put_bn(r, AT_KEY, 0, k, e);
	put_bn(r, AT_KEY, 2, h, p);
	put_bn(r, AT_KEY, 3, h, q);
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA_KEYGEN, k));
	BN_mul(self->m, p, q, self->ctx);
	EXPECT_TRUE(is_bn(r, AT_OUT, 1, k, self->m));
	memcpy(key, at(r, AT_OUT), 2 * k);
	memset(at(r, AT_OUT), 0, 4 * k);
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA_KEYGEN_CRT, k));
	EXPECT_EQ(0, memcmp(key, at(r, AT_OUT), 2 * k));
	BN_mod_inverse(self->want, q, p, self->ctx);
	EXPECT_TRUE(is_bn(r, AT_OUT, 4, h, self->want));
	/* The device's order: dq, dp, q, p, qinv */
	memcpy(at(r, AT_KEY), at(r, AT_OUT) + 5 * h, 2 * h);
	put_bn(r, AT_KEY, 2, h, q);
	put_bn(r, AT_KEY, 3, h, p);
	put_bn(r, AT_KEY, 4, h, self->want);
	BN_rand_range(self->want, self->m);
	BN_mod_exp(p, self->want, e, self->m, self->ctx);
	put_bn(r, AT_IN, 0, k, p);
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA_CRT, k));
	EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want));
	memcpy(at(r, AT_KEY), key, 2 * k);
	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, k));
	EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want));
}

TEST_F(dev, a_key_it_makes_works_with_and_without_crt)
{
	key_of(_metadata, self, 128, true);
	key_of(_metadata, self, 128, false);
	key_of(_metadata, self, 256, true);
}

TEST_F_TIMEOUT(dev, so_does_the_longest, 120)
{
	key_of(_metadata, self, 512, false);
}

TEST_F(dev, dh_agrees_with_libcrypto_at_every_size)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < sizeof(dh_bytes) / sizeof(dh_bytes[0]); i++) {
		u32 k = dh_bytes[i];
		BIGNUM *p = k == 96 ? BN_get_rfc2409_prime_768(NULL) : k == 128 ? BN_get_rfc2409_prime_1024(NULL) :
			    k == 192 ? BN_get_rfc3526_prime_1536(NULL) : k == 256 ? BN_get_rfc3526_prime_2048(NULL) :
			    k == 384 ? BN_get_rfc3526_prime_3072(NULL) : BN_get_rfc3526_prime_4096(NULL);

		BN_rand(self->a, 256, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
		BN_set_word(self->b, 2);
		BN_mod_exp(self->want, self->b, self->a, p, self->ctx);
		put_bn(r, AT_KEY, 0, k, self->a);
		put_bn(r, AT_KEY, 1, k, p);
		put_bn(r, AT_IN, 0, k, self->b);
		ASSERT_EQ(0, hpre_ask(r, HPRE_DH, k)) TH_LOG("%u bytes", k);
		EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want)) TH_LOG("%u bytes", k);
		BN_rand_range(self->b, p);
		put_bn(r, AT_IN, 0, k, self->b);
		memset(at(r, AT_OUT), 0, k);
		ASSERT_EQ(0, hpre_ask(r, HPRE_DH_G2, k)) TH_LOG("%u bytes", k);
		EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want)) TH_LOG("%u bytes, g = 2", k);
		BN_mod_exp(self->want, self->b, self->a, p, self->ctx);
		ASSERT_EQ(0, hpre_ask(r, HPRE_DH, k)) TH_LOG("%u bytes", k);
		EXPECT_TRUE(is_bn(r, AT_OUT, 0, k, self->want)) TH_LOG("%u bytes, the other's", k);
		BN_free(p);
	}
}

/* The input field then holds whatever software left there. */
TEST_F(dev, with_g_2_the_input_isnt_read)
{
	struct rig *r = &self->r;
	struct hpre_sqe sqe;

	BN_rand(self->m, 1024, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
	put_hex(r, AT_KEY, 0, 128, "03");
	put_bn(r, AT_KEY, 1, 128, self->m);
	hpre_fill(&sqe, HPRE_DH_G2, 128);
	sqe.in = ~0ull;
	ASSERT_EQ(0, hpre_do(r, &sqe));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "08"));
	hpre_fill(&sqe, HPRE_DH_G2, 128);
	sqe.in = 0;
	EXPECT_EQ(0, hpre_do(r, &sqe));
}

TEST_F(dev, the_result_may_overwrite_the_input)
{
	struct rig *r = &self->r;
	struct hpre_sqe sqe;

	BN_rand(self->m, 1024, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
	BN_rand_range(self->a, self->m);
	BN_rand_range(self->b, self->m);
	put_bn(r, AT_KEY, 0, 128, self->a);
	put_bn(r, AT_KEY, 1, 128, self->m);
	put_bn(r, AT_IN, 0, 128, self->b);
	hpre_fill(&sqe, HPRE_RSA, 128);
	sqe.out = AT_IN;
	ASSERT_EQ(0, hpre_do(r, &sqe));
	BN_mod_exp(self->want, self->b, self->a, self->m, self->ctx);
	EXPECT_TRUE(is_bn(r, AT_IN, 0, 128, self->want));
}

TEST_HARNESS_MAIN
