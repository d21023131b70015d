/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of two numbers of a curve. */
#ifndef WDP_ECDSA_H
#define WDP_ECDSA_H

#include "operation.h"

/* wdp_curve_sign() - ECDSA or SM2, by the key's curve; sig has room for any signature of the key. */
enum wdp_outcome wdp_curve_sign(struct wdp_operation *op, unsigned char *sig, size_t *len, const unsigned char *digest,
				size_t digest_len);

#endif
