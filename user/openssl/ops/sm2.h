/* SPDX-License-Identifier: Apache-2.0 */
/* SM2's signatures, and texts that are encrypted with it. */
#ifndef WDP_SM2_H
#define WDP_SM2_H

#include <openssl/core.h>

extern const OSSL_DISPATCH wdp_signature_sm2[], wdp_cipher_sm2[];

#endif
