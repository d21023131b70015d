// SPDX-License-Identifier: Apache-2.0
/* Computes a whole request piece by piece, as one stream: for lists, for small windows, and for parts. */
#include <errno.h>
#include <string.h>

#include "soft.h"

#define KEPT_MOST	(16u << 20)	/* bytes of a stream's memory: a thread keeps no more */

/* The thread's stream. */
static struct soft_stream *pieces_get(const struct comp_msg *c, struct soft_tools *t)
{
	struct soft_key key = {
		.alg = c->part ? WD_DEFLATE_RAW : c->alg, .dir = c->dir, .level = c->level, .win = c->win
	};
	struct soft_stream **z = &t->pieces[c->dir];

	if (comp_is_framed(c->alg))
		key = soft_key_of(to_comp_sess(c->m.sess));
	if (*z && !memcmp(&(*z)->key, &key, sizeof(key))) {
		soft_stream_reset(*z);
		return *z;
	}
	soft_stream_free(*z);
	*z = soft_stream_new(key);
	return *z;
}

/* zstd's highest levels take hundreds of megabytes. */
static void pieces_put(struct soft_stream **z)
{
	if (!(*z)->ops->bytes || (*z)->ops->bytes(*z) <= KEPT_MOST)
		return;
	soft_stream_free(*z);
	*z = NULL;
}

/* All input is consumed and there is no room: one byte of room shows whether the output is complete, or was cut off. */
static int pieces_judge(struct soft_stream *z, struct comp_step *t)
{
	__u8 spare;
	int ret;

	t->src_len = 0;
	t->dst = &spare;
	t->dst_len = 1;
	ret = soft_stream_step(z, t);
	return ret < 0 ? ret : -ENOSPC;
}

int soft_pieces(struct comp_msg *c, struct soft_tools *tools)
{
	struct comp_ends e = { .consumed = 0 };
	struct comp_step t = { .last = !c->part, .sync = c->part, .total = c->src_len + 1 };
	struct soft_stream *z = pieces_get(c, tools);
	int ret;

	if (!z)
		return -ENOMEM;
	wd_list_walk_init(&e.in, c->sgl, c->src, c->src_len);
	wd_list_walk_init(&e.out, c->sgl, c->dst, c->dst_len);
	do {
		ret = soft_stream_run(z, &e, &t);
	} while (!ret && !c->part);
	if (ret == -ENOSPC && c->dir == WD_DIR_DECOMPRESS && !e.in.left)
		ret = pieces_judge(z, &t);
	/* There is room for all of a part: wd_comp_bound(). */
	if (!ret && c->part && e.in.left)
		ret = -ENOSPC;
	c->consumed = e.consumed;
	c->produced = e.produced;
	c->why = t.why;
	soft_stream_by(z, &c->by_path, &c->by_reason);
	pieces_put(&tools->pieces[c->dir]);
	return ret < 0 ? ret : 0;
}
