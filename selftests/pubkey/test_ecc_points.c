// SPDX-License-Identifier: Apache-2.0
/* Which pairs of numbers are points of a curve: the library's answer against libcrypto's. */
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>

#include "ecc_test.h"
#include "kselftest_harness.h"

#define POINTS	24	/* for each curve, by multiplication, and as many at each end of x */

/* By enum wd_ecc_curve; 0 is SM2's curve. */
static const int nids[] = {
	NID_sm2,
	[WD_ECC_SECP128R1] = NID_secp128r1,
	[WD_ECC_SECP192K1] = NID_secp192k1,
	[WD_ECC_SECP192R1] = NID_X9_62_prime192v1,
	[WD_ECC_SECP224R1] = NID_secp224r1,
	[WD_ECC_SECP256K1] = NID_secp256k1,
	[WD_ECC_SECP256R1] = NID_X9_62_prime256v1,
	[WD_ECC_SECP384R1] = NID_secp384r1,
	[WD_ECC_SECP521R1] = NID_secp521r1,
	[WD_ECC_BRAINPOOL_P256R1] = NID_brainpoolP256r1,
	[WD_ECC_BRAINPOOL_P320R1] = NID_brainpoolP320r1,
	[WD_ECC_BRAINPOOL_P384R1] = NID_brainpoolP384r1,
	[WD_ECC_BRAINPOOL_P512R1] = NID_brainpoolP512r1,
};

/*
 * keys: a session that gets public keys only; peers: one with a private key, none for SM2; wrong: count of wrong
 * answers
 */
FIXTURE(points) {
	handle_t keys, peers;
	EC_GROUP *group;
	EC_POINT *point;
	BN_CTX *ctx;
	BIGNUM *p, *x, *y, *t;
	size_t w;
	unsigned int good, bad, wrong;
};

FIXTURE_VARIANT(points) {
	int curve;
};

#define CURVE(name)	FIXTURE_VARIANT_ADD(points, name) { .curve = WD_ECC_##name }

FIXTURE_VARIANT_ADD(points, SM2) { .curve = 0 };
CURVE(SECP128R1);
CURVE(SECP192K1);
CURVE(SECP192R1);
CURVE(SECP224R1);
CURVE(SECP256K1);
CURVE(SECP256R1);
CURVE(SECP384R1);
CURVE(SECP521R1);
CURVE(BRAINPOOL_P256R1);
CURVE(BRAINPOOL_P320R1);
CURVE(BRAINPOOL_P384R1);
CURVE(BRAINPOOL_P512R1);

FIXTURE_SETUP(points)
{
	int alg = variant->curve ? WD_ECC_ECDH : WD_ECC_SM2;
	struct wd_ecc_key key = { .d = number("\x05", 1) };

	self->keys = ecc_open(alg, variant->curve, WD_SYNC, 0);
	ASSERT_NE(0, self->keys) TH_LOG("%s", detail(0));
	if (variant->curve) {
		self->peers = ecc_open(alg, variant->curve, WD_SYNC, 0);
		ASSERT_NE(0, self->peers) TH_LOG("%s", detail(0));
		ASSERT_EQ(0, wd_ecc_set_key(self->peers, &key)) TH_LOG("%s", detail(self->peers));
	}
	self->w = (size_t)wd_ecc_sess_bytes(self->keys);
	self->group = EC_GROUP_new_by_curve_name(nids[variant->curve]);
	ASSERT_NE(NULL, self->group);
	self->point = EC_POINT_new(self->group);
	self->ctx = BN_CTX_new();
	self->p = BN_new();
	self->x = BN_new();
	self->y = BN_new();
	self->t = BN_new();
	ASSERT_TRUE(self->point && self->ctx && self->t);
	ASSERT_TRUE(EC_GROUP_get_curve(self->group, self->p, NULL, NULL, NULL));
}

FIXTURE_TEARDOWN(points)
{
	BN_free(self->t);
	BN_free(self->y);
	BN_free(self->x);
	BN_free(self->p);
	BN_CTX_free(self->ctx);
	EC_POINT_free(self->point);
	EC_GROUP_free(self->group);
	if (self->peers) {
		EXPECT_EQ(0, wd_ecc_free_sess(self->peers));
	}
	EXPECT_EQ(0, wd_ecc_free_sess(self->keys));
}

typedef FIXTURE_DATA(points) points;

/* libcrypto's answer for octets (4, x, y); coordinates >= p are refused. */
static bool libcrypto_says(points *t, const unsigned char *octets)
{
	bool good = EC_POINT_oct2point(t->group, t->point, octets, 1 + 2 * t->w, t->ctx) &&
		    EC_POINT_is_on_curve(t->group, t->point, t->ctx) == 1;

	ERR_clear_error();
	return good;
}

static int key_says(points *t, const unsigned char *xy)
{
	struct wd_ecc_key key = { .x = number(xy, t->w), .y = number(xy + t->w, t->w) };

	return wd_ecc_set_key(t->keys, &key);
}

static int peer_says(points *t, const unsigned char *xy)
{
	unsigned char secret[ECC_MAX];
	size_t len = sizeof(secret);

	return t->peers ? ecc_do(t->peers, WD_ECC_AGREE, xy, 2 * t->w, NULL, 0, secret, &len) : key_says(t, xy);
}

/* Expects the same answer from key, peer and libcrypto, if the numbers fit. Returns libcrypto's answer. */
static bool compare(points *t, const BIGNUM *x, const BIGNUM *y)
{
	unsigned char octets[1 + 2 * ECC_MAX] = { 4 };
	bool good;
	int ret, key, peer;

	if (BN_bn2binpad(x, octets + 1, (int)t->w) < 0 || BN_bn2binpad(y, octets + 1 + t->w, (int)t->w) < 0)
		return false;
	good = libcrypto_says(t, octets);
	ret = good ? 0 : -EINVAL;
	key = key_says(t, octets + 1);
	peer = peer_says(t, octets + 1);
	if (key != ret || peer != ret) {
		printf("# libcrypto %d, key %d, peer %d: %s, %s\n", good, key, peer, BN_bn2hex(x), BN_bn2hex(y));
		t->wrong++;
	}
	good ? t->good++ : t->bad++;
	return good;
}

/* k G, then its x and y */
static bool multiply(points *t, const BIGNUM *k)
{
	return EC_POINT_mul(t->group, t->point, k, NULL, NULL, t->ctx) &&
	       EC_POINT_get_affine_coordinates(t->group, t->point, t->x, t->y, t->ctx);
}

/* The point with that x, if one exists */
static bool lift(points *t)
{
	bool good = EC_POINT_set_compressed_coordinates(t->group, t->point, t->x, 1, t->ctx) &&
		    EC_POINT_get_affine_coordinates(t->group, t->point, NULL, t->y, t->ctx);

	ERR_clear_error();
	return good;
}

static bool random_point(points *t)
{
	return BN_rand_range(t->t, t->p) && multiply(t, t->t);
}

TEST_F(points, multiples_of_the_generator_and_their_negatives_are_points)
{
	unsigned int i;

	for (i = 1; i <= POINTS; i++) {
		ASSERT_TRUE(i < POINTS / 2 ? BN_set_word(self->t, i) && multiply(self, self->t) : random_point(self));
		EXPECT_TRUE(compare(self, self->x, self->y));
		ASSERT_TRUE(BN_sub(self->y, self->p, self->y));
		EXPECT_TRUE(compare(self, self->x, self->y));
	}
	EXPECT_EQ(0, self->wrong);
}

/* Where carries and borrows go through all words */
TEST_F(points, those_with_the_least_and_the_greatest_x_are_points)
{
	unsigned int i;

	for (i = 0; i < POINTS; i++) {
		ASSERT_TRUE(BN_set_word(self->x, i));
		if (lift(self)) {
			EXPECT_TRUE(compare(self, self->x, self->y));
		}
		ASSERT_TRUE(BN_copy(self->x, self->p) && BN_sub_word(self->x, i + 1));
		if (lift(self)) {
			EXPECT_TRUE(compare(self, self->x, self->y));
		}
	}
	EXPECT_LT(0, self->good);
	EXPECT_EQ(0, self->wrong);
}

TEST_F(points, a_coordinate_that_is_one_more_makes_none)
{
	unsigned int i;

	for (i = 0; i < POINTS; i++) {
		ASSERT_TRUE(random_point(self));
		ASSERT_TRUE(BN_mod_add(self->t, self->x, BN_value_one(), self->p, self->ctx));
		compare(self, self->t, self->y);
		ASSERT_TRUE(BN_mod_add(self->t, self->y, BN_value_one(), self->p, self->ctx));
		EXPECT_FALSE(compare(self, self->x, self->t));
	}
	EXPECT_LT(POINTS, self->bad);
	EXPECT_EQ(0, self->wrong);
}

TEST_F(points, a_bit_that_is_turned_makes_none)
{
	int i, bits = BN_num_bits(self->p) - 1;

	ASSERT_TRUE(random_point(self));
	for (i = 0; i < bits; i += 5) {
		ASSERT_TRUE(BN_copy(self->t, self->y));
		ASSERT_TRUE(BN_is_bit_set(self->t, i) ? BN_clear_bit(self->t, i) : BN_set_bit(self->t, i));
		compare(self, self->x, self->t);
		ASSERT_TRUE(BN_copy(self->t, self->x));
		ASSERT_TRUE(BN_is_bit_set(self->t, i) ? BN_clear_bit(self->t, i) : BN_set_bit(self->t, i));
		compare(self, self->t, self->y);
	}
	EXPECT_LT(0, self->bad);
	EXPECT_EQ(0, self->wrong);
}

TEST_F(points, numbers_below_p_that_are_no_point_are_refused)
{
	unsigned int i;

	for (i = 0; i < POINTS; i++) {
		ASSERT_TRUE(BN_rand_range(self->x, self->p) && BN_rand_range(self->y, self->p));
		compare(self, self->x, self->y);
	}
	EXPECT_LT(0, self->bad);
	ASSERT_TRUE(random_point(self));
	compare(self, self->y, self->x);
	BN_zero(self->t);
	/* b isn't 0 for any of these curves. */
	EXPECT_FALSE(compare(self, self->t, self->t));
	compare(self, self->t, self->y);
	EXPECT_FALSE(compare(self, self->x, self->t));
	EXPECT_EQ(0, self->wrong);
}

/* The pairs are points modulo p, so only the range check refuses them. */
TEST_F(points, coordinates_from_p_on_are_refused)
{
	unsigned int i, before;

	for (i = 0; i < POINTS; i++) {
		ASSERT_TRUE(BN_set_word(self->x, i));
		if (!lift(self))
			continue;
		ASSERT_TRUE(BN_add(self->t, self->x, self->p));
		before = self->bad;
		EXPECT_FALSE(compare(self, self->t, self->y));
		/* x + p has as many bytes as p. */
		EXPECT_EQ(before + 1, self->bad);
		ASSERT_TRUE(BN_add(self->t, self->y, self->p));
		EXPECT_FALSE(compare(self, self->x, self->t));
	}
	EXPECT_LT(0, self->bad);
	EXPECT_FALSE(compare(self, self->p, self->p));
	ASSERT_TRUE(BN_set_word(self->t, 0) && BN_set_bit(self->t, 8 * (int)self->w) && BN_sub_word(self->t, 1));
	EXPECT_FALSE(compare(self, self->t, self->t));
	EXPECT_FALSE(compare(self, self->x, self->t));
	EXPECT_EQ(0, self->wrong);
}

TEST_HARNESS_MAIN
