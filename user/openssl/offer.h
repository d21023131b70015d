/* SPDX-License-Identifier: Apache-2.0 */
/* What libcrypto is offered. */
#ifndef WDP_OFFER_H
#define WDP_OFFER_H

#include "provider.h"

#define WDP_PROPERTIES	"provider=warpdrive"

/* wdp_offer() - one algorithm more; false: no memory. */
bool wdp_offer(struct wdp_provider *prov, int operation, const OSSL_ALGORITHM *algorithm);

#endif
