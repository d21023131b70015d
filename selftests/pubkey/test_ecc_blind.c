// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures with the caller's nonce, on the software path: functions whose timing depends on their operands never
 * get a number that the key or the nonce determines alone. In two signatures of the same digest with the same key and
 * nonce, these functions see equal numbers only if the numbers are public.
 */
#include <dlfcn.h>
#include <openssl/bn.h>

#include "ecc_test.h"
#include "kselftest_harness.h"

#define BYTES	32
#define SEEN_MAX 64

struct number {
	unsigned char be[2 * BYTES];
};

/* The numbers of two equal signatures, and of one with another key, nonce and digest. */
static struct number seen[3][SEEN_MAX];
static unsigned int nr[3];
static int round_nr = -1;	/* the signature that is recorded; -1: none */

static void number_make(struct number *to, const BIGNUM *v)
{
	if (BN_bn2binpad(v, to->be, sizeof(to->be)) < 0)
		abort();
}

static void see(const BIGNUM *v)
{
	if (round_nr < 0)
		return;
	if (nr[round_nr] == SEEN_MAX)
		abort();
	number_make(&seen[round_nr][nr[round_nr]++], v);
}

static void *libcryptos(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (!p)
		abort();
	return p;
}

#define LIBCRYPTOS(name) union { void *p; __typeof__(&name) f; } u = { .p = libcryptos(#name) }

int BN_mod_mul(BIGNUM *r, const BIGNUM *a, const BIGNUM *b, const BIGNUM *m, BN_CTX *ctx)
{
	LIBCRYPTOS(BN_mod_mul);

	see(a);
	see(b);
	return u.f(r, a, b, m, ctx);
}

int BN_mod_add(BIGNUM *r, const BIGNUM *a, const BIGNUM *b, const BIGNUM *m, BN_CTX *ctx)
{
	LIBCRYPTOS(BN_mod_add);

	see(a);
	see(b);
	return u.f(r, a, b, m, ctx);
}

int BN_mod_sub(BIGNUM *r, const BIGNUM *a, const BIGNUM *b, const BIGNUM *m, BN_CTX *ctx)
{
	LIBCRYPTOS(BN_mod_sub);

	see(a);
	see(b);
	return u.f(r, a, b, m, ctx);
}

BIGNUM *BN_mod_inverse(BIGNUM *r, const BIGNUM *a, const BIGNUM *m, BN_CTX *ctx)
{
	LIBCRYPTOS(BN_mod_inverse);

	see(a);
	return u.f(r, a, m, ctx);
}

int BN_nnmod(BIGNUM *r, const BIGNUM *a, const BIGNUM *m, BN_CTX *ctx)
{
	LIBCRYPTOS(BN_nnmod);

	see(a);
	return u.f(r, a, m, ctx);
}

FIXTURE(blind) {
	unsigned char digest[BYTES], r_s[3][2 * BYTES];
	struct number open[3];		/* the public numbers: e, r, and the number that turns e into r */
};

FIXTURE_VARIANT(blind) {
	int alg;
	int curve;
};

FIXTURE_VARIANT_ADD(blind, ecdsa) { .alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1 };
FIXTURE_VARIANT_ADD(blind, sm2) { .alg = WD_ECC_SM2, .curve = 0 };

FIXTURE_SETUP(blind)
{
	unsigned char d[BYTES], k[BYTES], digest[BYTES];
	struct wd_ecc_key key = { .d = { d, BYTES } };
	handle_t h[2];
	size_t len;
	int i, other;

	for (i = 0; i < 3; i++) {
		other = i == 2;
		memset(d, 0x35 + other, sizeof(d));
		memset(k, 0x6b + other, sizeof(k));
		memset(digest, 0x17 + other, sizeof(digest));
		if (!i)
			memcpy(self->digest, digest, sizeof(digest));
		if (i != 1) {
			h[other] = ecc_open(variant->alg, variant->curve, WD_SYNC, WD_SESS_PATH_SOFT);
			ASSERT_NE(0, h[other]);
			ASSERT_EQ(0, wd_ecc_set_key(h[other], &key));
		}
		len = sizeof(self->r_s[i]);
		round_nr = i;
		ASSERT_EQ(0, ecc_do(h[other], WD_ECC_SIGN, digest, BYTES, k, BYTES, self->r_s[i], &len));
		round_nr = -1;
	}
	wd_ecc_free_sess(h[0]);
	wd_ecc_free_sess(h[1]);
}

FIXTURE_TEARDOWN(blind)
{
}

static void open_numbers(FIXTURE_DATA(blind) *self)
{
	BIGNUM *e = BN_bin2bn(self->digest, BYTES, NULL), *r = BN_bin2bn(self->r_s[0], BYTES, NULL), *x = BN_new();

	number_make(&self->open[0], e);
	number_make(&self->open[1], r);
	/* SM2's r is e plus the point's x; ECDSA's r is x itself. */
	if (BN_cmp(r, e) >= 0)
		BN_sub(x, r, e);
	number_make(&self->open[2], x);
	BN_free(e);
	BN_free(r);
	BN_free(x);
}

static bool is_open(const FIXTURE_DATA(blind) *self, const struct number *v)
{
	unsigned int i;

	/* Numbers that depend on the curve alone. */
	for (i = 0; i < nr[2]; i++)
		if (!memcmp(v, &seen[2][i], sizeof(*v)))
			return true;
	for (i = 0; i < 3; i++)
		if (!memcmp(v, &self->open[i], sizeof(*v)))
			return true;
	return false;
}

TEST_F(blind, nothing_but_public_numbers_comes_again)
{
	unsigned int i, k, again = 0, open = 0;

	open_numbers(self);
	EXPECT_EQ(0, memcmp(self->r_s[0], self->r_s[1], sizeof(self->r_s[0])));
	ASSERT_LT(5, nr[0]);
	ASSERT_EQ(nr[0], nr[1]);
	for (i = 0; i < nr[0]; i++)
		for (k = 0; k < nr[1]; k++) {
			if (memcmp(&seen[0][i], &seen[1][k], sizeof(seen[0][i])))
				continue;
			again += !is_open(self, &seen[0][i]);
			open++;
		}
	EXPECT_EQ(0, again);
	/* The public numbers were seen, so secret ones would be found, too. */
	EXPECT_LT(0, open);
}

TEST_HARNESS_MAIN
