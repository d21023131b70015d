/* SPDX-License-Identifier: Apache-2.0 */
/* RSA on devices: how a context pads, and the operation with the private key. */
#ifndef WDP_RSA_H
#define WDP_RSA_H

#include "operation.h"

#define WDP_RSA_MAX	512	/* bytes of the largest modulus that devices take */

/* The settings of a context, read from the default provider's when they may have changed. */
struct wdp_rsa_scheme {
	int pad;			/* RSA_PKCS1_PADDING, ... */
	EVP_MD *md;			/* NULL: none */
	EVP_MD *mgf1;			/* PSS and OAEP */
	int salt;			/* PSS: bytes, or RSA_PSS_SALTLEN_* */
};

/* wdp_rsa_scheme_read() - of a signature, if anything may have changed. */
bool wdp_rsa_scheme_read(struct wdp_operation *op, struct wdp_rsa_scheme *scheme);
void wdp_rsa_scheme_clear(struct wdp_rsa_scheme *scheme);

/* wdp_rsa_bytes() - of the modulus, if devices take such keys with a private part; else 0. */
size_t wdp_rsa_bytes(const struct wdp_key *key);

/* wdp_rsa_public_bytes() - the same for operations with the public part. */
size_t wdp_rsa_public_bytes(const struct wdp_key *key);

/* wdp_rsa_public() - the operation with the public part: in and out have exactly as many bytes as the modulus. */
enum wdp_outcome wdp_rsa_public(struct wdp_operation *op, const unsigned char *in, unsigned char *out, size_t k);

/* wdp_rsa_private() - in and out have exactly as many bytes as the modulus. */
enum wdp_outcome wdp_rsa_private(struct wdp_operation *op, const unsigned char *in, unsigned char *out, size_t k);

#endif
