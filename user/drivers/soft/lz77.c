// SPDX-License-Identifier: Apache-2.0
/* Sequences for zstd where no device makes them: a greedy search by the last position of each hash. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lz77.h"
#include "soft.h"

#define TABLE_LOG	14
#define LEAST		4u	/* bytes of a match, and of a hash */

struct search {
	const __u8 *src;
	__u32 len;
	__u32 window;
	__u32 last[1 << TABLE_LOG];	/* positions plus 1 */
};

static __u32 bytes_at(const struct search *s, __u32 at)
{
	__u32 v;

	memcpy(&v, s->src + at, sizeof(v));
	return v;
}

static __u32 match_at(struct search *s, __u32 at, __u32 *offset)
{
	__u32 *last = &s->last[bytes_at(s, at) * 0x9e3779b1u >> (32 - TABLE_LOG)], from = *last - 1, n = LEAST;

	*last = at + 1;
	*offset = at - from;
	if (from >= at || *offset > s->window || bytes_at(s, from) != bytes_at(s, at))
		return 0;
	while (at + n < s->len && s->src[from + n] == s->src[at + n])
		n++;
	return n;
}

/* The next match from *at on; its length, or 0. */
static __u32 match_next(struct search *s, __u32 *at, __u32 *offset)
{
	__u32 n;

	for (; *at + LEAST <= s->len; ++*at) {
		n = match_at(s, *at, offset);
		if (n)
			return n;
	}
	return 0;
}

static int search_all(struct search *s, struct wd_lz77_seq *seq, size_t room, size_t *nr)
{
	__u32 at = 0, done = 0, offset = 0, n;

	for (*nr = 0; (n = match_next(s, &at, &offset)); done = at) {
		if (*nr + 1 >= room)
			return -ENOSPC;
		seq[(*nr)++] = (struct wd_lz77_seq){ .offset = offset, .literals = at - done, .match = n };
		at += n;
	}
	seq[(*nr)++] = (struct wd_lz77_seq){ .literals = s->len - done };
	return 0;
}

int soft_lz77(struct comp_msg *c)
{
	struct search *s = calloc(1, sizeof(*s));
	size_t nr;
	int ret;

	if (!s)
		return -ENOMEM;
	s->src = c->src;
	s->len = (__u32)c->src_len;
	s->window = (__u32)lz77_window(c->win);
	ret = search_all(s, c->dst, c->dst_len / sizeof(struct wd_lz77_seq), &nr);
	free(s);
	c->consumed = ret ? 0 : c->src_len;
	c->produced = ret ? 0 : nr * sizeof(struct wd_lz77_seq);
	return ret;
}
