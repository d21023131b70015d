/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash with 32 bits and seed 0, of the LZ4 frame format: liblz4 has it and doesn't export it; private. */
#ifndef WD_SOFT_XXH32_H
#define WD_SOFT_XXH32_H

#include <stddef.h>
#include <linux/types.h>

#define XXH32_LANES	4
#define XXH32_STRIPE	(XXH32_LANES * 4)	/* bytes */

/* Of data in pieces: @rest has the last @total % XXH32_STRIPE bytes. */
struct xxh32 {
	__u32 lane[XXH32_LANES];
	__u64 total;
	__u8 rest[XXH32_STRIPE];
};

void xxh32_begin(struct xxh32 *x);
void xxh32_add(struct xxh32 *x, const void *src, size_t n);
__u32 xxh32_end(const struct xxh32 *x);

#endif
