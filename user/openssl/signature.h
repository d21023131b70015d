/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: contexts, and the dispatch tables of RSA and ECDSA. */
#ifndef WDP_SIGNATURE_H
#define WDP_SIGNATURE_H

#include "operation.h"
#include "rsa.h"

/* A digest's signature: room has at least the bytes of any signature of the key. */
typedef enum wdp_outcome wdp_sign_fn(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, unsigned char *sig, size_t *len,
				     size_t room, const unsigned char *digest, size_t digest_len);

extern const OSSL_DISPATCH wdp_signature_rsa[], wdp_signature_ecdsa[];

wdp_sign_fn wdp_rsa_sign, wdp_ecdsa_sign;

#endif
