/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: contexts, and the dispatch tables of RSA and ECDSA. */
#ifndef WDP_SIGNATURE_H
#define WDP_SIGNATURE_H

#include "operation.h"
#include "rsa.h"

/* A digest's signature: room has at least the bytes of any signature of the key. */
typedef enum wdp_outcome wdp_sign_fn(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, unsigned char *sig,
				     size_t *len, size_t room, const unsigned char *digest, size_t digest_len);

/*
 * Do devices verify signatures of such a key? And a digest's verification, for those that they do: wdp_curve_verify().
 */
typedef bool wdp_verifies_fn(const struct wdp_key *key);
typedef enum wdp_outcome wdp_verify_fn(struct wdp_operation *op, struct wdp_rsa_scheme *scheme,
				       const unsigned char *sig, size_t len, const unsigned char *digest,
				       size_t digest_len);

extern const OSSL_DISPATCH wdp_signature_rsa[], wdp_signature_ecdsa[];

wdp_sign_fn wdp_rsa_sign, wdp_ecdsa_sign;
wdp_verifies_fn wdp_rsa_verifies, wdp_ecdsa_verifies;
wdp_verify_fn wdp_rsa_verify, wdp_ecdsa_verify;

#endif
