// SPDX-License-Identifier: Apache-2.0
/*
 * Checks of LZ4 blocks against the data that they should have: literals and matches are compared where they stand, so
 * nothing is decompressed. liblz4's decoder proves less: it accepts an offset of 0.
 */
#include <string.h>
#include <linux/types.h>

#include "lz4_check.h"

#define LENGTH_MOST	15	/* of a length in a token: further bytes follow */
#define MATCH_LEAST	4
#define END_LITERALS	5	/* behind the last match */
#define END_MATCH	12	/* the last match begins so many bytes before the end */

struct walk {
	const __u8 *at, *end;	/* of the block */
	const __u8 *src;
	size_t pos, len;	/* of the data */
};

static size_t left(const struct walk *w)
{
	return (size_t)(w->end - w->at);
}

/* A length that begins in a token; false: the block ends in it, or it is longer than the data. */
static bool length_take(struct walk *w, size_t n, size_t *len)
{
	__u8 more = 255;

	*len = n;
	while (n == LENGTH_MOST && more == 255) {
		if (!left(w) || *len > w->len)
			return false;
		more = *w->at++;
		*len += more;
	}
	return true;
}

static bool literals_take(struct walk *w, size_t n)
{
	if (n > left(w) || n > w->len - w->pos || memcmp(w->at, w->src + w->pos, n))
		return false;
	w->at += n;
	w->pos += n;
	return true;
}

static bool match_take(struct walk *w, size_t token)
{
	size_t offset, n;

	if (left(w) < 2 || w->len - w->pos < END_MATCH)
		return false;
	offset = w->at[0] | (size_t)w->at[1] << 8;
	w->at += 2;
	if (!length_take(w, token, &n) || !offset || offset > w->pos)
		return false;
	n += MATCH_LEAST;
	if (n > w->len - w->pos - END_LITERALS || memcmp(w->src + w->pos, w->src + w->pos - offset, n))
		return false;
	w->pos += n;
	return true;
}

bool lz4_is_block_of(const void *block, size_t n, const void *src, size_t len)
{
	struct walk w = { .at = block, .end = (const __u8 *)block + n, .src = src, .len = len };
	size_t literals;
	__u8 token;

	while (left(&w)) {
		token = *w.at++;
		if (!length_take(&w, token >> 4, &literals) || !literals_take(&w, literals))
			return false;
		if (!left(&w))
			return w.pos == len && !(token & LENGTH_MOST);
		if (!match_take(&w, token & LENGTH_MOST))
			return false;
	}
	return false;
}
