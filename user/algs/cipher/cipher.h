/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by libwd_cipher and its drivers; private. */
#ifndef WD_CIPHER_PRIVATE_H
#define WD_CIPHER_PRIVATE_H

#include <wd_cipher.h>
#include "crypto.h"

WD_ARG_ASSERT(struct wd_cipher_arg);

#define CIPHER_BLOCK	16	/* of chaining modes without padding */

/* Whether a session can process len bytes; granule and block are those of its mode. */
static inline bool cipher_fits(const struct crypto_sess *s, size_t len)
{
	return !(len & (s->granule - 1u)) && len >= s->block;
}

extern const struct wd_driver hisi_cipher_driver;
extern const struct wd_driver hisi_cipher_v2_driver;
extern const struct wd_driver soft_cipher_driver;

#endif
