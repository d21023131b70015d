// SPDX-License-Identifier: Apache-2.0
/* RSA keys: copies their parts into the layouts that devices read, and checks whether the parts make a key. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/crypto.h>

#include "bn.h"
#include "rsa.h"

#define BASES_MAX	64	/* bases that are tried, to find one that is no square */

/* --- checks without arithmetic --- */

static int modulus_check(struct wd_object *obj, const __u8 *n, __u32 k)
{
	unsigned int bits = pubkey_bits(n, k);

	if (bits != 8 * k)
		return wd_fail_num(obj, EINVAL, "the modulus n has %u bits, the session's keys have %u", bits, 8 * k);
	return n[k - 1] & 1 ? 0 : wd_fail(obj, EINVAL, "the modulus n is even");
}

static int exponent_check(struct wd_object *obj, const __u8 *e, const __u8 *n, __u32 k)
{
	if (!(e[k - 1] & 1) || pubkey_is(e, k, 1))
		return wd_fail(obj, EINVAL, "the public exponent e is even, or 1");
	return !n || pubkey_less(e, n, k) ? 0 : wd_fail(obj, EINVAL, "the public exponent e is not below the modulus");
}

static int primes_look(struct wd_object *obj, const __u8 *p, const __u8 *q, __u32 half)
{
	if (!(p[half - 1] & q[half - 1] & 1))
		return wd_fail(obj, EINVAL, "p or q is even");
	return CRYPTO_memcmp(p, q, half) ? 0 : wd_fail(obj, EINVAL, "p and q are the same");
}

/* --- arithmetic --- */

/* Numbers that follow from p and q. */
struct primes {
	BN_CTX *ctx;
	BIGNUM *p, *q, *p1, *q1, *n;
};

static bool primes_begin(struct primes *x, const __u8 *p, const __u8 *q, __u32 half)
{
	x->ctx = BN_CTX_secure_new();
	if (!x->ctx)
		return false;
	BN_CTX_start(x->ctx);
	x->p = soft_bn_get(x->ctx, p, half);
	x->q = soft_bn_get(x->ctx, q, half);
	x->p1 = BN_CTX_get(x->ctx);
	x->q1 = BN_CTX_get(x->ctx);
	x->n = BN_CTX_get(x->ctx);
	if (!x->n || !x->p || !x->q || !BN_sub(x->p1, x->p, BN_value_one()) || !BN_sub(x->q1, x->q, BN_value_one()))
		return false;
	BN_set_flags(x->p1, BN_FLG_CONSTTIME);
	BN_set_flags(x->q1, BN_FLG_CONSTTIME);
	return BN_mul(x->n, x->p, x->q, x->ctx);
}

static void primes_end(struct primes *x)
{
	if (x->ctx)
		BN_CTX_end(x->ctx);
	BN_CTX_free(x->ctx);
}

/* Whether a * b is 1 modulo m. */
static bool inverse_of(struct primes *x, const BIGNUM *a, const BIGNUM *b, const BIGNUM *m)
{
	BIGNUM *r = BN_CTX_get(x->ctx);

	return r && a && b && BN_mod_mul(r, a, b, m, x->ctx) && BN_is_one(r);
}

/* A result computed with a wrong part would reveal the primes. */
static const char *crt_wrong(struct primes *x, const struct rsa_key *key)
{
	__u32 k = key->k, half = k / 2;
	BIGNUM *n = soft_bn_get(x->ctx, rsa_key_n(key), k), *e = soft_bn_get(x->ctx, key->pub, k);
	BIGNUM *d = soft_bn_get(x->ctx, key->priv, k), *dp = soft_bn_get(x->ctx, rsa_key_crt(key, RSA_DP), half);
	BIGNUM *dq = soft_bn_get(x->ctx, rsa_key_crt(key, RSA_DQ), half), *r = BN_CTX_get(x->ctx);
	BIGNUM *qinv = soft_bn_get(x->ctx, rsa_key_crt(key, RSA_QINV), half);

	if (!n || BN_cmp(n, x->n))
		return "the modulus n is not p times q";
	if (!r || !BN_mod(r, d, x->p1, x->ctx) || BN_cmp(r, dp))
		return "dp is not d modulo p - 1";
	if (!BN_mod(r, d, x->q1, x->ctx) || BN_cmp(r, dq))
		return "dq is not d modulo q - 1";
	if (BN_cmp(qinv, x->p) >= 0 || !inverse_of(x, qinv, x->q, x->p))
		return "qinv is not the inverse of q modulo p";
	if (!inverse_of(x, e, dp, x->p1) || !inverse_of(x, e, dq, x->q1))
		return "d is not an inverse of e";
	return NULL;
}

static int crt_check(struct wd_object *obj, const struct rsa_key *key)
{
	const char *wrong = NULL;
	struct primes x;
	int ret;

	ret = primes_look(obj, rsa_key_crt(key, RSA_P), rsa_key_crt(key, RSA_Q), key->k / 2);
	if (ret)
		return ret;
	if (!primes_begin(&x, rsa_key_crt(key, RSA_P), rsa_key_crt(key, RSA_Q), key->k / 2))
		ret = wd_fail(obj, ENOMEM, "no memory for checking the key");
	else
		wrong = crt_wrong(&x, key);
	primes_end(&x);
	return wrong ? wd_fail_str(obj, EINVAL, "%s", wrong) : ret;
}

/*
 * Finds a number that is no square modulo n, by Jacobi's symbol: with a square, a d that is off by half of the order
 * would go unnoticed. False: no memory.
 */
static bool base_find(BIGNUM *base, const BIGNUM *n, BN_CTX *ctx)
{
	BN_ULONG a;
	int symbol;

	for (a = 2; a < BASES_MAX; a++) {
		symbol = BN_set_word(base, a) ? BN_kronecker(base, n, ctx) : -2;
		if (symbol < 0)
			return symbol == -1;
	}
	/* n is a square, or unusual: any base will do. */
	return BN_set_word(base, 2);
}

/* For a key without its primes: checks with one number that d undoes e. A test, not a proof. */
static int exponents_check(struct wd_object *obj, const struct rsa_key *key)
{
	BN_CTX *ctx = BN_CTX_secure_new();
	BIGNUM *n, *e, *d, *base, *r;
	bool done, same = false;

	if (ctx)
		BN_CTX_start(ctx);
	n = ctx ? soft_bn_get(ctx, rsa_key_n(key), key->k) : NULL;
	e = n ? soft_bn_get(ctx, key->pub, key->k) : NULL;
	d = e ? soft_bn_get(ctx, key->priv, key->k) : NULL;
	base = d ? BN_CTX_get(ctx) : NULL;
	r = base ? BN_CTX_get(ctx) : NULL;
	done = r && base_find(base, n, ctx) && BN_mod_exp_mont(r, base, e, n, ctx, NULL) &&
	       BN_mod_exp_mont_consttime(r, r, d, n, ctx, NULL);
	if (done)
		same = !BN_cmp(r, base);
	if (ctx)
		BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	if (!done)
		return wd_fail(obj, ENOMEM, "no memory for checking the key");
	return same ? 0 : wd_fail(obj, EINVAL, "d is not an inverse of e");
}

int rsa_primes_check(struct wd_object *obj, __u32 k, const __u8 *src)
{
	const __u8 *p = src + k, *q = p + k / 2;
	struct primes x;
	BIGNUM *e, *phi;
	int ret = exponent_check(obj, src, NULL, k);

	if (!ret)
		ret = primes_look(obj, p, q, k / 2);
	if (ret)
		return ret;
	if (!primes_begin(&x, p, q, k / 2)) {
		ret = wd_fail(obj, ENOMEM, "no memory for checking the primes");
	} else if (BN_num_bits(x.n) != (int)(8 * k)) {
		ret = wd_fail_num(obj, EINVAL, "p times q has %u bits, the session's keys have %u", BN_num_bits(x.n),
				  8 * k);
	} else {
		e = soft_bn_get(x.ctx, src, k);
		phi = BN_CTX_get(x.ctx);
		if (!phi || !e || BN_cmp(e, x.n) >= 0 || !BN_mul(phi, x.p1, x.q1, x.ctx) ||
		    !BN_gcd(phi, phi, e, x.ctx) || !BN_is_one(phi))
			ret = wd_fail(obj, EINVAL,
				      "e is not below p times q, or has a factor in common with p - 1 or q - 1");
		else if (!BN_gcd(phi, x.p, x.q, x.ctx) || !BN_is_one(phi))
			ret = wd_fail(obj, EINVAL, "p and q have a factor in common");
	}
	primes_end(&x);
	return ret;
}

/* --- keys --- */

#define SMALL_E_BYTES	4	/* a larger e costs too much for each result */

static bool e_is_small(const struct rsa_key *key)
{
	return pubkey_is_zero(key->pub, key->k - SMALL_E_BYTES);
}

static int crt_copy(struct wd_object *obj, struct rsa_key *key, const struct wd_rsa_key *from)
{
	const struct {
		const char *name;
		const struct wd_number *from;
	} parts[] = {
		[RSA_DQ] = { "dq", &from->dq }, [RSA_DP] = { "dp", &from->dp }, [RSA_Q] = { "q", &from->q },
		[RSA_P] = { "p", &from->p },
		[RSA_QINV] = { "qinv", &from->qinv },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(parts) / sizeof(parts[0]); i++) {
		key->has_crt |= pubkey_number_given(parts[i].from);
	}
	if (!key->has_crt)
		return key->has_priv ? exponents_check(obj, key) : 0;
	if (!key->has_priv)
		return wd_fail(obj, EINVAL, "d is missing: p, q, dp, dq and qinv come with it");
	for (i = 0; !ret && i < sizeof(parts) / sizeof(parts[0]); i++)
		ret = pubkey_number_put(obj, parts[i].name, parts[i].from, key->crt + i * (key->k / 2), key->k / 2);
	if (!ret)
		ret = crt_check(obj, key);
	key->proves = !ret && e_is_small(key);
	return ret;
}

static int private_copy(struct wd_object *obj, struct rsa_key *key, const struct wd_number *d)
{
	__u32 k = key->k;
	int ret;

	if (!pubkey_number_given(d))
		return 0;
	ret = pubkey_number_put(obj, "d", d, key->priv, k);
	if (ret)
		return ret;
	memcpy(key->priv + k, rsa_key_n(key), k);
	key->has_priv = true;
	if (pubkey_is_zero(key->priv, k) || pubkey_is(key->priv, k, 1) || !pubkey_less(key->priv, rsa_key_n(key), k))
		return wd_fail(obj, EINVAL, "the private exponent d is below 2, or not below the modulus");
	return 0;
}

static int key_copy(struct wd_object *obj, struct rsa_key *key, const struct wd_rsa_key *from)
{
	__u32 k = key->k;
	int ret, i;

	for (i = 0; i < 4; i++)
		if (from->reserved[i])
			return wd_fail_num(obj, EINVAL, "key->reserved[%u] is not 0", i, 0);
	ret = pubkey_number_put(obj, "n", &from->n, key->pub + k, k);
	if (!ret)
		ret = modulus_check(obj, rsa_key_n(key), k);
	if (!ret)
		ret = pubkey_number_put(obj, "e", &from->e, key->pub, k);
	if (!ret)
		ret = exponent_check(obj, key->pub, rsa_key_n(key), k);
	if (!ret)
		ret = private_copy(obj, key, &from->d);
	return ret ? ret : crt_copy(obj, key, from);
}

struct rsa_key *rsa_key_make(struct wd_object *obj, __u32 k, const struct wd_rsa_key *from, int *ret)
{
	struct rsa_key *key = calloc(1, sizeof(*key));

	if (!key) {
		*ret = wd_fail(obj, ENOMEM, "no memory for a key");
		return NULL;
	}
	key->k = k;
	*ret = key_copy(obj, key, from);
	key->part[WD_RSA_SIGN] = key->has_crt ? key->crt : key->has_priv ? key->priv : NULL;
	key->part[WD_RSA_VERIFY] = key->pub;
	if (!*ret && soft_rsa_make(key))
		*ret = wd_fail(obj, ENOMEM, "libcrypto can't prepare the key");
	if (!*ret)
		return key;
	rsa_key_free(key);
	return NULL;
}

void rsa_key_free(struct rsa_key *key)
{
	if (!key)
		return;
	soft_rsa_free(key->soft);
	explicit_bzero(key, sizeof(*key));
	free(key);
}
