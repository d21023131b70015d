// SPDX-License-Identifier: Apache-2.0
/* The curves of libwd by the names of libcrypto. */
#include <strings.h>
#include <wd_ecc.h>

#include "core/provider.h"
#include "curve.h"
#include "device/class.h"
#include "device/session.h"

#define EC(name, bytes, curve)		NIST(name, name, bytes, curve)
#define NIST(name, alias, bytes, curve)	{ name, alias, WD_ECC_ECDH, WDP_ECDH, bytes, curve }

static const struct wdp_curve curves[WDP_CURVES] = {
	NIST("prime256v1", "P-256", 32, WD_ECC_SECP256R1),
	NIST("secp384r1", "P-384", 48, WD_ECC_SECP384R1),
	NIST("secp521r1", "P-521", 66, WD_ECC_SECP521R1),
	EC("secp256k1", 32, WD_ECC_SECP256K1),
	NIST("secp224r1", "P-224", 28, WD_ECC_SECP224R1),
	NIST("prime192v1", "P-192", 24, WD_ECC_SECP192R1),
	EC("secp192k1", 24, WD_ECC_SECP192K1),
	EC("secp128r1", 16, WD_ECC_SECP128R1),
	EC("brainpoolP256r1", 32, WD_ECC_BRAINPOOL_P256R1),
	EC("brainpoolP320r1", 40, WD_ECC_BRAINPOOL_P320R1),
	EC("brainpoolP384r1", 48, WD_ECC_BRAINPOOL_P384R1),
	EC("brainpoolP512r1", 64, WD_ECC_BRAINPOOL_P512R1),
	{ "SM2", "SM2", WD_ECC_SM2, WDP_SM2, 32, WD_ECC_BY_VALUE },
	{ "X25519", "X25519", WD_ECC_X25519, WDP_X25519, 32, WD_ECC_BY_VALUE },
	{ "X448", "X448", WD_ECC_X448, WDP_X448, 56, WD_ECC_BY_VALUE },
};

const struct wdp_curve *wdp_curve_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < WDP_CURVES; i++)
		if (!strcasecmp(curves[i].name, name) || !strcasecmp(curves[i].alias, name))
			return &curves[i];
	return NULL;
}

static handle_t curve_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_curve *curve = to->owner;
	struct wd_ecc_sess_setup setup = {
		.curve = curve->curve, .alg = curve->alg, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};

	return wd_ecc_alloc_sess(&setup, NULL);
}

struct wdp_target wdp_curve_target(struct wdp_provider *prov, const struct wdp_curve *curve)
{
	return (struct wdp_target){
		.prov = prov, .class = &wdp_class_ecc, .session = &prov->curves[curve - curves], .make = curve_open,
		.owner = curve, .jobs_only = wdp_jobs_only(&prov->config.algorithms, curve->bit, curve->alias),
	};
}
