// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Elliptic curves with any parameters: multiplication, ECDSA, and functions shared with SM2. */
#include "hpre.h"

#define RANDOM_TRIES	64	/* each attempt succeeds with a probability of at least one half */

const u8 *wdm_hpre_key(const struct wdm_hpre_req *r, u32 i)
{
	return r->w->key + i * r->bytes;
}

const u8 *wdm_hpre_in(const struct wdm_hpre_req *r, u32 i)
{
	return r->w->in + i * r->bytes;
}

void wdm_hpre_put(struct wdm_hpre_req *r, u32 i, const u64 *a)
{
	wdm_num_store(r->w->out + i * r->bytes, a, r->words);
}

/* @p_at, @a_at, @b_at: where the key has these numbers; their order differs between keys. */
static u32 curve_init(struct wdm_hpre_req *r, u32 p_at, u32 a_at, u32 b_at)
{
	struct wdm_hpre_work *w = r->w;
	u64 *p = w->num[0], *a = w->num[1], *b = w->num[2];
	u32 nr = r->words;

	wdm_num_load(p, wdm_hpre_key(r, p_at), nr);
	wdm_num_load(a, wdm_hpre_key(r, a_at), nr);
	wdm_num_load(b, wdm_hpre_key(r, b_at), nr);
	if (!(p[0] & 1) || wdm_num_bits(p, nr) < 3 || wdm_num_cmp(a, p, nr) >= 0 || wdm_num_cmp(b, p, nr) >= 0)
		return HPRE_ERR_MODULUS;
	wdm_curve_init(&w->curve, p, a, b, nr, &r->job->abort);
	return HPRE_ERR_OK;
}

static u32 load_point(struct wdm_hpre_req *r, struct wdm_point *to, const u8 *from)
{
	struct wdm_hpre_work *w = r->w;

	wdm_num_load(w->x, from, r->words);
	wdm_num_load(w->y, from + r->bytes, r->words);
	return wdm_curve_point(&w->curve, to, w->x, w->y) ? HPRE_ERR_OK : HPRE_ERR_OPERAND;
}

static u32 put_point(struct wdm_hpre_req *r, const struct wdm_point *p)
{
	struct wdm_hpre_work *w = r->w;

	if (!wdm_curve_affine(&w->curve, w->x, w->y, p))
		return HPRE_ERR_RESULT;
	wdm_hpre_put(r, 0, w->x);
	wdm_hpre_put(r, 1, w->y);
	return HPRE_ERR_OK;
}

u32 wdm_hpre_multiply(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = curve_init(r, 0, 1, 3);

	if (!status)
		status = load_point(r, &w->q, w->in);
	if (status)
		return status;
	wdm_num_load(w->k, wdm_hpre_key(r, 2), r->words);
	wdm_curve_mul(&w->curve, &w->point, w->k, &w->q, NULL, NULL);
	return put_point(r, &w->point);
}

u32 wdm_hpre_montgomery(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = curve_init(r, 0, 1, 1);

	if (status)
		return status;
	wdm_num_load(w->k, wdm_hpre_key(r, 2), r->words);
	wdm_num_load(w->x, w->in, r->words);
	if (wdm_num_cmp(w->x, w->curve.p.m, r->words) >= 0)
		return HPRE_ERR_OPERAND;
	if (!wdm_curve_ladder(&w->curve, w->y, w->k, w->x, w->num[1]))
		return HPRE_ERR_RESULT;
	wdm_hpre_put(r, 0, w->y);
	return HPRE_ERR_OK;
}

/* Order and generator, which follow each other in both kinds of key. */
static u32 group_init(struct wdm_hpre_req *r, u32 at)
{
	struct wdm_hpre_work *w = r->w;

	wdm_num_load(w->num[3], wdm_hpre_key(r, at), r->words);
	if (!(w->num[3][0] & 1) || wdm_num_bits(w->num[3], r->words) < 3)
		return HPRE_ERR_MODULUS;
	wdm_mont_init(&w->order, w->num[3], r->words);
	return load_point(r, &w->g, wdm_hpre_key(r, at + 1));
}

u32 wdm_hpre_sign_key(struct wdm_hpre_req *r)
{
	u32 status = curve_init(r, 0, 1, 3);

	if (!status)
		status = group_init(r, 4);
	if (!status && !wdm_hpre_scalar(r, r->w->d, wdm_hpre_key(r, 2)))
		status = HPRE_ERR_OPERAND;
	return status;
}

u32 wdm_hpre_public_key(struct wdm_hpre_req *r)
{
	u32 status = curve_init(r, 0, 1, 2);

	if (!status)
		status = group_init(r, 3);
	if (!status && r->op != HPRE_SM2_KEYGEN)
		status = load_point(r, &r->w->q, wdm_hpre_key(r, 6));
	return status;
}

bool wdm_hpre_scalar(const struct wdm_hpre_req *r, u64 *k, const u8 *from)
{
	wdm_num_load(k, from, r->words);
	return !wdm_num_is(k, 0, r->words) && wdm_num_cmp(k, r->w->order.m, r->words) < 0;
}

u32 wdm_hpre_random(struct wdm_hpre_req *r, u64 *k)
{
	const struct wdm_engine_ops *engine = r->job->env->engine;
	u64 *bytes = r->w->tmp, *order = r->w->order.m;
	u32 bits = wdm_num_bits(order, r->words), i, try;

	for (try = 0; try < RANDOM_TRIES; try++) {
		if (engine->random(r->s->engine_ws, (u8 *)bytes, r->bytes))
			return HPRE_ERR_ABORTED;
		for (i = bits; i < 64 * r->words; i++)
			bytes[i / 64] &= ~(1ull << i % 64);
		wdm_num_copy(k, bytes, r->words);
		if (!wdm_num_is(k, 0, r->words) && wdm_num_cmp(k, order, r->words) < 0)
			return HPRE_ERR_OK;
	}
	return HPRE_ERR_RESULT;
}

void wdm_hpre_reduce(const struct wdm_hpre_req *r, u64 *to, const u64 *a)
{
	wdm_num_mod(r->w->num[4], a, r->words, r->w->order.m, r->words);
	wdm_num_copy(to, r->w->num[4], r->words);
}

bool wdm_hpre_signature(struct wdm_hpre_req *r)
{
	bool r_fits = wdm_hpre_scalar(r, r->w->r, wdm_hpre_in(r, 2));

	return wdm_hpre_scalar(r, r->w->s, wdm_hpre_in(r, 1)) && r_fits;
}

/* a / b modulo the order; @b must be in range */
static bool divide(struct wdm_hpre_req *r, u64 *to, const u64 *a, const u64 *b)
{
	struct wdm_hpre_work *w = r->w;
	u64 *inverse = w->num[5];

	if (!wdm_num_inverse(inverse, b, w->order.m, r->words, w->tmp))
		return false;
	wdm_mont_in(&w->order, inverse, inverse);
	wdm_mont_mul(&w->order, to, inverse, a);
	return true;
}

/* r = x-coordinate of k * g, s = (e + d * r) / k */
u32 wdm_hpre_ecdsa_sign(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = wdm_hpre_sign_key(r), nr = r->words;

	if (status)
		return status;
	if (!wdm_hpre_scalar(r, w->k, wdm_hpre_in(r, 1)))
		return HPRE_ERR_OPERAND;
	wdm_num_load(w->e, wdm_hpre_in(r, 0), nr);
	wdm_hpre_reduce(r, w->e, w->e);
	wdm_curve_mul(&w->curve, &w->point, w->k, &w->g, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, NULL, &w->point))
		return HPRE_ERR_RESULT;
	wdm_hpre_reduce(r, w->r, w->x);
	wdm_mont_in(&w->order, w->d, w->d);
	wdm_mont_mul(&w->order, w->s, w->d, w->r);
	wdm_num_add_mod(w->s, w->s, w->e, w->order.m, nr);
	if (!divide(r, w->s, w->s, w->k))
		return HPRE_ERR_MODULUS;
	if (wdm_num_is(w->r, 0, nr) || wdm_num_is(w->s, 0, nr))
		return HPRE_ERR_RESULT;
	wdm_hpre_put(r, 0, w->r);
	wdm_hpre_put(r, 1, w->s);
	return HPRE_ERR_OK;
}

/* The x-coordinate of (e / s) * g + (r / s) * q must be r */
u32 wdm_hpre_ecdsa_verify(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = wdm_hpre_public_key(r);

	if (status)
		return status;
	if (!wdm_hpre_signature(r))
		return HPRE_ERR_OK;
	wdm_num_load(w->e, wdm_hpre_in(r, 0), r->words);
	wdm_hpre_reduce(r, w->e, w->e);
	if (!divide(r, w->e, w->e, w->s) || !divide(r, w->k, w->r, w->s))
		return HPRE_ERR_MODULUS;
	wdm_curve_mul(&w->curve, &w->point, w->e, &w->g, w->k, &w->q);
	if (!wdm_curve_affine(&w->curve, w->x, NULL, &w->point))
		return HPRE_ERR_OK;
	wdm_hpre_reduce(r, w->x, w->x);
	r->valid = !wdm_num_cmp(w->x, w->r, r->words);
	return HPRE_ERR_OK;
}
