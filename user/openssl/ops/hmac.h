/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC. */
#ifndef WDP_HMAC_H
#define WDP_HMAC_H

#include "core/provider.h"

/* wdp_hmac_offer() - if prov->algs has it; false: no memory. */
bool wdp_hmac_offer(struct wdp_provider *prov);
void wdp_hmac_free(struct wdp_provider *prov);

#endif
