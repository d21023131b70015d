// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Powers: RSA with and without the Chinese remainder theorem, DH; and the last step of RSA key generation. */
#include "hpre.h"

static u32 engine_error(int err)
{
	return err ? HPRE_ERR_ABORTED : HPRE_ERR_OK;
}

static u32 power(const struct wdm_hpre_req *r, const struct wdm_power *p)
{
	return engine_error(r->job->env->engine->power(r->s->engine_ws, p));
}

/* Montgomery multiplication needs an odd modulus above 1. */
static bool good_modulus(const u64 *m, u32 nr)
{
	return m[0] & 1 && !wdm_num_is(m, 1, nr);
}

u32 wdm_hpre_power(struct wdm_hpre_req *r)
{
	u32 k = r->bytes, nr = r->words;
	u8 *key = r->w->key, *in = r->w->in;
	u64 *m = r->w->num[0], *a = r->w->num[1];
	struct wdm_power p = {
		.base = in, .base_bytes = k, .exponent = key, .modulus = key + k, .result = r->w->out, .bytes = k,
	};

	if (r->op == HPRE_DH_G2) {
		memset(in, 0, k);
		in[k - 1] = 2;
	}
	wdm_num_load(a, key, nr);
	wdm_num_load(m, key + k, nr);
	if (!good_modulus(m, nr))
		return HPRE_ERR_MODULUS;
	if (wdm_num_is(a, 0, nr))
		return HPRE_ERR_OPERAND;
	wdm_num_load(a, in, nr);
	if (wdm_num_cmp(a, m, nr) >= 0)
		return HPRE_ERR_OPERAND;
	return power(r, &p);
}

/* The private operation modulo one prime, with the result in @to; @exponent and @prime point into the key. */
static u32 half_power(struct wdm_hpre_req *r, u64 *to, const u8 *exponent, const u8 *prime)
{
	struct wdm_power p = {
		.base = r->w->in, .base_bytes = r->bytes, .exponent = exponent, .modulus = prime, .result = r->w->out,
		.bytes = r->bytes / 2,
	};
	u32 status;

	wdm_num_load(to, exponent, r->words / 2);
	if (wdm_num_is(to, 0, r->words / 2))
		return HPRE_ERR_OPERAND;
	status = power(r, &p);
	wdm_num_load(to, r->w->out, r->words / 2);
	return status;
}

/* m2 + q * (qinv * (m1 - m2) mod p) */
static u32 crt_join(struct wdm_hpre_req *r, const u64 *p, const u64 *q, const u64 *qinv, u64 *m1, u64 *m2)
{
	u64 *t = r->w->tmp, *product = r->w->tmp + WDM_NUM_WORDS;
	struct wdm_mont *mont = &r->w->order;
	u32 half = r->words / 2;

	wdm_mont_init(mont, p, half);
	wdm_num_mod(t, m2, half, p, half);
	wdm_num_sub_mod(t, m1, t, p, half);
	wdm_mont_in(mont, t, t);
	wdm_mont_mul(mont, t, t, qinv);
	wdm_num_mul(product, r->words, t, half, q, half);
	memset(m2 + half, 0, half * sizeof(*m2));
	wdm_num_add(product, product, m2, r->words);
	wdm_num_store(r->w->out, product, r->words);
	return HPRE_ERR_OK;
}

u32 wdm_hpre_crt(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u64 *p = w->num[0], *q = w->num[1], *qinv = w->num[2], *m1 = w->num[3], *m2 = w->num[4], *n = w->num[5];
	u32 half = r->words / 2, h = r->bytes / 2, status;

	wdm_num_load(q, w->key + 2 * h, half);
	wdm_num_load(p, w->key + 3 * h, half);
	wdm_num_load(qinv, w->key + 4 * h, half);
	if (!good_modulus(p, half) || !good_modulus(q, half) || wdm_num_cmp(qinv, p, half) >= 0)
		return HPRE_ERR_MODULUS;
	wdm_num_mul(n, r->words, p, half, q, half);
	wdm_num_load(m1, w->in, r->words);
	if (wdm_num_cmp(m1, n, r->words) >= 0)
		return HPRE_ERR_OPERAND;
	status = half_power(r, m2, w->key, w->key + 2 * h);
	if (!status)
		status = half_power(r, m1, w->key + h, w->key + 3 * h);
	return status ? status : crt_join(r, p, q, qinv, m1, m2);
}

/* Decrements @prime, which is odd. */
static void put_crt(struct wdm_hpre_req *r, u32 half_at, const u64 *d, u64 *prime)
{
	u32 half = r->words / 2;
	u64 *t = r->w->tmp;

	prime[0]--;
	wdm_num_mod(t, d, r->words, prime, half);
	wdm_num_store(r->w->out + half_at * (r->bytes / 2), t, half);
}

/* Outputs d, n and, for CRT, qinv, dq, dp; d is the inverse of e modulo (p - 1) * (q - 1). */
u32 wdm_hpre_keygen(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u64 *e = w->num[0], *p = w->num[1], *q = w->num[2], *n = w->num[3], *phi = w->num[4], *d = w->num[5];
	u32 nr = r->words, half = nr / 2;

	wdm_num_load(e, w->key, nr);
	wdm_num_load(p, w->key + r->bytes, half);
	wdm_num_load(q, w->key + r->bytes + r->bytes / 2, half);
	if (!good_modulus(p, half) || !good_modulus(q, half))
		return HPRE_ERR_MODULUS;
	wdm_num_mul(n, nr, p, half, q, half);
	if (!(e[0] & 1) || wdm_num_is(e, 1, nr) || wdm_num_cmp(e, n, nr) >= 0)
		return HPRE_ERR_OPERAND;
	p[0]--;
	q[0]--;
	wdm_num_mul(phi, nr, p, half, q, half);
	p[0]++;
	q[0]++;
	if (!wdm_num_inverse_even(d, e, phi, nr, w->tmp))
		return HPRE_ERR_OPERAND;
	wdm_num_store(w->out, d, nr);
	wdm_num_store(w->out + r->bytes, n, nr);
	if (r->op == HPRE_RSA_KEYGEN)
		return HPRE_ERR_OK;
	if (!wdm_num_inverse(phi, q, p, half, w->tmp))
		return HPRE_ERR_MODULUS;
	wdm_num_store(w->out + 2 * r->bytes, phi, half);
	put_crt(r, 5, d, q);
	put_crt(r, 6, d, p);
	return HPRE_ERR_OK;
}
