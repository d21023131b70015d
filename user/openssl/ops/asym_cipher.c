// SPDX-License-Identifier: Apache-2.0
/*
 * Encryption by RSA: devices decrypt texts without padding and with OAEP, and encrypt them if "rsa-public" is chosen.
 * Texts of PKCS #1 v1.5 are libcrypto's: its versions differ in what they reject.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/rsa.h>

#include "asym_cipher.h"
#include "rsa.h"
#include "rsa_padding.h"

struct cipher {
	struct wdp_operation op;	/* first: see operation.h */
	struct wdp_rsa_scheme scheme;
	const unsigned char *label;	/* the default provider's */
	size_t label_len;
};

static void *cipher_new(void *provctx)
{
	return wdp_operation_new(sizeof(struct cipher), provctx, WDP_KIND_RSA_CIPHER);
}

static void cipher_free(void *vctx)
{
	struct cipher *c = vctx;

	if (!c)
		return;
	wdp_rsa_scheme_clear(&c->scheme);
	wdp_operation_clear(&c->op);
	free(c);
}

static void *cipher_dup(void *vctx)
{
	const struct cipher *from = vctx;
	struct cipher *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (wdp_operation_copy(&c->op, &from->op))
		return c;
	cipher_free(c);
	return NULL;
}

static int cipher_encrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	struct cipher *c = vctx;

	return wdp_operation_init(&c->op, key, EVP_PKEY_encrypt_init_ex, params);
}

static int cipher_decrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	struct cipher *c = vctx;

	return wdp_operation_init(&c->op, key, EVP_PKEY_decrypt_init_ex, params);
}

static bool oaep_read(struct cipher *c)
{
	OSSL_LIB_CTX *libctx = c->op.prov->default_provider.libctx;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, (void **)&c->label, 0),
		OSSL_PARAM_END,
	};
	char digest[64], mgf1[64];

	wdp_operation_text(&c->op, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, digest, sizeof(digest));
	wdp_operation_text(&c->op, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, mgf1, sizeof(mgf1));
	c->scheme.md = EVP_MD_fetch(libctx, *digest ? digest : "SHA1", NULL);
	c->scheme.mgf1 = EVP_MD_fetch(libctx, *mgf1 ? mgf1 : *digest ? digest : "SHA1", NULL);
	c->label = NULL;
	if (!c->scheme.md || !c->scheme.mgf1 || EVP_PKEY_CTX_get_params(c->op.ctx, params) <= 0)
		return false;
	c->label_len = c->label && OSSL_PARAM_modified(params) ? params[0].return_size : 0;
	return true;
}

static bool scheme_read(struct cipher *c)
{
	if (!c->op.fresh)
		return true;
	wdp_rsa_scheme_clear(&c->scheme);
	c->scheme.pad = wdp_operation_int(&c->op, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, 0);
	if (c->scheme.pad == RSA_PKCS1_OAEP_PADDING && !oaep_read(c))
		return false;
	c->op.fresh = false;
	return true;
}

/* All that can be wrong about a text gives the same error, and leaves out and *len alone, as libcrypto does. */
static enum wdp_outcome oaep_decode(struct cipher *c, unsigned char *em, size_t k, unsigned char *out, size_t *len,
				    size_t room)
{
	if (wdp_oaep_decode(em, k, c->scheme.md, c->scheme.mgf1, c->label, c->label_len, out, len, room))
		return WDP_DONE;
	/* The program's own libcrypto reports its own error, of all that can be wrong. */
	if (c->op.prov->core.foreign)
		return WDP_TO_DEFAULT;
	ERR_raise(ERR_LIB_RSA, RSA_R_OAEP_DECODING_ERROR);
	return WDP_ERROR;
}

static enum wdp_outcome on_device(struct cipher *c, unsigned char *out, size_t *len, size_t room,
				  const unsigned char *in, size_t in_len)
{
	size_t k = wdp_rsa_bytes(c->op.key);
	unsigned char em[WDP_RSA_MAX];
	enum wdp_outcome outcome;

	if (!k || in_len != k || room < k || !scheme_read(c) ||
	    (c->scheme.pad != RSA_NO_PADDING && c->scheme.pad != RSA_PKCS1_OAEP_PADDING))
		return WDP_TO_DEFAULT;
	outcome = wdp_rsa_private(&c->op, in, em, k);
	if (outcome == WDP_DONE && c->scheme.pad == RSA_PKCS1_OAEP_PADDING) {
		outcome = oaep_decode(c, em, k, out, len, room);
	} else if (outcome == WDP_DONE) {
		memcpy(out, em, k);
		*len = k;
	}
	OPENSSL_cleanse(em, sizeof(em));
	return outcome;
}

static bool encode(const struct cipher *c, unsigned char *em, size_t k, const unsigned char *in, size_t len)
{
	switch (c->scheme.pad) {
	case RSA_NO_PADDING:
		if (len == k)
			memcpy(em, in, k);
		return len == k;
	case RSA_PKCS1_OAEP_PADDING:
		return wdp_oaep_encode(em, k, &c->scheme, c->op.prov->default_provider.libctx, c->label,
				       c->label_len, in, len);
	}
	return false;
}

static enum wdp_outcome encrypt_on_device(struct cipher *c, unsigned char *out, size_t *len, size_t room,
					  const unsigned char *in, size_t in_len)
{
	size_t k = wdp_rsa_public_bytes(c->op.key);
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	unsigned char em[WDP_RSA_MAX];

	if (!k || room < k || !scheme_read(c))
		return WDP_TO_DEFAULT;
	if (encode(c, em, k, in, in_len))
		outcome = wdp_rsa_public(&c->op, em, out, k);
	if (outcome == WDP_DONE)
		*len = k;
	OPENSSL_cleanse(em, sizeof(em));
	return outcome;
}

static int cipher_encrypt(void *vctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in,
			  size_t in_len)
{
	struct cipher *c = vctx;
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	int ok;

	if (!c->op.ctx)
		return 0;
	if (out)
		outcome = encrypt_on_device(c, out, len, room, in, in_len);
	if (outcome != WDP_TO_DEFAULT)
		return (int)outcome;
	*len = room;
	ok = EVP_PKEY_encrypt(c->op.ctx, out, len, in, in_len);
	return out && wdp_rsa_public_bytes(c->op.key) ? wdp_operation_by_default(&c->op, ok) : ok;
}

static int cipher_decrypt(void *vctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in,
			  size_t in_len)
{
	struct cipher *c = vctx;
	enum wdp_outcome outcome;

	if (!c->op.ctx)
		return 0;
	if (!out)
		return EVP_PKEY_decrypt(c->op.ctx, NULL, len, in, in_len);
	outcome = on_device(c, out, len, room, in, in_len);
	return wdp_operation_end(&c->op, outcome, EVP_PKEY_decrypt, out, len, room, in, in_len);
}

WDP_LIST(cipher, WDP_KIND_RSA_CIPHER, gettable)
WDP_LIST(cipher, WDP_KIND_RSA_CIPHER, settable)

const OSSL_DISPATCH wdp_cipher_rsa[] = {
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_NEWCTX, cipher_new),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_FREECTX, cipher_free),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DUPCTX, cipher_dup),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, cipher_encrypt_init),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, cipher_encrypt),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, cipher_decrypt_init),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT, cipher_decrypt),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, wdp_operation_get_params),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, cipher_gettable),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, wdp_operation_set_params),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, cipher_settable),
	{ 0, NULL },
};
