// SPDX-License-Identifier: Apache-2.0
/* Valid scalars and coordinates of a curve. */
#include "ecc.h"

bool ecc_scalar_in_range(const struct ecc_sess *s, const __u8 *d, bool key)
{
	__u8 top[ECC_BYTES_MAX];

	if (ecc_is_montgomery(s))
		return true;
	/* The subtraction needs no borrow: n is odd. */
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
	/* The remaining number is below 2 p. */
	if (pubkey_is_between(u, p) || pubkey_less(u, p, s->w))
		return;
	for (i = s->w; i--; ) {
		unsigned int diff = (unsigned int)u[i] - p[i] - borrow;

		u[i] = (__u8)diff;
		borrow = diff >> 8 & 1;
	}
}

/* X25519's points of small order: u is 0, 1 or p - 1, as with X448, or one of these, of order 8. */
static const __u8 order_8[2][ECC_X25519_BYTES] = {
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

/*
 * The first word rules out all refused values. X448 has no order 8: for a u that begins like these, the result is false
 * as well, and the full check follows.
 */
bool ecc_u_is_plain(const struct ecc_sess *s, const __u8 *u)
{
	__u64 first = pubkey_word(u);

	return pubkey_is_between(u, s->part[ECC_P]) && first != pubkey_word(order_8[0]) &&
	       first != pubkey_word(order_8[1]);
}

bool ecc_point_in_range(const struct ecc_sess *s, const __u8 *point)
{
	if (ecc_is_montgomery(s))
		return u_in_range(s, point);
	return pubkey_less(point, s->part[ECC_P], s->w) && pubkey_less(point + s->w, s->part[ECC_P], s->w);
}
