// SPDX-License-Identifier: Apache-2.0
/* RSA, DH and ECC on emulated devices that dawdle, are reset, go, or don't take what is asked. */
#include <pthread.h>

#include "dh_test.h"
#include "ecc_test.h"
#include "emulated.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define DEVICE	"hisi_hpre-0"
#define OTHER	"hisi_hpre-1"

FIXTURE(device) {
	struct rsa_parts parts;
	struct wd_rsa_key key;
	handle_t any, hw;
	unsigned char in[128], want[128], out[128];
	size_t len;
	struct wd_rsa_arg arg;
};

FIXTURE_SETUP(device)
{
	if (!emulated() || expected_path("rsa") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --hpre");
	ASSERT_EQ(0, rsa_parts_own(&self->parts));
	self->key = rsa_key_of(&self->parts, true, true);
	self->any = rsa_open(1024, WD_SYNC, 0);
	self->hw = rsa_open(1024, WD_SYNC, WD_SESS_PATH_HW);
	ASSERT_TRUE(self->any && self->hw);
	ASSERT_EQ(0, wd_rsa_set_key(self->any, &self->key));
	ASSERT_EQ(0, wd_rsa_set_key(self->hw, &self->key));
	fill_noise(self->in, 128, 1);
	self->in[0] = 0;
	self->len = 128;
	ASSERT_EQ(0, rsa_do(self->any, WD_RSA_SIGN, self->in, 128, self->want, &self->len));
	self->arg = (struct wd_rsa_arg){ .src = self->in, .src_len = 128, .dst = self->out, .dst_len = &self->len, .op = WD_RSA_SIGN };
}

FIXTURE_TEARDOWN(device)
{
	if (self->any) {
		EXPECT_EQ(0, wd_rsa_free_sess(self->any));
		EXPECT_EQ(0, wd_rsa_free_sess(self->hw));
	}
}

TEST_F(device, after_a_deadline_nothing_is_written_any_more)
{
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, emulated_control(OTHER, "hold"));
	memset(self->out, 0x5a, 128);
	self->arg.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_EQ(0, self->len);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	ASSERT_EQ(0, emulated_control(OTHER, "release"));
	EXPECT_EQ(0x5a, self->out[0]);
	EXPECT_EQ(0x5a, self->out[127]);
	/* The context is opened again. */
	self->len = 128;
	self->arg.timeout_ms = 0;
	EXPECT_EQ(0, wd_rsa_sync(self->hw, &self->arg)) TH_LOG("%s", detail(self->hw));
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
}

static void *reset_soon(void *unused)
{
	usleep(30000);
	emulated_control(DEVICE, "reset");
	emulated_control(OTHER, "reset");
	emulated_control(DEVICE, "release");
	emulated_control(OTHER, "release");
	return unused;
}

TEST_F(device, what_a_reset_stops_is_done_again)
{
	pthread_t t;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, emulated_control(OTHER, "hold"));
	ASSERT_EQ(0, pthread_create(&t, NULL, reset_soon, NULL));
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg)) TH_LOG("%s", detail(self->any));
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
	pthread_join(t, NULL);
}

TEST_F(device, when_it_is_gone_this_cpu_does_it_or_nobody)
{
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_EQ(0, emulated_control(OTHER, "remove"));
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg)) TH_LOG("%s", detail(self->any));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_GONE, self->arg.path_reason);
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
	self->len = 128;
	EXPECT_EQ(-ENODEV, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_EQ(0, emulated_control(DEVICE, "return"));
	EXPECT_EQ(0, emulated_control(OTHER, "return"));
}

TEST_F(device, what_no_device_takes_is_refused_or_done_here)
{
	unsigned char text[600] = { 1 }, out[700], pair[96], zero[128] = { 0 };
	handle_t sm2 = ecc_open(WD_ECC_SM2, 0, WD_SYNC, WD_SESS_PATH_HW), p256 = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_HW);
	struct wd_ecc_key key = { .d = number(pair + 64, 32) };
	size_t len;

	self->arg.src = zero;
	EXPECT_EQ(-EOPNOTSUPP, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->hw), "doesn't take"));
	self->len = 128;
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, self->arg.path_reason);
	ASSERT_TRUE(sm2 && p256);
	len = sizeof(pair);
	ASSERT_EQ(0, ecc_do(sm2, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len)) TH_LOG("%s", detail(sm2));
	ASSERT_EQ(0, wd_ecc_set_key(sm2, &key));
	len = sizeof(out);
	EXPECT_EQ(0, ecc_do(sm2, WD_ECC_ENCRYPT, text, 512, NULL, 0, out, &len)) TH_LOG("%s", detail(sm2));
	len = sizeof(out);
	EXPECT_EQ(-EOPNOTSUPP, ecc_do(sm2, WD_ECC_ENCRYPT, text, 513, NULL, 0, out, &len));
	len = sizeof(pair);
	ASSERT_EQ(0, ecc_do(p256, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len));
	ASSERT_EQ(0, wd_ecc_set_key(p256, &key));
	len = sizeof(out);
	EXPECT_EQ(-EOPNOTSUPP, ecc_do(p256, WD_ECC_SIGN, zero, 32, NULL, 0, out, &len));
	EXPECT_EQ(0, wd_ecc_free_sess(sm2));
	EXPECT_EQ(0, wd_ecc_free_sess(p256));
}

TEST_F(device, every_algorithm_is_served_by_devices_only)
{
	static const struct {
		int alg, curve;
	} kinds[] = { { WD_ECC_ECDH, WD_ECC_SECP521R1 }, { WD_ECC_ECDSA, WD_ECC_SECP192R1 }, { WD_ECC_SM2, 0 }, { WD_ECC_X25519, 0 }, { WD_ECC_X448, 0 } };
	handle_t dh = dh_open(WD_DH_FFDHE4096, WD_SYNC, WD_SESS_PATH_HW);
	struct wd_number x = number("\5", 1);
	unsigned char out[512];
	size_t len = sizeof(out), i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		handle_t h = ecc_open(kinds[i].alg, kinds[i].curve, WD_SYNC, WD_SESS_PATH_HW);

		ASSERT_NE(0, h) TH_LOG("%zu: %s", i, detail(0));
		EXPECT_EQ(WD_CAP_SIM, wd_ecc_sess_caps(h));
		len = sizeof(out);
		EXPECT_EQ(0, ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, out, &len)) TH_LOG("%zu: %s", i, detail(h));
		EXPECT_EQ(0, wd_ecc_free_sess(h));
	}
	ASSERT_NE(0, dh);
	EXPECT_EQ(WD_CAP_SIM, wd_dh_sess_caps(dh));
	len = sizeof(out);
	EXPECT_EQ(0, dh_do(dh, WD_DH_PUBLIC, &x, NULL, 0, out, &len));
	EXPECT_EQ(32, out[511]);
	EXPECT_EQ(0, wd_dh_free_sess(dh));
}

/* --- the same on both paths --- */

static bool ecc_same(int alg, int curve, unsigned int seed)
{
	handle_t hw = ecc_open(alg, curve, WD_SYNC, WD_SESS_PATH_HW), soft = ecc_open(alg, curve, WD_SYNC, WD_SESS_PATH_SOFT);
	unsigned char pair[3 * ECC_MAX], d[ECC_MAX], digest[64], a[3 * ECC_MAX], b[3 * ECC_MAX];
	size_t w = hw ? (size_t)wd_ecc_sess_bytes(hw) : 0, point = alg >= WD_ECC_X25519 ? w : 2 * w, la = sizeof(pair), lb;
	struct wd_ecc_key key = { .d = number(pair + point, w) };
	bool good = hw && soft && !ecc_do(soft, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &la);
	int op;

	good = good && !wd_ecc_set_key(hw, &key) && !wd_ecc_set_key(soft, &key);
	fill_noise(d, w, seed);
	/* Short ones are private keys, too. */
	memset(d, 0, alg >= WD_ECC_X25519 ? 0 : 1 + seed % 9);
	fill_noise(digest, sizeof(digest), seed + 1);
	for (op = WD_ECC_PUBLIC; good && op <= WD_ECC_SIGN; op++) {
		bool sign = op == WD_ECC_SIGN;
		size_t n = sign ? alg == WD_ECC_SM2 ? 32 : 1 + seed % 64 : op == WD_ECC_AGREE ? point : 0;
		const void *in = sign ? digest : op == WD_ECC_AGREE ? pair : NULL;

		if (op == WD_ECC_AGREE ? alg == WD_ECC_ECDSA || alg == WD_ECC_SM2 : sign && (alg == WD_ECC_ECDH || alg >= WD_ECC_X25519))
			continue;
		la = lb = sizeof(a);
		good = !ecc_do(hw, op, in, n, d, w, a, &la) && !ecc_do(soft, op, in, n, d, w, b, &lb) && la == lb && !memcmp(a, b, la);
		if (sign)
			good = good && !ecc_do(hw, WD_ECC_VERIFY, digest, n, b, lb, NULL, NULL) &&
			       !ecc_do(soft, WD_ECC_VERIFY, digest, n, a, la, NULL, NULL);
	}
	if (!good)
		printf("# alg %d, curve %d, seed %u: %s\n", alg, curve, seed, detail(hw));
	wd_ecc_free_sess(hw);
	wd_ecc_free_sess(soft);
	return good;
}

TEST_F(device, curves_give_the_same_on_both_paths)
{
	unsigned int seed;
	int curve;

	for (seed = 1; seed <= 4; seed++) {
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

TEST_F(device, groups_give_the_same_on_both_paths)
{
	unsigned int seed;
	int group;

	for (seed = 1; seed <= 6; seed++)
		for (group = WD_DH_MODP_768; group <= WD_DH_FFDHE4096; group++)
			EXPECT_TRUE(dh_same(group, seed));
}

/* Where the first word doesn't say that a number is in range. */
TEST_F(device, numbers_near_the_ends_of_their_ranges_give_the_same_on_both_paths)
{
	static const unsigned char near_order_8[32] = {
		0xe1, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
		0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
	};
	handle_t dh = dh_open(WD_DH_MODP_1024, WD_SYNC, WD_SESS_PATH_HW), dh_soft = dh_open(WD_DH_MODP_1024, WD_SYNC, WD_SESS_PATH_SOFT);
	handle_t x = ecc_open(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_HW), x_soft = ecc_open(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_SOFT);
	handle_t soft = rsa_open(1024, WD_SYNC, WD_SESS_PATH_SOFT);
	const unsigned char *n = self->parts.out + 128;
	unsigned char a[128], b[128], y[128], d[128];
	size_t a_len, b_len;
	struct wd_rsa_arg r = { .src = y, .src_len = 128, .dst = b, .dst_len = &b_len, .op = WD_RSA_VERIFY };
	struct wd_dh_arg s = { .src = y, .src_len = 128, .dst = b, .dst_len = &b_len, .op = WD_DH_SHARED, .key = d };
	int i;

	ASSERT_TRUE(dh && dh_soft && x && x_soft && soft);
	ASSERT_EQ(0, wd_rsa_set_key(soft, &self->key));
	for (i = 0; i < 4; i++) {
		/* n - 1, the first word of n alone, 1, and one above n's first word */
		memset(y, 0, sizeof(y));
		memcpy(y, n, i == 0 ? 128 : i == 2 ? 0 : 8);
		y[127] = i == 0 ? n[127] - 1 : i == 2;
		if (i == 3)
			memset(y, 0xff, 8);
		a_len = b_len = 128;
		EXPECT_EQ(wd_rsa_sync(soft, &r), rsa_do(self->hw, WD_RSA_VERIFY, y, 128, a, &a_len));
		EXPECT_EQ(a_len, b_len);
		EXPECT_EQ(0, memcmp(a, b, a_len));
	}
	fill_noise(d, sizeof(d), 9);
	d[0] &= 0x7f;
	for (i = 0; i < 4; i++) {
		/* As long as p, a byte too long and just short enough to be below it anyway, and a peer's value at both ends */
		struct wd_number key = number(d, i == 0 ? 128 : i == 1 ? 121 : 120);

		memset(y, 0, sizeof(y));
		memset(y, i % 2 ? 0xff : 0, 8);
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
	EXPECT_EQ(0, wd_rsa_free_sess(soft));
	EXPECT_EQ(0, wd_dh_free_sess(dh));
	EXPECT_EQ(0, wd_dh_free_sess(dh_soft));
	EXPECT_EQ(0, wd_ecc_free_sess(x));
	EXPECT_EQ(0, wd_ecc_free_sess(x_soft));
}

TEST_F(device, rsa_gives_the_same_on_both_paths)
{
	handle_t soft = rsa_open(1024, WD_SYNC, WD_SESS_PATH_SOFT);
	unsigned char out[128];
	size_t len = 128;
	struct wd_rsa_arg arg = { .src = self->in, .src_len = 128, .dst = out, .dst_len = &len };
	int i;

	ASSERT_EQ(0, wd_rsa_set_key(soft, &self->key));
	for (i = 0; i < 100; i++) {
		fill_noise(self->in, 128, (unsigned int)i + 2);
		memset(self->in, 0, 1 + (size_t)i);
		self->len = len = 128;
		self->arg.op = arg.op = i % 2 ? WD_RSA_SIGN : WD_RSA_VERIFY;
		ASSERT_EQ(0, wd_rsa_sync(self->hw, &self->arg)) TH_LOG("%s", detail(self->hw));
		ASSERT_EQ(WD_PATH_SIM, self->arg.path);
		ASSERT_EQ(0, wd_rsa_sync(soft, &arg));
		ASSERT_EQ(0, memcmp(out, self->out, 128));
	}
	EXPECT_EQ(0, wd_rsa_free_sess(soft));
}

TEST_HARNESS_MAIN
