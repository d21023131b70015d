// SPDX-License-Identifier: Apache-2.0
/* HMAC. A device gets a message that comes in one update; the default provider gets all others. */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/offer.h"
#include "device/device.h"
#include "digest.h"
#include "held.h"
#include "hmac.h"

struct context {
	struct wdp_provider *prov;
	EVP_MAC_CTX *ctx;
	struct wdp_session session;	/* with this key and digest */
	struct wdp_held held;
	int alg;			/* enum wd_digest_alg; -1: none of a device's */
	unsigned char *key;		/* NULL: none */
	size_t key_len;
	unsigned int path;		/* enum wd_path */
	bool tls;			/* the default provider checks records of TLS: it never leaves that mode */
	bool fresh;			/* initialized, and no part of the message has come */
};

static void key_forget(struct context *c)
{
	wdp_session_close(&c->session, &wdp_class_digest);
	OPENSSL_secure_clear_free(c->key, c->key_len);
	c->key = NULL;
	c->key_len = 0;
}

static void hmac_freectx(void *vctx)
{
	struct context *c = vctx;

	if (!c)
		return;
	key_forget(c);
	wdp_held_drop(&c->held);
	EVP_MAC_CTX_free(c->ctx);
	free(c);
}

static void *hmac_newctx(void *provctx)
{
	struct context *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->prov = provctx;
	c->alg = -1;
	c->ctx = EVP_MAC_CTX_new(c->prov->hmac);
	if (c->ctx)
		return c;
	free(c);
	return NULL;
}

static bool default_repeats(EVP_MAC_CTX *ctx, const struct wdp_held *held)
{
	unsigned char scratch[EVP_MAX_MD_SIZE];
	size_t len;

	return !held->data || (EVP_MAC_update(ctx, held->data, held->len) > 0 &&
			       (!held->ended || EVP_MAC_final(ctx, scratch, &len, sizeof(scratch)) > 0));
}

/* After this the default provider has done everything that the program has asked for. */
static bool catch_up(struct context *c)
{
	bool ok = default_repeats(c->ctx, &c->held);

	wdp_held_drop(&c->held);
	return ok;
}

static bool key_note(struct context *c, const unsigned char *key, size_t len)
{
	key_forget(c);
	c->key = OPENSSL_secure_malloc(len + 1);
	c->key_len = c->key ? len : 0;
	if (c->key)
		memcpy(c->key, key, len);
	return c->key;
}

/* Several threads may copy the same context: it stays as it is. */
static void *hmac_dupctx(void *vctx)
{
	const struct context *from = vctx;
	struct context *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *from;
	memset(&c->session, 0, sizeof(c->session));
	memset(&c->held, 0, sizeof(c->held));
	c->key = NULL;
	c->ctx = EVP_MAC_CTX_dup(from->ctx);
	if (c->ctx && default_repeats(c->ctx, &from->held) && (!from->key || key_note(c, from->key, from->key_len)))
		return c;
	hmac_freectx(c);
	return NULL;
}

static void mode_note(struct context *c, const OSSL_PARAM params[])
{
	if (params && OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_TLS_DATA_SIZE))
		c->tls = true;
}

static void params_note(struct context *c, const OSSL_PARAM params[])
{
	const OSSL_PARAM *digest = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_DIGEST);
	const OSSL_PARAM *key = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_KEY);
	const char *name;

	/* The default provider uses the old key's state until it gets another. */
	if (digest) {
		key_forget(c);
		c->alg = OSSL_PARAM_get_utf8_string_ptr(digest, &name) ? wdp_digest_alg(c->prov, name) : -1;
	}
	if (key)
		key_forget(c);
	if (key && key->data)
		key_note(c, key->data, key->data_size);
	mode_note(c, params);
}

/* The default provider may have taken some of the parameters that it has refused as a whole. */
static void refused(struct context *c, const OSSL_PARAM params[])
{
	key_forget(c);
	c->alg = -1;
	mode_note(c, params);
}

/*
 * Brings a new context to the state before its last initialization: a key, a digest and the message that was kept are
 * all of that state.
 */
static bool ctx_before_init(struct context *c)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)wdp_digest_name(c->alg), 0),
		OSSL_PARAM_END,
	};
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(c->prov->hmac);

	if (!ctx || EVP_MAC_init(ctx, c->key, c->key_len, params) <= 0 || !default_repeats(ctx, &c->held)) {
		EVP_MAC_CTX_free(ctx);
		return false;
	}
	EVP_MAC_CTX_free(c->ctx);
	c->ctx = ctx;
	return true;
}

/*
 * A refused initialization is tried again. The state before it is restored first, since the program may go on with that
 * message. The default provider may have learnt the digest meanwhile.
 */
static bool ctx_init(struct context *c, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
	bool ok;

	wdp_errors_mark(&c->prov->core);
	ok = EVP_MAC_init(c->ctx, key, key_len, params) > 0;
	if (ok || (!wdp_default_provider_learns(&c->prov->default_provider, params) && !c->held.data)) {
		wdp_errors_keep(&c->prov->core);
		return ok;
	}
	wdp_errors_drop(&c->prov->core);
	return (!c->held.data || ctx_before_init(c)) && EVP_MAC_init(c->ctx, key, key_len, params) > 0;
}

static int hmac_init(void *vctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
	struct context *c = vctx;
	int ok = ctx_init(c, key, key_len, params);

	wdp_held_drop(&c->held);
	c->path = WD_PATH_NONE;
	if (!ok)
		refused(c, params);
	if (ok && params)
		params_note(c, params);
	if (ok && key)
		key_note(c, key, key_len);
	c->fresh = ok && c->key && c->alg >= 0 && !c->tls;
	return ok;
}

static int hmac_update(void *vctx, const unsigned char *in, size_t len)
{
	struct context *c = vctx;
	bool fresh = c->fresh;

	/* An empty part changes nothing. */
	c->fresh = c->fresh && !len;
	if (fresh && wdp_held_take(&c->held, c->prov, in, len))
		return 1;
	return catch_up(c) && EVP_MAC_update(c->ctx, in, len) > 0;
}

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct context *c = to->owner;
	struct wd_digest_sess_setup setup = {
		.alg = (__u8)c->alg, .mode = WD_DIGEST_HMAC, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};
	handle_t h = wd_digest_alloc_sess(&setup, NULL);

	if (h && wd_digest_set_key(h, c->key, (__u32)c->key_len)) {
		wd_digest_free_sess(h);
		h = 0;
	}
	return h;
}

static enum wdp_outcome on_device(struct context *c, unsigned char *out, size_t len)
{
	struct wdp_target to = {
		.prov = c->prov, .class = &wdp_class_digest, .session = &c->session, .make = session_open, .owner = c,
	};
	struct wdp_call call = { .src = c->held.data, .src_len = c->held.len, .dst = out, .dst_len = len };

	return wdp_device_do(&to, &call, &c->path);
}

static int hmac_final(void *vctx, unsigned char *out, size_t *out_len, size_t room)
{
	struct context *c = vctx;
	size_t size = EVP_MAC_CTX_get_mac_size(c->ctx);
	bool fits = c->held.data && !c->held.ended && room >= size;
	enum wdp_outcome outcome = fits ? on_device(c, out, size) : WDP_TO_DEFAULT;

	c->fresh = false;
	if (outcome != WDP_TO_DEFAULT) {
		c->held.ended = outcome == WDP_DONE;
		*out_len = size;
		return (int)outcome;
	}
	if (!catch_up(c) || EVP_MAC_final(c->ctx, out, out_len, room) <= 0)
		return 0;
	c->path = WD_PATH_SOFT;
	if (fits)
		wdp_count(c->prov, WDP_COUNT_SOFT);
	return 1;
}

static bool ctx_set(struct context *c, const OSSL_PARAM params[])
{
	bool ok;

	wdp_errors_mark(&c->prov->core);
	ok = EVP_MAC_CTX_set_params(c->ctx, params) > 0;
	if (wdp_default_provider_again(&c->prov->default_provider, ok, params))
		return EVP_MAC_CTX_set_params(c->ctx, params) > 0;
	return ok;
}

static int hmac_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
	struct context *c = vctx;

	if (!params || !params->key)
		return 1;
	c->fresh = false;
	if (!catch_up(c) || !ctx_set(c, params)) {
		refused(c, params);
		return 0;
	}
	params_note(c, params);
	return 1;
}

static int hmac_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
	struct context *c = vctx;
	OSSL_PARAM *path = OSSL_PARAM_locate(params, WDP_PARAM_PATH);

	if (path && !OSSL_PARAM_set_utf8_string(path, c->path == WD_PATH_NONE ? "" : wd_path_str((int)c->path)))
		return 0;
	return EVP_MAC_CTX_get_params(c->ctx, params) > 0;
}

static const OSSL_PARAM *hmac_gettable(void *vctx, void *provctx)
{
	(void)vctx;
	return ((struct wdp_provider *)provctx)->hmac_gettable;
}

static const OSSL_PARAM *hmac_settable(void *vctx, void *provctx)
{
	(void)vctx;
	return EVP_MAC_settable_ctx_params(((struct wdp_provider *)provctx)->hmac);
}

static const OSSL_DISPATCH functions[] = {
	WDP_FUNCTION(OSSL_FUNC_MAC_NEWCTX, hmac_newctx),
	WDP_FUNCTION(OSSL_FUNC_MAC_FREECTX, hmac_freectx),
	WDP_FUNCTION(OSSL_FUNC_MAC_DUPCTX, hmac_dupctx),
	WDP_FUNCTION(OSSL_FUNC_MAC_INIT, hmac_init),
	WDP_FUNCTION(OSSL_FUNC_MAC_UPDATE, hmac_update),
	WDP_FUNCTION(OSSL_FUNC_MAC_FINAL, hmac_final),
	WDP_FUNCTION(OSSL_FUNC_MAC_GET_CTX_PARAMS, hmac_get_ctx_params),
	WDP_FUNCTION(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, hmac_gettable),
	WDP_FUNCTION(OSSL_FUNC_MAC_SET_CTX_PARAMS, hmac_set_ctx_params),
	WDP_FUNCTION(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, hmac_settable),
	{ 0, NULL },
};

bool wdp_hmac_offer(struct wdp_provider *prov)
{
	const OSSL_ALGORITHM offer = { "HMAC", WDP_PROPERTIES, functions, NULL };

	if (!(prov->algs & WDP_BIT(WDP_HMAC)))
		return true;
	prov->hmac = EVP_MAC_fetch(prov->default_provider.libctx, offer.algorithm_names, NULL);
	if (!prov->hmac)
		return false;
	prov->hmac_gettable = wdp_with_path(EVP_MAC_gettable_ctx_params(prov->hmac));
	return prov->hmac_gettable && wdp_offer(prov, OSSL_OP_MAC, &offer);
}

void wdp_hmac_free(struct wdp_provider *prov)
{
	EVP_MAC_free(prov->hmac);
	free(prov->hmac_gettable);
}
