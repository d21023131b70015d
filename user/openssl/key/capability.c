// SPDX-License-Identifier: Apache-2.0
/*
 * TLS groups. libssl uses a group only if the provider of its keys declares it, so each group of the default provider
 * whose keys are managed here is declared again.
 */
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "capability.h"
#include "key.h"

struct passing {
	const struct wdp_provider *prov;
	OSSL_CALLBACK *cb;
	void *arg;
};

static bool managed(const struct wdp_provider *prov, const char *type)
{
	unsigned int i;

	for (i = 0; i < WDP_FAMILIES; i++)
		if (wdp_families[i].algs & prov->algs && !strcasecmp(wdp_families[i].name, type))
			return true;
	return false;
}

static int pass_on(const OSSL_PARAM params[], void *arg)
{
	const struct passing *to = arg;
	const OSSL_PARAM *alg = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
	const char *type;

	if (!alg || !OSSL_PARAM_get_utf8_string_ptr(alg, &type) || !managed(to->prov, type))
		return 1;
	return to->cb(params, to->arg);
}

int wdp_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *cb, void *arg)
{
	struct wdp_provider *prov = provctx;
	struct passing to = { prov, cb, arg };

	if (!prov->algs || strcasecmp(capability, "TLS-GROUP"))
		return 1;
	return OSSL_PROVIDER_get_capabilities(prov->default_provider.provider, capability, pass_on, &to);
}
