// SPDX-License-Identifier: Apache-2.0
/*
 * A device's answer for a block: whatever it says, what is taken makes the block again.
 * Input: window (1 byte), counts of sequences and literals, overflow (4 bytes each), room (1 byte), bytes of the block
 * (1 byte), the block; then the array.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "feed.h"
#include "lz77.h"

#define BLOCK	255u
#define SEQS	(BLOCK / WD_LZ77_MATCH_MIN + 1)

static void block_is_made_again(const struct lz77_block *b, size_t nr)
{
	__u8 back[BLOCK];
	size_t at = 0, i, k;

	for (i = 0; i < nr; i++) {
		MUST(b->seq[i].literals <= b->len - at);
		memcpy(back + at, b->src + at, b->seq[i].literals);
		at += b->seq[i].literals;
		MUST(b->seq[i].match <= b->len - at);
		MUST(i < nr - 1 ? b->seq[i].match >= WD_LZ77_MATCH_MIN : !b->seq[i].match && !b->seq[i].offset);
		MUST(b->seq[i].offset <= at && b->seq[i].offset <= b->window);
		for (k = 0; k < b->seq[i].match; k++, at++)
			back[at] = back[at - b->seq[i].offset];
	}
	MUST(at == b->len && !memcmp(back, b->src, at));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	__u8 src[BLOCK] = { 0 };
	struct lz77_block b = { .window = lz77_window(feed_u8(&f) % 5) };
	struct lz77_answer a = { .nr = feed_u32(&f), .literals = feed_u32(&f), .extra = feed_u32(&f) };
	__u64 *raw = calloc(SEQS, sizeof(*raw));
	ssize_t nr;

	b.room = feed_u8(&f);
	b.len = feed_u8(&f);
	feed_bytes(&f, src, b.len);
	feed_bytes(&f, raw, SEQS * sizeof(*raw));
	/* Of the exact sizes, so that a sanitizer sees what is beyond. */
	b.src = memcpy(malloc(b.len + 1), src, b.len);
	b.seq = malloc(b.room * sizeof(*b.seq) + 1);
	a.seqs = raw;
	nr = lz77_take(&b, &a);
	MUST(nr > 0 || nr == -EIO || nr == -ENOSPC);
	if (nr > 0) {
		MUST((size_t)nr <= b.room);
		block_is_made_again(&b, (size_t)nr);
	}
	free((void *)b.src);
	free(b.seq);
	free(raw);
	return 0;
}
