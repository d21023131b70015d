// SPDX-License-Identifier: Apache-2.0
/* Bare blocks of LZ4, in one piece. */
#include <string.h>

#include "codecs.h"
#include "lz4_read.h"
#include "soft.h"

/*
 * How much data a block has. liblz4 has one error for a corrupt block and for too little room, and takes an offset of
 * 0, where the data is whatever was in the room. False: it is corrupt.
 */
static bool block_length(const __u8 *src, size_t n, size_t *total)
{
	struct lz4_read b = { .at = src, .end = src + n };
	size_t len, offset;
	__u8 token;

	for (*total = 0; lz4_left(&b); *total += len + LZ4_MATCH_LEAST) {
		token = *b.at++;
		if (!lz4_length(&b, token >> 4, &len) || len > lz4_left(&b))
			return false;
		b.at += len;
		*total += len;
		if (!lz4_left(&b))
			return !(token & LZ4_LENGTH_MOST);
		if (lz4_left(&b) < LZ4_OFFSET_BYTES)
			return false;
		offset = lz4_offset(&b);
		if (!offset || offset > *total || !lz4_length(&b, token & LZ4_LENGTH_MOST, &len))
			return false;
	}
	/* Literals end a block. */
	return false;
}

static int block_decompress(struct comp_msg *c, const struct lz4_codec *lz4)
{
	size_t total;

	c->why = "the data is corrupt, or no whole block of LZ4";
	if (c->src_len > LZ4_MAX_INPUT_SIZE || !block_length(c->src, c->src_len, &total) || total > INT32_MAX)
		return -EBADMSG;
	if (total > c->dst_len) {
		c->why = NULL;
		return -ENOSPC;
	}
	/* The room ends with the data, as the format's rules for the last bytes expect. */
	if (lz4->decompress_safe(c->src, c->dst, (int)c->src_len, (int)total) != (int)total)
		return -EBADMSG;
	c->why = NULL;
	c->produced = total;
	return 0;
}

static int block_compress(struct comp_msg *c, const struct lz4_codec *lz4)
{
	int room = c->dst_len < INT32_MAX ? (int)c->dst_len : INT32_MAX, n;

	if (c->src_len > LZ4_MAX_INPUT_SIZE)
		return -EFBIG;
	if (c->level < LZ4HC_CLEVEL_MIN)
		n = lz4->compress_default(c->src, c->dst, (int)c->src_len, room);
	else
		n = lz4->compress_HC(c->src, c->dst, (int)c->src_len, room, c->level);
	if (n <= 0)
		return -ENOSPC;
	c->produced = n;
	return 0;
}

int soft_lz4_block(struct comp_msg *c)
{
	const struct lz4_codec *lz4 = soft_lz4();
	int ret = c->dir == WD_DIR_COMPRESS ? block_compress(c, lz4) : block_decompress(c, lz4);

	c->consumed = ret ? 0 : c->src_len;
	return ret;
}
