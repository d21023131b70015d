// SPDX-License-Identifier: Apache-2.0
/* The structs of wd_rsa.h, wd_dh.h and wd_ecc.h: the layouts that programs were built with, and constants. */
#include <wd_cq.h>
#include <wd_dh.h>
#include <wd_ecc.h>
#include <wd_rsa.h>

#include "abi.h"
#include "kselftest_harness.h"

TEST(requests_are_laid_out_as_they_were)
{
	ARG(wd_rsa_arg, 56);
	AT(wd_rsa_arg, op, 48);
	ARG(wd_dh_arg, 64);
	AT(wd_dh_arg, key, 48);
	AT(wd_dh_arg, key_len, 56);
	AT(wd_dh_arg, op, 60);
	ARG(wd_ecc_arg, 64);
	AT(wd_ecc_arg, extra, 48);
	AT(wd_ecc_arg, extra_len, 56);
	AT(wd_ecc_arg, op, 60);
}

TEST(setups_are_laid_out_as_they_were)
{
	SETUP(wd_rsa_sess_setup, 4, 8);
	AT(wd_rsa_sess_setup, key_bits, 0);
	SETUP(wd_dh_sess_setup, 36, 40);
	AT(wd_dh_sess_setup, p, 0);
	AT(wd_dh_sess_setup, g, 16);
	AT(wd_dh_sess_setup, group, 32);
	SETUP(wd_ecc_sess_setup, 13, 16);
	AT(wd_ecc_sess_setup, params, 0);
	AT(wd_ecc_sess_setup, curve, 8);
	AT(wd_ecc_sess_setup, alg, 12);
}

TEST(keys_are_laid_out_as_they_were)
{
	AT(wd_number, data, 0);
	AT(wd_number, len, 8);
	EXPECT_EQ(16, sizeof(struct wd_number));
	AT(wd_rsa_key, n, 0);
	AT(wd_rsa_key, e, 16);
	AT(wd_rsa_key, d, 32);
	AT(wd_rsa_key, p, 48);
	AT(wd_rsa_key, q, 64);
	AT(wd_rsa_key, dp, 80);
	AT(wd_rsa_key, dq, 96);
	AT(wd_rsa_key, qinv, 112);
	EXPECT_EQ(160, sizeof(struct wd_rsa_key));
	AT(wd_ecc_params, p, 0);
	AT(wd_ecc_params, a, 16);
	AT(wd_ecc_params, b, 32);
	AT(wd_ecc_params, n, 48);
	AT(wd_ecc_params, gx, 64);
	AT(wd_ecc_params, gy, 80);
	EXPECT_EQ(96, sizeof(struct wd_ecc_params));
	AT(wd_ecc_key, d, 0);
	AT(wd_ecc_key, x, 16);
	AT(wd_ecc_key, y, 32);
	EXPECT_EQ(80, sizeof(struct wd_ecc_key));
}

TEST(values_are_what_they_were)
{
	EXPECT_EQ(0, WD_RSA_SIGN);
	EXPECT_EQ(1, WD_RSA_VERIFY);
	EXPECT_EQ(2, WD_RSA_GENKEY);
	EXPECT_EQ(3, WD_RSA_GENKEY_CRT);
	EXPECT_EQ(0, WD_DH_BY_VALUE);
	EXPECT_EQ(1, WD_DH_MODP_768);
	EXPECT_EQ(6, WD_DH_MODP_4096);
	EXPECT_EQ(7, WD_DH_FFDHE2048);
	EXPECT_EQ(9, WD_DH_FFDHE4096);
	EXPECT_EQ(0, WD_DH_PUBLIC);
	EXPECT_EQ(1, WD_DH_SHARED);
	EXPECT_EQ(0, WD_ECC_ECDH);
	EXPECT_EQ(1, WD_ECC_ECDSA);
	EXPECT_EQ(2, WD_ECC_SM2);
	EXPECT_EQ(3, WD_ECC_X25519);
	EXPECT_EQ(4, WD_ECC_X448);
	EXPECT_EQ(0, WD_ECC_BY_VALUE);
	EXPECT_EQ(1, WD_ECC_SECP128R1);
	EXPECT_EQ(6, WD_ECC_SECP256R1);
	EXPECT_EQ(8, WD_ECC_SECP521R1);
	EXPECT_EQ(12, WD_ECC_BRAINPOOL_P512R1);
	EXPECT_EQ(0, WD_ECC_KEYGEN);
	EXPECT_EQ(6, WD_ECC_DECRYPT);
	EXPECT_EQ(6, WD_WC_SIGN);
	EXPECT_EQ(7, WD_WC_VERIFY);
	EXPECT_EQ(8, WD_WC_KEYGEN);
	EXPECT_EQ(9, WD_WC_AGREE);
}

TEST_HARNESS_MAIN
