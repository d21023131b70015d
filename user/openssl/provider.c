// SPDX-License-Identifier: Apache-2.0
/* Where libcrypto enters: initialization, what is offered, the provider's own parameters, teardown. */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "asym_cipher.h"
#include "capability.h"
#include "class.h"
#include "digest.h"
#include "encode.h"
#include "exchange.h"
#include "hmac.h"
#include "key.h"
#include "keymgmt.h"
#include "log.h"
#include "offer.h"
#include "signature.h"
#include "sm2.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* The names are the default provider's. A row is offered if devices are given one of its algorithms. */
#define RSA	(WDP_BIT(WDP_RSA) | WDP_BIT(WDP_RSA_PUBLIC))
#define ROW(op, algs, names, functions)	{ op, algs, { names, WDP_PROPERTIES, functions, NULL } }

static const struct row {
	int operation;
	unsigned int algs;
	OSSL_ALGORITHM offer;
} rows[] = {
	ROW(OSSL_OP_KEYMGMT, RSA, "RSA:rsaEncryption:1.2.840.113549.1.1.1", wdp_keymgmt_rsa),
	ROW(OSSL_OP_KEYMGMT, RSA, "RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10", wdp_keymgmt_rsa_pss),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH), "EC:id-ecPublicKey:1.2.840.10045.2.1",
	    wdp_keymgmt_ec),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_X25519), "X25519:1.3.101.110", wdp_keymgmt_x25519),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_X448), "X448:1.3.101.111", wdp_keymgmt_x448),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_DH), "DH:dhKeyAgreement:1.2.840.113549.1.3.1", wdp_keymgmt_dh),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_DH), "DHX:X9.42 DH:dhpublicnumber:1.2.840.10046.2.1", wdp_keymgmt_dhx),
	ROW(OSSL_OP_KEYMGMT, WDP_BIT(WDP_SM2), "SM2:1.2.156.10197.1.301", wdp_keymgmt_sm2),
	ROW(OSSL_OP_SIGNATURE, RSA, "RSA:rsaEncryption:1.2.840.113549.1.1.1", wdp_signature_rsa),
	ROW(OSSL_OP_SIGNATURE, WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH), "ECDSA", wdp_signature_ecdsa),
	ROW(OSSL_OP_SIGNATURE, WDP_BIT(WDP_SM2), "SM2:1.2.156.10197.1.301", wdp_signature_sm2),
	ROW(OSSL_OP_ASYM_CIPHER, RSA, "RSA:rsaEncryption:1.2.840.113549.1.1.1", wdp_cipher_rsa),
	ROW(OSSL_OP_ASYM_CIPHER, WDP_BIT(WDP_SM2), "SM2:1.2.156.10197.1.301", wdp_cipher_sm2),
	ROW(OSSL_OP_KEYEXCH, WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH), "ECDH", wdp_exchange_ecdh),
	ROW(OSSL_OP_KEYEXCH, WDP_BIT(WDP_X25519), "X25519:1.3.101.110", wdp_exchange_xdh),
	ROW(OSSL_OP_KEYEXCH, WDP_BIT(WDP_X448), "X448:1.3.101.111", wdp_exchange_xdh),
	ROW(OSSL_OP_KEYEXCH, WDP_BIT(WDP_DH), "DH:dhKeyAgreement:1.2.840.113549.1.3.1", wdp_exchange_dh),
};

static const char *const count_names[WDP_COUNTS] = {
	[WDP_COUNT_HW] = "warpdrive-requests-hw",
	[WDP_COUNT_SIM] = "warpdrive-requests-sim",
	[WDP_COUNT_SOFT] = "warpdrive-requests-soft",
	[WDP_COUNT_FALLBACKS] = "warpdrive-fallbacks",
	[WDP_COUNT_BAD] = "warpdrive-bad-results",
};

/* libcrypto asks only at initialization: a device that comes later is used with "devices = later" only. */
static unsigned int algs_of_devices(void)
{
	unsigned int alg, algs = 0;
	struct uacce_dev_list *list;

	for (alg = 0; alg < WDP_ALGS; alg++) {
		list = wd_list_accels(wdp_alg_facts[alg].accel);
		if (list)
			algs |= WDP_BIT(alg);
		wd_free_list_accels(list);
	}
	return algs;
}

static bool algs_choose(struct wdp_provider *prov)
{
	prov->algs = prov->config.algorithms;
	if (prov->config.devices == WDP_DEVICES_LATER)
		return true;
	prov->algs &= algs_of_devices();
	if (prov->algs)
		return true;
	if (prov->config.devices == WDP_DEVICES_REQUIRE) {
		ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_CONFIG_DATA,
			       "devices = require: no device offers any of the algorithms");
		return false;
	}
	wdp_log(prov, WDP_LOG_ALL, "no device offers any of the algorithms: nothing is offered");
	return true;
}

static bool offers_make(struct wdp_provider *prov)
{
	const struct row *row;

	for (row = rows; row < rows + COUNT(rows); row++)
		if (row->algs & prov->algs && !wdp_offer(prov, row->operation, &row->offer))
			return false;
	return wdp_encoders_offer(prov) && wdp_ciphers_offer(prov) && wdp_digests_offer(prov) && wdp_hmac_offer(prov);
}

static const OSSL_ALGORITHM *query_operation(void *provctx, int operation, int *no_cache)
{
	struct wdp_provider *prov = provctx;

	*no_cache = 0;
	return operation >= 0 && operation <= OSSL_OP__HIGHEST ? prov->offers[operation] : NULL;
}

static const OSSL_PARAM *gettable_params(void *provctx)
{
	static const OSSL_PARAM list[] = {
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
		OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
		OSSL_PARAM_uint64("warpdrive-requests-hw", NULL),
		OSSL_PARAM_uint64("warpdrive-requests-sim", NULL),
		OSSL_PARAM_uint64("warpdrive-requests-soft", NULL),
		OSSL_PARAM_uint64("warpdrive-fallbacks", NULL),
		OSSL_PARAM_uint64("warpdrive-bad-results", NULL),
		OSSL_PARAM_END,
	};

	(void)provctx;
	return list;
}

static bool text_set(OSSL_PARAM params[], const char *name, const char *text)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, name);

	return !p || OSSL_PARAM_set_utf8_ptr(p, text);
}

static int get_params(void *provctx, OSSL_PARAM params[])
{
	struct wdp_provider *prov = provctx;
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
	unsigned int i;

	if ((p && !OSSL_PARAM_set_int(p, 1)) || !text_set(params, OSSL_PROV_PARAM_NAME, "WarpDrive provider") ||
	    !text_set(params, OSSL_PROV_PARAM_VERSION, WD_VERSION) ||
	    !text_set(params, OSSL_PROV_PARAM_BUILDINFO, WD_VERSION))
		return 0;
	for (i = 0; i < WDP_COUNTS; i++) {
		p = OSSL_PARAM_locate(params, count_names[i]);
		if (p && !OSSL_PARAM_set_uint64(p, atomic_load(&prov->counts[i])))
			return 0;
	}
	return 1;
}

static void teardown(void *provctx)
{
	struct wdp_provider *prov = provctx;
	unsigned int i;

	for (i = 0; i < COUNT(prov->curves); i++)
		wdp_session_close(&prov->curves[i], &wdp_class_ecc);
	for (i = 0; i < COUNT(prov->groups); i++)
		wdp_session_close(&prov->groups[i], &wdp_class_dh);
	for (i = 0; i <= OSSL_OP__HIGHEST; i++)
		free(prov->offers[i]);
	wdp_ciphers_free(prov);
	wdp_digests_free(prov);
	wdp_hmac_free(prov);
	wdp_twin_unload(&prov->twin);
	free(prov);
}

static const OSSL_DISPATCH functions[] = {
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, wdp_capabilities),
	{ 0, NULL },
};

static const OSSL_DISPATCH *core_function(const OSSL_DISPATCH *in, int id)
{
	for (; in->function_id; in++)
		if (in->function_id == id)
			return in;
	return NULL;
}

/* Of another libcrypto's contexts none is ours. */
static bool is_default_context(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in)
{
	for (; in->function_id; in++)
		if (in->function_id == OSSL_FUNC_CORE_GET_LIBCTX)
			return (void *)OSSL_FUNC_core_get_libctx(in)(handle) ==
			       (void *)OSSL_LIB_CTX_get0_global_default();
	return false;
}

/*
 * OpenSSL 4 has another libcrypto than the one that this module is linked with, and then the process has both. Ours
 * must not read the configuration: it would load this module once more.
 */
static void libcrypto_prepare(const OSSL_CORE_HANDLE *handle, OSSL_FUNC_core_get_params_fn *get)
{
	char *version = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_CORE_VERSION, &version, 0), OSSL_PARAM_END
	};

	if (get(handle, params) && version && strtoul(version, NULL, 10) != OPENSSL_version_major())
		OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

/* libcrypto drops the errors of providers that its configuration file names. */
static void log_why(const struct wdp_provider *prov)
{
	const char *data = NULL;
	int flags = 0;

	ERR_peek_last_error_data(&data, &flags);
	wdp_log(prov, WDP_LOG_ERRORS, "not loaded: %s",
		flags & ERR_TXT_STRING ? data : "the configuration can't be read");
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		       void **provctx)
{
	const OSSL_DISPATCH *get_params = core_function(in, OSSL_FUNC_CORE_GET_PARAMS);
	const OSSL_DISPATCH *bio_write = core_function(in, OSSL_FUNC_BIO_WRITE_EX);
	struct wdp_provider *prov = calloc(1, sizeof(*prov));
	OSSL_FUNC_core_get_params_fn *get;

	if (!prov || !get_params)
		goto free_prov;
	get = OSSL_FUNC_core_get_params(get_params);
	prov->bio_write = bio_write ? OSSL_FUNC_BIO_write_ex(bio_write) : NULL;
	libcrypto_prepare(handle, get);
	if (!wdp_config_read(&prov->config, handle, get) || !algs_choose(prov)) {
		log_why(prov);
		goto free_prov;
	}
	/* Without algorithms no twin is needed, either. */
	if (prov->algs) {
		prov->twin.by_default = is_default_context(handle, in);
		if (!wdp_twin_load(&prov->twin))
			goto tear_down;
		wdp_keymgmt_prepare(prov);
		if (!offers_make(prov))
			goto tear_down;
	}
	*out = functions;
	*provctx = prov;
	return 1;

tear_down:
	teardown(prov);
	return 0;
free_prov:
	free(prov);
	return 0;
}
