// SPDX-License-Identifier: Apache-2.0
/* A curve as libcrypto sees it: its objects, and products of points. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/err.h>
#include <openssl/objects.h>

#include "curve.h"

/* --- the memory of one computation --- */

static void work_free(struct soft_work *w)
{
	if (!w)
		return;
	EC_POINT_clear_free(w->out);
	EC_POINT_free(w->in);
	BN_free(w->x);
	BN_free(w->y);
	BN_CTX_free(w->bn);
	free(w);
}

static struct soft_work *work_make(const EC_GROUP *group)
{
	struct soft_work *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->bn = BN_CTX_secure_new();
	w->in = EC_POINT_new(group);
	w->out = EC_POINT_new(group);
	w->x = BN_new();
	w->y = BN_new();
	if (w->bn && w->in && w->out && w->x && w->y)
		return w;
	work_free(w);
	return NULL;
}

struct soft_work *soft_work_get(struct soft_ecc *e)
{
	struct soft_work *w = soft_spare_get(&e->work);

	if (!w)
		w = work_make(e->group);
	if (w)
		BN_CTX_start(w->bn);
	return w;
}

void soft_work_put(struct soft_ecc *e, struct soft_work *w)
{
	/* A secret point is overwritten with the generator, which is as good as zeroes. */
	if (w->secret)
		EC_POINT_copy(w->out, EC_GROUP_get0_generator(e->group));
	w->secret = false;
	BN_CTX_end(w->bn);
	if (!soft_spare_put(&e->work, w))
		work_free(w);
}

/* --- curves --- */

/* NULL: this libcrypto doesn't have the curve, which is no error of the program. */
static EC_GROUP *group_by_name(int nid)
{
	EC_GROUP *group;

	ERR_set_mark();
	group = EC_GROUP_new_by_curve_name(nid);
	ERR_pop_to_mark();
	return group;
}

int soft_ecc_curve(struct ecc_sess *s)
{
	EC_GROUP *group = group_by_name(s->nid);
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *v[ECC_PARTS];
	bool good = group && ctx;
	unsigned int i;

	if (ctx)
		BN_CTX_start(ctx);
	for (i = 0; good && i < ECC_PARTS; i++) {
		v[i] = BN_CTX_get(ctx);
		good = v[i];
	}
	good = good && EC_GROUP_get_curve(group, v[ECC_P], v[ECC_A], v[ECC_B], ctx) &&
	       EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), v[ECC_GX], v[ECC_GY], ctx) &&
	       EC_GROUP_get_order(group, v[ECC_N], ctx);
	if (good)
		s->w = (__u32)BN_num_bytes(v[ECC_P]);
	for (i = 0; good && i < ECC_PARTS; i++)
		good = soft_bn_put(v[i], s->part[i], s->w);
	if (ctx)
		BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	EC_GROUP_free(group);
	return good ? 0 : -EOPNOTSUPP;
}

/* Whether the curve isn't singular, and its generator has prime order and generates all points. */
static bool is_curve(const struct ecc_sess *s, const EC_GROUP *group, const BIGNUM *p, const BIGNUM *n, BN_CTX *ctx)
{
	BIGNUM *h = BN_CTX_get(ctx);

	return h && BN_cmp(p, n) && BN_num_bytes(n) == (int)s->w && BN_check_prime(p, ctx, NULL) > 0 &&
	       BN_check_prime(n, ctx, NULL) > 0 && EC_GROUP_get_cofactor(group, h, ctx) && BN_is_one(h) &&
	       EC_GROUP_check(group, ctx) > 0;
}

static EC_GROUP *group_by_value(const struct ecc_sess *s, BN_CTX *ctx)
{
	EC_GROUP *group = NULL;
	BIGNUM *v[ECC_PARTS];
	EC_POINT *g = NULL;
	unsigned int i;
	bool good = true;

	for (i = 0; good && i < ECC_PARTS; i++) {
		v[i] = BN_CTX_get(ctx);
		good = v[i] && BN_bin2bn(s->part[i], (int)s->w, v[i]);
	}
	if (good)
		group = EC_GROUP_new_curve_GFp(v[ECC_P], v[ECC_A], v[ECC_B], ctx);
	if (group)
		g = EC_POINT_new(group);
	good = g && EC_POINT_set_affine_coordinates(group, g, v[ECC_GX], v[ECC_GY], ctx) &&
	       EC_GROUP_set_generator(group, g, v[ECC_N], NULL) && is_curve(s, group, v[ECC_P], v[ECC_N], ctx);
	EC_POINT_free(g);
	if (good)
		return group;
	EC_GROUP_free(group);
	return NULL;
}

/* On SM2's curve libcrypto makes no ECDSA signatures, even if the curve comes by value. */
static bool has_signatures(const struct ecc_sess *s, const EC_GROUP *group, BN_CTX *ctx)
{
	return s->alg != WD_ECC_ECDSA || EC_GROUP_check_named_curve(group, 0, ctx) != NID_sm2;
}

int soft_ecc_make(struct ecc_sess *s)
{
	struct soft_ecc *e = calloc(1, sizeof(*e));
	BN_CTX *ctx = BN_CTX_new();
	int ret = -ENOMEM;

	s->soft = e;
	if (e && ctx) {
		BN_CTX_start(ctx);
		ERR_set_mark();
		e->group = s->nid ? EC_GROUP_new_by_curve_name(s->nid) : group_by_value(s, ctx);
		ret = !e->group ? s->nid ? -ENOMEM : -EINVAL : has_signatures(s, e->group, ctx) ? 0 : -EOPNOTSUPP;
		ERR_pop_to_mark();
		BN_CTX_end(ctx);
	}
	BN_CTX_free(ctx);
	return ret;
}

void soft_ecc_free(struct soft_ecc *e)
{
	unsigned int i;

	if (!e)
		return;
	for (i = 0; i < SOFT_SPARE_NR; i++)
		work_free(e->work.at[i]);
	EC_GROUP_free(e->group);
	free(e);
}

/* --- points --- */

int soft_work_multiply(struct ecc_sess *s, struct soft_work *w, const BIGNUM *d, const __u8 *point)
{
	if (!d)
		return -ENOMEM;
	w->secret = true;
	if (!point)
		return EC_POINT_mul(s->soft->group, w->out, d, NULL, NULL, w->bn) ? 0 : -ENOMEM;
	if (!soft_work_in(s, w, point, point + s->w))
		return -EINVAL;
	if (!EC_POINT_mul(s->soft->group, w->out, NULL, w->in, d, w->bn))
		return -ENOMEM;
	return EC_POINT_is_at_infinity(s->soft->group, w->out) ? -EINVAL : 0;
}

bool soft_work_point(struct ecc_sess *s, struct soft_work *w, __u8 *point)
{
	BIGNUM *x = BN_CTX_get(w->bn), *y = BN_CTX_get(w->bn);
	bool good = y && EC_POINT_get_affine_coordinates(s->soft->group, w->out, x, y, w->bn) &&
		    soft_bn_put(x, point, s->w) && soft_bn_put(y, point + s->w, s->w);

	if (y) {
		BN_clear(x);
		BN_clear(y);
	}
	return good;
}

int soft_ecc_multiply(struct ecc_sess *s, const __u8 *d, const __u8 *point, __u8 *out)
{
	struct soft_work *w = soft_work_get(s->soft);
	BIGNUM *bn;
	int ret;

	if (!w)
		return -ENOMEM;
	bn = soft_bn_get(w->bn, d, s->w);
	ret = soft_work_multiply(s, w, bn, point);
	if (!ret && !soft_work_point(s, w, out))
		ret = -ENOMEM;
	if (bn)
		BN_clear(bn);
	soft_work_put(s->soft, w);
	return ret;
}
