// SPDX-License-Identifier: Apache-2.0
/*
 * Generation. A device generates keys of curves, the default provider all others, and parameters. The default provider
 * sees all settings in any case, and refuses invalid ones.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

#include "core/settings.h"
#include "device/device.h"
#include "key.h"
#include "keygen.h"

struct gen {
	struct wdp_provider *prov;
	const struct wdp_family *family;
	int selection;
	EVP_PKEY_CTX *ctx;		/* the default provider's */
	OSSL_PARAM *settings;		/* all that were made, for the context that a template brings */
	const struct wdp_curve *curve;	/* what a device makes a key of, or NULL */
	bool special;			/* the settings are more than a curve's name */
	OSSL_CALLBACK *cb;
	void *arg;
};

static bool is_keypair(const struct gen *gen)
{
	return (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR;
}

static bool ctx_init(struct gen *gen, EVP_PKEY_CTX *ctx)
{
	int ok;

	if (!ctx)
		return false;
	ok = is_keypair(gen) ? EVP_PKEY_keygen_init(ctx) : EVP_PKEY_paramgen_init(ctx);
	if (ok <= 0) {
		EVP_PKEY_CTX_free(ctx);
		return false;
	}
	EVP_PKEY_CTX_free(gen->ctx);
	gen->ctx = ctx;
	return true;
}

/* A device makes a key of a named curve, with no other setting. X25519 and X448 have a name for their group, too. */
static void choose_curve(struct gen *gen, const OSSL_PARAM params[])
{
	const OSSL_PARAM *p;
	char name[64], *at = name;

	for (p = params; p->key; p++) {
		if (strcmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME))
			gen->special = true;
		else if (gen->family->domain_param)
			gen->curve = OSSL_PARAM_get_utf8_string(p, &at, sizeof(name)) ? wdp_curve_find(name) : NULL;
	}
	if (gen->curve && !(gen->family->algs & WDP_BIT(gen->curve->bit)))
		gen->curve = NULL;
}

int wdp_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
	struct gen *gen = genctx;

	if (!params || !params->key)
		return 1;
	if (EVP_PKEY_CTX_set_params(gen->ctx, params) <= 0 || !wdp_settings_add(&gen->settings, params))
		return 0;
	choose_curve(gen, params);
	return 1;
}

void *wdp_gen_init(void *provctx, const struct wdp_family *family, int selection, const OSSL_PARAM params[])
{
	struct wdp_provider *prov = provctx;
	struct gen *gen = calloc(1, sizeof(*gen));

	if (!gen)
		return NULL;
	gen->prov = prov;
	gen->family = family;
	gen->selection = selection;
	/* X25519, X448 and SM2 are types and curves. */
	gen->curve = wdp_curve_find(family->name);
	if (ctx_init(gen, EVP_PKEY_CTX_new_from_name(prov->default_provider.libctx, family->name, NULL)) &&
	    wdp_gen_set_params(gen, params))
		return gen;
	wdp_gen_cleanup(gen);
	return NULL;
}

/* A curve's parameters say how it is written, too: by its name and with whole points, if nothing else was set. */
static bool written_as(EVP_PKEY *pkey, const char *name, const char *usual)
{
	char text[32];
	size_t len;

	return EVP_PKEY_get_utf8_string_param(pkey, name, text, sizeof(text), &len) && !strcmp(text, usual);
}

static bool written_usually(const struct gen *gen, EVP_PKEY *pkey)
{
	bool usual;

	wdp_errors_mark(&gen->prov->core);
	usual = written_as(pkey, OSSL_PKEY_PARAM_EC_ENCODING, OSSL_PKEY_EC_ENCODING_GROUP) &&
		written_as(pkey, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
			   OSSL_PKEY_EC_POINT_CONVERSION_FORMAT_UNCOMPRESSED);
	wdp_errors_drop(&gen->prov->core);
	return usual;
}

int wdp_gen_set_template(void *genctx, void *template)
{
	struct wdp_key *key = template;
	struct gen *gen = genctx;

	if (!key->pkey ||
	    !ctx_init(gen, EVP_PKEY_CTX_new_from_pkey(gen->prov->default_provider.libctx, key->pkey, NULL)))
		return 0;
	gen->curve = key->curve;
	gen->special = gen->special || (gen->family->domain_param && !written_usually(gen, key->pkey));
	return !gen->settings || EVP_PKEY_CTX_set_params(gen->ctx, gen->settings) > 0;
}

/* X25519 and X448 have strings instead. */
static bool is_point(const struct wdp_curve *curve)
{
	return curve->alg == WD_ECC_ECDH || curve->alg == WD_ECC_SM2;
}

/* A curve's point is written as libcrypto writes points, a string as it is. */
static OSSL_PARAM *data_of(const struct wdp_curve *curve, unsigned char *point, size_t len, const unsigned char *secret,
			   BIGNUM **d)
{
	OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;
	bool ok = bld;

	*d = NULL;
	if (is_point(curve)) {
		*d = BN_secure_new();
		ok = ok && *d && BN_bin2bn(secret, curve->bytes, *d) &&
		     OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_GROUP_NAME, curve->name, 0) &&
		     OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_PRIV_KEY, *d);
	} else {
		ok = ok && OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PRIV_KEY, secret, curve->bytes);
	}
	if (ok && OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PUB_KEY, point, len))
		params = OSSL_PARAM_BLD_to_param(bld);
	OSSL_PARAM_BLD_free(bld);
	return params;
}

static EVP_PKEY *pkey_of(struct gen *gen, unsigned char *point, size_t len, const unsigned char *secret)
{
	EVP_PKEY *pkey = NULL;
	BIGNUM *d;
	OSSL_PARAM *params = data_of(gen->curve, point, len, secret, &d);

	if (params)
		pkey = wdp_pkey_from_data(gen->prov, gen->family, EVP_PKEY_KEYPAIR, params);
	BN_clear_free(d);
	OSSL_PARAM_free(params);
	return pkey;
}

/* With check_results = all: whether the public value belongs to the secret. */
static bool belongs(const struct gen *gen, EVP_PKEY *pkey, const unsigned char *secret)
{
	OSSL_LIB_CTX *libctx = gen->prov->default_provider.libctx;
	EVP_PKEY_CTX *ctx;
	EVP_PKEY *same;
	bool ok;

	if (is_point(gen->curve)) {
		ctx = EVP_PKEY_CTX_new_from_pkey(libctx, pkey, NULL);
		ok = ctx && EVP_PKEY_pairwise_check(ctx) > 0;
		EVP_PKEY_CTX_free(ctx);
		return ok;
	}
	same = EVP_PKEY_new_raw_private_key_ex(libctx, gen->family->name, NULL, secret, gen->curve->bytes);
	ok = same && EVP_PKEY_eq(same, pkey) > 0;
	EVP_PKEY_free(same);
	return ok;
}

/* libcrypto refuses a point that isn't the curve's. libssl would take its error for one of the connection. */
static EVP_PKEY *checked_pkey_of(struct gen *gen, unsigned char *point, size_t len, const unsigned char *secret)
{
	EVP_PKEY *pkey;

	wdp_errors_mark(&gen->prov->core);
	pkey = pkey_of(gen, point, len, secret);
	if (pkey && gen->prov->config.check == WDP_CHECK_ALL && !belongs(gen, pkey, secret)) {
		EVP_PKEY_free(pkey);
		pkey = NULL;
	}
	wdp_errors_drop(&gen->prov->core);
	return pkey;
}

/* A point of a curve has the byte in front that says it isn't compressed. */
static enum wdp_outcome gen_on_device(struct gen *gen, EVP_PKEY **pkey)
{
	const struct wdp_curve *curve = gen->curve;
	struct wdp_target to = wdp_curve_target(gen->prov, curve);
	unsigned char out[1 + WDP_POINT_MAX + WDP_NUMBER_MAX];
	size_t point = is_point(curve) ? 2u * curve->bytes : curve->bytes;
	struct wdp_call call = { .op = WD_ECC_KEYGEN, .dst = out + 1, .dst_len = point + curve->bytes };
	enum wdp_outcome outcome;
	unsigned int path;

	out[0] = POINT_CONVERSION_UNCOMPRESSED;
	outcome = wdp_device_do(&to, &call, &path);
	if (outcome == WDP_DONE) {
		*pkey = is_point(curve) ? checked_pkey_of(gen, out, point + 1, out + 1 + point) :
						    checked_pkey_of(gen, out + 1, point, out + 1 + point);
		if (!*pkey)
			outcome = wdp_device_wrong(gen->prov, "ecc", "a device's key pair is wrong");
	}
	OPENSSL_cleanse(out, sizeof(out));
	return outcome;
}

/* libcrypto calls this one with the default provider's context; the caller of gen() gets the same. */
static int progress(EVP_PKEY_CTX *ctx)
{
	struct gen *gen = EVP_PKEY_CTX_get_app_data(ctx);
	int potential = EVP_PKEY_CTX_get_keygen_info(ctx, 0), iteration = EVP_PKEY_CTX_get_keygen_info(ctx, 1);
	OSSL_PARAM params[] = {
		OSSL_PARAM_int(OSSL_GEN_PARAM_POTENTIAL, &potential),
		OSSL_PARAM_int(OSSL_GEN_PARAM_ITERATION, &iteration),
		OSSL_PARAM_END,
	};

	return gen->cb(params, gen->arg);
}

static EVP_PKEY *gen_by_default(struct gen *gen)
{
	EVP_PKEY *pkey = NULL;

	if (gen->cb) {
		EVP_PKEY_CTX_set_app_data(gen->ctx, gen);
		EVP_PKEY_CTX_set_cb(gen->ctx, progress);
	}
	if (EVP_PKEY_generate(gen->ctx, &pkey) <= 0)
		return NULL;
	if (is_keypair(gen))
		wdp_count(gen->prov, WDP_COUNT_SOFT);
	return pkey;
}

void *wdp_gen(void *genctx, OSSL_CALLBACK *cb, void *arg)
{
	struct gen *gen = genctx;
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	EVP_PKEY *pkey = NULL;
	struct wdp_key *key = wdp_key_new(gen->prov, gen->family);

	if (!key)
		return NULL;
	gen->cb = cb;
	gen->arg = arg;
	if (is_keypair(gen) && gen->curve && !gen->special && wdp_key_uses(key, gen->curve->bit))
		outcome = gen_on_device(gen, &pkey);
	if (outcome == WDP_TO_DEFAULT)
		pkey = gen_by_default(gen);
	if (!pkey) {
		wdp_key_put(key);
		return NULL;
	}
	wdp_key_take(key, pkey);
	return key;
}

void wdp_gen_cleanup(void *genctx)
{
	struct gen *gen = genctx;

	if (!gen)
		return;
	EVP_PKEY_CTX_free(gen->ctx);
	OSSL_PARAM_free(gen->settings);
	free(gen);
}
