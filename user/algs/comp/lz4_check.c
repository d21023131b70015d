// SPDX-License-Identifier: Apache-2.0
/*
 * Checks of LZ4 blocks against the data that they should have: literals and matches are compared where they stand, so
 * nothing is decompressed. liblz4's decoder proves less: it accepts an offset of 0.
 */
#include <string.h>

#include "lz4_check.h"
#include "lz4_read.h"

#define END_LITERALS	5	/* behind the last match */
#define END_MATCH	12	/* the last match begins so many bytes before the end */

struct walk {
	struct lz4_read b;
	const __u8 *src;
	size_t pos, len;	/* of the data */
};

static bool literals_take(struct walk *w, size_t n)
{
	if (n > lz4_left(&w->b) || n > w->len - w->pos || memcmp(w->b.at, w->src + w->pos, n))
		return false;
	w->b.at += n;
	w->pos += n;
	return true;
}

static bool match_take(struct walk *w, size_t token)
{
	size_t offset, n;

	if (lz4_left(&w->b) < LZ4_OFFSET_BYTES || w->len - w->pos < END_MATCH)
		return false;
	offset = lz4_offset(&w->b);
	if (!lz4_length(&w->b, token, &n) || !offset || offset > w->pos)
		return false;
	n += LZ4_MATCH_LEAST;
	if (n > w->len - w->pos - END_LITERALS || memcmp(w->src + w->pos, w->src + w->pos - offset, n))
		return false;
	w->pos += n;
	return true;
}

bool lz4_is_block_of(const void *block, size_t n, const void *src, size_t len)
{
	struct walk w = { .b = { .at = block, .end = (const __u8 *)block + n }, .src = src, .len = len };
	size_t literals;
	__u8 token;

	while (lz4_left(&w.b)) {
		token = *w.b.at++;
		if (!lz4_length(&w.b, token >> 4, &literals) || !literals_take(&w, literals))
			return false;
		if (!lz4_left(&w.b))
			return w.pos == len && !(token & LZ4_LENGTH_MOST);
		if (!match_take(&w, token & LZ4_LENGTH_MOST))
			return false;
	}
	return false;
}
