// SPDX-License-Identifier: Apache-2.0
/* The lists of what libcrypto is offered. */
#include <stdlib.h>

#include "offer.h"

bool wdp_offer(struct wdp_provider *prov, int operation, const OSSL_ALGORITHM *algorithm)
{
	OSSL_ALGORITHM **list = &prov->offers[operation], *longer;
	size_t n = 0;

	while (*list && (*list)[n].algorithm_names)
		n++;
	longer = reallocarray(*list, n + 2, sizeof(*longer));
	if (!longer)
		return false;
	longer[n] = *algorithm;
	longer[n + 1] = (OSSL_ALGORITHM){ NULL, NULL, NULL, NULL };
	*list = longer;
	return true;
}
