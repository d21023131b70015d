// SPDX-License-Identifier: Apache-2.0
/* The tags of AEAD: every bit counts, every size, and what a wrong one leaves in libcrypto's queue of errors. */
#include <openssl/err.h>

#include "aead_test.h"
#include "kselftest_harness.h"

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";

static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };
static const struct aead_kind ccm = { WD_CIPHER_AES, WD_CIPHER_CCM, 0 };
static const struct aead_kind authenc = { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 };

/* A program's TLS takes errors in the queue for its own. */
TEST(libcryptos_errors_are_the_programs_own)
{
	static const struct aead_kind kinds[] = { gcm, ccm, authenc, { WD_CIPHER_SM4, WD_CIPHER_GCM, 0 } };
	unsigned char buf[48] = { 0 }, out[48], mac[32] = { 0 };
	unsigned int k;

	for (k = 0; k < 4; k++) {
		handle_t h;

		ERR_clear_error();
		ERR_raise(ERR_LIB_USER, 1);
		/* libcrypto may lack the last kind. */
		h = aead_keyed(kinds[k], key64, 16, key64, 16, 0, WD_SESS_PATH_SOFT);
		ASSERT_TRUE(h || k == 3);
		if (h) {
			EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv16,
						    kinds[k].cmode == WD_CIPHER_CBC ? 16 : 12, buf, 16, 32, out, mac));
			EXPECT_EQ(0, wd_aead_free_sess(h));
		}
		EXPECT_EQ(ERR_LIB_USER, ERR_GET_LIB(ERR_get_error()));
		EXPECT_EQ(0, ERR_get_error());
	}
}

TEST(each_bit_of_data_tag_iv_and_associated_data_counts)
{
	static const struct aead_kind kinds[] = { gcm, ccm, authenc };
	unsigned char in[48], sealed[48], out[48], mac[32], iv[16];
	unsigned int k, bit;

	for (k = 0; k < 3; k++) {
		handle_t h = aead_keyed(kinds[k], key64, 16, key64, 16, 0, 0);
		int iv_len = kinds[k].cmode == WD_CIPHER_CBC ? 16 : 12, tag = wd_aead_get_authsize(h);

		ASSERT_NE(0, h);
		fill_noise(in, sizeof(in), k);
		memcpy(iv, iv16, 16);
		ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv, iv_len, in, 16, 32, sealed, mac));
		for (bit = 0; bit < 8 * 48; bit++) {
			sealed[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, sealed, 16, 32, out, mac));
			sealed[bit / 8] ^= 1 << bit % 8;
		}
		for (bit = 0; bit < 8u * tag; bit++) {
			mac[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, sealed, 16, 32, out, mac));
			mac[bit / 8] ^= 1 << bit % 8;
		}
		/* The HMAC doesn't cover the IV: an IV to be authenticated is passed as associated data. */
		if (kinds[k].cmode != WD_CIPHER_CBC) {
			iv[5] ^= 1;
			EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, sealed, 16, 32, out, mac));
			iv[5] ^= 1;
		}
		EXPECT_EQ(0, aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, sealed, 16, 32, out, mac));
		EXPECT_EQ(0, memcmp(in, out, 48));
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

TEST(tags_of_every_size_are_beginnings_of_the_longest_but_for_ccm)
{
	static const struct aead_kind kinds[] = { gcm, authenc };
	unsigned char in[48], out[48], whole[32], mac[32];
	unsigned int k, n;

	fill_noise(in, sizeof(in), 8);
	for (k = 0; k < 2; k++) {
		handle_t h = aead_keyed(kinds[k], key64, 16, key64, 16, 0, 0);
		int iv_len = kinds[k].cmode == WD_CIPHER_CBC ? 16 : 12;

		ASSERT_NE(0, h);
		ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, iv_len, in, 16, 32, out, whole));
		for (n = 4; n <= 16; n++) {
			if (wd_aead_set_authsize(h, n))
				continue;
			memset(mac, 0xa5, sizeof(mac));
			ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, iv_len, in, 16, 32, out, mac));
			EXPECT_EQ(0, memcmp(mac, whole, n));
			EXPECT_EQ(0xa5, mac[n]);
			ASSERT_EQ(0, aead_do(h, WD_CIPHER_DECRYPTION, iv16, iv_len, out, 16, 32, out, mac));
		}
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

TEST_HARNESS_MAIN
