// SPDX-License-Identifier: Apache-2.0
/* Curves, by name and by value, and which numbers are points and scalars of theirs. */
#include <errno.h>
#include <openssl/obj_mac.h>

#include "ecc.h"

#define X25519_BYTES	32
#define X448_BYTES	56

static const int nids[] = {
	[WD_ECC_SECP128R1] = NID_secp128r1,
	[WD_ECC_SECP192K1] = NID_secp192k1,
	[WD_ECC_SECP192R1] = NID_X9_62_prime192v1,
	[WD_ECC_SECP224R1] = NID_secp224r1,
	[WD_ECC_SECP256K1] = NID_secp256k1,
	[WD_ECC_SECP256R1] = NID_X9_62_prime256v1,
	[WD_ECC_SECP384R1] = NID_secp384r1,
	[WD_ECC_SECP521R1] = NID_secp521r1,
	[WD_ECC_BRAINPOOL_P256R1] = NID_brainpoolP256r1,
	[WD_ECC_BRAINPOOL_P320R1] = NID_brainpoolP320r1,
	[WD_ECC_BRAINPOOL_P384R1] = NID_brainpoolP384r1,
	[WD_ECC_BRAINPOOL_P512R1] = NID_brainpoolP512r1,
};

/* --- curves --- */

static int by_name(struct ecc_sess *s, int nid)
{
	s->nid = nid;
	if (soft_ecc_curve(s))
		return wd_fail_num(NULL, EOPNOTSUPP, "libcrypto here doesn't have the curve of setup->alg %u", s->alg, 0);
	return soft_ecc_make(s) ? wd_fail(NULL, ENOMEM, "libcrypto can't prepare the curve") : 0;
}

static int parts_copy(struct ecc_sess *s, const struct wd_ecc_params *params)
{
	const struct wd_number *from[ECC_PARTS] = { &params->p, &params->a, &params->b, &params->n, &params->gx, &params->gy };
	static const char *const names[ECC_PARTS] = {
		"setup->params->p", "setup->params->a", "setup->params->b", "setup->params->n", "setup->params->gx", "setup->params->gy",
	};
	unsigned int bits, i;
	__u8 p[ECC_BYTES_MAX];
	int ret;

	ret = pubkey_number_put(NULL, names[0], from[0], p, sizeof(p));
	if (ret)
		return ret;
	bits = pubkey_bits(p, sizeof(p));
	if (bits < 112)
		return wd_fail_num(NULL, EINVAL, "setup->params->p has %u bits: there are curves of 112 to 576", bits, 0);
	s->w = (bits + 7) / 8;
	for (i = 0; !ret && i < ECC_PARTS; i++) {
		ret = pubkey_number_put(NULL, names[i], from[i], s->part[i], s->w);
		if (!ret && i != ECC_N && i != ECC_P && !pubkey_less(s->part[i], s->part[ECC_P], s->w))
			ret = wd_fail_str(NULL, EINVAL, "%s is not below p", names[i]);
	}
	if (!ret && !(s->part[ECC_P][s->w - 1] & 1))
		ret = wd_fail(NULL, EINVAL, "setup->params->p is even");
	return ret;
}

static int by_value(struct ecc_sess *s, const struct wd_ecc_params *params)
{
	int ret = params ? parts_copy(s, params) : wd_fail(NULL, EINVAL, "setup->params is NULL");

	if (ret)
		return ret;
	ret = soft_ecc_make(s);
	if (ret)
		return wd_fail(NULL, -ret, ret == -ENOMEM ? "libcrypto can't prepare the curve" :
			       ret == -EOPNOTSUPP ? "libcrypto has no ECDSA on SM2's curve" :
			       "setup->params are no curve with a generator of prime order and a cofactor of 1");
	return 0;
}

/* p = 2^255 - 19, or 2^448 - 2^224 - 1 */
static void montgomery(struct ecc_sess *s)
{
	__u8 *p = s->part[ECC_P];

	s->w = s->alg == WD_ECC_X25519 ? X25519_BYTES : X448_BYTES;
	memset(p, 0xff, s->w);
	if (s->alg == WD_ECC_X25519) {
		p[0] = 0x7f;
		p[X25519_BYTES - 1] = 0xed;
	} else {
		p[X448_BYTES / 2 - 1] = 0xfe;
	}
}

int ecc_curve_set(struct ecc_sess *s, const struct wd_ecc_sess_setup *setup)
{
	bool own = setup->alg >= WD_ECC_SM2;
	int ret;

	s->alg = setup->alg;
	if (own && (setup->curve || setup->params))
		return wd_fail_num(NULL, EINVAL, "setup->curve or params is set, but setup->alg %u has a curve of its own", setup->alg, 0);
	if (setup->curve && setup->params)
		return wd_fail(NULL, EINVAL, "setup->params is set, but the curve is one by name");
	if (ecc_is_montgomery(s)) {
		montgomery(s);
		hisi_ecc_curve(s);
		return 0;
	}
	ret = own ? by_name(s, NID_sm2) : setup->curve ? by_name(s, nids[setup->curve]) : by_value(s, setup->params);
	if (ret)
		return ret;
	s->n_bits = pubkey_bits(s->part[ECC_N], s->w);
	hisi_ecc_curve(s);
	return 0;
}

/* --- numbers --- */

bool ecc_scalar_in_range(const struct ecc_sess *s, const __u8 *d, bool key)
{
	__u8 top[ECC_BYTES_MAX];

	if (ecc_is_montgomery(s))
		return true;
	/* n is odd. */
	memcpy(top, s->part[ECC_N], s->w);
	if (key && s->alg == WD_ECC_SM2)
		top[s->w - 1]--;
	return !pubkey_is_zero(d, s->w) & pubkey_less(d, top, s->w);
}

void ecc_u_reduce(const struct ecc_sess *s, const __u8 *string, __u8 *u)
{
	const __u8 *p = s->part[ECC_P];
	unsigned int i, borrow = 0;

	pubkey_reverse(string, u, s->w);
	if (s->alg == WD_ECC_X25519)
		u[0] &= 0x7f;
	/* What is left is below 2 p. */
	if (pubkey_is_between(u, p) || pubkey_less(u, p, s->w))
		return;
	for (i = s->w; i--; ) {
		unsigned int diff = (unsigned int)u[i] - p[i] - borrow;

		u[i] = (__u8)diff;
		borrow = diff >> 8 & 1;
	}
}

/* Of X25519's small orders: 0, 1 and p - 1 as X448's, and these, of order 8. */
static const __u8 order_8[2][X25519_BYTES] = {
	{ 0x00, 0xb8, 0x49, 0x5f, 0x16, 0x05, 0x62, 0x86, 0xfd, 0xb1, 0x32, 0x9c, 0xeb, 0x8d, 0x09, 0xda,
	  0x6a, 0xc4, 0x9f, 0xf1, 0xfa, 0xe3, 0x56, 0x16, 0xae, 0xb8, 0x41, 0x3b, 0x7c, 0x7a, 0xeb, 0xe0 },
	{ 0x57, 0x11, 0x9f, 0xd0, 0xdd, 0x4e, 0x22, 0xd8, 0x86, 0x8e, 0x1c, 0x58, 0xc4, 0x5c, 0x44, 0x04,
	  0x5b, 0xef, 0x83, 0x9c, 0x55, 0xb1, 0xd0, 0xb1, 0x24, 0x8c, 0x50, 0xa3, 0xbc, 0x95, 0x9c, 0x5f },
};

static bool u_in_range(const struct ecc_sess *s, const __u8 *string)
{
	__u8 u[ECC_BYTES_MAX], top[ECC_BYTES_MAX];

	ecc_u_reduce(s, string, u);
	memcpy(top, s->part[ECC_P], s->w);
	top[s->w - 1]--;
	if (pubkey_is_zero(u, s->w) || pubkey_is(u, s->w, 1) || !memcmp(u, top, s->w))
		return false;
	return s->alg != WD_ECC_X25519 || (memcmp(u, order_8[0], s->w) && memcmp(u, order_8[1], s->w));
}

/* All that are refused have one of these for their first word. X448 has no order 8: a u of its that begins so is looked at closer, too. */
bool ecc_u_is_plain(const struct ecc_sess *s, const __u8 *u)
{
	__u64 first = pubkey_word(u);

	return pubkey_is_between(u, s->part[ECC_P]) && first != pubkey_word(order_8[0]) && first != pubkey_word(order_8[1]);
}

bool ecc_point_in_range(const struct ecc_sess *s, const __u8 *point)
{
	if (ecc_is_montgomery(s))
		return u_in_range(s, point);
	return pubkey_less(point, s->part[ECC_P], s->w) && pubkey_less(point + s->w, s->part[ECC_P], s->w);
}
