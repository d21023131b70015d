/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of two numbers of a curve. */
#ifndef WDP_ECDSA_H
#define WDP_ECDSA_H

#include "operation.h"

/* Do devices take operations of alg, WDP_ECDSA or WDP_SM2, with this key's private or public part? */
bool wdp_curve_takes_private(const struct wdp_key *key, enum wdp_alg alg);
bool wdp_curve_takes_public(const struct wdp_key *key, enum wdp_alg alg);

/* wdp_curve_key() - the session of the operation's key. */
struct wdp_target wdp_curve_key(const struct wdp_operation *op);

/* wdp_curve_sign() - ECDSA or SM2, by the key's curve; sig has room for any signature of the key. */
enum wdp_outcome wdp_curve_sign(struct wdp_operation *op, unsigned char *sig, size_t *len, const unsigned char *digest,
				size_t digest_len);

/* wdp_curve_verify() - WDP_DONE if the signature is good. The default provider reports all else. */
enum wdp_outcome wdp_curve_verify(struct wdp_operation *op, const unsigned char *sig, size_t len,
				  const unsigned char *digest, size_t digest_len);

#endif
