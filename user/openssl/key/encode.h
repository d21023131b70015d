/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of keys. */
#ifndef WDP_ENCODE_H
#define WDP_ENCODE_H

#include "core/provider.h"

/* wdp_encoders_offer() - those of the keys that are offered; false: no memory. */
bool wdp_encoders_offer(struct wdp_provider *prov);

#endif
