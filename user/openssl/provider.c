// SPDX-License-Identifier: Apache-2.0
/* The entry of the whole provider: initialization, offers, teardown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/proverr.h>

#include "core/log.h"
#include "core/offer.h"
#include "core/params.h"
#include "device/class.h"
#include "device/session.h"
#include "key/capability.h"
#include "key/encode.h"
#include "key/key.h"
#include "key/keymgmt.h"
#include "ops/asym_cipher.h"
#include "ops/cipher_offer.h"
#include "ops/digest.h"
#include "ops/exchange.h"
#include "ops/hmac.h"
#include "ops/signature.h"
#include "ops/sm2.h"

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

/* libcrypto drops the errors of providers that its configuration file names. */
static bool refuse(const struct wdp_provider *prov, const char *why)
{
	wdp_raise(&prov->core, PROV_R_INVALID_CONFIG_DATA, "%s", why);
	wdp_log(prov, WDP_LOG_ERRORS, "not loaded: %s", why);
	return false;
}

static bool algs_choose(struct wdp_provider *prov)
{
	prov->algs = prov->config.algorithms.algs;
	if (prov->config.devices == WDP_DEVICES_LATER)
		return true;
	prov->algs &= algs_of_devices();
	if (prov->algs)
		return true;
	if (prov->config.devices == WDP_DEVICES_REQUIRE)
		return refuse(prov, "devices = require: no device offers any of the algorithms");
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
	wdp_default_provider_unload(&prov->default_provider);
	free(prov);
}

static const OSSL_DISPATCH functions[] = {
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, wdp_gettable_params),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GET_PARAMS, wdp_get_params),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, wdp_capabilities),
	{ 0, NULL },
};

/*
 * Algorithms that behave in a program with a libcrypto of its own as they do without us. Contexts of ciphers, digests,
 * HMAC and messages signed with SM2 have states in both libraries, whose rules differ between versions.
 */
#define FOR_FOREIGN	(RSA | WDP_BIT(WDP_ECDSA) | WDP_BIT(WDP_ECDH) | WDP_BIT(WDP_X25519) | WDP_BIT(WDP_X448) | \
			 WDP_BIT(WDP_DH))

/* Takes away algorithms that can't be offered, and says so once in a process. */
static bool take_away(struct wdp_provider *prov, unsigned int algs, const char *what, const char *why)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!(prov->algs & algs))
		return true;
	prov->algs &= ~algs;
	if (!prov->algs && prov->config.devices == WDP_DEVICES_REQUIRE)
		return refuse(prov, why);
	if (!atomic_flag_test_and_set(&said))
		wdp_log(prov, WDP_LOG_ERRORS, "%s offered: %s", what, why);
	return true;
}

static bool nothing_offered(struct wdp_provider *prov, const char *why)
{
	return take_away(prov, ~0u, "nothing is", why);
}

static bool default_provider_load(struct wdp_provider *prov)
{
	if (prov->core.mixed)
		return nothing_offered(prov, "the program has parts of another libcrypto in itself, and shows them to "
				       "its libraries: expected all of them, or none");
	if (prov->core.foreign && !take_away(prov, ~FOR_FOREIGN, "ciphers, digests, HMAC and SM2 are not",
					     "the program has a libcrypto of its own"))
		return false;
	if (!prov->algs || wdp_default_provider_load(&prov->default_provider, &prov->core))
		return true;
	return prov->core.foreign && prov->default_provider.libctx && !prov->default_provider.provider ?
	       nothing_offered(prov, "the program has a libcrypto of its own, and has not loaded its default provider: "
			       "expected it before this one") : false;
}

/* Logs the algorithms that libcrypto is offered, and which of them are a device's in asynchronous jobs only. */
static void offers_log(const struct wdp_provider *prov)
{
	char names[256] = "";
	unsigned int alg;
	size_t len = 0;

	for (alg = 0; alg < WDP_ALGS; alg++)
		if (prov->algs & WDP_BIT(alg))
			len += snprintf(names + len, sizeof(names) - len, " %s", wdp_alg_facts[alg].name);
	if (len)
		wdp_log(prov, WDP_LOG_ALL, "offered:%s%s", names, prov->algs & prov->config.algorithms.jobs ?
			"; " WDP_JOBS_ONLY ", unless 'algorithms' names them, because a CPU is as quick" : "");
}

static bool algorithms_offer(struct wdp_provider *prov)
{
	if (!default_provider_load(prov))
		return false;
	offers_log(prov);
	/* Without algorithms no default provider is needed, either. */
	if (!prov->algs)
		return true;
	wdp_keymgmt_prepare(prov);
	return offers_make(prov);
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		       void **provctx)
{
	struct wdp_provider *prov = calloc(1, sizeof(*prov));
	char why[WDP_WHY_MAX];

	if (!prov || !wdp_core_read(&prov->core, handle, in))
		goto free_prov;
	if (!wdp_config_read(&prov->config, &prov->core, why)) {
		refuse(prov, why);
		goto free_prov;
	}
	if (!algs_choose(prov))
		goto free_prov;
	if (prov->algs && !algorithms_offer(prov)) {
		teardown(prov);
		return 0;
	}
	*out = functions;
	*provctx = prov;
	return 1;

free_prov:
	free(prov);
	return 0;
}
