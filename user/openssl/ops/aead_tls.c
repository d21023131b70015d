// SPDX-License-Identifier: Apache-2.0
/*
 * Records of TLS 1.2 with GCM and CCM (RFC 5288, 6655): in place, an explicit nonce of 8 bytes, the data, the tag. With
 * GCM the default provider counts the nonces, with CCM they are the sequence numbers, with which the associated data
 * begins.
 */
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "aead_context.h"

#define FIXED		4
#define EXPLICIT	8
#define NONCE		(FIXED + EXPLICIT)

static bool is_gcm(const struct wdp_aead *c)
{
	return c->s.cipher->mode == WD_CIPHER_GCM;
}

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
static bool aad_of(const struct wdp_aead *c, unsigned char *aad, size_t data, size_t tag_len)
{
	size_t counted = data + EXPLICIT + (c->s.encrypt ? 0 : tag_len);

	memcpy(aad, c->tls_aad, WDP_TLS_AAD);
	if (counted != (size_t)(aad[WDP_TLS_AAD - 2] << 8 | aad[WDP_TLS_AAD - 1]))
		return false;
	aad[WDP_TLS_AAD - 2] = (unsigned char)(data >> 8);
	aad[WDP_TLS_AAD - 1] = (unsigned char)data;
	return true;
}

/* The default provider goes on as if it had made the record, or opened it. */
static bool nonce_take(struct wdp_aead *c, unsigned char nonce[NONCE])
{
	unsigned char *explicit = nonce + FIXED;
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	unsigned char made[EXPLICIT];

	if (!is_gcm(c))
		return EVP_CipherInit_ex2(c->s.ctx, NULL, NULL, nonce, -1, NULL) > 0;
	if (!c->s.encrypt) {
		params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, explicit,
							      EXPLICIT);
		return EVP_CIPHER_CTX_set_params(c->s.ctx, params) > 0;
	}
	params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, made, EXPLICIT);
	return EVP_CIPHER_CTX_get_params(c->s.ctx, params) > 0 && !memcmp(made, explicit, EXPLICIT);
}

/*
 * The nonce of the record. Its fixed part is the default provider's, and so is the rest if the default provider counts.
 */
static bool nonce_of(const struct wdp_aead *c, unsigned char nonce[NONCE], const unsigned char *record)
{
	if (EVP_CIPHER_CTX_get_iv_length(c->s.ctx) != NONCE ||
	    !wdp_symmetric_iv(&c->s, EVP_CIPHER_CTX_get_updated_iv, nonce, NONCE))
		return false;
	if (!c->s.encrypt)
		memcpy(nonce + FIXED, record, EXPLICIT);
	else if (!is_gcm(c))
		memcpy(nonce + FIXED, c->tls_aad, EXPLICIT);
	return true;
}

enum wdp_outcome wdp_aead_record(struct wdp_aead *c, unsigned char *out, size_t *out_len, const unsigned char *in,
				 size_t len)
{
	size_t tag_len = is_gcm(c) ? WDP_TAG_MAX : (size_t)EVP_CIPHER_CTX_get_tag_length(c->s.ctx);
	unsigned char aad[WDP_TLS_AAD], nonce[NONCE], tag[WDP_TAG_MAX];
	size_t data = len - EXPLICIT - tag_len;
	struct wdp_message m = {
		.iv = nonce, .iv_len = NONCE, .aad_len = sizeof(aad), .len = data, .tag = tag, .tag_len = tag_len,
	};
	enum wdp_outcome outcome = WDP_TO_DEFAULT;

	if (len < WDP_TLS_EXTRA || data < c->s.prov->config.min_bytes || data > WDP_UPDATE_MAX || out != in ||
	    !c->s.key_len || !wdp_aead_lengths_hold(c) || !aad_of(c, aad, data, tag_len) || !nonce_of(c, nonce, in))
		return WDP_TO_DEFAULT;
	memcpy(tag, in + EXPLICIT + data, tag_len);
	m.src = wdp_aead_join(&c->s.in, aad, sizeof(aad), in + EXPLICIT, data);
	if (m.src)
		outcome = wdp_aead_on_device(c, &m);
	if (outcome == WDP_DONE && !nonce_take(c, nonce))
		outcome = WDP_TO_DEFAULT;
	if (outcome == WDP_DONE) {
		memcpy(out, nonce + FIXED, EXPLICIT);
		memcpy(out + EXPLICIT, c->s.out.at + sizeof(aad), data);
		memcpy(out + EXPLICIT + data, tag, tag_len);
		*out_len = c->s.encrypt ? len : data;
		/* With CCM the default provider takes the same data for any number of records. */
		c->tls = !is_gcm(c);
		c->tls_spent = is_gcm(c);
	}
	wdp_buffer_drop(&c->s.in);
	wdp_buffer_drop(&c->s.out);
	return outcome;
}
