// SPDX-License-Identifier: Apache-2.0
/*
 * libcrypto's contexts with a session's key: expanding a key costs more than a small
 * request. A request takes a context out of the session's row with an atomic exchange,
 * and stores it at the same index afterwards. If the row is empty, another context is
 * made. It gets an index of its own while there are free ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "evp.h"
#include "fetch.h"
#include "hw/sec_hw.h"

static void ctx_free(struct soft_ctx *x)
{
	if (!x)
		return;
	EVP_CIPHER_CTX_free(x->cipher);
	EVP_MD_CTX_free(x->md);
	EVP_MAC_CTX_free(x->mac);
	free(x);
}

static void spare_free(struct soft_evp *e)
{
	unsigned int i;

	for (i = 0; i < 2 * SOFT_EVP_SPARE; i++)
		ctx_free(atomic_exchange(&e->spare[i / SOFT_EVP_SPARE][i % SOFT_EVP_SPARE], NULL));
	atomic_store(&e->homes[0], 0);
	atomic_store(&e->homes[1], 0);
}

void soft_evp_free(struct soft_evp *e)
{
	if (!e)
		return;
	spare_free(e);
	EVP_CIPHER_free(e->cipher);
	EVP_MD_free(e->md);
	EVP_MAC_free(e->mac);
	free(e);
}

static EVP_CIPHER *cipher_fetch(const struct crypto_alg *alg, __u32 bits)
{
	char name[32];

	/* For XTS one half of the key counts. The format is always a string literal of this library. */
	if (alg->sec.kind == SEC_KIND_CIPHER && alg->sec.c_mode == SEC_C_XTS)
		bits /= 2;
	snprintf(name, sizeof(name), alg->evp, bits);
	return EVP_CIPHER_fetch(NULL, name, SOFT_PROPERTIES);
}

/* A missing algorithm is no error of the application, whose TLS reads the thread's error queue. */
static void fetch_all(struct soft_evp *e, const struct crypto_alg *alg, const char *md, const char *mac, __u32 bits)
{
	ERR_set_mark();
	e->cipher = alg->evp ? cipher_fetch(alg, bits) : NULL;
	e->md = md ? EVP_MD_fetch(NULL, md, SOFT_PROPERTIES) : NULL;
	e->mac = mac ? EVP_MAC_fetch(NULL, mac, SOFT_PROPERTIES) : NULL;
	ERR_pop_to_mark();
}

int soft_evp_alloc(struct crypto_sess *s, const char *md, const char *mac, __u32 bits)
{
	const struct crypto_alg *alg = s->alg;
	struct soft_evp *e;

	if (!alg->evp && !md)
		return -EOPNOTSUPP;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	fetch_all(e, alg, md, mac, bits);
	if ((alg->evp && !e->cipher) || (md && !e->md) || (mac && !e->mac)) {
		soft_evp_free(e);
		return -EOPNOTSUPP;
	}
	s->evp = e;
	return 0;
}

static bool ctx_make_cipher(struct soft_ctx *x, struct crypto_sess *s, bool decrypt)
{
	static const char cts[][4] = { "CS1", "CS2", "CS3" };
	OSSL_PARAM params[2] = { OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end() };

	x->cipher = EVP_CIPHER_CTX_new();
	if (!x->cipher)
		return false;
	x->iv_len = s->iv_len;
	if (s->alg->sec.c_width)
		params[0] = OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE,
							     (char *)cts[s->alg->sec.c_width - 1], 0);
	if (!EVP_CipherInit_ex2(x->cipher, s->evp->cipher, s->key, NULL, !decrypt, params))
		return false;
	/* libcrypto repeats this setting at the start of each request: skip it for ciphers without padding. */
	return s->granule == 1 || EVP_CIPHER_CTX_set_padding(x->cipher, 0);
}

static bool ctx_make_mac(struct soft_ctx *x, struct crypto_sess *s)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)EVP_MD_get0_name(s->evp->md), 0),
		/* HMAC fetches the hash itself. */
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, (char *)SOFT_PROPERTIES, 0),
		OSSL_PARAM_construct_end(),
	};

	x->mac = EVP_MAC_CTX_new(s->evp->mac);
	/* An empty key is a key, but for libcrypto NULL is no key. */
	return x->mac && EVP_MAC_init(x->mac, s->akey, s->akey_len, params);
}

static bool ctx_make_md(struct soft_ctx *x, struct crypto_sess *s)
{
	x->md = EVP_MD_CTX_new();
	return x->md && EVP_DigestInit_ex2(x->md, s->evp->md, NULL);
}

static void ctx_settle(struct soft_ctx *x, struct soft_evp *e, bool decrypt)
{
	unsigned int n = atomic_load(&e->homes[decrypt]);

	while (n < SOFT_EVP_SPARE)
		if (atomic_compare_exchange_weak(&e->homes[decrypt], &n, n + 1)) {
			x->home = &e->spare[decrypt][n];
			return;
		}
}

static struct soft_ctx *ctx_make(struct crypto_sess *s, bool decrypt)
{
	struct soft_ctx *x = calloc(1, sizeof(*x));
	bool good = x;

	/* The generation is read before the key. */
	if (good) {
		x->now = &s->evp->gen;
		x->gen = atomic_load(x->now);
	}

	if (good && s->evp->md)
		x->mac_len = (__u32)EVP_MD_get_size(s->evp->md);
	if (good && s->evp->cipher)
		good = ctx_make_cipher(x, s, decrypt);
	if (good && s->evp->mac)
		good = ctx_make_mac(x, s);
	else if (good && s->evp->md)
		good = ctx_make_md(x, s);
	if (good) {
		ctx_settle(x, s->evp, decrypt);
		return x;
	}
	ctx_free(x);
	return NULL;
}

int soft_evp_rekey(struct crypto_sess *s)
{
	struct soft_evp *e = s->evp;
	struct soft_ctx *x;
	EVP_CIPHER *cipher;

	/* First: contexts in use lose their index. */
	atomic_fetch_add(&e->gen, 1);
	spare_free(e);
	if (e->cipher && s->keyed & CRYPTO_HAS_KEY) {
		cipher = cipher_fetch(s->alg, s->key_len * 8);
		/* libcrypto has the cipher, as the session's allocation has found: only memory can be missing. */
		if (!cipher)
			return -ENOMEM;
		EVP_CIPHER_free(e->cipher);
		e->cipher = cipher;
	}
	if (s->needs & ~s->keyed)
		return 0;
	x = ctx_make(s, false);
	if (!x)
		return -ENOMEM;
	soft_ctx_put(x);
	return 0;
}

struct soft_ctx *soft_ctx_get(struct crypto_sess *s, bool decrypt)
{
	_Atomic(struct soft_ctx *) *spare = s->evp->spare[decrypt];
	unsigned int i;

	for (i = 0; i < SOFT_EVP_SPARE; i++) {
		struct soft_ctx *x;

		if (!atomic_load_explicit(&spare[i], memory_order_relaxed))
			continue;
		x = atomic_exchange_explicit(&spare[i], NULL, memory_order_acquire);
		if (x && x->gen == atomic_load_explicit(x->now, memory_order_relaxed))
			return x;
		ctx_free(x);
	}
	return ctx_make(s, decrypt);
}

void soft_ctx_put(struct soft_ctx *x)
{
	if (x->home && x->gen == atomic_load_explicit(x->now, memory_order_relaxed))
		atomic_store_explicit(x->home, x, memory_order_release);
	else
		ctx_free(x);
}

/* --- data in one piece --- */

/* The list's data, if all of it lies in the first piece that isn't empty. */
static void *list_flat(const struct wd_datalist *l, size_t len)
{
	while (l && !l->len)
		l = l->next;
	return l && l->len >= len ? l->data : NULL;
}

bool soft_lists_mapped(const struct crypto_msg *c, bool has_dst)
{
	return wd_probe(WD_PROBE_RECENT, true, c->src, c->src_len) &&
	       (!has_dst || wd_probe(WD_PROBE_RECENT, true, c->dst, c->src_len)) &&
	       (!c->mac || wd_probe(WD_PROBE_RECENT, false, c->mac, c->mac_len));
}

int soft_flat_gather(struct soft_flat *f, const struct crypto_msg *c, bool has_dst)
{
	f->src = list_flat(c->src, f->len);
	if (has_dst)
		f->dst = list_flat(c->dst, f->len);
	if (f->src && (f->dst || !has_dst))
		return 0;
	f->own = malloc(f->len ? f->len : 1);
	if (!f->own)
		return -ENOMEM;
	wd_list_copy_out(c->src, 0, f->own, f->len);
	f->src = f->own;
	if (has_dst)
		f->dst = f->own;
	return 0;
}

void soft_flat_scatter(struct soft_flat *f, struct crypto_msg *c, bool good)
{
	if (good && f->dst)
		wd_list_copy_in(c->dst, 0, f->own, f->len);
	explicit_bzero(f->own, f->len);
	free(f->own);
}

bool soft_cipher_pieces(EVP_CIPHER_CTX *ctx, __u8 *out, const __u8 *in, size_t len)
{
	int n;

	for (; len > SOFT_UPDATE_MAX; len -= SOFT_UPDATE_MAX) {
		if (!EVP_CipherUpdate(ctx, out, &n, in, (int)SOFT_UPDATE_MAX))
			return false;
		in += SOFT_UPDATE_MAX;
		if (out)
			out += SOFT_UPDATE_MAX;
	}
	return EVP_CipherUpdate(ctx, out, &n, in, (int)len);
}
