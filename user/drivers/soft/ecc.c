// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on the software path: the computation of each operation. */
#include <errno.h>
#include <openssl/err.h>

#include "curve.h"
#include "libcrypto.h"

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

	if (c->op == WD_ECC_KEYGEN && !ecc_random(s, d)) {
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
	/* libcrypto's error queue belongs to the caller: a refused request leaves nothing there. */
	ERR_set_mark();
	m->status = compute(to_ecc_sess(m->sess), c);
	ERR_pop_to_mark();
	return m->status;
}

const struct wd_driver soft_ecc_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = ecc_exec,
};
