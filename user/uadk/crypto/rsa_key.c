// SPDX-License-Identifier: Apache-2.0
/*
 * Keys of RSA. Programs set what UADK's devices need of a key: d and n, or the primes and what belongs to them. Ours
 * need n and e with both.
 */
#include <errno.h>
#include <openssl/bn.h>

#include "numbers.h"
#include "rsa.h"

#define PART_MOST	512u		/* bytes */

/* The parts of a key, as numbers of libcrypto's; NULL: none. */
struct parts {
	BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv;
};

static void parts_free(struct parts *k)
{
	BN_free(k->n);
	BN_free(k->e);
	BN_clear_free(k->d);
	BN_clear_free(k->p);
	BN_clear_free(k->q);
	BN_clear_free(k->dp);
	BN_clear_free(k->dq);
	BN_clear_free(k->qinv);
}

/* Programs write the lengths, too. */
static BIGNUM *part(const struct wd_dtb *from)
{
	if (!number_given(from) || from->dsize > PART_MOST)
		return NULL;
	return BN_bin2bn((const unsigned char *)from->data, (int)from->dsize, NULL);
}

/* The usual exponents, for a private key without one: (2^d)^e is 2 for the right one. */
static BIGNUM *exponent_of(const BIGNUM *d, const BIGNUM *n, BN_CTX *ctx)
{
	static const BN_ULONG usual[] = { 65537, 3, 17, 257, 5, 35, 65539 };
	BIGNUM *two = BN_new(), *x = BN_new(), *y = BN_new(), *e = BN_new();
	bool found = false;

	if (two && x && y && e && BN_is_odd(n) && BN_set_word(two, 2) && BN_mod_exp(x, two, d, n, ctx))
		for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !found; i++)
			found = BN_set_word(e, usual[i]) && BN_mod_exp(y, x, e, n, ctx) && BN_is_word(y, 2);
	BN_free(two);
	BN_clear_free(x);
	BN_clear_free(y);
	if (found)
		return e;
	BN_free(e);
	return NULL;
}

/* From the primes: n, e from dp, and d from e. */
static bool fill_crt(struct parts *k, BN_CTX *ctx)
{
	BIGNUM *p1 = BN_dup(k->p), *q1 = BN_dup(k->q), *phi = BN_new();
	bool good = p1 && q1 && phi && BN_sub_word(p1, 1) && BN_sub_word(q1, 1) && BN_mul(phi, p1, q1, ctx);

	if (good && !k->n) {
		k->n = BN_new();
		good = k->n && BN_mul(k->n, k->p, k->q, ctx);
	}
	if (good && !k->e) {
		k->e = BN_mod_inverse(NULL, k->dp, p1, ctx);
		good = k->e;
	}
	if (good && !k->d) {
		k->d = BN_mod_inverse(NULL, k->e, phi, ctx);
		good = k->d;
	}
	BN_clear_free(p1);
	BN_clear_free(q1);
	BN_clear_free(phi);
	return good;
}

static bool fill(struct parts *k)
{
	BN_CTX *ctx = BN_CTX_secure_new();
	bool crt = k->p && k->q && k->dp && k->dq && k->qinv, good = ctx;

	if (good && crt)
		good = fill_crt(k, ctx);
	else if (good && k->d && k->n && !k->e)
		k->e = exponent_of(k->d, k->n, ctx);
	BN_CTX_free(ctx);
	return good && k->n && k->e;
}

static void give_part(struct own_number *to, const BIGNUM *from, __u8 **at)
{
	if (!from)
		return;
	to->data = *at;
	to->len = (__u32)BN_bn2bin(from, *at);
	*at += to->len;
}

int rsa_key_give(struct uadk_sess *sess, own_handle_t own)
{
	const struct rsa_sess *s = (const struct rsa_sess *)sess;
	const struct wd_rsa_prikey *pri = &s->key->pri;
	const struct wd_dtb *n = number_given(&s->key->pub.n) ? &s->key->pub.n : &pri->n;
	struct parts k = { part(n), part(&s->key->pub.e), part(&pri->d), part(&pri->p), part(&pri->q), part(&pri->dp),
			   part(&pri->dq), part(&pri->qinv) };
	bool crt = k.p && k.q && k.dp && k.dq && k.qinv;
	__u8 bytes[8 * PART_MOST], *at = bytes;
	struct own_rsa_key key = { 0 };
	int ret = -EINVAL;

	if (fill(&k)) {
		give_part(&key.n, k.n, &at);
		give_part(&key.e, k.e, &at);
		give_part(&key.d, k.d, &at);
		if (crt) {
			give_part(&key.p, k.p, &at);
			give_part(&key.q, k.q, &at);
			give_part(&key.dp, k.dp, &at);
			give_part(&key.dq, k.dq, &at);
			give_part(&key.qinv, k.qinv, &at);
		}
		ret = own_rsa_set_key(own, &key);
		explicit_bzero(bytes, sizeof(bytes));
	}
	parts_free(&k);
	return ret;
}
