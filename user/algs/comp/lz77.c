// SPDX-License-Identifier: Apache-2.0
/*
 * Sequences of a device, checked. What is right is this: the counts fit the buffers, the lengths are those of the
 * block, no offset is beyond the position or the window, and each match has the bytes that it refers to. With that the
 * literals of the block and the sequences make the block again, whatever the device has done.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "comp.h"
#include "hw/zip_hw.h"
#include "lz77.h"

size_t lz77_window(__u8 win)
{
	static const __u16 bytes[] = { 4096, 8192, 16384, 24576, 32768 };

	return bytes[win];
}

struct raw_seq {
	__u32 value;
	__u32 literals;
	__u32 match;
};

/* Reads it once: the device shares the memory. */
static struct raw_seq seq_read(const struct lz77_answer *a, __u32 i)
{
	__u64 v = le64toh(((const volatile __le64 *)a->seqs)[i]);
	struct raw_seq r = { .value = (__u32)v, .literals = v >> 32 & 0xffff };

	r.match = (v >> 48) + ZIP_LZ77_MATCH_MIN;
	if (a->extra >> ZIP_LZ77_LONG_SHIFT && (a->extra & ZIP_LZ77_LONG_AT) == i)
		r.literals += ZIP_LZ77_LONG_MORE;
	return r;
}

/*
 * A repeat code names one of the last three offsets, or, without literals, one of those behind the last one; the third
 * is the last one less 1 then (RFC 8878, 3.1.1.5). 0: there is no such offset.
 */
static __u32 offset_resolve(__u32 *last, const struct raw_seq *r)
{
	__u32 which = r->value - 1 + !r->literals, offset;

	if (!r->value)
		return 0;
	if (r->value > ZIP_LZ77_REPEATS)
		which = ZIP_LZ77_REPEATS;
	offset = r->value > ZIP_LZ77_REPEATS ? r->value - ZIP_LZ77_REPEATS :
		 which == ZIP_LZ77_REPEATS ? last[0] - 1 : last[which];
	if (which >= 2)
		last[2] = last[1];
	if (which >= 1) {
		last[1] = last[0];
		last[0] = offset;
	}
	return offset;
}

static bool match_is_right(const struct lz77_block *b, size_t at, __u32 offset, __u32 match)
{
	return offset && offset <= at && offset <= b->window && match <= b->len - at &&
	       !memcmp(b->src + at, b->src + at - offset, match);
}

static bool counts_fit(const struct lz77_block *b, const struct lz77_answer *a)
{
	__u32 extra = a->extra >> ZIP_LZ77_LONG_SHIFT;

	return a->nr <= LZ77_SEQS(b->len) && a->literals <= b->len && extra <= 1 &&
	       (!extra || (a->extra & ZIP_LZ77_LONG_AT) < a->nr);
}

ssize_t lz77_take(const struct lz77_block *b, const struct lz77_answer *a)
{
	__u32 last[3] = { 1, 4, 8 }, i;
	size_t at = 0, literals = 0;

	if (!counts_fit(b, a))
		return -EIO;
	if (a->nr >= b->room)
		return -ENOSPC;
	for (i = 0; i < a->nr; i++) {
		const struct raw_seq r = seq_read(a, i);
		__u32 offset = offset_resolve(last, &r);

		if (r.literals > b->len - at || !match_is_right(b, at + r.literals, offset, r.match))
			return -EIO;
		b->seq[i] = (struct wd_lz77_seq){ .offset = offset, .literals = r.literals, .match = r.match };
		at += r.literals + r.match;
		literals += r.literals;
	}
	if (literals + (b->len - at) != a->literals)
		return -EIO;
	b->seq[i] = (struct wd_lz77_seq){ .literals = (__u32)(b->len - at) };
	return i + 1;
}

int lz77_literals(struct comp_msg *c)
{
	const struct wd_lz77_seq *seq = c->dst, *end = seq + c->produced / sizeof(*seq);
	__u8 *to = (__u8 *)c->dst + c->produced, *room = (__u8 *)c->dst + c->dst_len;
	const __u8 *from = c->src;

	for (; seq < end; from += seq->literals + seq->match, seq++) {
		if (seq->literals > (size_t)(room - to))
			return -ENOSPC;
		memcpy(to, from, seq->literals);
		to += seq->literals;
	}
	c->produced = (size_t)(to - (__u8 *)c->dst);
	return 0;
}
