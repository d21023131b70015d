// SPDX-License-Identifier: Apache-2.0
/* Keys of elliptic curves: built from their parts, and checked. */
#include <errno.h>
#include <stdlib.h>

#include "ecc.h"

/* --- X25519, X448 --- */

static int string_copy(struct ecc_sess *s, const char *name, const struct wd_number *from, __u8 *to)
{
	if (!from->data || from->len != s->w)
		return wd_fail_all(&s->s.obj, EINVAL, "%s has %u bytes, not %u", name,
				   from->data ? from->len : 0, s->w);
	memcpy(to, from->data, s->w);
	return 0;
}

static int montgomery_copy(struct ecc_sess *s, struct ecc_key *key, const struct wd_ecc_key *from)
{
	struct wd_object *obj = &s->s.obj;
	__u8 made[ECC_BYTES_MAX];
	int ret = 0;

	if (pubkey_number_given(&from->y))
		return wd_fail(obj, EINVAL, "y is set, but X25519 and X448 have no y");
	if (pubkey_number_given(&from->x))
		ret = string_copy(s, "x", &from->x, key->point);
	if (!ret && pubkey_number_given(&from->x) && !ecc_point_in_range(s, key->point))
		ret = wd_fail(obj, EINVAL, "x is a point of small order");
	if (!ret && pubkey_number_given(&from->d)) {
		ret = string_copy(s, "d", &from->d, key->d);
		key->has_d = true;
	}
	if (ret || !key->has_d)
		return ret;
	if (soft_xdh_public(s, key->d, made))
		return wd_fail(obj, ENOMEM, "libcrypto can't compute the public key");
	if (pubkey_number_given(&from->x) && memcmp(made, key->point, s->w))
		return wd_fail(obj, EINVAL, "x is not the public key of d");
	memcpy(key->point, made, s->w);
	return 0;
}

/* --- points --- */

static int point_copy(struct ecc_sess *s, struct ecc_key *key, const struct wd_ecc_key *from)
{
	struct wd_object *obj = &s->s.obj;
	int ret = pubkey_number_put(obj, "x", &from->x, key->point, s->w);

	if (!ret)
		ret = pubkey_number_put(obj, "y", &from->y, key->point + s->w, s->w);
	if (!ret && !ecc_point_in_range(s, key->point))
		ret = wd_fail(obj, EINVAL, "x or y is not below p");
	if (ret)
		return ret;
	return ecc_is_point(s, key->point, key->point + s->w) ? 0 :
	       wd_fail(obj, EINVAL, "the public key is not a point of the curve");
}

static int private_copy(struct ecc_sess *s, struct ecc_key *key, const struct wd_number *d)
{
	int ret = pubkey_number_put(&s->s.obj, "d", d, key->d, s->w);

	if (!ret && !ecc_scalar_in_range(s, key->d, true))
		ret = wd_fail(&s->s.obj, EINVAL,
			      s->alg == WD_ECC_SM2 ? "d is not one of 1 .. n - 2" : "d is not one of 1 .. n - 1");
	key->has_d = !ret;
	return ret;
}

static int key_copy(struct ecc_sess *s, struct ecc_key *key, const struct wd_ecc_key *from)
{
	bool has_point = pubkey_number_given(&from->x) || pubkey_number_given(&from->y);
	struct wd_object *obj = &s->s.obj;
	__u8 made[2 * ECC_BYTES_MAX];
	int ret = 0;

	if (has_point)
		ret = point_copy(s, key, from);
	if (!ret && pubkey_number_given(&from->d))
		ret = private_copy(s, key, &from->d);
	if (ret || !key->has_d)
		return ret;
	if (soft_ecc_multiply(s, key->d, NULL, made))
		return wd_fail(obj, ENOMEM, "libcrypto can't compute the public key");
	if (has_point && memcmp(made, key->point, 2 * s->w))
		return wd_fail(obj, EINVAL, "x and y are not the public key of d");
	memcpy(key->point, made, 2 * s->w);
	return 0;
}

/* --- all curves --- */

static int key_fill(struct ecc_sess *s, struct ecc_key *key, const struct wd_ecc_key *from)
{
	struct wd_object *obj = &s->s.obj;
	int ret, i;

	for (i = 0; i < 4; i++)
		if (from->reserved[i])
			return wd_fail_num(obj, EINVAL, "key->reserved[%u] is not 0", i, 0);
	if (!pubkey_number_given(&from->d) && !pubkey_number_given(&from->x) && !pubkey_number_given(&from->y))
		return wd_fail(obj, EINVAL, "the key has neither d nor x");
	ret = ecc_is_montgomery(s) ? montgomery_copy(s, key, from) : key_copy(s, key, from);
	if (!ret && (soft_ecc_key_make(s, key) || ecc_nonces_make(s, key)))
		ret = wd_fail(obj, ENOMEM, "libcrypto can't prepare the key");
	if (!ret)
		hisi_ecc_key(s, key);
	return ret;
}

struct ecc_key *ecc_key_make(struct ecc_sess *s, const struct wd_ecc_key *from, int *ret)
{
	struct ecc_key *key = calloc(1, sizeof(*key));

	*ret = key ? key_fill(s, key, from) : wd_fail(&s->s.obj, ENOMEM, "no memory for a key");
	if (!*ret)
		return key;
	ecc_key_free(key);
	return NULL;
}

void ecc_key_free(struct ecc_key *key)
{
	if (!key)
		return;
	ecc_nonces_free(key->nonces);
	soft_ecc_key_free(key->soft);
	explicit_bzero(key, sizeof(*key));
	free(key);
}
