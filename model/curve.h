/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Elliptic curves over prime fields of up to 576 bits: short Weierstrass form, and the Montgomery ladder. */
#ifndef WDM_CURVE_H
#define WDM_CURVE_H

#include "bignum.h"

#define WDM_CURVE_WORDS	9

/* Jacobian coordinates in Montgomery form: x = X / Z ^ 2, y = Y / Z ^ 3; Z is 0 at infinity. */
struct wdm_point {
	u64 x[WDM_CURVE_WORDS];
	u64 y[WDM_CURVE_WORDS];
	u64 z[WDM_CURVE_WORDS];
};

/**
 * struct wdm_curve - y ^ 2 = x ^ 3 + a * x + b
 * @p: the field
 * @a, @b: in Montgomery form
 * @abort: a value other than 0 ends a multiplication early, with a garbage result
 * @t, @sum: temporaries of an operation
 */
struct wdm_curve {
	struct wdm_mont p;
	u64 a[WDM_CURVE_WORDS];
	u64 b[WDM_CURVE_WORDS];
	const u32 *abort;
	u64 t[8][WDM_CURVE_WORDS];
	struct wdm_point sum;
};

/* @p must be odd and above 3, @a and @b below it. */
void wdm_curve_init(struct wdm_curve *c, const u64 *p, const u64 *a, const u64 *b, u32 nr, const u32 *abort);
/* Returns false if the point isn't on the curve. */
bool wdm_curve_point(struct wdm_curve *c, struct wdm_point *r, const u64 *x, const u64 *y);
/* Returns false if the point is at infinity. @y may be NULL. */
bool wdm_curve_affine(struct wdm_curve *c, u64 *x, u64 *y, const struct wdm_point *p);
/*
 * r = k * p, plus l * q if @q isn't NULL. Operands must not be @r. Scalars may have any value,
 * and are as wide as the field.
 */
void wdm_curve_mul(struct wdm_curve *c, struct wdm_point *r, const u64 *k, const struct wdm_point *p, const u64 *l,
		   const struct wdm_point *q);
/*
 * u-coordinate of k times the point with coordinate @u; only the field of @c is used. Returns
 * false if the result is at infinity.
 */
bool wdm_curve_ladder(struct wdm_curve *c, u64 *r, const u64 *k, const u64 *u, const u64 *a24);

#endif
