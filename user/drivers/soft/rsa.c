// SPDX-License-Identifier: Apache-2.0
/* RSA on the software path. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "bn.h"
#include "fetch.h"
#include "libcrypto.h"
#include "rsa.h"
#include "spare.h"

/**
 * struct soft_rsa - a key as libcrypto sees it
 * @ctx:	prepared for the public key's operation and the private one's
 */
struct soft_rsa {
	EVP_PKEY *pkey;
	struct soft_spare ctx[2];
};

/* --- keys --- */

static bool push(OSSL_PARAM_BLD *bld, BN_CTX *ctx, const char *name, const __u8 *field, size_t width)
{
	BIGNUM *bn = soft_bn_get(ctx, field, width);

	return bn && OSSL_PARAM_BLD_push_BN(bld, name, bn);
}

static bool push_parts(OSSL_PARAM_BLD *bld, BN_CTX *ctx, const struct rsa_key *key)
{
	static const char *const names[] = {
		[RSA_DQ] = OSSL_PKEY_PARAM_RSA_EXPONENT2, [RSA_DP] = OSSL_PKEY_PARAM_RSA_EXPONENT1,
		[RSA_Q] = OSSL_PKEY_PARAM_RSA_FACTOR2, [RSA_P] = OSSL_PKEY_PARAM_RSA_FACTOR1,
		[RSA_QINV] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
	};
	unsigned int i;

	if (!push(bld, ctx, OSSL_PKEY_PARAM_RSA_N, rsa_key_n(key), key->k) ||
	    !push(bld, ctx, OSSL_PKEY_PARAM_RSA_E, key->pub, key->k))
		return false;
	if (key->has_priv && !push(bld, ctx, OSSL_PKEY_PARAM_RSA_D, key->priv, key->k))
		return false;
	for (i = 0; key->has_crt && i <= RSA_QINV; i++)
		if (!push(bld, ctx, names[i], rsa_key_crt(key, i), key->k / 2))
			return false;
	return true;
}

static EVP_PKEY *pkey_make(const struct rsa_key *key, OSSL_PARAM_BLD *bld, BN_CTX *bns, EVP_PKEY_CTX *ctx)
{
	OSSL_PARAM *params = NULL;
	EVP_PKEY *pkey = NULL;

	if (!bld || !bns || !ctx)
		return NULL;
	BN_CTX_start(bns);
	if (push_parts(bld, bns, key))
		params = OSSL_PARAM_BLD_to_param(bld);
	if (params && EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &pkey, key->has_priv ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
	OSSL_PARAM_free(params);
	BN_CTX_end(bns);
	return pkey;
}

int soft_rsa_make(struct rsa_key *key)
{
	OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
	BN_CTX *bns = BN_CTX_secure_new();
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", SOFT_PROPERTIES);

	key->soft = calloc(1, sizeof(*key->soft));
	if (key->soft)
		key->soft->pkey = pkey_make(key, bld, bns, ctx);
	EVP_PKEY_CTX_free(ctx);
	BN_CTX_free(bns);
	OSSL_PARAM_BLD_free(bld);
	return key->soft && key->soft->pkey ? 0 : -ENOMEM;
}

void soft_rsa_free(struct soft_rsa *r)
{
	unsigned int i;

	if (!r)
		return;
	for (i = 0; i < 2 * SOFT_SPARE_NR; i++)
		EVP_PKEY_CTX_free(r->ctx[i / SOFT_SPARE_NR].at[i % SOFT_SPARE_NR]);
	EVP_PKEY_free(r->pkey);
	free(r);
}

/* --- one operation --- */

static EVP_PKEY_CTX *ctx_make(EVP_PKEY *pkey, bool priv)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, SOFT_PROPERTIES);

	if (ctx && (priv ? EVP_PKEY_sign_init(ctx) : EVP_PKEY_encrypt_init(ctx)) > 0 &&
	    EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

/* libcrypto's RSA refuses an e of more than 64 bits with an n of more than 3072. */
#define LARGE_N_BYTES	384
#define SMALL_E_BYTES	8

static bool is_large(const struct rsa_key *key)
{
	return key->k > LARGE_N_BYTES && !pubkey_is_zero(key->pub, key->k - SMALL_E_BYTES);
}

static int power_large(const struct rsa_key *key, struct pubkey_msg *c)
{
	BN_CTX *ctx = BN_CTX_secure_new();
	BIGNUM *base, *e, *n, *r;
	bool good;

	if (!ctx)
		return -ENOMEM;
	BN_CTX_start(ctx);
	base = soft_bn_get(ctx, c->src, key->k);
	e = soft_bn_get(ctx, key->pub, key->k);
	n = soft_bn_get(ctx, rsa_key_n(key), key->k);
	r = BN_CTX_get(ctx);
	good = r && base && e && n && BN_mod_exp_mont_consttime(r, base, e, n, ctx, NULL) &&
	       soft_bn_put(r, c->dst, key->k);
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	return good ? 0 : -ENOMEM;
}

static int power(struct rsa_key *key, struct pubkey_msg *c)
{
	bool priv = c->op == WD_RSA_SIGN;
	struct soft_spare *spare = &key->soft->ctx[priv];
	EVP_PKEY_CTX *ctx = soft_spare_get(spare);
	size_t n = c->dst_len;
	int good;

	if (!ctx)
		ctx = ctx_make(key->soft->pkey, priv);
	if (!ctx)
		return -ENOMEM;
	good = priv ? EVP_PKEY_sign(ctx, c->dst, &n, c->src, c->src_len) :
	       EVP_PKEY_encrypt(ctx, c->dst, &n, c->src, c->src_len);
	if (!soft_spare_put(spare, ctx))
		EVP_PKEY_CTX_free(ctx);
	if (good > 0 && n == c->dst_len)
		return 0;
	c->why = "libcrypto refused the request";
	return -EIO;
}

bool soft_rsa_proves(struct rsa_key *key, const __u8 *in, const __u8 *out)
{
	__u8 again[RSA_BYTES_MAX];
	struct pubkey_msg c = { .op = WD_RSA_VERIFY, .src = out, .src_len = key->k, .dst = again, .dst_len = key->k };
	bool same;

	ERR_set_mark();
	same = pubkey_less(out, rsa_key_n(key), key->k) && !power(key, &c) && !CRYPTO_memcmp(again, in, key->k);
	ERR_pop_to_mark();
	explicit_bzero(again, sizeof(again));
	return same;
}

/* --- the rest of a key --- */

static bool genkey_put(struct pubkey_msg *c, size_t k, const BIGNUM *d, const BIGNUM *n, const BIGNUM *const crt[3])
{
	__u8 *dst = c->dst;
	unsigned int i;

	if (!soft_bn_put(d, dst, k) || !soft_bn_put(n, dst + k, k))
		return false;
	for (i = 0; c->op == WD_RSA_GENKEY_CRT && i < 3; i++)
		if (!soft_bn_put(crt[i], dst + 2 * k + i * (k / 2), k / 2))
			return false;
	return true;
}

static bool genkey_in(struct pubkey_msg *c, size_t k, BN_CTX *ctx)
{
	BIGNUM *e = soft_bn_get(ctx, c->src, k), *p = soft_bn_get(ctx, c->src + k, k / 2);
	BIGNUM *q = soft_bn_get(ctx, c->src + k + k / 2, k / 2), *p1 = BN_CTX_get(ctx), *q1 = BN_CTX_get(ctx);
	BIGNUM *phi = BN_CTX_get(ctx), *d = BN_CTX_get(ctx), *n = BN_CTX_get(ctx);
	BIGNUM *qinv = BN_CTX_get(ctx), *dq = BN_CTX_get(ctx), *dp = BN_CTX_get(ctx);
	const BIGNUM *crt[3] = { qinv, dq, dp };

	if (!dp || !e || !p || !q || !BN_sub(p1, p, BN_value_one()) || !BN_sub(q1, q, BN_value_one()))
		return false;
	BN_set_flags(p1, BN_FLG_CONSTTIME);
	BN_set_flags(q1, BN_FLG_CONSTTIME);
	BN_set_flags(phi, BN_FLG_CONSTTIME);
	BN_set_flags(d, BN_FLG_CONSTTIME);
	return BN_mul(n, p, q, ctx) && BN_mul(phi, p1, q1, ctx) && BN_mod_inverse(d, e, phi, ctx) &&
	       BN_mod_inverse(qinv, q, p, ctx) && BN_mod(dp, d, p1, ctx) && BN_mod(dq, d, q1, ctx) &&
	       genkey_put(c, k, d, n, crt);
}

static int genkey(struct pubkey_msg *c, size_t k)
{
	BN_CTX *ctx = BN_CTX_secure_new();
	bool good = false;

	if (!ctx)
		return -ENOMEM;
	BN_CTX_start(ctx);
	good = genkey_in(c, k, ctx);
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	if (good)
		return 0;
	c->why = "p and q are no primes";
	return -EINVAL;
}

static int rsa_exec(struct wd_msg *m)
{
	struct rsa_sess *s = to_rsa_sess(m->sess);
	struct pubkey_msg *c = to_pubkey_msg(m);

	m->path = WD_PATH_SOFT;
	m->status = -EFAULT;
	if (!pubkey_mapped(c))
		return m->status;
	/* libcrypto's error queue belongs to the caller. */
	ERR_set_mark();
	if (rsa_is_genkey(c->op))
		m->status = genkey(c, s->k);
	else
		m->status = c->op == WD_RSA_VERIFY && is_large(s->key) ? power_large(s->key, c) : power(s->key, c);
	ERR_pop_to_mark();
	return m->status;
}

const struct wd_driver soft_rsa_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = rsa_exec,
};
