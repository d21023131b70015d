/* SPDX-License-Identifier: Apache-2.0 */
/* Converts libcrypto's numbers from fields, and back. */
#ifndef WD_SOFT_BN_H
#define WD_SOFT_BN_H

#include <openssl/bn.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Reads a field into a number of a BN_CTX; libcrypto computes with it in constant time. */
static inline BIGNUM *soft_bn_get(BN_CTX *ctx, const __u8 *field, size_t width)
{
	BIGNUM *bn = BN_CTX_get(ctx);

	if (!bn || !BN_bin2bn(field, (int)width, bn))
		return NULL;
	BN_set_flags(bn, BN_FLG_CONSTTIME);
	return bn;
}

static inline bool soft_bn_put(const BIGNUM *bn, __u8 *field, size_t width)
{
	return BN_bn2binpad(bn, field, (int)width) == (int)width;
}

#endif
