// SPDX-License-Identifier: Apache-2.0
/*
 * A device and the software path give the same results, also at the ends of operands' ranges.
 *   WD_CROSS_ROUNDS=N	how many rounds, each with other numbers (4)
 */
#include "dh_test.h"
#include "ecc_test.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

static unsigned int rounds(void)
{
	const char *n = getenv("WD_CROSS_ROUNDS");

	return n ? (unsigned int)strtoul(n, NULL, 10) : 4;
}

FIXTURE(both) {
	struct rsa_parts parts;
	struct wd_rsa_key key;
	handle_t hw, soft;
};

FIXTURE_SETUP(both)
{
	if (expected_path("rsa") == WD_PATH_SOFT)
		SKIP(return, "needs an HPRE device");
	ASSERT_EQ(0, rsa_parts_own(&self->parts));
	self->key = rsa_key_of(&self->parts, true, true);
	self->hw = rsa_open(1024, WD_SYNC, WD_SESS_PATH_HW);
	self->soft = rsa_open(1024, WD_SYNC, WD_SESS_PATH_SOFT);
	ASSERT_TRUE(self->hw && self->soft);
	ASSERT_EQ(0, wd_rsa_set_key(self->hw, &self->key));
	ASSERT_EQ(0, wd_rsa_set_key(self->soft, &self->key));
}

FIXTURE_TEARDOWN(both)
{
	if (self->hw) {
		EXPECT_EQ(0, wd_rsa_free_sess(self->hw));
		EXPECT_EQ(0, wd_rsa_free_sess(self->soft));
	}
}

struct pair {
	handle_t hw, soft;
	int alg;
	unsigned char key[3 * ECC_MAX], d[ECC_MAX], digest[64];
	size_t w, point;
	unsigned int seed;
};

static bool has(int alg, int op)
{
	bool sm2_or_ecdsa = alg == WD_ECC_ECDSA || alg == WD_ECC_SM2;

	return op == WD_ECC_PUBLIC || (op == WD_ECC_AGREE ? !sm2_or_ecdsa : sm2_or_ecdsa);
}

/* With the request's own key or nonce, or with the session's; digest: its length in bytes. */
static bool op_same(struct pair *p, int op, bool own, size_t digest)
{
	size_t n = op == WD_ECC_SIGN ? p->alg == WD_ECC_SM2 ? 32 : digest : op == WD_ECC_AGREE ? p->point : 0;
	unsigned char a[3 * ECC_MAX], b[3 * ECC_MAX];
	const void *in = op == WD_ECC_SIGN ? p->digest : p->key, *extra = own ? p->d : NULL;
	size_t la = sizeof(a), lb = sizeof(b), extra_len = own ? p->w : 0;

	if (ecc_do(p->hw, op, n ? in : NULL, n, extra, extra_len, a, &la) ||
	    ecc_do(p->soft, op, n ? in : NULL, n, extra, extra_len, b, &lb))
		return false;
	if (op == WD_ECC_SIGN && (ecc_do(p->hw, WD_ECC_VERIFY, in, n, b, lb, NULL, NULL) ||
				  ecc_do(p->soft, WD_ECC_VERIFY, in, n, a, la, NULL, NULL)))
		return false;
	/* Without the caller's nonce, the two signatures have different nonces. */
	return la == lb && ((op == WD_ECC_SIGN && !own) || !memcmp(a, b, la));
}

static bool ecc_same(int alg, int curve, unsigned int seed)
{
	struct pair p = { .alg = alg, .seed = seed };
	size_t len = sizeof(p.key);
	struct wd_ecc_key key;
	bool good;
	int op;

	p.hw = ecc_open(alg, curve, WD_SYNC, WD_SESS_PATH_HW);
	p.soft = ecc_open(alg, curve, WD_SYNC, WD_SESS_PATH_SOFT);
	p.w = p.hw ? (size_t)wd_ecc_sess_bytes(p.hw) : 0;
	p.point = alg >= WD_ECC_X25519 ? p.w : 2 * p.w;
	key = (struct wd_ecc_key){ .d = number(p.key + p.point, p.w) };
	good = p.hw && p.soft && !ecc_do(p.soft, WD_ECC_KEYGEN, NULL, 0, NULL, 0, p.key, &len) &&
	       !wd_ecc_set_key(p.hw, &key) && !wd_ecc_set_key(p.soft, &key);
	fill_noise(p.d, p.w, seed);
	/* Short numbers are valid private keys, too. */
	memset(p.d, 0, alg >= WD_ECC_X25519 ? 0 : 1 + seed % 9);
	fill_noise(p.digest, sizeof(p.digest), seed + 1);
	for (op = WD_ECC_PUBLIC; good && op <= WD_ECC_SIGN; op++)
		good = !has(alg, op) ||
		       (op_same(&p, op, true, 1 + seed % 64) && op_same(&p, op, false, 1 + seed % 64) &&
			op_same(&p, op, true, 8 + seed * 13 % 57) && op_same(&p, op, false, 8 + seed * 13 % 57));
	if (!good)
		printf("# alg %d, curve %d, seed %u: %s\n", alg, curve, seed, detail(p.hw));
	wd_ecc_free_sess(p.hw);
	wd_ecc_free_sess(p.soft);
	return good;
}

TEST_F(both, curves_give_the_same_on_both_paths)
{
	unsigned int seed;
	int curve;

	if (expected_path("ecdsa") == WD_PATH_SOFT)
		SKIP(return, "the device has no curves");
	for (seed = 1; seed <= rounds(); seed++) {
		for (curve = WD_ECC_SECP128R1; curve <= WD_ECC_BRAINPOOL_P512R1; curve++) {
			EXPECT_TRUE(ecc_same(WD_ECC_ECDH, curve, seed));
			EXPECT_TRUE(ecc_same(WD_ECC_ECDSA, curve, seed));
		}
		EXPECT_TRUE(ecc_same(WD_ECC_SM2, 0, seed));
		EXPECT_TRUE(ecc_same(WD_ECC_X25519, 0, seed));
		EXPECT_TRUE(ecc_same(WD_ECC_X448, 0, seed));
	}
}

static bool dh_same(int group, unsigned int seed)
{
	handle_t hw = dh_open(group, WD_SYNC, WD_SESS_PATH_HW), soft = dh_open(group, WD_SYNC, WD_SESS_PATH_SOFT);
	unsigned char x[DH_MAX], y[DH_MAX], a[DH_MAX], b[DH_MAX];
	size_t k = hw ? (size_t)wd_dh_sess_bytes(hw) : 0, la = k, lb = k;
	struct wd_number priv = number(x, 1 + seed * 37 % 64);
	struct wd_dh_arg arg = { .dst = b, .dst_len = &lb, .key = x, .key_len = priv.len };
	bool good = hw && soft;

	fill_noise(x, sizeof(x), seed);
	x[0] |= 2;
	fill_noise(y, sizeof(y), seed + 1);
	y[0] &= 0x7f;
	good = good && !dh_do(hw, WD_DH_PUBLIC, &priv, NULL, 0, a, &la) && !wd_dh_sync(soft, &arg) && !memcmp(a, b, k);
	arg.op = WD_DH_SHARED;
	arg.src = y;
	arg.src_len = k;
	good = good && !dh_do(hw, WD_DH_SHARED, &priv, y, k, a, &la) && !wd_dh_sync(soft, &arg) && !memcmp(a, b, k);
	if (!good)
		printf("# group %d, seed %u: %s\n", group, seed, detail(hw));
	wd_dh_free_sess(hw);
	wd_dh_free_sess(soft);
	return good;
}

TEST_F(both, groups_give_the_same_on_both_paths)
{
	unsigned int seed;
	int group;

	for (seed = 1; seed <= rounds(); seed++)
		for (group = WD_DH_MODP_768; group <= WD_DH_FFDHE4096; group++)
			EXPECT_TRUE(dh_same(group, seed));
}

/* Numbers whose first word alone doesn't decide whether they are in range. */
TEST_F(both, numbers_near_the_ends_of_their_ranges_give_the_same_on_both_paths)
{
	static const unsigned char near_order_8[32] = {
		0xe1, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
		0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
	};
	handle_t dh = dh_open(WD_DH_MODP_1024, WD_SYNC, WD_SESS_PATH_HW),
		 dh_soft = dh_open(WD_DH_MODP_1024, WD_SYNC, WD_SESS_PATH_SOFT);
	handle_t x = ecc_open(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_HW),
		 x_soft = ecc_open(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_SOFT);
	const unsigned char *n = self->parts.out + 128;
	unsigned char a[128], b[128], y[128], d[128];
	size_t a_len, b_len;
	struct wd_rsa_arg r = { .src = y, .src_len = 128, .dst = b, .dst_len = &b_len, .op = WD_RSA_VERIFY };
	struct wd_dh_arg s = { .src = y, .src_len = 128, .dst = b, .dst_len = &b_len, .op = WD_DH_SHARED, .key = d };
	int i;

	if (expected_path("x25519") == WD_PATH_SOFT)
		SKIP(return, "the device has no curves");
	ASSERT_TRUE(dh && dh_soft && x && x_soft);
	for (i = 0; i < 4; i++) {
		/* n - 1, the first word of n alone, 1, and one above n's first word */
		memset(y, 0, sizeof(y));
		memcpy(y, n, i == 0 ? 128 : i == 2 ? 0 : 8);
		y[127] = i == 0 ? n[127] - 1 : i == 2;
		if (i == 3)
			memset(y, 0xff, 8);
		a_len = b_len = 128;
		EXPECT_EQ(wd_rsa_sync(self->soft, &r), rsa_do(self->hw, WD_RSA_VERIFY, y, 128, a, &a_len));
		EXPECT_EQ(a_len, b_len);
		EXPECT_EQ(0, memcmp(a, b, a_len));
	}
	fill_noise(d, sizeof(d), 9);
	d[0] &= 0x7f;
	for (i = 0; i < 9; i++) {
		/*
		 * Keys as long as p, one byte too long and just short enough to be surely below; a peer's value at
		 * both ends and between.
		 */
		struct wd_number key = number(d, i % 3 == 0 ? 128 : i % 3 == 1 ? 121 : 120);

		if (i < 6)
			memset(y, 0, sizeof(y));
		else
			fill_noise(y, sizeof(y), (unsigned int)i);
		memset(y, i < 3 ? 0 : i < 6 ? 0xff : 0x5a, 8);
		y[127] = 2;
		a_len = b_len = 128;
		EXPECT_EQ(0, dh_do(dh, WD_DH_SHARED, &key, y, 128, a, &a_len)) TH_LOG("%s", detail(dh));
		s.key_len = key.len;
		EXPECT_EQ(0, wd_dh_sync(dh_soft, &s)) TH_LOG("%s", detail(dh_soft));
		EXPECT_EQ(0, memcmp(a, b, 128));
	}
	a_len = b_len = 32;
	EXPECT_EQ(0, ecc_do(x, WD_ECC_AGREE, near_order_8, 32, d, 32, a, &a_len)) TH_LOG("%s", detail(x));
	EXPECT_EQ(0, ecc_do(x_soft, WD_ECC_AGREE, near_order_8, 32, d, 32, b, &b_len)) TH_LOG("%s", detail(x_soft));
	EXPECT_EQ(0, memcmp(a, b, 32));
	EXPECT_EQ(0, wd_dh_free_sess(dh));
	EXPECT_EQ(0, wd_dh_free_sess(dh_soft));
	EXPECT_EQ(0, wd_ecc_free_sess(x));
	EXPECT_EQ(0, wd_ecc_free_sess(x_soft));
}

TEST_F(both, rsa_gives_the_same_on_both_paths)
{
	unsigned char in[128], a[128], b[128];
	size_t a_len, b_len;
	unsigned int i;

	for (i = 0; i < 25 * rounds(); i++) {
		struct wd_rsa_arg arg = {
			.src = in, .src_len = 128, .dst = a, .dst_len = &a_len,
			.op = i % 2 ? WD_RSA_SIGN : WD_RSA_VERIFY
		};

		fill_noise(in, 128, i + 2);
		memset(in, 0, 1 + i % 120);
		a_len = b_len = 128;
		ASSERT_EQ(0, wd_rsa_sync(self->hw, &arg)) TH_LOG("%s", detail(self->hw));
		ASSERT_EQ(expected_path("rsa"), arg.path);
		arg.dst = b;
		arg.dst_len = &b_len;
		ASSERT_EQ(0, wd_rsa_sync(self->soft, &arg));
		ASSERT_EQ(0, memcmp(a, b, 128));
	}
}

TEST_HARNESS_MAIN
