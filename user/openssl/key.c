// SPDX-License-Identifier: Apache-2.0
/* Keys: reference counts, and what is read from a twin when it is new. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/err.h>

#include "class.h"
#include "key.h"

const struct wdp_family wdp_families[WDP_FAMILIES] = {
	[WDP_FAM_RSA] = { "RSA", WDP_BIT(WDP_RSA) | WDP_BIT(WDP_RSA_PUBLIC), OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_E, NULL, 1, &wdp_class_rsa },
	[WDP_FAM_RSA_PSS] = { "RSA-PSS", WDP_BIT(WDP_RSA) | WDP_BIT(WDP_RSA_PUBLIC), OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_E, NULL, 1, &wdp_class_rsa },
	[WDP_FAM_EC] = { "EC", WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_PUB_X,
			 OSSL_PKEY_PARAM_EC_P, 1, &wdp_class_ecc },
	[WDP_FAM_X25519] = { "X25519", WDP_BIT(WDP_X25519), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_PUB_KEY, NULL, 0, &wdp_class_ecc },
	[WDP_FAM_X448] = { "X448", WDP_BIT(WDP_X448), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_PUB_KEY, NULL, 0, &wdp_class_ecc },
	[WDP_FAM_DH] = { "DH", WDP_BIT(WDP_DH), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_PUB_KEY, OSSL_PKEY_PARAM_FFC_P, 1, &wdp_class_dh },
	[WDP_FAM_DHX] = { "DHX", WDP_BIT(WDP_DH), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_PUB_KEY, OSSL_PKEY_PARAM_FFC_P, 1, &wdp_class_dh },
	[WDP_FAM_SM2] = { "SM2", WDP_BIT(WDP_SM2), OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_P, 1, &wdp_class_ecc },
};

struct wdp_key *wdp_key_new(struct wdp_provider *prov, const struct wdp_family *family)
{
	struct wdp_key *key = calloc(1, sizeof(*key));

	if (!key)
		return NULL;
	key->prov = prov;
	key->family = family;
	key->refs = 1;
	key->group = -1;
	return key;
}

struct wdp_key *wdp_key_get(struct wdp_key *key)
{
	atomic_fetch_add(&key->refs, 1);
	return key;
}

void wdp_key_put(struct wdp_key *key)
{
	if (!key || atomic_fetch_sub(&key->refs, 1) != 1)
		return;
	wdp_session_close(&key->session, key->family->class);
	wdp_session_close(&key->public, key->family->class);
	EVP_PKEY_free(key->pkey);
	free(key);
}

EVP_PKEY *wdp_pkey_from_data(const struct wdp_provider *prov, const struct wdp_family *family, int selection,
			     const OSSL_PARAM *params)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(prov->twin.libctx, family->name, NULL);
	EVP_PKEY *pkey = NULL;

	if (!ctx || EVP_PKEY_fromdata_init(ctx) <= 0 || EVP_PKEY_fromdata(ctx, &pkey, selection, (OSSL_PARAM *)params) <= 0) {
		EVP_PKEY_free(pkey);
		pkey = NULL;
	}
	EVP_PKEY_CTX_free(ctx);
	return pkey;
}

static bool has_number(const struct wdp_key *key, const char *name)
{
	BIGNUM *bn = NULL;
	int ok = EVP_PKEY_get_bn_param(key->pkey, name, &bn);

	BN_clear_free(bn);
	return ok;
}

static bool has_string(const struct wdp_key *key, const char *name)
{
	unsigned char text[64];
	size_t len = 0;
	int ok = EVP_PKEY_get_octet_string_param(key->pkey, name, text, sizeof(text), &len);

	OPENSSL_cleanse(text, sizeof(text));
	return ok && len;
}

static unsigned int parts_of(const struct wdp_key *key)
{
	const struct wdp_family *family = key->family;
	bool (*has)(const struct wdp_key *key, const char *name) = family->numbers ? has_number : has_string;
	unsigned int parts = OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS;

	if (has(key, family->private_part))
		parts |= OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
	if (has(key, family->public_part))
		parts |= OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
	if (!family->domain_part || has_number(key, family->domain_part))
		parts |= OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS;
	return parts;
}

static const struct wdp_curve *curve_of(const struct wdp_key *key)
{
	const struct wdp_family *family = key->family;
	const struct wdp_curve *curve;
	char name[64];

	if (family->class != &wdp_class_ecc)
		return NULL;
	if (!family->domain_part)
		return wdp_curve_find(family->name);
	if (!EVP_PKEY_get_utf8_string_param(key->pkey, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof(name), NULL))
		return NULL;
	curve = wdp_curve_find(name);
	/* A key of EC may be on the curve of SM2, but is no key of SM2. */
	return curve && family->algs & WDP_BIT(curve->bit) ? curve : NULL;
}

static const char *const group_names[] = {
	[WD_DH_MODP_1536] = "modp_1536",
	[WD_DH_MODP_2048] = "modp_2048",
	[WD_DH_MODP_3072] = "modp_3072",
	[WD_DH_MODP_4096] = "modp_4096",
	[WD_DH_FFDHE2048] = "ffdhe2048",
	[WD_DH_FFDHE3072] = "ffdhe3072",
	[WD_DH_FFDHE4096] = "ffdhe4096",
};

/* -1: no device takes it. */
static int group_of(const struct wdp_key *key)
{
	static const int sizes[] = { 768, 1024, 1536, 2048, 3072, 4096 };
	int bits;
	char name[64];
	size_t i;

	if (key->family->class != &wdp_class_dh)
		return -1;
	if (EVP_PKEY_get_utf8_string_param(key->pkey, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof(name), NULL))
		for (i = 0; i < sizeof(group_names) / sizeof(group_names[0]); i++)
			if (group_names[i] && !strcasecmp(group_names[i], name))
				return (int)i;
	bits = EVP_PKEY_get_bits(key->pkey);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] == bits)
			return WD_DH_BY_VALUE;
	return -1;
}

void wdp_key_changed(struct wdp_key *key)
{
	wdp_session_close(&key->session, key->family->class);
	wdp_session_close(&key->public, key->family->class);
	ERR_set_mark();
	key->has = parts_of(key);
	key->curve = curve_of(key);
	key->group = group_of(key);
	ERR_pop_to_mark();
}

void wdp_key_take(struct wdp_key *key, EVP_PKEY *pkey)
{
	EVP_PKEY_free(key->pkey);
	key->pkey = pkey;
	wdp_key_changed(key);
}

int wdp_key_number(const struct wdp_key *key, const char *name, unsigned char *field, size_t len)
{
	BIGNUM *bn = NULL;
	int ok;

	ERR_set_mark();
	ok = EVP_PKEY_get_bn_param(key->pkey, name, &bn) && BN_bn2binpad(bn, field, (int)len) == (int)len;
	ERR_pop_to_mark();
	BN_clear_free(bn);
	return ok;
}
