/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's own parameters; provctx: struct wdp_provider. */
#ifndef WDP_PARAMS_H
#define WDP_PARAMS_H

#include <openssl/core.h>

const OSSL_PARAM *wdp_gettable_params(void *provctx);
int wdp_get_params(void *provctx, OSSL_PARAM params[]);

#endif
