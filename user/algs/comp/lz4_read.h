/* SPDX-License-Identifier: Apache-2.0 */
/* How a block of LZ4 is read: for the check of a device's blocks, and for software that measures one; private. */
#ifndef WD_COMP_LZ4_READ_H
#define WD_COMP_LZ4_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define LZ4_LENGTH_MOST		15	/* of a length in a token: further bytes follow */
#define LZ4_MATCH_LEAST		4
#define LZ4_OFFSET_BYTES	2

struct lz4_read {
	const __u8 *at, *end;
};

static inline size_t lz4_left(const struct lz4_read *b)
{
	return (size_t)(b->end - b->at);
}

/* A length whose first part is in a token; false: the block ends in it. */
static inline bool lz4_length(struct lz4_read *b, size_t token, size_t *len)
{
	__u8 more = 255;

	*len = token;
	while (token == LZ4_LENGTH_MOST && more == 255) {
		if (!lz4_left(b))
			return false;
		more = *b->at++;
		*len += more;
	}
	return true;
}

/* There are LZ4_OFFSET_BYTES. */
static inline size_t lz4_offset(struct lz4_read *b)
{
	size_t offset = b->at[0] | (size_t)b->at[1] << 8;

	b->at += LZ4_OFFSET_BYTES;
	return offset;
}

#endif
