/* SPDX-License-Identifier: Apache-2.0 */
/* Access to masks and context sets inside the libraries. */
#ifndef WD_SET_H
#define WD_SET_H

#include <stdbool.h>
#include <wd.h>

#define WD_DEV_MASK_BITS	(1 << 20)	/* minor numbers */
#define WD_CTX_SET_BITS		(1 << 16)	/* contexts of a process */

/* 0, -EINVAL (not a mask). Recorded as a failure of no object. */
int wd_dev_mask_check(const wd_dev_mask_t *mask);

/* 0, -EINVAL (not a set), -ESTALE (made before a fork). Recorded as a failure of no object. */
int wd_ctx_set_check(const wd_ctx_set_t *set);

/* Whether bit i is set, in a checked set or mask. */
static inline bool wd_bits_test(const unsigned char *bits, int len, int i)
{
	return i >> 3 < len && bits[i >> 3] >> (i & 7) & 1;
}

#endif
