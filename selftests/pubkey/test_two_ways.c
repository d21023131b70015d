// SPDX-License-Identifier: Apache-2.0
/* The fast path and the slow path write the same descriptor, and the same operands, for the same request. */
#include "dh_test.h"
#include "ecc_test.h"
#include "rsa_test.h"
#include "hw/hpre_hw.h"
#include "kselftest_harness.h"
#include "two_ways.h"

#define DEVICE		"hisi_hpre"
#define WORD_KEY	2
#define WORD_IN		4
#define WORD_OUT	6
#define WORD_TAG	8
#define BYTES		512	/* of the longest operand and result */

static unsigned int ended;
static bool nonce_differs;

WAYS_LIB(rsa, wd_rsa_sync);
WAYS_LIB(dh, wd_dh_sync);
WAYS_LIB(ecc, wd_ecc_sync);

FIXTURE(ways) {
	unsigned char src[BYTES], dst[BYTES];
	size_t len[2];
	struct way way[2];
};

WAYS_VARIANTS;

FIXTURE_SETUP(ways)
{
	if (!emulated())
		SKIP(return, "needs wd-emulate --hpre");
	fill_noise(self->src, sizeof(self->src), 1);
	/* Below any modulus. */
	self->src[0] = 1;
	nonce_differs = false;
}

FIXTURE_TEARDOWN(ways)
{
}

/* Two requests like arg, with their result in the same place, whose address the device may get. */
#define BEGIN(alg, h, arg) do { \
	(arg)[0].dst = self->dst; \
	(arg)[1] = (arg)[0]; \
	WAYS_BEGIN(alg, h, arg, BYTES); \
} while (0)

/* Numbers of the key and of the operand. */
static void numbers(enum hpre_op op, unsigned int *key, unsigned int *in)
{
	*in = 1;
	*key = 2;
	switch (op) {
	case HPRE_RSA_CRT:
		/* The session's: never in the request's memory. */
		*key = 0;
		break;
	case HPRE_DH_G2:
		*in = 0;
		break;
	case HPRE_ECC_MULTIPLY:
		*in = 2;
		*key = HPRE_MULTIPLY_KEY_FIELDS;
		break;
	case HPRE_MONTGOMERY:
		*key = HPRE_MONTGOMERY_KEY_FIELDS;
		break;
	case HPRE_ECDSA_SIGN:
	case HPRE_SM2_SIGN:
		*in = nonce_differs ? 1 : 2;
		*key = HPRE_SIGN_KEY_FIELDS;
		break;
	case HPRE_ECDSA_VERIFY:
	case HPRE_SM2_VERIFY:
		*in = 3;
		*key = HPRE_PUBLIC_KEY_FIELDS;
		break;
	default:
		break;
	}
}

static unsigned int refs(const __u32 *sqe, struct ways_ref refs[4])
{
	size_t field = 8 * ((le32toh(sqe[1]) & 0xff) + 1);
	unsigned int key, in;

	numbers(le32toh(sqe[0]) & HPRE_DW0_ALG_MASK, &key, &in);
	refs[0] = (struct ways_ref){ WORD_KEY, key * field };
	refs[1] = (struct ways_ref){ WORD_IN, in * field };
	refs[2] = (struct ways_ref){ WORD_OUT, 0 };
	return 3;
}

#define DIFFER()	ways_differ(self->way, DEVICE, WORD_TAG, refs, &ended)

TEST_F(ways, RSA_with_each_kind_of_key_has_one_descriptor)
{
	struct wd_rsa_arg arg[2];
	struct wd_rsa_key key;
	struct rsa_parts *r = malloc(sizeof(*r));
	unsigned int op, crt;
	handle_t h = rsa_open(1024, ways_op_type(variant->call), WD_SESS_PATH_HW);

	ASSERT_TRUE(h && r);
	ASSERT_EQ(0, rsa_parts_own(r));
	for (crt = 0; crt < 2; crt++) {
		key = rsa_key_of(r, true, crt);
		ASSERT_EQ(0, wd_rsa_set_key(h, &key)) TH_LOG("%s", detail(h));
		for (op = WD_RSA_SIGN; op <= WD_RSA_VERIFY; op++) {
			arg[0] = (struct wd_rsa_arg){ .src = self->src, .src_len = r->k, .op = op };
			BEGIN(rsa, h, arg);
			EXPECT_STREQ("", DIFFER()) TH_LOG("op %u, crt %u", op, crt);
		}
	}
	free(r);
	EXPECT_EQ(0, wd_rsa_free_sess(h));
}

TEST_F(ways, RSA_of_every_size_has_one_descriptor)
{
	unsigned char e[BYTES] = { 0 }, n[BYTES];
	struct wd_rsa_arg arg[2];
	size_t k;
	handle_t h;

	fill_noise(n, sizeof(n), 2);
	n[0] |= 0x80;
	for (k = 128; k <= BYTES; k += 128) {
		struct wd_rsa_key key = { .n = number(n, k), .e = number(e, k) };

		e[k - 3] = e[k - 1] = n[k - 1] = 1;
		h = rsa_open(8 * (unsigned int)k, ways_op_type(variant->call), WD_SESS_PATH_HW);
		/* There is no key of 1,536 bits. */
		if (!h)
			continue;
		ASSERT_EQ(0, wd_rsa_set_key(h, &key)) TH_LOG("%s", detail(h));
		arg[0] = (struct wd_rsa_arg){ .src = self->src, .src_len = k, .op = WD_RSA_VERIFY };
		BEGIN(rsa, h, arg);
		EXPECT_STREQ("", DIFFER()) TH_LOG("%zu bytes", k);
		EXPECT_EQ(0, wd_rsa_free_sess(h));
		e[k - 3] = e[k - 1] = 0;
	}
}

/* With the session's private value and with the request's own. */
#define DH(h, what) do { \
	struct wd_dh_arg arg_[2]; \
	unsigned int op_, own_; \
	int k_ = wd_dh_sess_bytes(h); \
\
	ASSERT_EQ(0, wd_dh_set_key(h, &x)) TH_LOG("%s", detail(h)); \
	for (op_ = WD_DH_PUBLIC; op_ <= WD_DH_SHARED; op_++) \
		for (own_ = 0; own_ < 2; own_++) { \
			arg_[0] = (struct wd_dh_arg){ .op = op_ }; \
			if (op_ == WD_DH_SHARED) { \
				arg_[0].src = self->src; \
				arg_[0].src_len = (size_t)k_; \
			} \
			if (own_) { \
				arg_[0].key = self->src + 40; \
				arg_[0].key_len = 32; \
			} \
			BEGIN(dh, h, arg_); \
			EXPECT_STREQ("", DIFFER()) TH_LOG("%s %d, op %u, own value %u", what, k_, op_, own_); \
		} \
	EXPECT_EQ(0, wd_dh_free_sess(h)); \
} while (0)

TEST_F(ways, DH_in_every_group_has_one_descriptor)
{
	struct wd_number x = number(self->src + 8, 32);
	int group;
	handle_t h;

	for (group = WD_DH_MODP_768; group <= WD_DH_FFDHE4096; group++) {
		h = dh_open(group, ways_op_type(variant->call), WD_SESS_PATH_HW);
		ASSERT_NE(0, h) TH_LOG("group %d: %s", group, detail(0));
		DH(h, "group of bytes");
	}
}

TEST_F(ways, DH_with_another_generator_has_one_descriptor)
{
	static const unsigned char five = 5;
	struct wd_number x = number(self->src + 8, 32);
	struct wd_dh_sess_setup setup = {
		.op_type = (__u8)ways_op_type(variant->call), .flags = WD_SESS_PATH_HW, .g = number(&five, 1),
	};
	unsigned char p[128];
	handle_t h;

	fill_noise(p, sizeof(p), 3);
	p[0] |= 0x80;
	p[sizeof(p) - 1] |= 1;
	setup.p = number(p, sizeof(p));
	h = wd_dh_alloc_sess(&setup, NULL);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	DH(h, "own prime of bytes");
}

/* Makes a key pair on the software path: x and y, or u; then d. Returns the size of a number. */
static size_t pair_make(int alg, int curve, unsigned char pair[3 * ECC_MAX], struct wd_ecc_key *key)
{
	handle_t h = ecc_open(alg, curve, WD_SYNC, WD_SESS_PATH_SOFT);
	size_t len = 3 * ECC_MAX, w = (size_t)wd_ecc_sess_bytes(h);
	int ret = ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len);

	wd_ecc_free_sess(h);
	*key = (struct wd_ecc_key){ .d = number(pair + len - w, w), .x = number(pair, w) };
	if (len == 3 * w)
		key->y = number(pair + w, w);
	return ret ? 0 : w;
}

static const struct {
	int alg, curve;
} curves[] = {
	{ WD_ECC_ECDH, WD_ECC_SECP192R1 }, { WD_ECC_ECDH, WD_ECC_SECP256R1 }, { WD_ECC_ECDH, WD_ECC_SECP384R1 },
	{ WD_ECC_ECDH, WD_ECC_SECP521R1 }, { WD_ECC_ECDH, WD_ECC_BRAINPOOL_P320R1 }, { WD_ECC_X25519, 0 },
	{ WD_ECC_X448, 0 },
};

TEST_F(ways, public_points_and_agreements_on_every_kind_of_curve_have_one_descriptor)
{
	unsigned char pair[3 * ECC_MAX], own[ECC_MAX];
	struct wd_ecc_arg arg[2];
	struct wd_ecc_key key;
	unsigned int i, op, o;
	handle_t h;
	size_t w;

	fill_noise(own, sizeof(own), 4);
	own[0] = 0;
	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		w = pair_make(curves[i].alg, curves[i].curve, pair, &key);
		h = ecc_open(curves[i].alg, curves[i].curve, ways_op_type(variant->call), WD_SESS_PATH_HW);
		ASSERT_TRUE(h && w) TH_LOG("curve %u: %s", i, detail(0));
		ASSERT_EQ(0, wd_ecc_set_key(h, &key)) TH_LOG("%s", detail(h));
		/* RFC 7748: the highest bit is ignored. */
		if (curves[i].alg == WD_ECC_X25519)
			pair[w - 1] |= 0x80;
		for (op = WD_ECC_PUBLIC; op <= WD_ECC_AGREE; op++)
			for (o = 0; o < 2; o++) {
				arg[0] = (struct wd_ecc_arg){ .op = op };
				if (op == WD_ECC_AGREE) {
					arg[0].src = pair;
					arg[0].src_len = key.y.len ? 2 * w : w;
				}
				if (o) {
					arg[0].extra = own;
					arg[0].extra_len = (__u32)w;
				}
				BEGIN(ecc, h, arg);
				EXPECT_STREQ("", DIFFER()) TH_LOG("curve %u, op %u, own key %u", i, op, o);
			}
		EXPECT_EQ(0, wd_ecc_free_sess(h));
	}
}

static const struct {
	int alg, curve;
} signers[] = {
	{ WD_ECC_ECDSA, WD_ECC_SECP192R1 }, { WD_ECC_ECDSA, WD_ECC_SECP256R1 }, { WD_ECC_ECDSA, WD_ECC_SECP384R1 },
	{ WD_ECC_ECDSA, WD_ECC_SECP521R1 }, { WD_ECC_ECDSA, WD_ECC_BRAINPOOL_P512R1 }, { WD_ECC_SM2, 0 },
};

TEST_F(ways, signatures_and_verifications_on_every_kind_of_curve_have_one_descriptor)
{
	unsigned char pair[3 * ECC_MAX], nonce[ECC_MAX], rs[2 * ECC_MAX];
	struct wd_ecc_arg arg[2];
	struct wd_ecc_key key;
	unsigned int i;
	handle_t h;
	size_t w, digest;

	fill_noise(nonce, sizeof(nonce), 4);
	nonce[0] = 0;
	for (i = 0; i < sizeof(signers) / sizeof(signers[0]); i++) {
		w = pair_make(signers[i].alg, signers[i].curve, pair, &key);
		h = ecc_open(signers[i].alg, signers[i].curve, ways_op_type(variant->call), WD_SESS_PATH_HW);
		ASSERT_TRUE(h && w) TH_LOG("curve %u: %s", i, detail(0));
		ASSERT_EQ(0, wd_ecc_set_key(h, &key)) TH_LOG("%s", detail(h));
		digest = w < 32 ? 20 : 32;
		arg[0] = (struct wd_ecc_arg){
			.op = WD_ECC_SIGN, .src = self->src, .src_len = digest, .extra = nonce, .extra_len = (__u32)w,
		};
		BEGIN(ecc, h, arg);
		EXPECT_STREQ("", DIFFER()) TH_LOG("curve %u, a given nonce", i);
		arg[0] = (struct wd_ecc_arg){ .op = WD_ECC_SIGN, .src = self->src, .src_len = digest };
		BEGIN(ecc, h, arg);
		nonce_differs = true;
		EXPECT_STREQ("", DIFFER()) TH_LOG("curve %u, a random nonce", i);
		nonce_differs = false;
		/* Two numbers in range; the signature is wrong. */
		memcpy(rs, nonce, w);
		memcpy(rs + w, nonce, w);
		rs[2 * w - 1] ^= 1;
		arg[0] = (struct wd_ecc_arg){
			.op = WD_ECC_VERIFY, .src = self->src, .src_len = digest, .extra = rs, .extra_len = 2 * (__u32)w
		};
		BEGIN(ecc, h, arg);
		arg[0].dst = arg[1].dst = NULL;
		arg[0].dst_len = arg[1].dst_len = NULL;
		EXPECT_STREQ("", DIFFER()) TH_LOG("curve %u, a verification", i);
		EXPECT_EQ(0, wd_ecc_free_sess(h));
	}
}

TEST_HARNESS_MAIN
