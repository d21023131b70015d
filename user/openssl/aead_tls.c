// SPDX-License-Identifier: Apache-2.0
/*
 * Records of TLS 1.2 with GCM (RFC 5288): in place, an explicit nonce of 8 bytes, the data, the tag. The twin counts the
 * nonces.
 */
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "aead_context.h"

#define FIXED		4
#define EXPLICIT	8
#define NONCE		(FIXED + EXPLICIT)
#define TAG		16

void wdp_aead_record_note(struct wdp_aead *c, const OSSL_PARAM params[])
{
	const OSSL_PARAM *aad = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD);

	if (!aad || aad->data_size != sizeof(c->tls_aad))
		return;
	memcpy(c->tls_aad, aad->data, sizeof(c->tls_aad));
	c->tls = true;
	c->tls_spent = false;
}

/* The program counts the nonce, and a tag that is to be compared; the tag is computed over the data's own length. */
static bool aad_of(const struct wdp_aead *c, unsigned char *aad, size_t data)
{
	size_t counted = data + EXPLICIT + (c->s.encrypt ? 0 : TAG);

	memcpy(aad, c->tls_aad, WDP_TLS_AAD);
	if (counted != (size_t)(aad[WDP_TLS_AAD - 2] << 8 | aad[WDP_TLS_AAD - 1]))
		return false;
	aad[WDP_TLS_AAD - 2] = (unsigned char)(data >> 8);
	aad[WDP_TLS_AAD - 1] = (unsigned char)data;
	return true;
}

/* The twin counts on as if it had made the record. */
static bool nonce_take(struct wdp_aead *c, unsigned char *explicit)
{
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	unsigned char made[EXPLICIT];

	if (!c->s.encrypt) {
		params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, explicit, EXPLICIT);
		return EVP_CIPHER_CTX_set_params(c->s.twin, params) > 0;
	}
	params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, made, EXPLICIT);
	return EVP_CIPHER_CTX_get_params(c->s.twin, params) > 0 && !memcmp(made, explicit, EXPLICIT);
}

/* The nonce of the record, from the twin's: all of it if the record is made, else the fixed part. */
static bool nonce_of(const struct wdp_aead *c, unsigned char nonce[NONCE], const unsigned char *record)
{
	if (EVP_CIPHER_CTX_get_iv_length(c->s.twin) != NONCE || EVP_CIPHER_CTX_get_updated_iv(c->s.twin, nonce, NONCE) <= 0)
		return false;
	if (!c->s.encrypt)
		memcpy(nonce + FIXED, record, EXPLICIT);
	return true;
}

enum wdp_outcome wdp_aead_record(struct wdp_aead *c, unsigned char *out, size_t *out_len, const unsigned char *in, size_t len)
{
	unsigned char aad[WDP_TLS_AAD], nonce[NONCE], tag[TAG], *result;
	size_t data = len - EXPLICIT - TAG;
	struct wdp_message m = {
		.iv = nonce, .iv_len = NONCE, .aad_len = sizeof(aad), .len = data, .tag = tag, .tag_len = TAG,
	};
	enum wdp_outcome outcome = WDP_TWIN;

	if (len < WDP_TLS_EXTRA || data < c->s.prov->config.min_bytes || out != in || !c->s.key_len ||
	    !aad_of(c, aad, data) || !nonce_of(c, nonce, in))
		return WDP_TWIN;
	memcpy(tag, in + EXPLICIT + data, TAG);
	m.src = wdp_aead_join(aad, sizeof(aad), in + EXPLICIT, data);
	result = OPENSSL_malloc(data);
	if (m.src && result)
		outcome = wdp_aead_on_device(c, &m, result);
	if (outcome == WDP_DONE && !nonce_take(c, nonce + FIXED))
		outcome = WDP_TWIN;
	if (outcome == WDP_DONE) {
		memcpy(out, nonce + FIXED, EXPLICIT);
		memcpy(out + EXPLICIT, result, data);
		memcpy(out + EXPLICIT + data, tag, TAG);
		*out_len = c->s.encrypt ? len : data;
		c->tls = false;
		c->tls_spent = true;
	}
	OPENSSL_clear_free(result, data);
	OPENSSL_clear_free(m.src, sizeof(aad) + data);
	return outcome;
}
