// SPDX-License-Identifier: Apache-2.0
/* Secret numbers that the library itself makes for a curve: new private keys, and nonces of signatures. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/rand.h>

#include "base/likely.h"
#include "bn.h"
#include "ecc.h"
#include "spare.h"

bool ecc_random(const struct ecc_sess *s, __u8 *d)
{
	do {
		if (RAND_priv_bytes(d, (int)s->w) <= 0)
			return false;
		/* n may be far below a power of 256. */
		if (!ecc_is_montgomery(s) && s->n_bits % 8)
			d[0] &= (__u8)((1u << s->n_bits % 8) - 1);
	} while (!ecc_scalar_in_range(s, d, true));
	return true;
}

/* --- before a context's lock is taken --- */

/*
 * As many as one call submits before a device has them. A number that is overwritten was never used, and reveals
 * nothing.
 */
#define AHEAD_NR	32
static_assert(AHEAD_NR >= WD_BURST_MAX, "none is overwritten before it is used");

static __u8 *ahead_room(void)
{
	static _Thread_local __u8 ahead[AHEAD_NR][ECC_BYTES_MAX];
	static _Thread_local unsigned int next;

	return ahead[next++ % AHEAD_NR];
}

__u8 *ecc_random_ahead(const struct ecc_sess *s)
{
	__u8 *d = ahead_room();

	return ecc_random(s, d) ? d : NULL;
}

__u8 *ecc_nonce_ahead(const struct ecc_sess *s, const void *digest, size_t len)
{
	__u8 *k = ahead_room();

	return ecc_nonce(s, digest, len, k) ? k : NULL;
}

bool ecc_ahead_take(const struct ecc_sess *s, struct pubkey_msg *c, __u8 *to)
{
	if (!c->ahead)
		return false;
	memcpy(to, c->ahead, s->w);
	explicit_bzero(c->ahead, s->w);
	c->ahead = NULL;
	return true;
}

/* --- nonces --- */

/* The memory for making one nonce at a time. */
struct maker {
	BN_CTX *bn;
	BIGNUM *k;
};

struct ecc_nonces {
	BIGNUM *n;
	BIGNUM *d;
	struct soft_spare makers;
};

static void maker_free(struct maker *m)
{
	if (!m)
		return;
	BN_clear_free(m->k);
	BN_CTX_free(m->bn);
	free(m);
}

static struct maker *maker_make(void)
{
	struct maker *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->bn = BN_CTX_secure_new();
	m->k = BN_secure_new();
	if (m->bn && m->k)
		return m;
	maker_free(m);
	return NULL;
}

static BIGNUM *number_keep(const __u8 *field, size_t width)
{
	BIGNUM *bn = BN_secure_new();

	if (bn && BN_bin2bn(field, (int)width, bn)) {
		BN_set_flags(bn, BN_FLG_CONSTTIME);
		return bn;
	}
	BN_clear_free(bn);
	return NULL;
}

int ecc_nonces_make(const struct ecc_sess *s, struct ecc_key *key)
{
	struct ecc_nonces *e;

	if (!key->has_d || (s->alg != WD_ECC_ECDSA && s->alg != WD_ECC_SM2))
		return 0;
	e = calloc(1, sizeof(*e));
	key->nonces = e;
	if (!e)
		return -ENOMEM;
	e->n = BN_bin2bn(s->part[ECC_N], (int)s->w, NULL);
	e->d = number_keep(key->d, s->w);
	return e->n && e->d ? 0 : -ENOMEM;
}

void ecc_nonces_free(struct ecc_nonces *e)
{
	unsigned int i;

	if (!e)
		return;
	for (i = 0; i < SOFT_SPARE_NR; i++)
		maker_free(e->makers.at[i]);
	BN_clear_free(e->d);
	BN_free(e->n);
	free(e);
}

bool ecc_nonce(const struct ecc_sess *s, const void *digest, size_t len, __u8 *k)
{
	struct ecc_nonces *e = s->key->nonces;
	struct maker *m = soft_spare_get(&e->makers);
	bool good;

	if (!m)
		m = maker_make();
	if (!m)
		return false;
	do {
		good = BN_generate_dsa_nonce(m->k, e->n, e->d, digest, len, m->bn);
	} while (unlikely(good && BN_is_zero(m->k)));
	good = good && soft_bn_put(m->k, k, s->w);
	BN_clear(m->k);
	if (!soft_spare_put(&e->makers, m))
		maker_free(m);
	return good;
}
