// SPDX-License-Identifier: Apache-2.0
/* A list of parameters on the heap; OSSL_PARAM_free() frees it. */
#include <openssl/crypto.h>

#include "settings.h"

bool wdp_settings_add(OSSL_PARAM **list, const OSSL_PARAM params[])
{
	OSSL_PARAM *both, *copy;

	if (!*list) {
		*list = OSSL_PARAM_dup(params);
		return *list;
	}
	both = OSSL_PARAM_merge(*list, params);
	copy = both ? OSSL_PARAM_dup(both) : NULL;
	OPENSSL_free(both);
	if (!copy)
		return false;
	OSSL_PARAM_free(*list);
	*list = copy;
	return true;
}
