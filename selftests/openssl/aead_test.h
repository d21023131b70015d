/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that ciphers with a tag have in addition. */
#ifndef AEAD_TEST_H
#define AEAD_TEST_H

#include "cipher_test.h"

/* Associated data, or with in NULL the length of a message of CCM. */
static inline bool pair_aad(struct pair *t, const unsigned char *in, size_t len)
{
	int ret[2], n[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++) {
		ret[i] = EVP_CipherUpdate(t->ctx[i], NULL, &n[i], in, (int)len);
		t->out[i][0] = 0;
	}
	return pair_same(t, in ? "associated data" : "length", len, ret, (int[2]){ n[0] == n[1], 1 });
}

static inline bool pair_tag_set(struct pair *t, unsigned char *tag, size_t len)
{
	int ret[2], none[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++)
		ret[i] = EVP_CIPHER_CTX_ctrl(t->ctx[i], EVP_CTRL_AEAD_SET_TAG, (int)len, tag);
	return pair_same(t, "set tag", len, ret, none);
}

static inline bool pair_tag_get(struct pair *t, size_t len)
{
	int ret[2], i;

	for (i = 0; i < 2; i++) {
		memset(t->out[i], 0, 32);
		ret[i] = EVP_CIPHER_CTX_ctrl(t->ctx[i], EVP_CTRL_AEAD_GET_TAG, (int)len, t->out[i]);
	}
	return pair_same(t, "get tag", len, ret, (int[2]){ 32, 32 });
}

static inline bool pair_iv_len(struct pair *t, size_t len)
{
	int ret[2], none[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++)
		ret[i] = EVP_CIPHER_CTX_ctrl(t->ctx[i], EVP_CTRL_AEAD_SET_IVLEN, (int)len, NULL);
	return pair_same(t, "iv length", len, ret, none);
}

#endif
