// SPDX-License-Identifier: Apache-2.0
/* Digests. A device gets a message that comes in one update, or by one call; the default provider gets all others. */
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/offer.h"
#include "device/device.h"
#include "digest.h"
#include "held.h"

struct context {
	struct wdp_provider *prov;
	struct wdp_digest *digest;
	EVP_MD_CTX *ctx;
	struct wdp_held held;
	unsigned int path;		/* enum wd_path */
	bool fresh;			/* initialized, and no part of the message has come */
};

/* --- devices --- */

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_digest *digest = to->owner;
	struct wd_digest_sess_setup setup = {
		.alg = digest->alg, .mode = WD_DIGEST_NORMAL, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};

	return wd_digest_alloc_sess(&setup, NULL);
}

static enum wdp_outcome on_device(struct wdp_provider *prov, struct wdp_digest *digest, const void *in, size_t len,
				  unsigned char *out, unsigned int *path)
{
	struct wdp_target to = {
		.prov = prov, .class = &wdp_class_digest, .session = &digest->session, .make = session_open,
		.owner = digest,
	};
	struct wdp_call call = { .src = in, .src_len = len, .dst = out, .dst_len = digest->size };

	return wdp_device_do(&to, &call, path);
}

/* --- contexts --- */

static void digest_freectx(void *vctx)
{
	struct context *c = vctx;

	if (!c)
		return;
	wdp_held_drop(&c->held);
	EVP_MD_CTX_free(c->ctx);
	free(c);
}

static void *digest_newctx(struct wdp_provider *prov, enum wdp_digest_id id)
{
	struct context *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->prov = prov;
	c->digest = &prov->digests[id];
	c->ctx = EVP_MD_CTX_new();
	if (c->ctx && EVP_DigestInit_ex2(c->ctx, c->digest->fetched, NULL) > 0)
		return c;
	digest_freectx(c);
	return NULL;
}

static bool default_repeats(EVP_MD_CTX *ctx, const struct wdp_held *held)
{
	unsigned char scratch[EVP_MAX_MD_SIZE];

	return !held->data || (EVP_DigestUpdate(ctx, held->data, held->len) > 0 &&
			       (!held->ended || EVP_DigestFinal_ex(ctx, scratch, NULL) > 0));
}

/* After this the default provider has done everything that the program has asked for. */
static bool catch_up(struct context *c)
{
	bool ok = default_repeats(c->ctx, &c->held);

	wdp_held_drop(&c->held);
	return ok;
}

/* Several threads may copy the same context: it stays as it is. */
static void *digest_dupctx(void *vctx)
{
	const struct context *from = vctx;
	struct context *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *from;
	memset(&c->held, 0, sizeof(c->held));
	c->ctx = EVP_MD_CTX_new();
	if (c->ctx && EVP_MD_CTX_copy_ex(c->ctx, from->ctx) > 0 && default_repeats(c->ctx, &from->held))
		return c;
	digest_freectx(c);
	return NULL;
}

static int digest_init(void *vctx, const OSSL_PARAM params[])
{
	struct context *c = vctx;
	int ok = EVP_DigestInit_ex2(c->ctx, c->digest->fetched, params) > 0;

	wdp_held_drop(&c->held);
	/* A parameter may be a part of the message. */
	c->fresh = ok && !(params && params->key);
	c->path = WD_PATH_NONE;
	return ok;
}

static int digest_update(void *vctx, const unsigned char *in, size_t len)
{
	struct context *c = vctx;
	bool fresh = c->fresh;

	/* An empty part changes nothing. */
	c->fresh = c->fresh && !len;
	if (fresh && wdp_held_take(&c->held, c->prov, in, len))
		return 1;
	return catch_up(c) && EVP_DigestUpdate(c->ctx, in, len) > 0;
}

static int digest_final(void *vctx, unsigned char *out, size_t *out_len, size_t room)
{
	struct context *c = vctx;
	bool fits = c->held.data && !c->held.ended && room >= c->digest->size;
	enum wdp_outcome outcome = WDP_TO_DEFAULT;

	c->fresh = false;
	if (room < c->digest->size)
		return 0;
	if (fits)
		outcome = on_device(c->prov, c->digest, c->held.data, c->held.len, out, &c->path);
	*out_len = c->digest->size;
	if (outcome != WDP_TO_DEFAULT) {
		c->held.ended = outcome == WDP_DONE;
		return (int)outcome;
	}
	if (!catch_up(c) || EVP_DigestFinal_ex(c->ctx, out, NULL) <= 0)
		return 0;
	c->path = WD_PATH_SOFT;
	if (fits)
		wdp_count(c->prov, WDP_COUNT_SOFT);
	return 1;
}

static int digest_whole(struct wdp_provider *prov, enum wdp_digest_id id, const unsigned char *in, size_t len,
			unsigned char *out, size_t *out_len, size_t room)
{
	struct wdp_digest *digest = &prov->digests[id];
	bool fits = len >= prov->config.min_bytes;
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	unsigned int path;

	if (room < digest->size)
		return 0;
	if (fits)
		outcome = on_device(prov, digest, in, len, out, &path);
	*out_len = digest->size;
	if (outcome != WDP_TO_DEFAULT)
		return (int)outcome;
	if (EVP_Digest(in, len, out, NULL, digest->fetched, NULL) <= 0)
		return 0;
	if (fits)
		wdp_count(prov, WDP_COUNT_SOFT);
	return 1;
}

static int digest_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
	struct context *c = vctx;

	if (!params || !params->key)
		return 1;
	c->fresh = false;
	return catch_up(c) && EVP_MD_CTX_set_params(c->ctx, params) > 0;
}

/* The default provider's contexts of most digests have no parameters. */
static int digest_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
	struct context *c = vctx;
	OSSL_PARAM *path = OSSL_PARAM_locate(params, WDP_PARAM_PATH);

	if (path && !OSSL_PARAM_set_utf8_string(path, c->path == WD_PATH_NONE ? "" : wd_path_str((int)c->path)))
		return 0;
	if (!EVP_MD_gettable_ctx_params(c->digest->fetched))
		return !!path;
	return catch_up(c) && EVP_MD_CTX_get_params(c->ctx, params) > 0;
}

/* --- dispatch tables --- */

static struct wdp_facts *_Atomic facts_of[WDP_DIGESTS];

static int param_get(const void *alg, OSSL_PARAM params[])
{
	return EVP_MD_get_params(alg, params);
}

static int names_do(const void *alg, wdp_name_fn *fn, void *arg)
{
	return EVP_MD_names_do_all(alg, fn, arg);
}

#define FUNCTIONS(id, name, bit, alg)										\
static void *id##_new(void *provctx) { return digest_newctx(provctx, WDP_DIGEST_##id); }			\
static int id##_whole(void *provctx, const unsigned char *in, size_t len, unsigned char *out,			\
		      size_t *out_len, size_t room)								\
{														\
	return digest_whole(provctx, WDP_DIGEST_##id, in, len, out, out_len, room);				\
}														\
WDP_PARAMS_OF(id, digests, WDP_DIGEST_##id, EVP_MD)								\
static const OSSL_DISPATCH id##_functions[] = {									\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_NEWCTX, id##_new),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_FREECTX, digest_freectx),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_DUPCTX, digest_dupctx),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_INIT, digest_init),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_UPDATE, digest_update),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_FINAL, digest_final),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_DIGEST, id##_whole),							\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, id##_get_params),						\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, id##_gettable),						\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_GET_CTX_PARAMS, digest_get_ctx_params),					\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_GETTABLE_CTX_PARAMS, id##_gettable_ctx),					\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_SET_CTX_PARAMS, digest_set_ctx_params),					\
	WDP_FUNCTION(OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS, id##_settable_ctx),					\
	{ 0, NULL },												\
};
WDP_DIGEST_ROWS(FUNCTIONS)

#define ROW(id, name, bit, alg)	{ name, bit, alg, id##_functions },
static const struct row {
	const char *name;
	unsigned int bit;		/* enum wdp_alg */
	__u8 alg;
	const OSSL_DISPATCH *functions;
} rows[WDP_DIGESTS] = { WDP_DIGEST_ROWS(ROW) };

int wdp_digest_alg(const struct wdp_provider *prov, const char *name)
{
	EVP_MD *md;
	unsigned int id;
	int alg = -1;

	wdp_errors_mark(&prov->core);
	md = EVP_MD_fetch(prov->default_provider.libctx, name, NULL);
	wdp_errors_drop(&prov->core);
	for (id = 0; md && alg < 0 && id < WDP_DIGESTS; id++)
		if (EVP_MD_is_a(md, rows[id].name))
			alg = rows[id].alg;
	EVP_MD_free(md);
	return alg;
}

const char *wdp_digest_name(int alg)
{
	unsigned int id = 0;

	while (rows[id].alg != alg)
		id++;
	return rows[id].name;
}

static bool digest_offer(struct wdp_provider *prov, enum wdp_digest_id id)
{
	const struct row *row = &rows[id];
	struct wdp_digest *d = &prov->digests[id];
	OSSL_ALGORITHM offer = { NULL, WDP_PROPERTIES, row->functions, NULL };

	d->fetched = EVP_MD_fetch(prov->default_provider.libctx, row->name, NULL);
	if (!d->fetched)
		return true;	/* a libcrypto that was built without it */
	d->alg = row->alg;
	d->size = (size_t)EVP_MD_get_size(d->fetched);
	d->names = wdp_names(row->name, names_do, d->fetched);
	d->gettable = wdp_with_path(EVP_MD_gettable_ctx_params(d->fetched));
	offer.algorithm_names = d->names;
	return d->names && d->gettable && wdp_facts_read(&facts_of[id], EVP_MD_gettable_params(d->fetched), param_get,
							 d->fetched) && wdp_offer(prov, OSSL_OP_DIGEST, &offer);
}

bool wdp_digests_offer(struct wdp_provider *prov)
{
	unsigned int id;
	bool ok = true;

	wdp_errors_mark(&prov->core);
	for (id = 0; ok && id < WDP_DIGESTS; id++)
		ok = !(prov->algs & WDP_BIT(rows[id].bit)) || digest_offer(prov, id);
	wdp_errors_drop(&prov->core);
	return ok;
}

void wdp_digests_free(struct wdp_provider *prov)
{
	struct wdp_digest *d;

	for (d = prov->digests; d < prov->digests + WDP_DIGESTS; d++) {
		wdp_session_close(&d->session, &wdp_class_digest);
		EVP_MD_free(d->fetched);
		free(d->names);
		free(d->gettable);
	}
}
