/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's contexts, prepared for a session's key; private to the crypto classes and their software drivers. */
#ifndef WD_SOFT_EVP_H
#define WD_SOFT_EVP_H

#include <openssl/evp.h>
#include "base/likely.h"
#include "crypto.h"

#define SOFT_EVP_SPARE	4	/* unused contexts kept per direction */

/**
 * struct soft_ctx - one context: members that the algorithm doesn't need are NULL
 * @now:	the session's current key generation
 * @gen:	the key generation in which the context was made
 * @home:	its own entry while it is unused; NULL: it is freed after use
 * @iv_len:	the length that it is set to
 * @mac_len:	length of a hash's result
 */
struct soft_ctx {
	EVP_CIPHER_CTX *cipher;
	EVP_MD_CTX *md;
	EVP_MAC_CTX *mac;
	const _Atomic unsigned int *now;
	_Atomic(struct soft_ctx *) *home;
	unsigned int gen;
	__u32 iv_len;
	__u32 mac_len;
};

/*
 * A session's libcrypto objects. Methods are constant, except for the cipher's, which depends on the length of the key.
 */
struct soft_evp {
	EVP_CIPHER *cipher;
	EVP_MD *md;
	EVP_MAC *mac;
	_Atomic(struct soft_ctx *) spare[2][SOFT_EVP_SPARE];
	_Atomic unsigned int gen;	/* incremented with each key */
	_Atomic unsigned int homes[2];	/* how many entries have an owner */
};

/* Whether libcrypto has the algorithm; makes s->evp. 0, -EOPNOTSUPP, -ENOMEM. bits: a possible length of a key. */
int soft_evp_alloc(struct crypto_sess *s, const char *md, const char *mac, __u32 bits);
void soft_evp_free(struct soft_evp *e);
/* After a key was set: frees the old key's contexts, those in use when they are put back. 0, -ENOMEM. */
int soft_evp_rekey(struct crypto_sess *s);

/* A context with the session's key for that direction, for this caller only; NULL: no memory. */
struct soft_ctx *soft_ctx_get(struct crypto_sess *s, bool decrypt);
void soft_ctx_put(struct soft_ctx *x);

/**
 * struct soft_flat - a request's data in one piece
 *
 * Lists are gathered into allocated memory, which also takes the result.
 */
struct soft_flat {
	const __u8 *src;
	__u8 *dst;
	__u8 *own;
	size_t len;
};

/* For lists: whether all the request's memory is mapped; and 0, -ENOMEM. */
bool soft_lists_mapped(const struct crypto_msg *c, bool has_dst);
int soft_flat_gather(struct soft_flat *f, const struct crypto_msg *c, bool has_dst);

/* The same for flat buffers, in one check. */
static inline bool soft_ends_mapped(const struct crypto_msg *c, bool has_dst)
{
	struct wd_span spans[3];
	unsigned int n = 0;

	if (c->mac)
		spans[n++] = (struct wd_span){ c->mac, c->mac_len };
	if (c->src_len) {
		spans[n++] = (struct wd_span){ c->src, c->src_len };
		if (has_dst && c->dst != c->src)
			spans[n++] = (struct wd_span){ c->dst, c->src_len };
	}
	return wd_probe_recent(spans, n);
}

/* 0, -EFAULT, -ENOMEM. has_dst: the result has the length of src, and goes to c->dst. */
static inline int soft_flat_begin(struct soft_flat *f, const struct crypto_msg *c, bool has_dst)
{
	f->own = NULL;
	f->len = c->src_len;
	f->src = c->src;
	f->dst = has_dst ? c->dst : NULL;
	if (!(c->sgl ? soft_lists_mapped(c, has_dst) : soft_ends_mapped(c, has_dst)))
		return -EFAULT;
	return c->sgl ? soft_flat_gather(f, c, has_dst) : 0;
}
/* good: the result goes to the caller. */
void soft_flat_scatter(struct soft_flat *f, struct crypto_msg *c, bool good);

static inline void soft_flat_end(struct soft_flat *f, struct crypto_msg *c, bool good)
{
	if (unlikely(f->own != NULL))
		soft_flat_scatter(f, c, good);
}

/* EVP lengths are int. */
#define SOFT_UPDATE_MAX	((size_t)1 << 30)

bool soft_cipher_pieces(EVP_CIPHER_CTX *ctx, __u8 *out, const __u8 *in, size_t len);

/* EVP_CipherUpdate() for any length; out NULL: associated data. */
static inline bool soft_cipher_update(EVP_CIPHER_CTX *ctx, __u8 *out, const __u8 *in, size_t len)
{
	int n;

	return len <= SOFT_UPDATE_MAX ? EVP_CipherUpdate(ctx, out, &n, in, (int)len) :
	       soft_cipher_pieces(ctx, out, in, len);
}

#endif
