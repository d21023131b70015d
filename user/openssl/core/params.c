// SPDX-License-Identifier: Apache-2.0
/* The provider's own parameters: its name and version, and its counters. */
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "params.h"
#include "provider.h"

static const char *const count_names[WDP_COUNTS] = {
	[WDP_COUNT_HW] = "warpdrive-requests-hw",
	[WDP_COUNT_SIM] = "warpdrive-requests-sim",
	[WDP_COUNT_SOFT] = "warpdrive-requests-soft",
	[WDP_COUNT_FALLBACKS] = "warpdrive-fallbacks",
	[WDP_COUNT_BAD] = "warpdrive-bad-results",
};

const OSSL_PARAM *wdp_gettable_params(void *provctx)
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

int wdp_get_params(void *provctx, OSSL_PARAM params[])
{
	const struct wdp_provider *prov = provctx;
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
