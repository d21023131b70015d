/* SPDX-License-Identifier: Apache-2.0 */
/* The ciphers that are offered. The default provider says what a cipher is like when the provider is loaded. */
#ifndef WDP_CIPHER_ROWS_H
#define WDP_CIPHER_ROWS_H

#include <openssl/core.h>
#include <openssl/types.h>
#include <linux/types.h>

/*
 * ROW(identifier, the default provider's name, bit in the configuration, libwd's algorithm, prefix of the functions).
 */
#define WDP_CIPHER_ROWS(ROW)							\
	ROW(aes_128_cbc, "AES-128-CBC", WDP_AES_CBC, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_192_cbc, "AES-192-CBC", WDP_AES_CBC, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_cbc, "AES-256-CBC", WDP_AES_CBC, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_xts, "AES-128-XTS", WDP_AES_XTS, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_xts, "AES-256-XTS", WDP_AES_XTS, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_cfb, "AES-128-CFB", WDP_AES_CFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_192_cfb, "AES-192-CFB", WDP_AES_CFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_cfb, "AES-256-CFB", WDP_AES_CFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_ofb, "AES-128-OFB", WDP_AES_OFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_192_ofb, "AES-192-OFB", WDP_AES_OFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_ofb, "AES-256-OFB", WDP_AES_OFB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_ctr, "AES-128-CTR", WDP_AES_CTR, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_192_ctr, "AES-192-CTR", WDP_AES_CTR, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_ctr, "AES-256-CTR", WDP_AES_CTR, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_ecb, "AES-128-ECB", WDP_AES_ECB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_192_ecb, "AES-192-ECB", WDP_AES_ECB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_256_ecb, "AES-256-ECB", WDP_AES_ECB, WD_CIPHER_AES, wdp_cipher)	\
	ROW(aes_128_gcm, "AES-128-GCM", WDP_AES_GCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(aes_192_gcm, "AES-192-GCM", WDP_AES_GCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(aes_256_gcm, "AES-256-GCM", WDP_AES_GCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(aes_128_ccm, "AES-128-CCM", WDP_AES_CCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(aes_192_ccm, "AES-192-CCM", WDP_AES_CCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(aes_256_ccm, "AES-256-CCM", WDP_AES_CCM, WD_CIPHER_AES, wdp_aead)	\
	ROW(des_ede3_cbc, "DES-EDE3-CBC", WDP_3DES, WD_CIPHER_3DES, wdp_cipher)	\
	ROW(des_ede3_ecb, "DES-EDE3-ECB", WDP_3DES, WD_CIPHER_3DES, wdp_cipher)	\
	ROW(sm4_gcm, "SM4-GCM", WDP_SM4, WD_CIPHER_SM4, wdp_aead)	\
	ROW(sm4_ccm, "SM4-CCM", WDP_SM4, WD_CIPHER_SM4, wdp_aead)	\
	ROW(sm4_cbc, "SM4-CBC", WDP_SM4, WD_CIPHER_SM4, wdp_cipher)	\
	ROW(sm4_cfb, "SM4-CFB", WDP_SM4, WD_CIPHER_SM4, wdp_cipher)	\
	ROW(sm4_ofb, "SM4-OFB", WDP_SM4, WD_CIPHER_SM4, wdp_cipher)	\
	ROW(sm4_ctr, "SM4-CTR", WDP_SM4, WD_CIPHER_SM4, wdp_cipher)	\
	ROW(sm4_ecb, "SM4-ECB", WDP_SM4, WD_CIPHER_SM4, wdp_cipher)
#define WDP_CIPHER_ID(id, name, bit, alg, functions)	WDP_CIPHER_##id,
enum wdp_cipher_id { WDP_CIPHER_ROWS(WDP_CIPHER_ID) WDP_CIPHERS };

/* A cipher of one provider. */
struct wdp_cipher {
	EVP_CIPHER *fetched;		/* NULL: not offered */
	char *names;			/* the default provider's, for OSSL_ALGORITHM */
	OSSL_PARAM *gettable;		/* the default provider's contexts', and "warpdrive-path" */
	__u8 alg;			/* enum wd_cipher_alg */
	__u8 mode;			/* enum wd_cipher_mode */
	__u8 iv_len;
	__u8 block;			/* bytes; 1: takes any length */
	__u8 unit;			/* devices take multiples of it */
};

#endif
