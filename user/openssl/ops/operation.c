// SPDX-License-Identifier: Apache-2.0
/* The common part of contexts of signatures, asymmetric ciphers and key agreement. */
#include <stdlib.h>
#include <string.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "operation.h"

void *wdp_operation_new(size_t size, struct wdp_provider *prov, enum wdp_kind kind)
{
	struct wdp_operation *op = calloc(1, size);

	if (!op)
		return NULL;
	op->last = calloc(1, sizeof(*op->last));
	if (!op->last) {
		free(op);
		return NULL;
	}
	op->last->refs = 1;
	op->prov = prov;
	op->kind = kind;
	return op;
}

static void last_put(struct wdp_last *last)
{
	if (last && atomic_fetch_sub(&last->refs, 1) == 1)
		free(last);
}

void wdp_operation_ended(struct wdp_operation *op)
{
	if (atomic_load_explicit(&op->last->path, memory_order_relaxed) != op->path)
		atomic_store_explicit(&op->last->path, op->path, memory_order_relaxed);
}

static unsigned int path_of(const struct wdp_operation *op)
{
	return op->path == WD_PATH_NONE ? atomic_load_explicit(&op->last->path, memory_order_relaxed) : op->path;
}

/* Gives parameters to the default provider's context, with an initialization or alone. */
static bool set(struct wdp_operation *op, wdp_init_fn *fn, const OSSL_PARAM params[])
{
	bool ok;

	wdp_errors_mark(&op->prov->core);
	ok = fn(op->ctx, params) > 0;
	return wdp_default_provider_again(&op->prov->default_provider, ok, params) ? fn(op->ctx, params) > 0 : ok;
}

int wdp_operation_init(struct wdp_operation *op, struct wdp_key *key, wdp_init_fn *init, const OSSL_PARAM params[])
{
	if (!key)
		key = op->key;
	if (!key || !key->pkey) {
		wdp_raise(&op->prov->core, PROV_R_NO_KEY_SET, NULL);
		return 0;
	}
	if (key != op->key) {
		wdp_key_get(key);
		wdp_key_put(op->key);
		op->key = key;
	}
	EVP_PKEY_CTX_free(op->ctx);
	op->ctx = EVP_PKEY_CTX_new_from_pkey(op->prov->default_provider.libctx, key->pkey, NULL);
	op->fresh = true;
	op->path = WD_PATH_NONE;
	/* A duplicate that the program has made goes on for itself. */
	if (atomic_load(&op->last->refs) == 1)
		wdp_operation_ended(op);
	return op->ctx && set(op, init, params);
}

void wdp_operation_clear(struct wdp_operation *op)
{
	EVP_PKEY_CTX_free(op->ctx);
	wdp_key_put(op->key);
	last_put(op->last);
	op->ctx = NULL;
	op->key = NULL;
	op->last = NULL;
}

int wdp_operation_copy(struct wdp_operation *to, const struct wdp_operation *from)
{
	*to = *from;
	to->ctx = from->ctx ? EVP_PKEY_CTX_dup(from->ctx) : NULL;
	to->key = from->key ? wdp_key_get(from->key) : NULL;
	to->fresh = true;
	atomic_fetch_add(&to->last->refs, 1);
	return to->ctx || !from->ctx;
}

int wdp_operation_by_default(struct wdp_operation *op, int result)
{
	if (result > 0) {
		op->path = WD_PATH_SOFT;
		wdp_operation_ended(op);
		wdp_count(op->prov, WDP_COUNT_SOFT);
	}
	return result;
}

int wdp_operation_verified(struct wdp_operation *op, int result)
{
	if (op->doubted && result > 0)
		wdp_device_was_wrong(op->prov, "ecdsa", "a device refuses a good signature");
	op->doubted = false;
	return wdp_operation_by_default(op, result);
}

int wdp_operation_end(struct wdp_operation *op, enum wdp_outcome outcome, wdp_run_fn *run, unsigned char *out,
		      size_t *len, size_t room, const unsigned char *in, size_t in_len)
{
	if (outcome != WDP_TO_DEFAULT) {
		wdp_operation_ended(op);
		return (int)outcome;
	}
	*len = room;
	return wdp_operation_by_default(op, run(op->ctx, out, len, in, in_len));
}

enum wdp_outcome wdp_operation_checked(struct wdp_operation *op, const char *what, wdp_run_fn *run,
				       const unsigned char *out, size_t len, const unsigned char *in, size_t in_len)
{
	unsigned char own[WDP_CHECKED_MAX];
	size_t n = sizeof(own);
	bool same;

	if (op->prov->config.check != WDP_CHECK_ALL)
		return WDP_DONE;
	wdp_errors_mark(&op->prov->core);
	same = run(op->ctx, own, &n, in, in_len) > 0 && n == len && !CRYPTO_memcmp(own, out, len);
	wdp_errors_drop(&op->prov->core);
	OPENSSL_cleanse(own, sizeof(own));
	if (!same)
		return wdp_device_wrong(op->prov, what, "a device's result isn't libcrypto's");
	wdp_device_right(op->prov);
	return WDP_DONE;
}

int wdp_operation_get_params(void *vctx, OSSL_PARAM params[])
{
	struct wdp_operation *op = vctx;
	unsigned int last;
	OSSL_PARAM *path;

	if (!op->ctx || !params)
		return !!op->ctx;
	last = path_of(op);
	path = OSSL_PARAM_locate(params, WDP_PARAM_PATH);
	if (path && !OSSL_PARAM_set_utf8_string(path, last == WD_PATH_NONE ? "" : wd_path_str(last)))
		return 0;
	/* X25519 and X448 have no parameters. */
	if (!EVP_PKEY_CTX_gettable_params(op->ctx))
		return 1;
	return EVP_PKEY_CTX_get_params(op->ctx, params) > 0;
}

int wdp_operation_set_params(void *vctx, const OSSL_PARAM params[])
{
	struct wdp_operation *op = vctx;

	if (!params || !params->key)
		return 1;
	if (!op->ctx)
		return 0;
	op->fresh = true;
	return set(op, EVP_PKEY_CTX_set_params, params);
}

void wdp_operation_text(const struct wdp_operation *op, const char *name, char *text, size_t size)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(name, text, size), OSSL_PARAM_END };

	*text = '\0';
	wdp_errors_mark(&op->prov->core);
	if (EVP_PKEY_CTX_get_params(op->ctx, params) <= 0 || !OSSL_PARAM_modified(params))
		*text = '\0';
	wdp_errors_drop(&op->prov->core);
}

int wdp_operation_int(const struct wdp_operation *op, const char *name, int other)
{
	int number = other;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int(name, &number), OSSL_PARAM_END };
	int ok;

	wdp_errors_mark(&op->prov->core);
	ok = EVP_PKEY_CTX_get_params(op->ctx, params) > 0 && OSSL_PARAM_modified(params);
	wdp_errors_drop(&op->prov->core);
	return ok ? number : other;
}
