// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* SM2: signature, encryption with SM3, key generation. */
#include "hpre.h"
#include "hw/sec_hw.h"

#define SM3_BYTES	32
#define RANDOM_TRIES	64

/* Loads the request's random number into @w->k */
static u32 choose(struct wdm_hpre_req *r, const u8 *given)
{
	if (r->own_random)
		return wdm_hpre_random(r, r->w->k);
	return wdm_hpre_scalar(r, r->w->k, given) ? HPRE_ERR_OK : HPRE_ERR_OPERAND;
}

/* A private key is at most the order - 2: for the order - 1, 1 + d has no inverse. */
static bool is_private(struct wdm_hpre_req *r, const u64 *d)
{
	u64 *t = r->w->num[5];

	wdm_num_set(t, 1, r->words);
	wdm_num_add(t, t, d, r->words);
	return wdm_num_cmp(t, r->w->order.m, r->words) < 0;
}

static u32 sign_key(struct wdm_hpre_req *r)
{
	u32 status = wdm_hpre_sign_key(r);

	return !status && !is_private(r, r->w->d) ? HPRE_ERR_OPERAND : status;
}

u32 wdm_hpre_sm2_keygen(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = wdm_hpre_public_key(r);

	/* The request has the generator twice, and both must be equal. */
	if (!status && memcmp(w->in, wdm_hpre_key(r, 4), 2 * r->bytes))
		status = HPRE_ERR_OPERAND;
	if (!status)
		status = wdm_hpre_random(r, w->d);
	if (status)
		return status;
	if (!is_private(r, w->d))
		return HPRE_ERR_RESULT;
	wdm_curve_mul(&w->curve, &w->point, w->d, &w->g, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, w->y, &w->point))
		return HPRE_ERR_RESULT;
	wdm_hpre_put(r, 0, w->x);
	wdm_hpre_put(r, 1, w->y);
	wdm_hpre_put(r, 2, w->d);
	return HPRE_ERR_OK;
}

/* r = e + x-coordinate of k * g; false: this k can't be used. */
static bool sign_r(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u64 *t = w->num[5];

	wdm_curve_mul(&w->curve, &w->point, w->k, &w->g, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, NULL, &w->point))
		return false;
	wdm_hpre_reduce(r, w->x, w->x);
	wdm_num_add_mod(w->r, w->e, w->x, w->order.m, r->words);
	wdm_num_add_mod(t, w->r, w->k, w->order.m, r->words);
	return !wdm_num_is(w->r, 0, r->words) && !wdm_num_is(t, 0, r->words);
}

/* s = (k - r * d) / (1 + d) */
static u32 sign_s(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u64 *inverse = w->num[5];
	u32 nr = r->words;

	wdm_num_set(inverse, 1, nr);
	wdm_num_add(inverse, inverse, w->d, nr);
	if (!wdm_num_inverse(inverse, inverse, w->order.m, nr, w->tmp))
		return HPRE_ERR_MODULUS;
	wdm_mont_in(&w->order, inverse, inverse);
	wdm_mont_in(&w->order, w->d, w->d);
	wdm_mont_mul(&w->order, w->s, w->d, w->r);
	wdm_num_sub_mod(w->s, w->k, w->s, w->order.m, nr);
	wdm_mont_mul(&w->order, w->s, inverse, w->s);
	return wdm_num_is(w->s, 0, nr) ? HPRE_ERR_RESULT : HPRE_ERR_OK;
}

u32 wdm_hpre_sm2_sign(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = sign_key(r);

	if (!status)
		status = choose(r, wdm_hpre_in(r, 1));
	if (status)
		return status;
	wdm_num_load(w->e, wdm_hpre_in(r, 0), r->words);
	wdm_hpre_reduce(r, w->e, w->e);
	if (!sign_r(r))
		return HPRE_ERR_RESULT;
	status = sign_s(r);
	if (status)
		return status;
	wdm_hpre_put(r, 0, w->r);
	wdm_hpre_put(r, 1, w->s);
	return HPRE_ERR_OK;
}

/* e + x-coordinate of s * g + (r + s) * q must be r */
u32 wdm_hpre_sm2_verify(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	u32 status = wdm_hpre_public_key(r), nr = r->words;

	if (status)
		return status;
	if (!wdm_hpre_signature(r))
		return HPRE_ERR_OK;
	wdm_num_add_mod(w->k, w->r, w->s, w->order.m, nr);
	if (wdm_num_is(w->k, 0, nr))
		return HPRE_ERR_OK;
	wdm_num_load(w->e, wdm_hpre_in(r, 0), nr);
	wdm_hpre_reduce(r, w->e, w->e);
	wdm_curve_mul(&w->curve, &w->point, w->s, &w->g, w->k, &w->q);
	if (!wdm_curve_affine(&w->curve, w->x, NULL, &w->point))
		return HPRE_ERR_OK;
	wdm_hpre_reduce(r, w->x, w->x);
	wdm_num_add_mod(w->x, w->x, w->e, w->order.m, nr);
	r->valid = !wdm_num_cmp(w->x, w->r, nr);
	return HPRE_ERR_OK;
}

static void sm3_begin(struct wdm_hpre_req *r)
{
	wdm_hash_init(&r->w->hash, wdm_hash_find(SEC_A_SM3), r->job->env->engine, r->s->engine_ws);
}

/* x and y of the shared point, one after the other at the start of @tmp */
static u8 *shared(struct wdm_hpre_req *r)
{
	u8 *xy = (u8 *)r->w->tmp;

	wdm_num_store(xy, r->w->x, r->words);
	wdm_num_store(xy + r->bytes, r->w->y, r->words);
	return xy;
}

/* @to = @from XOR the key derived from the shared point. false: that key is all zeroes. */
static bool mask(struct wdm_hpre_req *r, u8 *to, const u8 *from)
{
	u8 *t = (u8 *)r->w->num[5], *xy = shared(r), any = 0;
	u32 i, count;

	for (i = 0; i < r->text; i++) {
		if (i % SM3_BYTES == 0) {
			u8 number[4];

			count = i / SM3_BYTES + 1;
			wdm_put_be32(number, count);
			sm3_begin(r);
			wdm_hash_update(&r->w->hash, xy, 2 * r->bytes);
			wdm_hash_update(&r->w->hash, number, sizeof(number));
			wdm_hash_final(&r->w->hash, t);
		}
		any |= t[i % SM3_BYTES];
		to[i] = from[i] ^ t[i % SM3_BYTES];
	}
	return any;
}

/* Hash of x, the plaintext and y */
static void check_value(struct wdm_hpre_req *r, u8 *to, const u8 *text)
{
	u8 *xy = shared(r);

	sm3_begin(r);
	wdm_hash_update(&r->w->hash, xy, r->bytes);
	wdm_hash_update(&r->w->hash, text, r->text);
	wdm_hash_update(&r->w->hash, xy + r->bytes, r->bytes);
	wdm_hash_final(&r->w->hash, to);
}

/* Encrypts with @w->k; false: another k is needed. */
static bool encrypt(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	const u8 *text = wdm_hpre_in(r, 1);
	u8 *c2 = w->out + 2 * r->bytes;

	wdm_curve_mul(&w->curve, &w->point, w->k, &w->g, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, w->y, &w->point))
		return false;
	wdm_hpre_put(r, 0, w->x);
	wdm_hpre_put(r, 1, w->y);
	wdm_curve_mul(&w->curve, &w->point, w->k, &w->q, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, w->y, &w->point) || !mask(r, c2, text))
		return false;
	check_value(r, c2 + r->text, text);
	return true;
}

u32 wdm_hpre_sm2_encrypt(struct wdm_hpre_req *r)
{
	u32 status = wdm_hpre_public_key(r), try;

	for (try = 0; !status && try < RANDOM_TRIES; try++) {
		status = choose(r, wdm_hpre_in(r, 0));
		if (!status && encrypt(r))
			return HPRE_ERR_OK;
		if (!r->own_random)
			break;
	}
	return status ? status : HPRE_ERR_RESULT;
}

u32 wdm_hpre_sm2_decrypt(struct wdm_hpre_req *r)
{
	struct wdm_hpre_work *w = r->w;
	const u8 *c2 = wdm_hpre_in(r, 2);
	u32 status = sign_key(r);
	u8 *check = (u8 *)w->num[5];

	if (status)
		return status;
	wdm_num_load(w->x, w->in, r->words);
	wdm_num_load(w->y, wdm_hpre_in(r, 1), r->words);
	if (!wdm_curve_point(&w->curve, &w->q, w->x, w->y))
		return HPRE_ERR_OPERAND;
	wdm_curve_mul(&w->curve, &w->point, w->d, &w->q, NULL, NULL);
	if (!wdm_curve_affine(&w->curve, w->x, w->y, &w->point))
		return HPRE_ERR_RESULT;
	if (!mask(r, w->out, c2))
		return HPRE_ERR_MISMATCH;
	check_value(r, check, w->out);
	return memcmp(check, c2 + r->text, SM3_BYTES) ? HPRE_ERR_MISMATCH : HPRE_ERR_OK;
}
