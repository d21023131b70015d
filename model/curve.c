// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Elliptic curves over prime fields. */
#include "curve.h"

static void mul(struct wdm_curve *c, u64 *r, const u64 *a, const u64 *b)
{
	wdm_mont_mul(&c->p, r, a, b);
}

static void add(struct wdm_curve *c, u64 *r, const u64 *a, const u64 *b)
{
	wdm_num_add_mod(r, a, b, c->p.m, c->p.nr);
}

static void sub(struct wdm_curve *c, u64 *r, const u64 *a, const u64 *b)
{
	wdm_num_sub_mod(r, a, b, c->p.m, c->p.nr);
}

void wdm_curve_init(struct wdm_curve *c, const u64 *p, const u64 *a, const u64 *b, u32 nr, const u32 *abort)
{
	wdm_mont_init(&c->p, p, nr);
	c->abort = abort;
	wdm_mont_in(&c->p, c->a, a);
	wdm_mont_in(&c->p, c->b, b);
}

bool wdm_curve_point(struct wdm_curve *c, struct wdm_point *r, const u64 *x, const u64 *y)
{
	u64 *left = c->t[0], *right = c->t[1];
	u32 nr = c->p.nr;

	if (wdm_num_cmp(x, c->p.m, nr) >= 0 || wdm_num_cmp(y, c->p.m, nr) >= 0)
		return false;
	wdm_mont_in(&c->p, r->x, x);
	wdm_mont_in(&c->p, r->y, y);
	wdm_num_copy(r->z, c->p.one, nr);
	mul(c, left, r->y, r->y);
	mul(c, right, r->x, r->x);
	add(c, right, right, c->a);
	mul(c, right, right, r->x);
	add(c, right, right, c->b);
	return !wdm_num_cmp(left, right, nr);
}

/* 1 / z, in Montgomery form */
static bool inverse(struct wdm_curve *c, u64 *r, const u64 *z)
{
	wdm_mont_out(&c->p, r, z);
	if (!wdm_num_inverse(r, r, c->p.m, c->p.nr, c->t[2]))
		return false;
	wdm_mont_in(&c->p, r, r);
	return true;
}

bool wdm_curve_affine(struct wdm_curve *c, u64 *x, u64 *y, const struct wdm_point *p)
{
	u64 *z = c->t[0], *zz = c->t[1];

	if (!inverse(c, z, p->z))
		return false;
	mul(c, zz, z, z);
	mul(c, x, p->x, zz);
	wdm_mont_out(&c->p, x, x);
	if (!y)
		return true;
	mul(c, zz, zz, z);
	mul(c, y, p->y, zz);
	wdm_mont_out(&c->p, y, y);
	return true;
}

/* With z = 0, z remains 0; with y = 0, z becomes 0. */
static void point_double(struct wdm_curve *c, struct wdm_point *p)
{
	u64 *s = c->t[0], *m = c->t[1], *yy = c->t[2], *zz = c->t[3];

	mul(c, zz, p->z, p->z);
	mul(c, zz, zz, zz);
	mul(c, zz, zz, c->a);
	mul(c, m, p->x, p->x);
	add(c, zz, zz, m);
	add(c, m, m, m);
	add(c, m, m, zz);
	mul(c, p->z, p->z, p->y);
	add(c, p->z, p->z, p->z);
	mul(c, yy, p->y, p->y);
	add(c, yy, yy, yy);
	mul(c, s, p->x, yy);
	add(c, s, s, s);
	mul(c, p->x, m, m);
	sub(c, p->x, p->x, s);
	sub(c, p->x, p->x, s);
	sub(c, s, s, p->x);
	mul(c, p->y, m, s);
	mul(c, yy, yy, yy);
	add(c, yy, yy, yy);
	sub(c, p->y, p->y, yy);
}

static void point_add(struct wdm_curve *c, struct wdm_point *p, const struct wdm_point *q)
{
	u64 *zz1 = c->t[0], *zz2 = c->t[1], *u1 = c->t[2], *h = c->t[3], *s1 = c->t[4], *r = c->t[5], *hh = c->t[6];
	u32 nr = c->p.nr;

	if (wdm_num_is(q->z, 0, nr))
		return;
	if (wdm_num_is(p->z, 0, nr)) {
		*p = *q;
		return;
	}
	mul(c, zz1, p->z, p->z);
	mul(c, zz2, q->z, q->z);
	mul(c, u1, p->x, zz2);
	mul(c, h, q->x, zz1);
	sub(c, h, h, u1);
	mul(c, s1, p->y, q->z);
	mul(c, s1, s1, zz2);
	mul(c, r, q->y, p->z);
	mul(c, r, r, zz1);
	sub(c, r, r, s1);
	if (wdm_num_is(h, 0, nr) && wdm_num_is(r, 0, nr)) {
		point_double(c, p);
		return;
	}
	/* For opposite points h is 0, so z becomes 0. */
	mul(c, p->z, p->z, q->z);
	mul(c, p->z, p->z, h);
	mul(c, hh, h, h);
	mul(c, u1, u1, hh);
	mul(c, hh, hh, h);
	mul(c, p->x, r, r);
	sub(c, p->x, p->x, hh);
	sub(c, p->x, p->x, u1);
	sub(c, p->x, p->x, u1);
	sub(c, u1, u1, p->x);
	mul(c, p->y, r, u1);
	mul(c, s1, s1, hh);
	sub(c, p->y, p->y, s1);
}

static bool aborted(const struct wdm_curve *c)
{
	wdm_relax();
	return wdm_load(c->abort);
}

void wdm_curve_mul(struct wdm_curve *c, struct wdm_point *r, const u64 *k, const struct wdm_point *p, const u64 *l,
		   const struct wdm_point *q)
{
	u32 nr = c->p.nr, bit = wdm_num_bits(k, nr);
	bool in_k, in_l;

	if (q) {
		if (wdm_num_bits(l, nr) > bit)
			bit = wdm_num_bits(l, nr);
		c->sum = *p;
		point_add(c, &c->sum, q);
	}
	memset(r, 0, sizeof(*r));
	while (bit-- && !aborted(c)) {
		point_double(c, r);
		in_k = wdm_num_bit(k, bit);
		in_l = q && wdm_num_bit(l, bit);
		if (in_k || in_l)
			point_add(c, r, in_k && in_l ? &c->sum : in_k ? p : q);
	}
}

/*
 * The pairs (x2, z2) and (x3, z3) of RFC 7748 are n and n + 1 times the point, where n is the
 * number of the bits processed so far.
 */
bool wdm_curve_ladder(struct wdm_curve *c, u64 *r, const u64 *k, const u64 *u, const u64 *a24)
{
	u64 *x1 = c->t[0], *a = c->t[1], *aa = c->t[2], *b = c->t[3], *bb = c->t[4], *e = c->t[5], *da = c->t[6],
	    *m24 = c->t[7];
	u64 *x2 = c->sum.x, *z2 = c->sum.y, *x3 = c->sum.z, *z3 = c->b, *swap;
	u32 nr = c->p.nr, bit = wdm_num_bits(k, nr);

	wdm_mont_in(&c->p, x1, u);
	wdm_mont_in(&c->p, m24, a24);
	wdm_num_copy(x2, c->p.one, nr);
	wdm_num_set(z2, 0, nr);
	wdm_num_copy(x3, x1, nr);
	wdm_num_copy(z3, c->p.one, nr);
	while (bit-- && !aborted(c)) {
		bool one = wdm_num_bit(k, bit);

		if (one) {
			swap = x2, x2 = x3, x3 = swap;
			swap = z2, z2 = z3, z3 = swap;
		}
		add(c, a, x2, z2);
		sub(c, b, x2, z2);
		add(c, e, x3, z3);
		sub(c, da, x3, z3);
		mul(c, da, da, a);
		mul(c, e, e, b);
		add(c, x3, da, e);
		mul(c, x3, x3, x3);
		sub(c, z3, da, e);
		mul(c, z3, z3, z3);
		mul(c, z3, z3, x1);
		mul(c, aa, a, a);
		mul(c, bb, b, b);
		mul(c, x2, aa, bb);
		sub(c, e, aa, bb);
		mul(c, z2, m24, e);
		add(c, z2, z2, aa);
		mul(c, z2, z2, e);
		if (one) {
			swap = x2, x2 = x3, x3 = swap;
			swap = z2, z2 = z3, z3 = swap;
		}
	}
	/* inverse() uses temporaries of t from the third on, so a is preserved. */
	if (!inverse(c, a, z2))
		return false;
	mul(c, a, a, x2);
	wdm_mont_out(&c->p, r, a);
	return true;
}
