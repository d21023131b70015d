// SPDX-License-Identifier: Apache-2.0
/*
 * GCM and CCM. A device gets a message whose data comes in one update. The default provider has the associated data
 * only, until the program makes a call that only the default provider can answer.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "aead.h"
#include "aead_context.h"

/* Bytes of associated data that a device is given. */
#define AAD_MAX		0xffffu

/* --- a device's part, and the default provider's repetition of it --- */

static void ahead_drop(struct wdp_aead *c)
{
	wdp_buffer_drop(&c->ahead.src);
	memset(&c->ahead, 0, sizeof(c->ahead));
}

static bool default_tag(EVP_CIPHER_CTX *ctx, size_t len)
{
	unsigned char tag[WDP_TAG_MAX];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, len), OSSL_PARAM_END
	};

	return EVP_CIPHER_CTX_get_params(ctx, params) > 0;
}

static bool default_repeats(EVP_CIPHER_CTX *ctx, const struct wdp_ahead *a)
{
	unsigned char *scratch;
	bool ok;
	int n;

	if (!a->src.at)
		return true;
	scratch = OPENSSL_malloc(a->len);
	ok = scratch && EVP_CipherUpdate(ctx, scratch, &n, a->src.at + a->data, (int)a->len) > 0 &&
	     (!a->ended || EVP_CipherFinal_ex(ctx, scratch, &n) > 0) && (!a->taken || default_tag(ctx, a->tag_len));
	OPENSSL_clear_free(scratch, a->len);
	return ok;
}

/*
 * A context of GCM keeps its last message's tag until the next one is complete. The default provider takes one while it
 * decrypts.
 */
static bool default_takes_tag(EVP_CIPHER_CTX *ctx, struct wdp_ahead *a)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, a->tag, a->tag_len), OSSL_PARAM_END,
	};

	return EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL) > 0 && EVP_CIPHER_CTX_set_params(ctx, params) > 0;
}

/*
 * The context is the program's, or a copy. Its context of the default provider repeats what a device has done for from.
 */
static bool catch_up_with(struct wdp_aead *c, const struct wdp_ahead *from)
{
	bool ok = default_repeats(c->s.ctx, from);

	if (from->src.at)
		c->begun = c->s.cipher->mode == WD_CIPHER_CCM && c->s.encrypt && !from->taken;
	ahead_drop(c);
	return ok;
}

/* After this the default provider has done everything that the program has asked for. */
static bool catch_up(struct wdp_aead *c)
{
	return catch_up_with(c, &c->ahead);
}

/* --- life --- */

void *wdp_aead_new(struct wdp_provider *prov, enum wdp_cipher_id id)
{
	return wdp_symmetric_new(sizeof(struct wdp_aead), prov, id, &wdp_class_aead);
}

void wdp_aead_free(void *vctx)
{
	struct wdp_aead *c = vctx;

	if (!c)
		return;
	ahead_drop(c);
	free(c->aad);
	wdp_symmetric_free(&c->s, sizeof(*c));
}

/* Several threads may copy the same context: it stays as it is. */
void *wdp_aead_dup(void *vctx)
{
	const struct wdp_aead *from = vctx;
	struct wdp_aead *c = wdp_symmetric_dup(&from->s, sizeof(*c));

	if (!c)
		return NULL;
	memset(&c->ahead, 0, sizeof(c->ahead));
	c->aad = c->aad_len ? malloc(c->aad_len) : NULL;
	if (c->aad)
		memcpy(c->aad, from->aad, c->aad_len);
	else
		c->ready = c->ready && !c->aad_len;
	if (catch_up_with(c, &from->ahead))
		return c;
	wdp_aead_free(c);
	return NULL;
}

/*
 * A context of the default provider's that has seen nothing of the last message: neither mode can be made to forget all
 * of it.
 */
static bool ctx_anew(struct wdp_aead *c)
{
	size_t iv_len = (size_t)EVP_CIPHER_CTX_get_iv_length(c->s.ctx);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &iv_len), OSSL_PARAM_END, OSSL_PARAM_END,
	};
	EVP_CIPHER_CTX *ctx = c->s.key_len ? wdp_symmetric_ctx(&c->s) : NULL;

	if (c->s.cipher->mode == WD_CIPHER_CCM)
		params[1] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL,
							      (size_t)EVP_CIPHER_CTX_get_tag_length(c->s.ctx));
	if (!ctx || EVP_CIPHER_CTX_set_params(ctx, params) <= 0 ||
	    EVP_CipherInit_ex2(ctx, NULL, c->s.key, NULL, c->s.encrypt, NULL) <= 0) {
		EVP_CIPHER_CTX_free(ctx);
		return false;
	}
	EVP_CIPHER_CTX_free(c->s.ctx);
	c->s.ctx = ctx;
	c->begun = false;
	return true;
}

static void params_note(struct wdp_aead *c, const OSSL_PARAM params[])
{
	static const char *const others[] = {
		OSSL_CIPHER_PARAM_AEAD_IVLEN, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED,
		OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
	};
	const OSSL_PARAM *tag = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);
	unsigned int i;

	if (tag && tag->data && !c->s.encrypt && tag->data_size <= sizeof(c->tag)) {
		memcpy(c->tag, tag->data, tag->data_size);
		c->tag_len = tag->data_size;
	}
	/* They change the iv, or what an update is. */
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (OSSL_PARAM_locate_const(params, others[i]))
			c->ready = false;
	wdp_aead_record_note(c, params);
}

/*
 * libcrypto makes the lengths of CCM a part of the key's state, where later ones have no effect. before: those in front
 * of an initialization with a key, which may set others before the key, or after.
 */
static void lengths_note(struct wdp_aead *c, struct wdp_lengths before)
{
	c->keyed = before;
	if (!wdp_aead_lengths_hold(c))
		c->keyed = (struct wdp_lengths){ 0, 0 };
}

static int begin(struct wdp_aead *c, bool encrypt, const unsigned char *key, size_t key_len, const unsigned char *iv,
		 size_t iv_len, const OSSL_PARAM params[])
{
	bool ccm = c->s.cipher->mode == WD_CIPHER_CCM, complete = !ccm || !c->s.encrypt || c->ahead.taken;
	struct wdp_lengths before;
	int ok;

	if ((!iv || !complete) && !catch_up(c))
		return 0;
	if (iv && (c->tls_spent || (ccm && c->ahead.src.at)) && !ctx_anew(c))
		return 0;
	if (!ccm && c->s.encrypt && c->ahead.ended && !default_takes_tag(c->s.ctx, &c->ahead))
		return 0;
	ahead_drop(c);
	before = wdp_aead_lengths(c);
	ok = wdp_symmetric_begin(&c->s, encrypt, key, key_len, iv, params);
	if (key)
		lengths_note(c, before);
	c->ready = ok && iv && iv_len <= sizeof(c->iv) && !c->begun;
	if (c->ready)
		memcpy(c->iv, iv, iv_len);
	c->iv_len = iv_len;
	c->tls_spent = c->tls_spent && !iv;
	c->total_set = false;
	c->aad_len = 0;
	c->tag_len = 0;
	if (ok && params)
		params_note(c, params);
	return ok;
}

int wdp_aead_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
			  const OSSL_PARAM params[])
{
	return begin(vctx, true, key, key_len, iv, iv_len, params);
}

int wdp_aead_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
			  const OSSL_PARAM params[])
{
	return begin(vctx, false, key, key_len, iv, iv_len, params);
}

/* --- parameters --- */

/* Does a device's tag answer the question? */
static bool tag_get(struct wdp_aead *c, OSSL_PARAM params[])
{
	struct wdp_ahead *a = &c->ahead;
	bool gcm = c->s.cipher->mode == WD_CIPHER_GCM;

	if (!c->s.encrypt || params[1].key || params[0].data_type != OSSL_PARAM_OCTET_STRING || !params[0].data ||
	    (gcm ? !a->ended || !params[0].data_size || params[0].data_size > a->tag_len :
		   a->taken || params[0].data_size != a->tag_len))
		return false;
	a->taken = OSSL_PARAM_set_octet_string(params, a->tag, params[0].data_size);
	return a->taken;
}

int wdp_aead_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
	struct wdp_aead *c = vctx;
	OSSL_PARAM *tag = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);

	OSSL_PARAM *next = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN);

	if (c->s.failed && tag)
		return 0;
	if (c->ahead.src.at && tag == params && tag_get(c, params))
		return 1;
	if ((tag || next) && !catch_up(c))
		return 0;
	/* CCM forgets the iv with a tag, even one of no message. */
	if (next || (tag && c->s.cipher->mode == WD_CIPHER_CCM))
		c->ready = false;
	if (!wdp_symmetric_get(&c->s, params))
		return 0;
	c->begun = c->begun && !(tag && c->s.encrypt);
	return 1;
}

/* A whole new iv, after a record that the default provider has not seen yet. */
static bool record_ends(struct wdp_aead *c, const OSSL_PARAM params[])
{
	if (!c->tls_spent || !params || !OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED))
		return true;
	c->tls_spent = false;
	return ctx_anew(c);
}

int wdp_aead_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
	struct wdp_aead *c = vctx;

	if (!catch_up(c) || !record_ends(c, params) || EVP_CIPHER_CTX_set_params(c->s.ctx, params) <= 0) {
		/* The default provider may have taken some of them. */
		c->ready = false;
		c->tag_len = 0;
		return 0;
	}
	if (params)
		params_note(c, params);
	return 1;
}

/* --- messages --- */

/* Keeps associated data for a device. Without it no device gets the message. CCM has it in one piece. */
static void aad_note(struct wdp_aead *c, const unsigned char *in, size_t len)
{
	unsigned char *longer = NULL;

	if (!c->ready || !len)
		return;
	if (len <= AAD_MAX - c->aad_len && (!c->aad_len || c->s.cipher->mode == WD_CIPHER_GCM))
		longer = realloc(c->aad, c->aad_len + len);
	c->ready = longer;
	if (!longer)
		return;
	c->aad = longer;
	memcpy(c->aad + c->aad_len, in, len);
	c->aad_len += len;
}

/* CCM is told the length once, in front of the associated data. To GCM, no data ends the message. */
static void total_note(struct wdp_aead *c, size_t len)
{
	c->ready = c->ready && c->s.cipher->mode == WD_CIPHER_CCM && !c->total_set && !c->aad_len;
	c->total = len;
	c->total_set = true;
}

/* Associated data, or CCM's announcement of the length. */
static int no_data(struct wdp_aead *c, size_t *out_len, const unsigned char *in, size_t len)
{
	c->begun = c->s.cipher->mode == WD_CIPHER_CCM;
	if (!wdp_symmetric_update(&c->s, NULL, out_len, in, len))
		return 0;
	if (in)
		aad_note(c, in, len);
	else
		total_note(c, len);
	return 1;
}

static size_t tag_bytes(const struct wdp_aead *c)
{
	if (!c->s.encrypt)
		return c->tag_len;
	return c->s.cipher->mode == WD_CIPHER_GCM ? WDP_TAG_MAX : (size_t)EVP_CIPHER_CTX_get_tag_length(c->s.ctx);
}

/* The data comes in one update, and a tag that is to be compared is known. */
static bool is_for_devices(const struct wdp_aead *c, const unsigned char *out, size_t room, const unsigned char *in,
			   size_t len)
{
	return c->ready && c->s.plain && c->s.key_len && in && len >= c->s.prov->config.min_bytes &&
	       len <= WDP_UPDATE_MAX && room >= len && wdp_aead_lengths_hold(c) && (c->s.encrypt || c->tag_len) &&
	       (!c->total_set || c->total == len) && (out == in || out + len <= in || in + len <= out);
}

static enum wdp_outcome message_on_device(struct wdp_aead *c, unsigned char *out, size_t *out_len,
					  const unsigned char *in, size_t len)
{
	struct wdp_ahead *a = &c->ahead;
	struct wdp_message m = {
		.iv = c->iv, .iv_len = c->iv_len, .aad_len = c->aad_len, .len = len, .tag = a->tag,
		.tag_len = tag_bytes(c),
	};
	enum wdp_outcome outcome = WDP_TO_DEFAULT;

	a->data = c->aad_len;
	a->len = len;
	a->tag_len = m.tag_len;
	memcpy(a->tag, c->tag, sizeof(a->tag));
	m.src = wdp_aead_join(&a->src, c->aad, c->aad_len, in, len);
	if (m.src)
		outcome = wdp_aead_on_device(c, &m);
	if (outcome == WDP_DONE) {
		memcpy(out, c->s.out.at + m.aad_len, len);
		*out_len = len;
	} else {
		ahead_drop(c);
	}
	wdp_buffer_drop(&c->s.out);
	return outcome;
}

static int data(struct wdp_aead *c, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in,
		size_t len)
{
	bool fits = is_for_devices(c, out, room, in, len);
	enum wdp_outcome outcome = fits ? message_on_device(c, out, out_len, in, len) : WDP_TO_DEFAULT;
	int ok;

	c->ready = false;
	if (outcome != WDP_TO_DEFAULT)
		return wdp_symmetric_outcome(&c->s, outcome);
	ok = wdp_symmetric_update(&c->s, out, out_len, in, len);
	c->begun = c->s.cipher->mode == WD_CIPHER_CCM && (c->s.encrypt || !ok);
	if (ok && fits)
		wdp_count(c->s.prov, WDP_COUNT_SOFT);
	return ok;
}

typedef int by_default_fn(struct wdp_symmetric *s, unsigned char *out, size_t *out_len, const unsigned char *in,
		       size_t len);

static int record(struct wdp_aead *c, by_default_fn *by_default, unsigned char *out, size_t *out_len,
		  const unsigned char *in, size_t len)
{
	enum wdp_outcome outcome = wdp_aead_record(c, out, out_len, in, len);
	int ok;

	/* EVP_Cipher() returns the record's length. */
	if (outcome == WDP_DONE && by_default == wdp_symmetric_whole)
		*out_len = len;
	if (outcome != WDP_TO_DEFAULT)
		return wdp_symmetric_outcome(&c->s, outcome);
	c->tls = c->s.cipher->mode == WD_CIPHER_CCM;
	ok = by_default(&c->s, out, out_len, in, len);
	if (ok && len >= WDP_TLS_EXTRA + c->s.prov->config.min_bytes)
		wdp_count(c->s.prov, WDP_COUNT_SOFT);
	return ok;
}

int wdp_aead_update(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	struct wdp_aead *c = vctx;

	/* A nonce is used once. */
	if (c->tls_spent || !catch_up(c))
		return 0;
	if (c->tls)
		return record(c, wdp_symmetric_update, out, out_len, in, len);
	return out ? data(c, out, out_len, room, in, len) : no_data(c, out_len, in, len);
}

int wdp_aead_final(void *vctx, unsigned char *out, size_t *out_len, size_t room)
{
	struct wdp_aead *c = vctx;
	int ok;

	(void)room;
	if (c->tls_spent)
		return 0;
	if (c->ahead.src.at && !c->ahead.ended) {
		c->ahead.ended = true;
		*out_len = 0;
		return 1;
	}
	c->ready = false;
	ok = catch_up(c) && wdp_symmetric_final(&c->s, out, out_len);
	/* Later versions of libcrypto take that for a message without data. */
	c->begun = c->begun || (c->s.cipher->mode == WD_CIPHER_CCM && (c->s.encrypt || !ok));
	return ok;
}

/* EVP_Cipher(). */
int wdp_aead_whole(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	struct wdp_aead *c = vctx;

	(void)room;
	if (c->tls_spent || !catch_up(c))
		return 0;
	if (c->tls)
		return record(c, wdp_symmetric_whole, out, out_len, in, len);
	c->ready = false;
	c->begun = c->s.cipher->mode == WD_CIPHER_CCM;
	return wdp_symmetric_whole(&c->s, out, out_len, in, len);
}
