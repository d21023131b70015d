/* SPDX-License-Identifier: Apache-2.0 */
/* Digests. */
#ifndef WDP_DIGEST_H
#define WDP_DIGEST_H

#include "core/provider.h"

/* wdp_digests_offer() - those of prov->algs that the default provider has; false: no memory. */
bool wdp_digests_offer(struct wdp_provider *prov);
void wdp_digests_free(struct wdp_provider *prov);

/* wdp_digest_alg() - libwd's algorithm of that name of the default provider's, or -1. */
int wdp_digest_alg(const struct wdp_provider *prov, const char *name);

/* wdp_digest_name() - the default provider's name of one that wdp_digest_alg() has returned. */
const char *wdp_digest_name(int alg);

#endif
