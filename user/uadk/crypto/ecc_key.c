// SPDX-License-Identifier: Apache-2.0
/* Keys and parameters of elliptic curves. */
#include <errno.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "ecc.h"

enum { BYTES_D, BYTES_X, BYTES_Y, BYTES_P, BYTES_A, BYTES_B, BYTES_N, BYTES_GX, BYTES_GY };

void ecc_reverse(__u8 *to, const __u8 *from, __u32 w)
{
	for (__u32 i = 0; i < w; i++)
		to[i] = from[w - 1 - i];
}

static int curve_nid(const struct ecc_sess *s)
{
	if (s->alg == OWN_ECC_SM2)
		return NID_sm2;
	switch (s->curve) {
	case OWN_ECC_SECP128R1:
		return NID_secp128r1;
	case OWN_ECC_SECP192K1:
		return NID_secp192k1;
	case OWN_ECC_SECP224R1:
		return NID_secp224r1;
	case OWN_ECC_SECP256K1:
		return NID_secp256k1;
	case OWN_ECC_SECP384R1:
		return NID_secp384r1;
	case OWN_ECC_SECP521R1:
		return NID_secp521r1;
	case OWN_ECC_BRAINPOOL_P320R1:
		return NID_brainpoolP320r1;
	case OWN_ECC_BRAINPOOL_P384R1:
		return NID_brainpoolP384r1;
	default:
		return NID_undef;
	}
}

static void put(struct wd_dtb *to, const BIGNUM *from)
{
	to->dsize = (__u32)BN_bn2bin(from, (unsigned char *)to->data);
}

static void curve_of_libcrypto(struct wd_ecc_curve *c, int nid)
{
	EC_GROUP *group = nid == NID_undef ? NULL : EC_GROUP_new_by_curve_name(nid);
	BIGNUM *x = BN_new(), *y = BN_new(), *b = BN_new();

	if (group && x && y && b && EC_GROUP_get_curve(group, x, y, b, NULL)) {
		put(&c->p, x);
		put(&c->a, y);
		put(&c->b, b);
		put(&c->n, EC_GROUP_get0_order(group));
		if (EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), x, y, NULL)) {
			put(&c->g.x, x);
			put(&c->g.y, y);
		}
	}
	EC_GROUP_free(group);
	BN_free(x);
	BN_free(y);
	BN_free(b);
}

static void copy(struct wd_dtb *to, const struct wd_dtb *from)
{
	if (!number_given(from) || from->dsize > to->bsize)
		return;
	memcpy(to->data, from->data, from->dsize);
	to->dsize = from->dsize;
}

void ecc_key_init(struct ecc_sess *s, const struct wd_ecc_curve *given)
{
	struct wd_ecc_key *k = &s->key;
	struct wd_dtb *const numbers[] = {
		[BYTES_D] = &k->d, [BYTES_X] = &k->pub.x, [BYTES_Y] = &k->pub.y, [BYTES_P] = &k->curve.p,
		[BYTES_A] = &k->curve.a, [BYTES_B] = &k->curve.b, [BYTES_N] = &k->curve.n,
		[BYTES_GX] = &k->curve.g.x, [BYTES_GY] = &k->curve.g.y,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = (struct wd_dtb){ k->bytes[i], 0, ECC_BYTES };
	if (!given) {
		curve_of_libcrypto(&k->curve, curve_nid(s));
		return;
	}
	copy(&k->curve.p, &given->p);
	copy(&k->curve.a, &given->a);
	copy(&k->curve.b, &given->b);
	copy(&k->curve.n, &given->n);
	copy(&k->curve.g.x, &given->g.x);
	copy(&k->curve.g.y, &given->g.y);
}

/* Return: false if the number is too long. No number stays none. */
static bool string_of(struct own_number *to, __u8 *bytes, const struct wd_dtb *from, __u32 w)
{
	__u8 big[ECC_BYTES];

	if (!from->dsize)
		return true;
	if (!number_put(big, w, from))
		return false;
	ecc_reverse(bytes, big, w);
	explicit_bzero(big, sizeof(big));
	*to = (struct own_number){ bytes, w };
	return true;
}

int ecc_key_give(struct uadk_sess *sess, own_handle_t own)
{
	const struct wd_ecc_key *k = &((const struct ecc_sess *)sess)->key;
	__u8 d[ECC_BYTES], x[ECC_BYTES];
	struct own_ecc_key key = { 0 };
	int ret = -EINVAL;

	if (k->d.dsize > ECC_BYTES || k->pub.x.dsize > ECC_BYTES || k->pub.y.dsize > ECC_BYTES ||
	    (!k->d.dsize && !k->pub.x.dsize))
		return -EINVAL;
	if (!k->string) {
		if (k->d.dsize)
			key.d = number_own(&k->d);
		if (k->pub.x.dsize) {
			key.x = number_own(&k->pub.x);
			key.y = number_own(&k->pub.y);
		}
		return own_ecc_set_key(own, &key);
	}
	if (string_of(&key.d, d, &k->d, k->w) && string_of(&key.x, x, &k->pub.x, k->w))
		ret = own_ecc_set_key(own, &key);
	explicit_bzero(d, sizeof(d));
	return ret;
}

static int key_set(struct wd_dtb *to, const struct wd_dtb *from)
{
	if (!number_given(from) || from->dsize > to->bsize)
		return -WD_EINVAL;
	copy(to, from);
	return 0;
}

struct wd_ecc_key *wd_ecc_get_key(handle_t sess)
{
	return sess ? &((struct ecc_sess *)sess)->key : NULL;
}

int wd_ecc_set_prikey(struct wd_ecc_key *ecc_key, struct wd_dtb *prikey)
{
	return ecc_key ? key_set(&ecc_key->d, prikey) : -WD_EINVAL;
}

int wd_ecc_get_prikey(struct wd_ecc_key *ecc_key, struct wd_dtb **prikey)
{
	if (!ecc_key || !prikey)
		return -WD_EINVAL;
	*prikey = &ecc_key->d;
	return 0;
}

int wd_ecc_set_pubkey(struct wd_ecc_key *ecc_key, struct wd_ecc_point *pubkey)
{
	int ret;

	if (!ecc_key || !pubkey)
		return -WD_EINVAL;
	ret = key_set(&ecc_key->pub.x, &pubkey->x);
	if (!ret && !ecc_key->string)
		ret = key_set(&ecc_key->pub.y, &pubkey->y);
	return ret;
}

int wd_ecc_get_pubkey(struct wd_ecc_key *ecc_key, struct wd_ecc_point **pubkey)
{
	if (!ecc_key || !pubkey)
		return -WD_EINVAL;
	*pubkey = &ecc_key->pub;
	return 0;
}

static void curve_get(struct wd_ecc_curve *c, struct wd_dtb **p, struct wd_dtb **a, struct wd_dtb **b,
		      struct wd_dtb **n, struct wd_ecc_point **g)
{
	if (p)
		*p = &c->p;
	if (a)
		*a = &c->a;
	if (b)
		*b = &c->b;
	if (n)
		*n = &c->n;
	if (g)
		*g = &c->g;
}

void wd_ecc_get_prikey_params(struct wd_ecc_key *key, struct wd_dtb **p, struct wd_dtb **a, struct wd_dtb **b,
			      struct wd_dtb **n, struct wd_ecc_point **g, struct wd_dtb **d)
{
	if (!key)
		return;
	curve_get(&key->curve, p, a, b, n, g);
	if (d)
		*d = &key->d;
}

void wd_ecc_get_pubkey_params(struct wd_ecc_key *key, struct wd_dtb **p, struct wd_dtb **a, struct wd_dtb **b,
			      struct wd_dtb **n, struct wd_ecc_point **g, struct wd_ecc_point **pub)
{
	if (!key)
		return;
	curve_get(&key->curve, p, a, b, n, g);
	if (pub)
		*pub = &key->pub;
}
