/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of encryption by RSA. */
#ifndef WDP_ASYM_CIPHER_H
#define WDP_ASYM_CIPHER_H

#include <openssl/core.h>

extern const OSSL_DISPATCH wdp_cipher_rsa[];

#endif
