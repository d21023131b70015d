/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers. */
#ifndef WDP_CIPHER_OFFER_H
#define WDP_CIPHER_OFFER_H

#include "core/provider.h"

/* wdp_ciphers_offer() - those of prov->algs that the default provider has; false: no memory. */
bool wdp_ciphers_offer(struct wdp_provider *prov);
void wdp_ciphers_free(struct wdp_provider *prov);

#endif
