// SPDX-License-Identifier: Apache-2.0
/* ECDSA's and SM2's signatures on the software path: libcrypto's own, and those with a caller's nonce. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>

#include "curve.h"
#include "fetch.h"

#define DER_MAX		(2 * ECC_BYTES_MAX + 16)

/* --- keys --- */

static bool push_number(OSSL_PARAM_BLD *bld, BN_CTX *ctx, const char *name, const __u8 *field, size_t width)
{
	BIGNUM *bn = soft_bn_get(ctx, field, width);

	return bn && OSSL_PARAM_BLD_push_BN(bld, name, bn);
}

/* 4, x, y */
static void encode(const struct ecc_sess *s, const __u8 *x, const __u8 *y, __u8 *to)
{
	to[0] = 4;
	memcpy(to + 1, x, s->w);
	memcpy(to + 1 + s->w, y, s->w);
}

static bool push_curve(const struct ecc_sess *s, OSSL_PARAM_BLD *bld, BN_CTX *ctx, __u8 *g)
{
	if (s->nid)
		return OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_GROUP_NAME, OBJ_nid2sn(s->nid), 0);
	encode(s, s->part[ECC_GX], s->part[ECC_GY], g);
	return OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_EC_FIELD_TYPE, "prime-field", 0) &&
	       push_number(bld, ctx, OSSL_PKEY_PARAM_EC_P, s->part[ECC_P], s->w) &&
	       push_number(bld, ctx, OSSL_PKEY_PARAM_EC_A, s->part[ECC_A], s->w) &&
	       push_number(bld, ctx, OSSL_PKEY_PARAM_EC_B, s->part[ECC_B], s->w) &&
	       push_number(bld, ctx, OSSL_PKEY_PARAM_EC_ORDER, s->part[ECC_N], s->w) &&
	       OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_EC_COFACTOR, BN_value_one()) &&
	       OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_EC_GENERATOR, g, 2 * s->w + 1);
}

static EVP_PKEY *pkey_make(const struct ecc_sess *s, const struct ecc_key *key, OSSL_PARAM_BLD *bld, BN_CTX *bns,
			   EVP_PKEY_CTX *ctx)
{
	__u8 pub[2 * ECC_BYTES_MAX + 1], g[2 * ECC_BYTES_MAX + 1];
	OSSL_PARAM *params = NULL;
	EVP_PKEY *pkey = NULL;

	if (!bld || !bns || !ctx)
		return NULL;
	encode(s, key->point, key->point + s->w, pub);
	if (push_curve(s, bld, bns, g) &&
	    OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PUB_KEY, pub, 2 * s->w + 1) &&
	    (!key->has_d || push_number(bld, bns, OSSL_PKEY_PARAM_PRIV_KEY, key->d, s->w)))
		params = OSSL_PARAM_BLD_to_param(bld);
	if (params && EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &pkey, key->has_d ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
	OSSL_PARAM_free(params);
	return pkey;
}

int soft_ecc_key_make(struct ecc_sess *s, struct ecc_key *key)
{
	OSSL_PARAM_BLD *bld;
	EVP_PKEY_CTX *ctx;
	BN_CTX *bns;

	if (s->alg == WD_ECC_ECDH)
		return 0;
	if (ecc_is_montgomery(s))
		return soft_xdh_key_make(s, key);
	bld = OSSL_PARAM_BLD_new();
	bns = BN_CTX_secure_new();
	ctx = EVP_PKEY_CTX_new_from_name(NULL, s->alg == WD_ECC_SM2 ? "SM2" : "EC", SOFT_PROPERTIES);
	key->soft = calloc(1, sizeof(*key->soft));
	if (bns)
		BN_CTX_start(bns);
	if (key->soft)
		key->soft->pkey = pkey_make(s, key, bld, bns, ctx);
	if (bns)
		BN_CTX_end(bns);
	EVP_PKEY_CTX_free(ctx);
	BN_CTX_free(bns);
	OSSL_PARAM_BLD_free(bld);
	return key->soft && key->soft->pkey ? 0 : -ENOMEM;
}

void soft_ecc_key_free(struct soft_ecc_key *key)
{
	unsigned int i;

	if (!key)
		return;
	for (i = 0; i < 2 * SOFT_SPARE_NR; i++)
		EVP_PKEY_CTX_free(key->ctx[i / SOFT_SPARE_NR].at[i % SOFT_SPARE_NR]);
	EVP_PKEY_free(key->pkey);
	free(key);
}

/* --- r, s as libcrypto encodes them: SEQUENCE { INTEGER, INTEGER } --- */

static size_t der_put_number(const __u8 *n, size_t w, __u8 *to)
{
	size_t pad;

	while (w > 1 && !n[0]) {
		n++;
		w--;
	}
	pad = n[0] >> 7;
	to[0] = 2;
	to[1] = (__u8)(w + pad);
	to[2] = 0;
	memcpy(to + 2 + pad, n, w);
	return 2 + pad + w;
}

static size_t der_put(const __u8 *r_s, size_t w, __u8 *to)
{
	__u8 body[DER_MAX];
	size_t n = der_put_number(r_s, w, body), at = 0;

	n += der_put_number(r_s + w, w, body + n);
	to[at++] = 0x30;
	if (n > 127)
		to[at++] = 0x81;
	to[at++] = (__u8)n;
	memcpy(to + at, body, n);
	return at + n;
}

/* Reads one number of libcrypto's encoding; NULL if the encoding is malformed. */
static const __u8 *der_get_number(const __u8 *at, const __u8 *end, __u8 *to, size_t w)
{
	size_t n, skip;

	if (end - at < 2 || at[0] != 2 || at[1] > end - at - 2)
		return NULL;
	n = at[1];
	at += 2;
	skip = n > w ? n - w : 0;
	if (!n || skip > 1)
		return NULL;
	memset(to, 0, w);
	memcpy(to + w - (n - skip), at + skip, n - skip);
	return at + n;
}

static bool der_get(const __u8 *der, size_t len, __u8 *r_s, size_t w)
{
	size_t at = len > 2 && der[1] == 0x81 ? 3 : 2;
	const __u8 *next = len > at ? der_get_number(der + at, der + len, r_s, w) : NULL;

	return next && der_get_number(next, der + len, r_s + w, w) == der + len;
}

/* --- libcrypto's own --- */

static EVP_PKEY_CTX *ctx_get(struct soft_ecc_key *key, bool sign)
{
	EVP_PKEY_CTX *ctx = soft_spare_get(&key->ctx[sign]);

	if (ctx)
		return ctx;
	ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, SOFT_PROPERTIES);
	if (ctx && (sign ? EVP_PKEY_sign_init(ctx) : EVP_PKEY_verify_init(ctx)) > 0)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

static void ctx_put(struct soft_ecc_key *key, bool sign, EVP_PKEY_CTX *ctx)
{
	if (!soft_spare_put(&key->ctx[sign], ctx))
		EVP_PKEY_CTX_free(ctx);
}

static int sign_random(struct ecc_sess *s, struct pubkey_msg *c)
{
	struct soft_ecc_key *key = s->key->soft;
	EVP_PKEY_CTX *ctx = ctx_get(key, true);
	size_t n = DER_MAX;
	__u8 der[DER_MAX];
	int good;

	if (!ctx)
		return -ENOMEM;
	good = EVP_PKEY_sign(ctx, der, &n, c->src, c->src_len);
	ctx_put(key, true, ctx);
	return good > 0 && der_get(der, n, c->dst, s->w) ? 0 : -ENOMEM;
}

/* --- with a nonce --- */

/*
 * The terms of the formulas, in numbers of a BN_CTX. Arithmetic modulo n takes time that
 * depends on its numbers, so d, k and e occur only as products with a random number b.
 * These products are made by Montgomery multiplication.
 */
struct terms {
	const BIGNUM *n;
	BIGNUM *d, *k, *e, *r, *s, *t, *b;
};

/* Multiplies a number by b, which is in Montgomery's form. */
static bool blind(struct terms *x, BIGNUM *v, BN_MONT_CTX *mont, BN_CTX *ctx)
{
	return BN_mod_mul_montgomery(v, v, x->b, mont, ctx);
}

static bool blind_begin(struct terms *x, BN_MONT_CTX *mont, BN_CTX *ctx)
{
	do {
		if (!BN_priv_rand_range(x->b, x->n))
			return false;
	} while (BN_is_zero(x->b));
	BN_set_flags(x->b, BN_FLG_CONSTTIME);
	return BN_MONT_CTX_set(mont, x->n, ctx) && BN_to_montgomery(x->b, x->b, mont, ctx) &&
	       blind(x, x->d, mont, ctx) && blind(x, x->k, mont, ctx);
}

/* The leftmost bits of the digest, as many as n has bits. */
static bool digest_number(const struct ecc_sess *s, const struct pubkey_msg *c, BIGNUM *e)
{
	size_t len = c->src_len < s->w ? c->src_len : s->w;
	int extra = (int)(8 * len) - (int)s->n_bits;

	return BN_bin2bn(c->src, (int)len, e) && (extra <= 0 || BN_rshift(e, e, extra));
}

/* s = (e + r d) / k */
static bool ecdsa_terms(struct terms *x, BN_MONT_CTX *mont, BN_CTX *ctx)
{
	return BN_nnmod(x->r, x->t, x->n, ctx) && BN_nnmod(x->e, x->e, x->n, ctx) && blind(x, x->e, mont, ctx) &&
	       BN_mod_mul(x->s, x->r, x->d, x->n, ctx) && BN_mod_add(x->s, x->s, x->e, x->n, ctx) &&
	       BN_mod_inverse(x->t, x->k, x->n, ctx) && BN_mod_mul(x->s, x->s, x->t, x->n, ctx) && !BN_is_zero(x->r) &&
	       !BN_is_zero(x->s);
}

/* r = e + x, s = (k - r d) / (1 + d); r + k must not be n. */
static bool sm2_terms(struct terms *x, BN_MONT_CTX *mont, BN_CTX *ctx)
{
	if (!BN_mod_add(x->r, x->e, x->t, x->n, ctx) || BN_is_zero(x->r) || !BN_copy(x->e, x->r) ||
	    !blind(x, x->e, mont, ctx) || !BN_mod_add(x->t, x->e, x->k, x->n, ctx) || BN_is_zero(x->t) ||
	    !BN_from_montgomery(x->b, x->b, mont, ctx))
		return false;
	return BN_mod_mul(x->s, x->r, x->d, x->n, ctx) && BN_mod_sub(x->s, x->k, x->s, x->n, ctx) &&
	       BN_mod_add(x->t, x->b, x->d, x->n, ctx) && BN_mod_inverse(x->t, x->t, x->n, ctx) &&
	       BN_mod_mul(x->s, x->s, x->t, x->n, ctx) && !BN_is_zero(x->s);
}

static bool sign_terms(struct ecc_sess *s, struct pubkey_msg *c, struct soft_work *w, struct terms *x,
		       BN_MONT_CTX *mont)
{
	__u8 point[2 * ECC_BYTES_MAX], k[ECC_BYTES_MAX];
	bool good;

	ecc_private(s, c, k);
	x->n = EC_GROUP_get0_order(s->soft->group);
	x->d = soft_bn_get(w->bn, s->key->d, s->w);
	x->k = soft_bn_get(w->bn, k, s->w);
	x->e = BN_CTX_get(w->bn);
	x->r = BN_CTX_get(w->bn);
	x->s = BN_CTX_get(w->bn);
	x->t = BN_CTX_get(w->bn);
	x->b = BN_CTX_get(w->bn);
	explicit_bzero(k, sizeof(k));
	if (!mont || !x->b || !x->d || !x->k)
		return false;
	BN_set_flags(x->t, BN_FLG_CONSTTIME);
	good = digest_number(s, c, x->e) && !soft_work_multiply(s, w, x->k, NULL) && soft_work_point(s, w, point) &&
	       BN_bin2bn(point, (int)s->w, x->t) && blind_begin(x, mont, w->bn) &&
	       (s->alg == WD_ECC_SM2 ? sm2_terms(x, mont, w->bn) : ecdsa_terms(x, mont, w->bn)) &&
	       soft_bn_put(x->r, c->dst, s->w) && soft_bn_put(x->s, c->dst + s->w, s->w);
	return good;
}

static int sign_with(struct ecc_sess *s, struct pubkey_msg *c)
{
	struct soft_work *w = soft_work_get(s->soft);
	BN_MONT_CTX *mont = BN_MONT_CTX_new();
	struct terms x;
	bool good;

	if (!w) {
		BN_MONT_CTX_free(mont);
		return -ENOMEM;
	}
	good = sign_terms(s, c, w, &x, mont);
	BN_MONT_CTX_free(mont);
	if (x.b)
		BN_clear(x.b);
	if (x.t)
		BN_clear(x.t);
	if (x.d)
		BN_clear(x.d);
	if (x.k)
		BN_clear(x.k);
	soft_work_put(s->soft, w);
	if (good)
		return 0;
	c->why = "the nonce yields no signature";
	return -EINVAL;
}

int soft_ecc_sign(struct ecc_sess *s, struct pubkey_msg *c)
{
	return c->extra ? sign_with(s, c) : sign_random(s, c);
}

/* --- verification --- */

/*
 * Whether the signature's point is the point at infinity. libcrypto reports this as an error, like a failure of its
 * own. For ECDSA, s times the point is e G + r Q; for SM2, the point is s G + (r + s) Q.
 */
static bool makes_infinity(struct ecc_sess *s, const struct pubkey_msg *c)
{
	const EC_GROUP *group = s->soft->group;
	struct soft_work *w = soft_work_get(s->soft);
	BIGNUM *r, *sum;
	bool good;

	if (!w)
		return false;
	r = soft_bn_get(w->bn, c->extra, s->w);
	sum = soft_bn_get(w->bn, c->extra + s->w, s->w);
	good = r && sum && soft_work_in(s, w, s->key->point, s->key->point + s->w) &&
	       (s->alg == WD_ECC_SM2 ? BN_add(r, r, sum) : digest_number(s, c, sum)) &&
	       EC_POINT_mul(group, w->out, sum, w->in, r, w->bn) && EC_POINT_is_at_infinity(group, w->out);
	soft_work_put(s->soft, w);
	return good;
}

int soft_ecc_verify(struct ecc_sess *s, struct pubkey_msg *c)
{
	struct soft_ecc_key *key = s->key->soft;
	EVP_PKEY_CTX *ctx = ctx_get(key, false);
	__u8 der[DER_MAX];
	size_t n;
	int good;

	if (!ctx)
		return -ENOMEM;
	n = der_put(c->extra, s->w, der);
	good = EVP_PKEY_verify(ctx, der, n, c->src, c->src_len);
	ctx_put(key, false, ctx);
	if (good == 1)
		return 0;
	if (!good || makes_infinity(s, c)) {
		c->why = "the signature is wrong";
		return -EBADMSG;
	}
	c->why = "libcrypto failed to verify the signature";
	return -EIO;
}
