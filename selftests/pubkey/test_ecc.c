// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves: key generation, every operation of every curve, and refusals. */
#include <openssl/err.h>

#include "ecc_test.h"
#include "kselftest_harness.h"

#define POINT_MAX	(3 * ECC_MAX)

/* --- every curve --- */

static int point_bytes(int alg, int w)
{
	return alg >= WD_ECC_X25519 ? w : 2 * w;
}

/* Makes a key pair for that session: the public point, then the private key. */
static int keygen(handle_t h, unsigned char *pair)
{
	size_t len = POINT_MAX;

	return ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len);
}

static int key_of_pair(handle_t h, int alg, const unsigned char *pair, bool priv, bool pub)
{
	int w = wd_ecc_sess_bytes(h);
	struct wd_ecc_key key = { .d = { NULL, 0 } };

	if (priv)
		key.d = number(pair + point_bytes(alg, w), (size_t)w);
	if (pub) {
		key.x = number(pair, (size_t)w);
		if (alg < WD_ECC_X25519)
			key.y = number(pair + w, (size_t)w);
	}
	return wd_ecc_set_key(h, &key);
}

static bool pair_agrees(int alg, int curve)
{
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	unsigned char a[POINT_MAX], b[POINT_MAX], za[ECC_MAX], zb[ECC_MAX], pub[2 * ECC_MAX];
	int w = h ? wd_ecc_sess_bytes(h) : 0, n = point_bytes(alg, w);
	size_t len;
	bool good = h && !keygen(h, a) && !keygen(h, b) && memcmp(a, b, (size_t)(n + w));

	/* One side with the request's own key, the other with the session's. */
	len = sizeof(za);
	good = good && !ecc_do(h, WD_ECC_AGREE, b, (size_t)n, a + n, (size_t)w, za, &len) && len == (size_t)w;
	good = good && !key_of_pair(h, alg, b, true, false);
	good = good && !ecc_do(h, WD_ECC_AGREE, a, (size_t)n, NULL, 0, zb, &len) && !memcmp(za, zb, len);
	len = sizeof(pub);
	good = good && !ecc_do(h, WD_ECC_PUBLIC, NULL, 0, NULL, 0, pub, &len) && len == (size_t)n &&
	       !memcmp(pub, b, len);
	good = good && !ecc_do(h, WD_ECC_PUBLIC, NULL, 0, a + n, (size_t)w, pub, &len) && !memcmp(pub, a, len);
	if (!good)
		printf("# alg %d, curve %d: %s\n", alg, curve, detail(h));
	wd_ecc_free_sess(h);
	return good;
}

TEST(two_sides_agree_on_every_curve)
{
	int curve;

	for (curve = WD_ECC_SECP128R1; curve <= WD_ECC_BRAINPOOL_P512R1; curve++)
		EXPECT_TRUE(pair_agrees(WD_ECC_ECDH, curve));
	EXPECT_TRUE(pair_agrees(WD_ECC_X25519, 0));
	EXPECT_TRUE(pair_agrees(WD_ECC_X448, 0));
}

static bool signs(int alg, int curve)
{
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	unsigned char pair[POINT_MAX], digest[WD_ECC_DIGEST_MAX], sig[2 * ECC_MAX], other[2 * ECC_MAX];
	size_t w = h ? (size_t)wd_ecc_sess_bytes(h) : 0, len = sizeof(sig), n;
	bool good = h && !keygen(h, pair) && !key_of_pair(h, alg, pair, true, true);

	fill_noise(digest, sizeof(digest), (unsigned int)curve + 1);
	for (n = alg == WD_ECC_SM2 ? 32 : 1; good && n <= (alg == WD_ECC_SM2 ? 32 : 64); n += 9) {
		len = sizeof(sig);
		good = !ecc_do(h, WD_ECC_SIGN, digest, n, NULL, 0, sig, &len) && len == 2 * w &&
		       !ecc_do(h, WD_ECC_SIGN, digest, n, NULL, 0, other, &len) && memcmp(sig, other, len) &&
		       !ecc_do(h, WD_ECC_VERIFY, digest, n, sig, len, NULL, NULL) &&
		       !ecc_do(h, WD_ECC_VERIFY, digest, n, other, len, NULL, NULL);
		sig[2 * w - 1] ^= 1;
		good = good && ecc_do(h, WD_ECC_VERIFY, digest, n, sig, len, NULL, NULL) == -EBADMSG;
	}
	if (!good)
		printf("# alg %d, curve %d: %s\n", alg, curve, detail(h));
	wd_ecc_free_sess(h);
	return good;
}

TEST(what_every_curve_signs_it_verifies)
{
	int curve;

	for (curve = WD_ECC_SECP128R1; curve <= WD_ECC_BRAINPOOL_P512R1; curve++)
		EXPECT_TRUE(signs(WD_ECC_ECDSA, curve));
	EXPECT_TRUE(signs(WD_ECC_SM2, 0));
}

TEST(a_digest_of_zeroes_is_signed)
{
	handle_t h = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, 0);
	unsigned char pair[POINT_MAX], zero[32] = { 0 }, sig[64];
	size_t len = sizeof(sig);

	ASSERT_EQ(0, keygen(h, pair));
	ASSERT_EQ(0, key_of_pair(h, WD_ECC_ECDSA, pair, true, false));
	ASSERT_EQ(0, ecc_do(h, WD_ECC_SIGN, zero, 32, NULL, 0, sig, &len)) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, ecc_do(h, WD_ECC_VERIFY, zero, 32, sig, len, NULL, NULL)) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, wd_ecc_free_sess(h));
}

TEST(sm2_decrypts_what_it_encrypts_of_every_size)
{
	static const size_t sizes[] = { 1, 31, 32, 33, 64, 511, 512, 513, 4000, WD_ECC_TEXT_MAX };
	static unsigned char text[WD_ECC_TEXT_MAX], out[WD_ECC_TEXT_MAX + WD_ECC_SM2_EXTRA], back[WD_ECC_TEXT_MAX];
	handle_t h = ecc_open(WD_ECC_SM2, 0, WD_SYNC, 0);
	unsigned char pair[POINT_MAX];
	size_t i, len;

	ASSERT_EQ(0, keygen(h, pair));
	ASSERT_EQ(0, key_of_pair(h, WD_ECC_SM2, pair, true, false));
	fill_noise(text, sizeof(text), 5);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i];

		len = sizeof(out);
		ASSERT_EQ(0, ecc_do(h, WD_ECC_ENCRYPT, text, n, NULL, 0, out, &len)) TH_LOG("%s", detail(h));
		ASSERT_EQ(n + WD_ECC_SM2_EXTRA, len);
		len = sizeof(back);
		ASSERT_EQ(0, ecc_do(h, WD_ECC_DECRYPT, out, n + WD_ECC_SM2_EXTRA, NULL, 0, back, &len))
			TH_LOG("%s", detail(h));
		ASSERT_EQ(n, len);
		ASSERT_EQ(0, memcmp(text, back, n));
		/* C2, then C3 */
		out[64 + n - 1] ^= 4;
		EXPECT_EQ(-EBADMSG, ecc_do(h, WD_ECC_DECRYPT, out, n + WD_ECC_SM2_EXTRA, NULL, 0, back, &len));
		EXPECT_EQ(0, len);
		out[64 + n - 1] ^= 4;
		out[64 + n] ^= 0x80;
		len = sizeof(back);
		EXPECT_EQ(-EBADMSG, ecc_do(h, WD_ECC_DECRYPT, out, n + WD_ECC_SM2_EXTRA, NULL, 0, back, &len));
		EXPECT_NE(NULL, strstr(detail(h), "C3"));
	}
	EXPECT_EQ(0, wd_ecc_free_sess(h));
}

/* --- by value --- */

#define P256_P	"ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
#define P256_A	"ffffffff00000001000000000000000000000000fffffffffffffffffffffffc"
#define P256_B	"5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
#define P256_N	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define P256_GX	"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
#define P256_GY	"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

FIXTURE(params) {
	struct bytes b[6];
	struct wd_ecc_params params;
};

FIXTURE_SETUP(params)
{
	static const char *const hex[] = { P256_P, P256_A, P256_B, P256_N, P256_GX, P256_GY };
	struct wd_number *to = &self->params.p;
	int i;

	for (i = 0; i < 6; i++) {
		self->b[i] = bytes_of(hex[i]);
		to[i] = number_of(&self->b[i]);
	}
}

FIXTURE_TEARDOWN(params)
{
	release(self->b, 6);
}

TEST_F(params, a_curve_by_value_is_the_one_by_name)
{
	struct wd_ecc_sess_setup setup = { .alg = WD_ECC_ECDSA, .params = &self->params };
	handle_t valued = wd_ecc_alloc_sess(&setup, NULL), named = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, 0);
	unsigned char pair[POINT_MAX], digest[32] = { 5 }, sig[64];
	size_t len = sizeof(sig);

	ASSERT_NE(0, valued) TH_LOG("%s", detail(0));
	ASSERT_EQ(32, wd_ecc_sess_bytes(valued));
	ASSERT_EQ(0, keygen(valued, pair));
	ASSERT_EQ(0, key_of_pair(valued, WD_ECC_ECDSA, pair, true, true)) TH_LOG("%s", detail(valued));
	ASSERT_EQ(0, key_of_pair(named, WD_ECC_ECDSA, pair, true, true)) TH_LOG("%s", detail(named));
	ASSERT_EQ(0, ecc_do(valued, WD_ECC_SIGN, digest, 32, NULL, 0, sig, &len));
	EXPECT_EQ(0, ecc_do(named, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL));
	EXPECT_EQ(0, ecc_do(valued, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL));
	EXPECT_EQ(0, wd_ecc_free_sess(valued));
	EXPECT_EQ(0, wd_ecc_free_sess(named));
}

#define BAD_PARAMS(change, word) do { \
	struct wd_ecc_params was = self->params; \
	struct wd_ecc_sess_setup by_value = { .alg = WD_ECC_ECDH, .params = &self->params }; \
	\
	change; \
	NO_SESSION(EINVAL, wd_ecc_alloc_sess(&by_value, NULL), word); \
	self->params = was; \
} while (0)

/* Flips a bit of a parameter's last byte. */
#define TURN(i, bit)	(self->b[i].at[31] ^= (bit))

TEST_F(params, what_is_no_curve_is_refused)
{
	BAD_PARAMS(self->params.p = number(NULL, 0), "p is missing");
	BAD_PARAMS(self->params.b = number(NULL, 0), "b is missing");
	BAD_PARAMS(self->params.gy = number(NULL, 0), "gy is missing");
	BAD_PARAMS(self->params.p.len = 13, "p has 104 bits");
	BAD_PARAMS(self->params.a = self->params.p, "a is not below p");
	BAD_PARAMS(self->params.gx = self->params.p, "gx is not below p");
	TURN(0, 1);
	BAD_PARAMS((void)0, "p is even");
	TURN(0, 1);
	self->b[0].at[10] ^= 1;
	BAD_PARAMS((void)0, "no curve");
	self->b[0].at[10] ^= 1;
	TURN(2, 1);
	BAD_PARAMS((void)0, "no curve");
	TURN(2, 1);
	TURN(3, 2);
	BAD_PARAMS((void)0, "no curve");
	TURN(3, 2);
	TURN(5, 1);
	BAD_PARAMS((void)0, "no curve");
	TURN(5, 1);
	/* Singular: 4 a^3 + 27 b^2 = 0 */
	BAD_PARAMS((self->params.a = number("\0", 1), self->params.b = number("\0", 1)), "no curve");
	/* The generator's order is n, not p. */
	BAD_PARAMS(self->params.n = self->params.p, "no curve");
}

/* On this curve, libcrypto would make SM2 signatures. */
TEST(sm2s_curve_by_value_has_no_ecdsa_and_says_so_at_once)
{
	static const char *const hex[] = {
		"fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff",
		"fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc",
		"28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93",
		"fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123",
		"32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7",
		"bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0",
	};
	struct wd_ecc_params params;
	struct wd_ecc_sess_setup setup = { .alg = WD_ECC_ECDSA, .params = &params };
	struct wd_number *to = &params.p;
	struct bytes b[6];
	handle_t h;
	int i;

	for (i = 0; i < 6; i++) {
		b[i] = bytes_of(hex[i]);
		to[i] = number_of(&b[i]);
	}
	NO_SESSION(EOPNOTSUPP, wd_ecc_alloc_sess(&setup, NULL), "no ECDSA on SM2's curve");
	setup.alg = WD_ECC_ECDH;
	h = wd_ecc_alloc_sess(&setup, NULL);
	EXPECT_NE(0, h) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, wd_ecc_free_sess(h));
	release(b, 6);
}

/* --- setups --- */

TEST(a_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_ecc_sess_setup good = { .alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1 }, setup;
	struct wd_ecc_params params = { .p = { NULL, 0 } };

	NO_SESSION(EINVAL, wd_ecc_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(wd_ecc_alloc_sess, setup.alg = 5, EINVAL, "alg 5");
	BAD_SETUP(wd_ecc_alloc_sess, setup.curve = 13, EINVAL, "curve 13");
	BAD_SETUP(wd_ecc_alloc_sess, setup.curve = 0, EINVAL, "params is NULL");
	BAD_SETUP(wd_ecc_alloc_sess, setup.params = &params, EINVAL, "params is set");
	BAD_SETUP(wd_ecc_alloc_sess, setup.alg = WD_ECC_SM2, EINVAL, "curve of its own");
	BAD_SETUP(wd_ecc_alloc_sess, setup.alg = WD_ECC_X25519, EINVAL, "curve of its own");
	BAD_SETUP(wd_ecc_alloc_sess, (setup.alg = WD_ECC_X448, setup.curve = 0, setup.params = &params), EINVAL,
		  "curve of its own");
	BAD_SETUP(wd_ecc_alloc_sess, setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(wd_ecc_alloc_sess, setup.reserved16 = 1, EINVAL, "reserved16");
	BAD_SETUP(wd_ecc_alloc_sess, setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(wd_ecc_alloc_sess, setup.reserved[0] = 1, EINVAL, "reserved[0]");
}

/* --- keys and requests on P-256 --- */

FIXTURE(p256) {
	handle_t ecdh, ecdsa, sm2;
	unsigned char pair[96], other[96], zero[200], ones[200], n[32], n1[32], p[32], out[512];
	size_t len;
};

FIXTURE_SETUP(p256)
{
	struct bytes n = bytes_of(P256_N), p = bytes_of(P256_P);

	self->ecdh = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, 0);
	self->ecdsa = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, 0);
	self->sm2 = ecc_open(WD_ECC_SM2, 0, WD_SYNC, 0);
	ASSERT_TRUE(self->ecdh && self->ecdsa && self->sm2);
	ASSERT_EQ(0, keygen(self->ecdh, self->pair));
	ASSERT_EQ(0, keygen(self->ecdh, self->other));
	memset(self->ones, 0xff, sizeof(self->ones));
	memcpy(self->n, n.at, 32);
	memcpy(self->n1, n.at, 32);
	self->n1[31]--;
	memcpy(self->p, p.at, 32);
	self->len = sizeof(self->out);
	free(n.at);
	free(p.at);
}

FIXTURE_TEARDOWN(p256)
{
	EXPECT_EQ(0, wd_ecc_free_sess(self->ecdh));
	EXPECT_EQ(0, wd_ecc_free_sess(self->ecdsa));
	EXPECT_EQ(0, wd_ecc_free_sess(self->sm2));
}

#define DO(h, op, in, n, extra, extra_len) \
	(self->len = sizeof(self->out), ecc_do(h, op, in, n, extra, extra_len, self->out, &self->len))
#define KEY(d_, x_, y_)	wd_ecc_set_key(self->ecdsa, &(struct wd_ecc_key){ .d = d_, .x = x_, .y = y_ })
#define NONE		number(NULL, 0)

TEST_F(p256, keys_that_are_none_are_refused_and_the_key_before_stays)
{
	struct wd_number d = number(self->pair + 64, 32), x = number(self->pair, 32), y = number(self->pair + 32, 32);
	struct wd_ecc_key key = { .d = d, .reserved = { 0, 1 } };
	unsigned char digest[32] = { 1 }, sig[64], off[32], over[33];
	size_t len = 64;

	ASSERT_EQ(0, KEY(d, x, y)) TH_LOG("%s", detail(self->ecdsa));
	REFUSED(EINVAL, self->ecdsa, wd_ecc_set_key(self->ecdsa, NULL), "key is NULL");
	REFUSED(EINVAL, self->ecdsa, wd_ecc_set_key(self->ecdsa, &key), "reserved[1]");
	REFUSED(EINVAL, self->ecdsa, KEY(NONE, NONE, NONE), "neither d nor x");
	REFUSED(EINVAL, self->ecdsa, KEY(d, x, NONE), "y is missing");
	REFUSED(EINVAL, self->ecdsa, KEY(d, NONE, y), "x is missing");
	REFUSED(EINVAL, self->ecdsa, KEY(number(self->zero, 32), NONE, NONE), "d is not one of");
	REFUSED(EINVAL, self->ecdsa, KEY(number(self->n, 32), NONE, NONE), "d is not one of");
	REFUSED(EINVAL, self->ecdsa, KEY(number(self->ones, 33), NONE, NONE), "d is longer");
	REFUSED(EINVAL, self->ecdsa, KEY(number(self->zero, 0), NONE, NONE), "d has no bytes");
	REFUSED(EINVAL, self->ecdsa, KEY(NONE, number(self->zero, 32), number(self->zero, 32)), "not a point");
	REFUSED(EINVAL, self->ecdsa, KEY(NONE, number(self->p, 32), y), "not below p");
	REFUSED(EINVAL, self->ecdsa, KEY(NONE, x, number(self->ones, 32)), "not below p");
	memcpy(off, self->pair + 32, 32);
	off[31] ^= 1;
	REFUSED(EINVAL, self->ecdsa, KEY(NONE, x, number(off, 32)), "not a point");
	REFUSED(EINVAL, self->ecdsa, KEY(d, number(self->other, 32), number(self->other + 32, 32)),
		"not the public key of d");
	ASSERT_EQ(0, ecc_do(self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0, sig, &len));
	EXPECT_EQ(0, KEY(NONE, x, y));
	EXPECT_EQ(0, ecc_do(self->ecdsa, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL));
	/* The largest key, and a key with a leading zero. */
	over[0] = 0;
	memcpy(over + 1, self->n1, 32);
	EXPECT_EQ(0, KEY(number(over, 33), NONE, NONE)) TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(0, KEY(number("\1", 1), NONE, NONE)) TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(0, ecc_do(self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0, sig, &len))
		TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(0, ecc_do(self->ecdsa, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL))
		TH_LOG("%s", detail(self->ecdsa));
}

TEST_F(p256, operations_without_their_key_are_refused)
{
	struct wd_number d = number(self->pair + 64, 32), x = number(self->pair, 32), y = number(self->pair + 32, 32);
	unsigned char digest[32] = { 1 };

	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0), "no key");
	EXPECT_EQ(0, self->len);
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 32, self->n1, 64), "no key");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_PUBLIC, NULL, 0, NULL, 0), "no key");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, NULL, 0), "no key");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_ENCRYPT, digest, 32, NULL, 0), "no key");
	ASSERT_EQ(0, KEY(NONE, x, y));
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0), "private key");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_PUBLIC, NULL, 0, NULL, 0), "private key");
	REFUSED(EINVAL, self->ecdh, wd_ecc_sm2_digest(self->ecdh, NULL, 0, "x", 1, digest), "no key");
	REFUSED(EINVAL, self->ecdsa, wd_ecc_sm2_digest(self->ecdsa, NULL, 0, "x", 1, digest), "not a session of SM2");
	ASSERT_EQ(0, wd_ecc_set_key(self->sm2, &(struct wd_ecc_key){ .d = d }));
	REFUSED(EINVAL, self->sm2, wd_ecc_sm2_digest(self->sm2, NULL, 0, "x", 1, NULL), "digest is NULL");
	REFUSED(EINVAL, self->sm2, wd_ecc_sm2_digest(self->sm2, NULL, 3, "x", 1, digest), "id is NULL");
	REFUSED(EINVAL, self->sm2, wd_ecc_sm2_digest(self->sm2, NULL, 0, NULL, 1, digest), "msg is NULL");
	REFUSED(EINVAL, self->sm2, wd_ecc_sm2_digest(self->sm2, "x", 8192, "x", 1, digest), "8191");
}

TEST_F(p256, operations_that_an_algorithm_lacks_are_refused)
{
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_SIGN, self->ones, 32, NULL, 0), "ECDH has no operation");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_AGREE, self->other, 64, self->pair + 64, 32),
		"ECDSA has no operation");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_ENCRYPT, self->ones, 32, NULL, 0),
		"ECDSA has no operation");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_AGREE, self->other, 64, self->pair + 64, 32),
		"SM2 has no operation");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, 7, self->other, 64, NULL, 0), "op 7 is unknown");
}

TEST_F(p256, peers_that_are_no_points_are_refused)
{
	const unsigned char *d = self->pair + 64;
	unsigned char bad[65];

	ASSERT_EQ(0, key_of_pair(self->ecdh, WD_ECC_ECDH, self->pair, true, true));
	memset(bad, 0, sizeof(bad));
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, bad, 64, d, 32), "not a point");
	EXPECT_EQ(0, self->len);
	memcpy(bad, self->other, 64);
	bad[63] ^= 1;
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, bad, 64, d, 32), "not a point");
	memcpy(bad, self->p, 32);
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, bad, 64, d, 32), "not below p");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 63, d, 32), "src_len is 63");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 65, d, 32), "src_len is 65");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, NULL, 64, d, 32), "src is NULL");
	REFUSED(EFAULT, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, (void *)4096, 64, d, 32), "mapped");
	REFUSED(EFAULT, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, (void *)4096, 32), "mapped");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, self->zero, 32), "no private key");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, self->n, 32), "no private key");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, self->ones, 33), "longer than 32");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_AGREE, self->other, 64, NULL, 32), "extra is NULL");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_KEYGEN, NULL, 0, d, 32), "extra is set");
	REFUSED(EINVAL, self->ecdh, DO(self->ecdh, WD_ECC_KEYGEN, d, 32, NULL, 0), "src_len is 32");
	self->len = 31;
	REFUSED(ENOSPC, self->ecdh, ecc_do(self->ecdh, WD_ECC_AGREE, self->other, 64, d, 32, self->out, &self->len),
		"room for 31");
	REFUSED(EINVAL, self->ecdh, ecc_do(self->ecdh, WD_ECC_AGREE, self->other, 64, d, 32, NULL, &self->len),
		"dst is NULL");
	REFUSED(EINVAL, self->ecdh, ecc_do(self->ecdh, WD_ECC_AGREE, self->other, 64, d, 32, self->out, NULL),
		"dst_len is NULL");
}

TEST_F(p256, signatures_out_of_range_are_refused)
{
	unsigned char digest[65] = { 1 }, sig[64], bad[64];
	const unsigned char *const wrong[] = { self->zero, self->n, self->ones };
	unsigned int i, half;

	ASSERT_EQ(0, key_of_pair(self->ecdsa, WD_ECC_ECDSA, self->pair, true, true));
	self->len = 64;
	ASSERT_EQ(0, ecc_do(self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0, sig, &self->len));
	for (i = 0; i < 3; i++) {
		for (half = 0; half < 2; half++) {
			memcpy(bad, sig, 64);
			memcpy(bad + 32 * half, wrong[i], 32);
			REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 32, bad, 64), "r or s");
		}
	}
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 32, sig, 63), "extra_len is 63");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 32, NULL, 0), "extra is NULL");
	REFUSED(EFAULT, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 32, (void *)4096, 64), "mapped");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_VERIFY, digest, 0, sig, 64), "src_len is 0");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_SIGN, digest, 65, NULL, 0), "src_len is 65");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_SIGN, digest, 32, self->zero, 32), "no nonce");
	REFUSED(EINVAL, self->ecdsa, DO(self->ecdsa, WD_ECC_SIGN, digest, 32, self->n, 32), "no nonce");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_SIGN, digest, 31, NULL, 0), "src_len is 31");
	EXPECT_EQ(0, DO(self->ecdsa, WD_ECC_SIGN, digest, 32, self->n1, 32)) TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(0, ecc_do(self->ecdsa, WD_ECC_VERIFY, digest, 32, self->out, 64, NULL, NULL));
}

/* The point is infinity if d = 1 and r = n - e, for every s. */
TEST_F(p256, a_signature_whose_point_is_infinity_is_wrong_whatever_failed_before)
{
	unsigned char one[32] = { [31] = 1 }, e[32] = { [31] = 0x51 }, sig[64], bad[64] = { 1 };
	struct wd_ecc_key key = { .d = number(one, 32) };

	memcpy(sig, self->n, 32);
	sig[31] -= e[31];
	memcpy(sig + 32, self->pair, 32);
	sig[32] &= 0x7f;
	ASSERT_EQ(0, wd_ecc_set_key(self->ecdsa, &key)) TH_LOG("%s", detail(self->ecdsa));
	ERR_clear_error();
	EXPECT_EQ(-EBADMSG, DO(self->ecdsa, WD_ECC_VERIFY, e, 32, sig, 64)) TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(-EINVAL, DO(self->ecdh, WD_ECC_AGREE, bad, 64, one, 32));
	EXPECT_EQ(0, ERR_peek_error());
	/* An error of the caller stays in the queue, whatever the result. */
	ERR_raise(ERR_LIB_USER, 7);
	EXPECT_EQ(-EINVAL, DO(self->ecdh, WD_ECC_AGREE, bad, 64, one, 32));
	EXPECT_EQ(-EBADMSG, DO(self->ecdsa, WD_ECC_VERIFY, e, 32, sig, 64)) TH_LOG("%s", detail(self->ecdsa));
	e[31]++;
	EXPECT_EQ(-EBADMSG, DO(self->ecdsa, WD_ECC_VERIFY, e, 32, sig, 64)) TH_LOG("%s", detail(self->ecdsa));
	EXPECT_EQ(7, ERR_GET_REASON(ERR_get_error()));
	EXPECT_EQ(0, ERR_peek_error());
}

TEST_F(p256, texts_that_sm2_does_not_take_are_refused)
{
	static unsigned char large[WD_ECC_TEXT_MAX + WD_ECC_SM2_EXTRA + 1];
	unsigned char pair[96];

	ASSERT_EQ(0, keygen(self->sm2, pair));
	ASSERT_EQ(0, key_of_pair(self->sm2, WD_ECC_SM2, pair, true, true));
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_ENCRYPT, large, 0, NULL, 0), "src_len is 0");
	REFUSED(EFBIG, self->sm2, DO(self->sm2, WD_ECC_ENCRYPT, large, WD_ECC_TEXT_MAX + 1, NULL, 0), "above");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_DECRYPT, large, 96, NULL, 0), "src_len is 96");
	REFUSED(EFBIG, self->sm2, DO(self->sm2, WD_ECC_DECRYPT, large, sizeof(large), NULL, 0), "above");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_DECRYPT, large, 100, NULL, 0), "not a point");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_DECRYPT, self->ones, 100, NULL, 0), "not below p");
	REFUSED(EINVAL, self->sm2, DO(self->sm2, WD_ECC_DECRYPT, large, 100, self->n1, 32), "extra is set");
	REFUSED(ENOSPC, self->sm2, DO(self->sm2, WD_ECC_ENCRYPT, large, 500, NULL, 0), "room for 512");
	/* n - 1 is a valid nonce, but no valid private key. */
	EXPECT_EQ(-EINVAL, wd_ecc_set_key(self->sm2, &(struct wd_ecc_key){ .d = number(self->ones, 32) }));
}

TEST_F(p256, members_that_are_unknown_are_refused)
{
	unsigned char pub[64];
	size_t len = 64;
	struct wd_ecc_arg good = { .dst = pub, .dst_len = &len, .op = WD_ECC_PUBLIC, .extra = self->pair + 64,
				   .extra_len = 32 }, arg = good;
	handle_t a = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ASYNC, 0);

	arg.flags = 4;
	REFUSED(EINVAL, self->ecdh, wd_ecc_sync(self->ecdh, &arg), "flags");
	arg = good;
	arg.reserved[2] = 1;
	REFUSED(EINVAL, self->ecdh, wd_ecc_sync(self->ecdh, &arg), "reserved[2]");
	REFUSED(EINVAL, self->ecdh, wd_ecc_sync(self->ecdh, NULL), "arg is NULL");
	REFUSED(EINVAL, a, wd_ecc_sync(a, &good), "asynchronous session");
	REFUSED(EINVAL, self->ecdh, wd_ecc_async(self->ecdh, &good, NULL), "synchronous session");
	len = 64;
	REFUSED(EINVAL, a, wd_ecc_async(a, &good, NULL), "cb is NULL");
	EXPECT_EQ(0, wd_ecc_free_sess(a));
	EXPECT_EQ(-EINVAL, wd_ecc_free_sess(a));
	EXPECT_EQ(-EINVAL, wd_ecc_sess_caps(a));
	EXPECT_EQ(-EINVAL, wd_ecc_sess_bytes(a));
	EXPECT_EQ(-EINVAL, wd_ecc_sync(a, &good));
}

/* --- X25519, X448 --- */

TEST(points_of_small_order_are_refused)
{
	/* 0, 1, p - 1, p, p + 1, and two of order 8, with and without the ignored bit. */
	static const char *const x25519[] = {
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
		"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	};
	unsigned char d[56] = { 8 }, u[56], out[56];
	unsigned int i, top;
	size_t len;
	handle_t h = ecc_open(WD_ECC_X25519, 0, WD_SYNC, 0), g = ecc_open(WD_ECC_X448, 0, WD_SYNC, 0);

	for (i = 0; i < sizeof(x25519) / sizeof(x25519[0]); i++) {
		struct bytes b = bytes_of(x25519[i]);

		for (top = 0; top < 2; top++) {
			memcpy(u, b.at, 32);
			u[31] |= (unsigned char)(top << 7);
			len = 32;
			REFUSED(EINVAL, h, ecc_do(h, WD_ECC_AGREE, u, 32, d, 32, out, &len), "small order");
			EXPECT_EQ(0, len);
			REFUSED(EINVAL, h, wd_ecc_set_key(h, &(struct wd_ecc_key){ .x = number(u, 32) }),
				"small order");
		}
		free(b.at);
	}
	for (i = 0; i < 5; i++) {
		/* 0, 1, p - 1, p, p + 1 */
		memset(u, i < 2 ? 0 : 0xff, 56);
		if (i < 2)
			u[0] = (unsigned char)i;
		else
			u[28] = 0xfe;
		if (i == 2)
			u[0] = 0xfe;
		if (i == 4) {
			memset(u, 0, 28);
			u[28] = 0xff;
		}
		len = 56;
		REFUSED(EINVAL, g, ecc_do(g, WD_ECC_AGREE, u, 56, d, 56, out, &len), "small order");
	}
	REFUSED(EINVAL, h, ecc_do(h, WD_ECC_AGREE, u, 31, d, 32, out, &len), "src_len is 31");
	REFUSED(EINVAL, h, (len = 56, ecc_do(h, WD_ECC_AGREE, u, 32, d, 31, out, &len)), "extra_len is 31");
	REFUSED(EINVAL, h, (len = 56, ecc_do(h, WD_ECC_SIGN, u, 32, NULL, 0, out, &len)), "X25519 has no operation");
	REFUSED(EINVAL, h, wd_ecc_set_key(h, &(struct wd_ecc_key){ .d = number(d, 31) }), "d has 31 bytes");
	REFUSED(EINVAL, h, wd_ecc_set_key(h, &(struct wd_ecc_key){ .d = number(d, 32), .y = number(d, 32) }),
		"y is set");
	REFUSED(EINVAL, h, wd_ecc_set_key(h, &(struct wd_ecc_key){ .d = number(d, 32), .x = number(d, 32) }),
		"x is not the public key");
	EXPECT_EQ(0, wd_ecc_free_sess(h));
	EXPECT_EQ(0, wd_ecc_free_sess(g));
}

TEST_HARNESS_MAIN
