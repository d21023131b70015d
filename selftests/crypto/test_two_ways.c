// SPDX-License-Identifier: Apache-2.0
/* The fast path and the slow path write the same descriptor for the same request. */
#include "aead_test.h"
#include "digest_test.h"
#include "hw/sec_hw.h"
#include "kselftest_harness.h"
#include "two_ways.h"

#define DEVICE	"hisi_sec2"
/* Words of two addresses that may lead to the request's scratch memory. */
#define WORD_A_IV	8
#define WORD_C_IV	23
#define BYTES		1024

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static unsigned char iv[16] = "an initial value", mac[64];
static unsigned int ended;

WAYS_LIB(cipher, wd_cipher_sync);
WAYS_LIB(digest, wd_digest_sync);
WAYS_LIB(aead, wd_aead_sync);

FIXTURE(ways) {
	unsigned char src[BYTES], dst[BYTES];
	size_t len[2];
	struct way way[2];
};

WAYS_VARIANTS;

FIXTURE_SETUP(ways)
{
	if (!emulated())
		SKIP(return, "needs wd-emulate --sec");
	fill_noise(self->src, sizeof(self->src), 1);
}

FIXTURE_TEARDOWN(ways)
{
}

#define BEGIN(alg, h, arg)	WAYS_BEGIN(alg, h, arg, BYTES)

static unsigned int refs(const __u32 *sqe, struct ways_ref refs[4])
{
	(void)sqe;
	refs[0] = (struct ways_ref){ WORD_A_IV, SEC_IV_BYTES };
	refs[1] = (struct ways_ref){ WORD_C_IV, SEC_IV_BYTES };
	return 2;
}

#define DIFFER()	ways_differ(self->way, DEVICE, SEC_BD3_TAG, refs, &ended)

static const struct {
	int alg, mode, key_len;
} ciphers[] = {
	{ WD_CIPHER_AES, WD_CIPHER_ECB, 16 }, { WD_CIPHER_AES, WD_CIPHER_ECB, 24 },
	{ WD_CIPHER_AES, WD_CIPHER_ECB, 32 }, { WD_CIPHER_AES, WD_CIPHER_CBC, 32 },
	{ WD_CIPHER_AES, WD_CIPHER_CTR, 16 }, { WD_CIPHER_AES, WD_CIPHER_XTS, 32 },
	{ WD_CIPHER_AES, WD_CIPHER_XTS, 64 }, { WD_CIPHER_AES, WD_CIPHER_OFB, 16 },
	{ WD_CIPHER_AES, WD_CIPHER_CFB, 16 }, { WD_CIPHER_AES, WD_CIPHER_CBC_CS1, 16 },
	{ WD_CIPHER_AES, WD_CIPHER_CBC_CS2, 16 }, { WD_CIPHER_AES, WD_CIPHER_CBC_CS3, 16 },
	{ WD_CIPHER_SM4, WD_CIPHER_ECB, 16 }, { WD_CIPHER_SM4, WD_CIPHER_CBC, 16 },
	{ WD_CIPHER_SM4, WD_CIPHER_CTR, 16 }, { WD_CIPHER_SM4, WD_CIPHER_XTS, 32 },
	{ WD_CIPHER_SM4, WD_CIPHER_OFB, 16 }, { WD_CIPHER_SM4, WD_CIPHER_CFB, 16 },
	{ WD_CIPHER_SM4, WD_CIPHER_CBC_CS1, 16 }, { WD_CIPHER_SM4, WD_CIPHER_CBC_CS2, 16 },
	{ WD_CIPHER_SM4, WD_CIPHER_CBC_CS3, 16 }, { WD_CIPHER_3DES, WD_CIPHER_ECB, 24 },
	{ WD_CIPHER_3DES, WD_CIPHER_CBC, 16 }, { WD_CIPHER_3DES, WD_CIPHER_CBC, 24 },
};

TEST_F(ways, ciphers_of_every_mode_and_direction_have_one_descriptor)
{
	struct wd_cipher_arg arg[2];
	unsigned int i, op;
	handle_t h;

	for (i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++) {
		h = cipher_open(ciphers[i].alg, ciphers[i].mode, ways_op_type(variant->call), WD_FLAT_BUF,
				WD_SESS_PATH_HW);
		ASSERT_NE(0, h) TH_LOG("cipher %u: %s", i, detail(0));
		ASSERT_EQ(0, wd_cipher_set_key(h, key64, (__u32)ciphers[i].key_len));
		for (op = WD_CIPHER_ENCRYPTION; op <= WD_CIPHER_DECRYPTION; op++) {
			arg[0] = arg[1] = (struct wd_cipher_arg){
				.src = self->src, .src_len = BYTES, .dst = self->dst, .op = op,
				.iv_len = (__u32)cipher_iv_len(ciphers[i].alg, ciphers[i].mode),
				.iv = ciphers[i].mode == WD_CIPHER_ECB ? NULL : iv,
			};
			BEGIN(cipher, h, arg);
			EXPECT_STREQ("", DIFFER()) TH_LOG("cipher %u, op %u", i, op);
		}
		EXPECT_EQ(0, wd_cipher_free_sess(h));
	}
}

TEST_F(ways, digests_with_and_without_a_key_have_one_descriptor)
{
	/* Of a key of 13 bytes a device also reads the zeroes behind it. */
	static const unsigned int key_lens[] = { 16, 13, 64 };
	struct wd_digest_arg arg[2];
	unsigned int k;
	int alg, mode;
	handle_t h;

	for (alg = WD_DIGEST_SM3; alg <= WD_DIGEST_SHA512_256; alg++)
		for (mode = WD_DIGEST_NORMAL; mode <= WD_DIGEST_HMAC; mode++)
			for (k = 0; k < (mode == WD_DIGEST_HMAC ? 3 : 1); k++) {
				/* Once with a shorter result. */
				h = digest_open(alg, mode, ways_op_type(variant->call), WD_FLAT_BUF, k == 2 ? 12 : 0,
						WD_SESS_PATH_HW);
				ASSERT_NE(0, h) TH_LOG("digest %d, mode %d: %s", alg, mode, detail(0));
				if (mode == WD_DIGEST_HMAC)
					ASSERT_EQ(0, wd_digest_set_key(h, key64, key_lens[k]));
				arg[0] = arg[1] = (struct wd_digest_arg){
					.src = self->src, .src_len = 1000, .dst = self->dst
				};
				BEGIN(digest, h, arg);
				EXPECT_STREQ("", DIFFER()) TH_LOG("digest %d, mode %d, key %u", alg, mode, k);
				EXPECT_EQ(0, wd_digest_free_sess(h));
			}
}

static const struct {
	struct aead_kind kind;
	unsigned int iv_len, tag;
} aeads[] = {
	{ { WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, 12, 16 }, { { WD_CIPHER_SM4, WD_CIPHER_GCM, 0 }, 12, 12 },
	{ { WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, 8, 4 }, { { WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, 12, 16 },
	{ { WD_CIPHER_SM4, WD_CIPHER_CCM, 0 }, 13, 8 },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 }, 16, 0 },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 }, 16, 16 },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA512 }, 16, 0 },
	{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SM3 }, 16, 0 },
};

TEST_F(ways, AEAD_of_every_kind_and_direction_has_one_descriptor)
{
	static const unsigned int assocs[] = { 0, 20, 512 };
	struct wd_aead_arg arg[2];
	unsigned int i, op, a;
	handle_t h;

	for (i = 0; i < sizeof(aeads) / sizeof(aeads[0]); i++) {
		h = aead_open(aeads[i].kind, ways_op_type(variant->call), WD_FLAT_BUF, WD_SESS_PATH_HW);
		ASSERT_NE(0, h) TH_LOG("aead %u: %s", i, detail(0));
		ASSERT_EQ(0, wd_aead_set_ckey(h, key64, 16));
		if (aeads[i].kind.cmode == WD_CIPHER_CBC)
			ASSERT_EQ(0, wd_aead_set_akey(h, key64, 32));
		if (aeads[i].tag)
			ASSERT_EQ(0, wd_aead_set_authsize(h, aeads[i].tag)) TH_LOG("%s", detail(h));
		for (op = WD_CIPHER_ENCRYPTION; op <= WD_CIPHER_DECRYPTION; op++)
			for (a = 0; a < sizeof(assocs) / sizeof(assocs[0]); a++) {
				arg[0] = arg[1] = (struct wd_aead_arg){
					.src = self->src, .src_len = assocs[a] + 256, .dst = self->dst, .op = op,
					.iv = iv, .iv_len = aeads[i].iv_len, .mac = mac,
					.mac_len = (__u32)wd_aead_get_authsize(h), .assoc_len = assocs[a],
				};
				BEGIN(aead, h, arg);
				EXPECT_STREQ("", DIFFER())
					TH_LOG("aead %u, op %u, %u associated bytes", i, op, assocs[a]);
			}
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

TEST_HARNESS_MAIN
