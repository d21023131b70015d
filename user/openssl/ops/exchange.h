/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch tables of key agreement. */
#ifndef WDP_EXCHANGE_H
#define WDP_EXCHANGE_H

#include <openssl/core.h>

extern const OSSL_DISPATCH wdp_exchange_ecdh[], wdp_exchange_xdh[], wdp_exchange_dh[];

#endif
