// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on this CPU: points and scalars. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/rand.h>

#include "curve.h"

/* --- what one computation uses --- */

static void work_free(struct soft_work *w)
{
	if (!w)
		return;
	EC_POINT_clear_free(w->out);
	EC_POINT_free(w->in);
	BN_free(w->x);
	BN_free(w->y);
	BN_clear_free(w->k);
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
	w->k = BN_secure_new();
	if (w->bn && w->in && w->out && w->x && w->y && w->k)
		return w;
	work_free(w);
	return NULL;
}

static inline struct soft_work *work_take(struct soft_ecc *e)
{
	struct soft_work *w = soft_spare_get(&e->work);

	return w ? w : work_make(e->group);
}

struct soft_work *soft_work_get(struct soft_ecc *e)
{
	struct soft_work *w = work_take(e);

	if (w)
		BN_CTX_start(w->bn);
	return w;
}

static inline void work_give(struct soft_ecc *e, struct soft_work *w)
{
	if (!soft_spare_put(&e->work, w))
		work_free(w);
}

void soft_work_put(struct soft_ecc *e, struct soft_work *w)
{
	/* A secret may be left in it: of a point that nobody knows better the generator is as good as zeroes. */
	if (w->secret)
		EC_POINT_copy(w->out, EC_GROUP_get0_generator(e->group));
	w->secret = false;
	BN_CTX_end(w->bn);
	work_give(e, w);
}

/* --- curves --- */

/* NULL: this libcrypto doesn't have it, which is no error of the program's. */
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

/* A generator of prime order on a curve that isn't singular, and nothing beside what it generates. */
static bool is_curve(const struct ecc_sess *s, const EC_GROUP *group, const BIGNUM *p, const BIGNUM *n, BN_CTX *ctx)
{
	BIGNUM *h = BN_CTX_get(ctx);

	return h && BN_cmp(p, n) && BN_num_bytes(n) == (int)s->w && BN_check_prime(p, ctx, NULL) > 0 && BN_check_prime(n, ctx, NULL) > 0 &&
	       EC_GROUP_get_cofactor(group, h, ctx) && BN_is_one(h) && EC_GROUP_check(group, ctx) > 0;
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

/* It signs on SM2's curve as SM2 only, also when that comes by value. */
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

int soft_ecc_on_curve(struct ecc_sess *s, const __u8 *x, const __u8 *y)
{
	struct soft_work *w = work_take(s->soft);
	bool good;

	if (!w)
		return -ENOMEM;
	ERR_set_mark();
	good = soft_work_in(s, w, x, y);
	ERR_pop_to_mark();
	work_give(s->soft, w);
	return good ? 0 : -EINVAL;
}

bool soft_ecc_is_point(struct ecc_sess *s, const __u8 *point)
{
	struct soft_work *w = work_take(s->soft);
	bool good;

	if (!w)
		return false;
	ERR_set_mark();
	good = EC_POINT_oct2point(s->soft->group, w->in, point, 1 + 2 * (size_t)s->w, w->bn);
	ERR_pop_to_mark();
	work_give(s->soft, w);
	return good;
}

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
	bool good = y && EC_POINT_get_affine_coordinates(s->soft->group, w->out, x, y, w->bn) && soft_bn_put(x, point, s->w) &&
		    soft_bn_put(y, point + s->w, s->w);

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

/* --- scalars --- */

bool soft_ecc_random(const struct ecc_sess *s, __u8 *d)
{
	do {
		if (RAND_priv_bytes(d, (int)s->w) <= 0)
			return false;
		/* n may begin far below the top of its first byte. */
		if (!ecc_is_montgomery(s) && s->n_bits % 8)
			d[0] &= (__u8)((1u << s->n_bits % 8) - 1);
	} while (!ecc_scalar_in_range(s, d, true));
	return true;
}

bool soft_ecc_nonce(const struct ecc_sess *s, const void *digest, size_t len, __u8 *k)
{
	const BIGNUM *n = EC_GROUP_get0_order(s->soft->group);
	struct soft_work *w = work_take(s->soft);
	bool good;

	if (!w)
		return false;
	do {
		good = BN_generate_dsa_nonce(w->k, n, s->key->soft->d, digest, len, w->bn);
	} while (__builtin_expect(good && BN_is_zero(w->k), 0));
	good = good && soft_bn_put(w->k, k, s->w);
	BN_clear(w->k);
	work_give(s->soft, w);
	return good;
}

/* --- requests --- */

static int montgomery(struct ecc_sess *s, struct pubkey_msg *c, const __u8 *d, __u8 *point)
{
	if (c->op == WD_ECC_AGREE)
		return soft_xdh_agree(s, c->extra ? NULL : s->key, d, c->src, point);
	return soft_xdh_public(s, d, point);
}

static int make_or_agree(struct ecc_sess *s, struct pubkey_msg *c)
{
	const __u8 *peer = c->op == WD_ECC_AGREE ? c->src : NULL;
	__u8 d[ECC_BYTES_MAX], point[2 * ECC_BYTES_MAX];
	int ret;

	if (c->op == WD_ECC_KEYGEN && !soft_ecc_random(s, d)) {
		c->why = "libcrypto has no random numbers";
		return -EIO;
	}
	if (c->op != WD_ECC_KEYGEN)
		ecc_private(s, c, d);
	ret = ecc_is_montgomery(s) ? montgomery(s, c, d, point) : soft_ecc_multiply(s, d, peer, point);
	if (ret == -EINVAL)
		c->why = "x, y is not a point of the curve";
	if (!ret)
		memcpy(c->dst, point, c->op == WD_ECC_AGREE ? s->w : ecc_point_bytes(s));
	if (!ret && c->op == WD_ECC_KEYGEN)
		memcpy(c->dst + ecc_point_bytes(s), d, s->w);
	explicit_bzero(d, sizeof(d));
	explicit_bzero(point, sizeof(point));
	return ret;
}

static int compute(struct ecc_sess *s, struct pubkey_msg *c)
{
	switch (c->op) {
	case WD_ECC_SIGN:
		return soft_ecc_sign(s, c);
	case WD_ECC_VERIFY:
		return soft_ecc_verify(s, c);
	case WD_ECC_ENCRYPT:
		return soft_sm2_encrypt(s, c);
	case WD_ECC_DECRYPT:
		return soft_sm2_decrypt(s, c);
	}
	return make_or_agree(s, c);
}

static int ecc_exec(struct wd_msg *m)
{
	struct pubkey_msg *c = to_pubkey_msg(m);

	m->path = WD_PATH_SOFT;
	m->status = -EFAULT;
	if (!pubkey_mapped(c))
		return m->status;
	/* libcrypto's queue of errors is the caller's: what is refused here is no error of the caller's. */
	ERR_set_mark();
	m->status = compute(to_ecc_sess(m->sess), c);
	ERR_pop_to_mark();
	return m->status;
}

const struct wd_driver soft_ecc_driver = {
	.name = "soft",
	.exec = ecc_exec,
};
