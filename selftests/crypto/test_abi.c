// SPDX-License-Identifier: Apache-2.0
/* The structs of wd_cipher.h, wd_digest.h and wd_aead.h: the layouts that programs were built with, and constants. */
#include <wd_aead.h>
#include <wd_cq.h>

#include "abi.h"
#include "kselftest_harness.h"

TEST(requests_are_laid_out_as_they_were)
{
	ARG(wd_cipher_arg, 64);
	AT(wd_cipher_arg, iv, 48);
	AT(wd_cipher_arg, iv_len, 56);
	AT(wd_cipher_arg, op, 60);
	ARG(wd_digest_arg, 48);
	ARG(wd_aead_arg, 80);
	AT(wd_aead_arg, iv, 48);
	AT(wd_aead_arg, iv_len, 56);
	AT(wd_aead_arg, op, 60);
	AT(wd_aead_arg, mac, 64);
	AT(wd_aead_arg, mac_len, 72);
	AT(wd_aead_arg, assoc_len, 76);
}

TEST(setups_are_laid_out_as_they_were)
{
	SETUP(wd_cipher_sess_setup, 2, 8);
	SETUP(wd_digest_sess_setup, 2, 8);
	SETUP(wd_aead_sess_setup, 4, 8);
	AT(wd_cipher_sess_setup, alg, 0);
	AT(wd_cipher_sess_setup, mode, 1);
	AT(wd_cipher_sess_setup, data_fmt, 4);
	AT(wd_digest_sess_setup, alg, 0);
	AT(wd_digest_sess_setup, mode, 1);
	AT(wd_digest_sess_setup, data_fmt, 4);
	AT(wd_digest_sess_setup, out_bytes, 6);
	AT(wd_aead_sess_setup, calg, 0);
	AT(wd_aead_sess_setup, cmode, 1);
	AT(wd_aead_sess_setup, dalg, 2);
	AT(wd_aead_sess_setup, dmode, 3);
	AT(wd_aead_sess_setup, data_fmt, 6);
}

TEST(values_are_what_they_were)
{
	EXPECT_EQ(0, WD_CIPHER_SM4);
	EXPECT_EQ(1, WD_CIPHER_AES);
	EXPECT_EQ(2, WD_CIPHER_DES);
	EXPECT_EQ(3, WD_CIPHER_3DES);
	EXPECT_EQ(0, WD_CIPHER_ECB);
	EXPECT_EQ(1, WD_CIPHER_CBC);
	EXPECT_EQ(2, WD_CIPHER_CTR);
	EXPECT_EQ(3, WD_CIPHER_XTS);
	EXPECT_EQ(4, WD_CIPHER_OFB);
	EXPECT_EQ(5, WD_CIPHER_CFB);
	EXPECT_EQ(6, WD_CIPHER_CBC_CS1);
	EXPECT_EQ(8, WD_CIPHER_CBC_CS3);
	EXPECT_EQ(9, WD_CIPHER_CCM);
	EXPECT_EQ(10, WD_CIPHER_GCM);
	EXPECT_EQ(0, WD_CIPHER_ENCRYPTION);
	EXPECT_EQ(1, WD_CIPHER_DECRYPTION);
	EXPECT_EQ(1, WD_CIPHER_CHAIN);
	EXPECT_EQ(0, WD_DIGEST_SM3);
	EXPECT_EQ(1, WD_DIGEST_MD5);
	EXPECT_EQ(2, WD_DIGEST_SHA1);
	EXPECT_EQ(3, WD_DIGEST_SHA256);
	EXPECT_EQ(4, WD_DIGEST_SHA224);
	EXPECT_EQ(5, WD_DIGEST_SHA384);
	EXPECT_EQ(6, WD_DIGEST_SHA512);
	EXPECT_EQ(7, WD_DIGEST_SHA512_224);
	EXPECT_EQ(8, WD_DIGEST_SHA512_256);
	EXPECT_EQ(0, WD_DIGEST_NORMAL);
	EXPECT_EQ(1, WD_DIGEST_HMAC);
	EXPECT_EQ(3, WD_WC_ENCRYPT);
	EXPECT_EQ(4, WD_WC_DECRYPT);
	EXPECT_EQ(5, WD_WC_DIGEST);
}

TEST_HARNESS_MAIN
