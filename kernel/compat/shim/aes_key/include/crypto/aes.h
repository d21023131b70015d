/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct aes_key as of 7.0; earlier kernels have struct crypto_aes_ctx. */
#ifndef WD_SHIM_CRYPTO_AES_H
#define WD_SHIM_CRYPTO_AES_H

#include_next <crypto/aes.h>

struct aes_key {
	struct crypto_aes_ctx ctx;
};

static inline int aes_preparekey(struct aes_key *key, const u8 *in_key, size_t key_len)
{
	return aes_expandkey(&key->ctx, in_key, key_len);
}

static inline void compat_aes_encrypt(const struct aes_key *key, u8 *out, const u8 *in)
{
	aes_encrypt(&key->ctx, out, in);
}

static inline void compat_aes_decrypt(const struct aes_key *key, u8 *out, const u8 *in)
{
	aes_decrypt(&key->ctx, out, in);
}

#define aes_encrypt compat_aes_encrypt
#define aes_decrypt compat_aes_decrypt

#endif
