// SPDX-License-Identifier: Apache-2.0
/* A part that libdeflate makes as a whole stream: its last block becomes one that isn't the stream's last. */
#include <errno.h>
#include <string.h>

#include "soft.h"

#define ENDING_BYTES	5	/* at most, of an empty stored block behind the last one */

/*
 * Clears the mark of the last block, and adds an empty stored block, which ends at a byte: 3 bits of zeros, and its
 * length. Return: the part's length.
 */
static size_t part_open(__u8 *at, size_t len, const struct soft_last *last)
{
	unsigned int used = last->end % 8;

	at[last->head / 8] &= ~(1u << last->head % 8);
	if (used)
		at[len - 1] &= (1u << used) - 1;
	if (!used || used > 8 - 3)
		at[len++] = 0;
	memcpy(at + len, "\x00\x00\xff\xff", 4);
	return len + 4;
}

int soft_part(struct comp_msg *c, struct soft_tools *t)
{
	struct soft_last last;
	ssize_t n = 0;

	/* A stream can make again what libdeflate has begun only while the source is there. */
	if (!soft_overlaps(c))
		n = soft_deflate_raw(c, t, c->dst, c->dst_len - ENDING_BYTES);
	if (n < 0)
		return (int)n;
	if (!n || soft_last_block(t, c->dst, n, &last))
		return soft_pieces(c, t);
	c->produced = part_open(c->dst, n, &last);
	c->consumed = c->src_len;
	return 0;
}
