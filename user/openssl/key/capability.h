/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of TLS that the provider declares. */
#ifndef WDP_CAPABILITY_H
#define WDP_CAPABILITY_H

#include <openssl/core.h>

int wdp_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *cb, void *arg);

#endif
