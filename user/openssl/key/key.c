// SPDX-License-Identifier: Apache-2.0
/* Keys: reference counts, and the values that are read of the default provider's key when it is new. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#include "device/class.h"
#include "device/session.h"
#include "key.h"

#define NUMBER	OSSL_PARAM_UNSIGNED_INTEGER
#define STRING	OSSL_PARAM_OCTET_STRING
#define RSA	WDP_BIT(WDP_RSA) | WDP_BIT(WDP_RSA_PUBLIC)

const struct wdp_family wdp_families[WDP_FAMILIES] = {
	[WDP_FAM_RSA] = { "RSA", RSA, { OSSL_PKEY_PARAM_RSA_D, NUMBER }, { OSSL_PKEY_PARAM_RSA_E, NUMBER },
			  NULL, &wdp_class_rsa },
	[WDP_FAM_RSA_PSS] = { "RSA-PSS", RSA, { OSSL_PKEY_PARAM_RSA_D, NUMBER }, { OSSL_PKEY_PARAM_RSA_E, NUMBER },
			      NULL, &wdp_class_rsa },
	[WDP_FAM_EC] = { "EC", WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH), { OSSL_PKEY_PARAM_PRIV_KEY, NUMBER },
			 { OSSL_PKEY_PARAM_PUB_KEY, STRING }, OSSL_PKEY_PARAM_EC_P, &wdp_class_ecc },
	[WDP_FAM_X25519] = { "X25519", WDP_BIT(WDP_X25519), { OSSL_PKEY_PARAM_PRIV_KEY, STRING },
			     { OSSL_PKEY_PARAM_PUB_KEY, STRING }, NULL, &wdp_class_ecc },
	[WDP_FAM_X448] = { "X448", WDP_BIT(WDP_X448), { OSSL_PKEY_PARAM_PRIV_KEY, STRING },
			   { OSSL_PKEY_PARAM_PUB_KEY, STRING }, NULL, &wdp_class_ecc },
	[WDP_FAM_DH] = { "DH", WDP_BIT(WDP_DH), { OSSL_PKEY_PARAM_PRIV_KEY, NUMBER },
			 { OSSL_PKEY_PARAM_PUB_KEY, NUMBER }, OSSL_PKEY_PARAM_FFC_P, &wdp_class_dh },
	[WDP_FAM_DHX] = { "DHX", WDP_BIT(WDP_DH), { OSSL_PKEY_PARAM_PRIV_KEY, NUMBER },
			  { OSSL_PKEY_PARAM_PUB_KEY, NUMBER }, OSSL_PKEY_PARAM_FFC_P, &wdp_class_dh },
	[WDP_FAM_SM2] = { "SM2", WDP_BIT(WDP_SM2), { OSSL_PKEY_PARAM_PRIV_KEY, NUMBER },
			  { OSSL_PKEY_PARAM_PUB_KEY, STRING }, OSSL_PKEY_PARAM_EC_P, &wdp_class_ecc },
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
	OPENSSL_cleanse(key->private_value, sizeof(key->private_value));
	free(key);
}

EVP_PKEY *wdp_pkey_from_data(const struct wdp_provider *prov, const struct wdp_family *family, int selection,
			     const OSSL_PARAM *params)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(prov->default_provider.libctx, family->name, NULL);
	EVP_PKEY *pkey = NULL;

	if (!ctx || EVP_PKEY_fromdata_init(ctx) <= 0 ||
	    EVP_PKEY_fromdata(ctx, &pkey, selection, (OSSL_PARAM *)params) <= 0) {
		EVP_PKEY_free(pkey);
		pkey = NULL;
	}
	EVP_PKEY_CTX_free(ctx);
	return pkey;
}

/*
 * The values of the default provider's key, read all at once: libcrypto encodes the point of a curve's key at each
 * question about it. Of other keys only the presence is asked for.
 */
struct values {
	char group[64];
	unsigned char private[96], public[1 + 2 * 96];	/* those of curves with parameters of their own are longer */
	OSSL_PARAM params[5];
};
enum { PARAM_PRIVATE, PARAM_PUBLIC, PARAM_DOMAIN, PARAM_GROUP };

static OSSL_PARAM param_of(const struct wdp_key_param *param, bool wanted, unsigned char *to, size_t size)
{
	return (OSSL_PARAM){
		.key = param->name, .data_type = param->type,
		.data = wanted ? to : NULL, .data_size = wanted ? size : 0,
		.return_size = OSSL_PARAM_UNMODIFIED,
	};
}

static void values_read(const struct wdp_key *key, struct values *values)
{
	const struct wdp_family *family = key->family;
	bool curve = family->class == &wdp_class_ecc;
	OSSL_PARAM *p = values->params;

	p[PARAM_PRIVATE] = param_of(&family->private_param, curve, values->private, sizeof(values->private));
	p[PARAM_PUBLIC] = param_of(&family->public_param, curve, values->public, sizeof(values->public));
	p[PARAM_DOMAIN] = param_of(&(struct wdp_key_param){ family->domain_param ? family->domain_param : "", NUMBER },
				   false, NULL, 0);
	p[PARAM_GROUP] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, values->group,
							  sizeof(values->group));
	p[PARAM_GROUP + 1] = OSSL_PARAM_construct_end();
	*values->group = '\0';
	EVP_PKEY_get_params(key->pkey, p);
}

static bool there(const struct values *values, unsigned int which)
{
	return OSSL_PARAM_modified(&values->params[which]);
}

static unsigned int selection_of(const struct wdp_family *family, const struct values *values)
{
	unsigned int has = OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS;

	if (there(values, PARAM_PRIVATE))
		has |= OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
	if (there(values, PARAM_PUBLIC))
		has |= OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
	if (!family->domain_param || there(values, PARAM_DOMAIN))
		has |= OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS;
	return has;
}

static const struct wdp_curve *curve_of(const struct wdp_family *family, const struct values *values)
{
	const struct wdp_curve *curve;

	if (family->class != &wdp_class_ecc)
		return NULL;
	curve = wdp_curve_find(family->domain_param ? values->group : family->name);
	/* A key of EC may be on the curve of SM2, but is no key of SM2. */
	return curve && family->algs & WDP_BIT(curve->bit) ? curve : NULL;
}

/* A string of len bytes. */
static bool take_string(const OSSL_PARAM *p, unsigned char *to, size_t len)
{
	if (!OSSL_PARAM_modified(p) || p->return_size != len)
		return false;
	memcpy(to, p->data, len);
	return true;
}

static bool take_number(const OSSL_PARAM *p, unsigned char *to, size_t len)
{
	BIGNUM *bn = NULL;
	bool ok = OSSL_PARAM_modified(p) && OSSL_PARAM_get_BN(p, &bn) && BN_bn2binpad(bn, to, (int)len) == (int)len;

	BN_clear_free(bn);
	return ok;
}

/* The key's form may be that of compressed points. */
static bool take_point(const struct wdp_key *key, const OSSL_PARAM *p, unsigned char *to, size_t len)
{
	unsigned char point[1 + WDP_POINT_MAX];
	size_t got = 0;

	if (!OSSL_PARAM_modified(p))
		return false;
	if (take_string(p, point, 1 + len))
		got = 1 + len;
	else
		EVP_PKEY_get_octet_string_param(key->pkey, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point, sizeof(point),
						&got);
	if (got != 1 + len || point[0] != POINT_CONVERSION_UNCOMPRESSED)
		return false;
	memcpy(to, point + 1, len);
	return true;
}

/* Operands of the key's requests, in the form of libwd. */
static void operands_take(struct wdp_key *key, const struct values *values)
{
	const OSSL_PARAM *private = &values->params[PARAM_PRIVATE], *public = &values->params[PARAM_PUBLIC];
	size_t w = key->curve ? key->curve->bytes : 0;

	key->public_len = key->private_len = 0;
	if (!w)
		return;
	if (private->data_type == NUMBER ? take_number(private, key->private_value, w) :
	    take_string(private, key->private_value, w))
		key->private_len = w;
	if (!key->family->domain_param && take_string(public, key->public_value, w))
		key->public_len = w;
	else if (key->family->domain_param && take_point(key, public, key->public_value, 2 * w))
		key->public_len = 2 * w;
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
static int group_of(const struct wdp_key *key, const struct values *values)
{
	static const int sizes[] = { 768, 1024, 1536, 2048, 3072, 4096 };
	int bits;
	size_t i;

	if (key->family->class != &wdp_class_dh)
		return -1;
	for (i = 0; i < sizeof(group_names) / sizeof(group_names[0]); i++)
		if (group_names[i] && !strcasecmp(group_names[i], values->group))
			return (int)i;
	bits = EVP_PKEY_get_bits(key->pkey);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] == bits)
			return WD_DH_BY_VALUE;
	return -1;
}

void wdp_key_changed(struct wdp_key *key)
{
	struct values values;

	wdp_session_close(&key->session, key->family->class);
	wdp_session_close(&key->public, key->family->class);
	wdp_errors_mark(&key->prov->core);
	values_read(key, &values);
	key->has = selection_of(key->family, &values);
	key->curve = curve_of(key->family, &values);
	key->group = group_of(key, &values);
	operands_take(key, &values);
	wdp_errors_drop(&key->prov->core);
	OPENSSL_cleanse(&values, sizeof(values));
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

	wdp_errors_mark(&key->prov->core);
	ok = EVP_PKEY_get_bn_param(key->pkey, name, &bn) && BN_bn2binpad(bn, field, (int)len) == (int)len;
	wdp_errors_drop(&key->prov->core);
	BN_clear_free(bn);
	return ok;
}
