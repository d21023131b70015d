// SPDX-License-Identifier: Apache-2.0
/* Curves, by name and by value. */
#include <errno.h>
#include <openssl/obj_mac.h>

#include "ecc.h"

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

static int by_name(struct ecc_sess *s, int nid)
{
	s->nid = nid;
	if (soft_ecc_curve(s))
		return wd_fail_num(NULL, EOPNOTSUPP, "this libcrypto doesn't support the curve of setup->alg %u",
				   s->alg, 0);
	return soft_ecc_make(s) ? wd_fail(NULL, ENOMEM, "libcrypto can't prepare the curve") : 0;
}

static int parts_copy(struct ecc_sess *s, const struct wd_ecc_params *params)
{
	const struct wd_number *from[ECC_PARTS] = {
		&params->p, &params->a, &params->b, &params->n, &params->gx, &params->gy
	};
	static const char *const names[ECC_PARTS] = {
		"setup->params->p", "setup->params->a", "setup->params->b", "setup->params->n", "setup->params->gx",
		"setup->params->gy",
	};
	unsigned int bits, i;
	__u8 p[ECC_BYTES_MAX];
	int ret;

	ret = pubkey_number_put(NULL, names[0], from[0], p, sizeof(p));
	if (ret)
		return ret;
	bits = pubkey_bits(p, sizeof(p));
	if (bits < 112)
		return wd_fail_num(NULL, EINVAL, "setup->params->p has %u bits, not 112 to 576", bits, 0);
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

	s->w = s->alg == WD_ECC_X25519 ? ECC_X25519_BYTES : ECC_X448_BYTES;
	memset(p, 0xff, s->w);
	if (s->alg == WD_ECC_X25519) {
		p[0] = 0x7f;
		p[ECC_X25519_BYTES - 1] = 0xed;
	} else {
		p[ECC_X448_BYTES / 2 - 1] = 0xfe;
	}
}

int ecc_curve_set(struct ecc_sess *s, const struct wd_ecc_sess_setup *setup)
{
	bool own = setup->alg >= WD_ECC_SM2;
	int ret;

	s->alg = setup->alg;
	if (own && (setup->curve || setup->params))
		return wd_fail_num(NULL, EINVAL,
				   "setup->curve or params is set, but setup->alg %u has a curve of its own",
				   setup->alg, 0);
	if (setup->curve && setup->params)
		return wd_fail(NULL, EINVAL, "setup->params is set, but setup->curve is a curve by name");
	if (ecc_is_montgomery(s)) {
		montgomery(s);
		hisi_ecc_curve(s);
		return 0;
	}
	ret = own ? by_name(s, NID_sm2) : setup->curve ? by_name(s, nids[setup->curve]) : by_value(s, setup->params);
	if (ret)
		return ret;
	s->n_bits = pubkey_bits(s->part[ECC_N], s->w);
	ecc_words_set(s);
	hisi_ecc_curve(s);
	return 0;
}
