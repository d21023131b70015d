// SPDX-License-Identifier: Apache-2.0
/* The driver that needs no device: chooses the library for a request. */
#include <errno.h>
#include <string.h>

#include "soft.h"

/* Levels up to most; level 0: the one asked for. */
struct soft_row {
	__u8 most;
	struct soft_choice how;
};

static const struct soft_row whole_rows[] = {
#ifdef WD_HAVE_ISAL
	{ 2, { SOFT_ISAL, 1 } },
	{ 3, { SOFT_ISAL, 3 } },
#endif
	{ 12, { SOFT_LIBDEFLATE, 0 } },
	{ UINT8_MAX, { SOFT_LIBDEFLATE, 12 } },
};

static const struct soft_row stream_rows[] = {
#ifdef WD_HAVE_ISAL
	{ 2, { SOFT_ISAL, 1 } },
	{ 3, { SOFT_ISAL, 3 } },
#endif
	{ 9, { SOFT_ZLIB, 0 } },
	{ UINT8_MAX, { SOFT_ZLIB, 9 } },
};

static struct soft_choice choose(const struct soft_row *row, __u8 level)
{
	struct soft_choice how;

	while (level > row->most)
		row++;
	how = row->how;
	if (!how.level)
		how.level = level;
	return how;
}

struct soft_choice soft_choose_whole(__u8 level)
{
	return choose(whole_rows, level);
}

struct soft_choice soft_choose_stream(__u8 dir, __u8 level)
{
	/* Whoever reads has no level; ISA-L is the fastest at it, too. */
	return choose(stream_rows, dir == WD_DIR_COMPRESS ? level : 1);
}

/* libdeflate knows flat buffers and the full window only; ISA-L in one go no more than 32 bits count. */
static bool needs_pieces(const struct comp_msg *c)
{
	if (c->sgl)
		return true;
	if (c->dir == WD_DIR_DECOMPRESS)
		return false;
	if (soft_choose_whole(c->level).lib == SOFT_ISAL)
		return c->src_len >= UINT32_MAX / 2;
	return c->win < WD_COMP_WS_24K;
}

/* The thread's stream for such requests. */
static struct soft_stream *pieces_get(const struct comp_msg *c, struct soft_tools *t)
{
	struct soft_key key = { .alg = c->alg, .dir = c->dir, .level = c->level, .win = c->win };
	struct soft_stream **z = &t->pieces[c->dir];

	if (*z && !memcmp(&(*z)->key, &key, sizeof(key))) {
		soft_stream_reset(*z);
		return *z;
	}
	soft_stream_free(*z);
	*z = soft_stream_new(key);
	return *z;
}

/* All input is in, and there is no room: is there more to come, or has it been cut off? One byte of room will tell. */
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

static int soft_pieces(struct comp_msg *c, struct soft_tools *tools)
{
	struct comp_ends e = { .consumed = 0 };
	struct comp_step t = { .last = true };
	struct soft_stream *z = pieces_get(c, tools);
	int ret;

	if (!z)
		return -ENOMEM;
	wd_list_walk_init(&e.in, c->sgl, c->src, c->src_len);
	wd_list_walk_init(&e.out, c->sgl, c->dst, c->dst_len);
	do {
		ret = stream_run(NULL, z, &e, &t);
	} while (!ret);
	if (ret == -ENOSPC && c->dir == WD_DIR_DECOMPRESS && !e.in.left)
		ret = pieces_judge(z, &t);
	c->consumed = e.consumed;
	c->produced = e.produced;
	c->why = t.why;
	return ret < 0 ? ret : 0;
}

/* libdeflate stores what is as small as this; there may be room for something better only. */
#define TINY_BYTES	64

static bool is_tiny(const struct comp_msg *c)
{
	return c->dir == WD_DIR_COMPRESS && c->src_len <= TINY_BYTES && !soft_overlaps(c);
}

/*
 * libdeflate doesn't say what is wrong, and may run out of room on what follows
 * the end of data that was cut off: a stream knows better.
 */
static int soft_judge(struct comp_msg *c, struct soft_tools *t, int ret)
{
	int other = soft_overlaps(c) ? ret : soft_pieces(c, t);

	if (ret == -ENOSPC)
		return other;
	if (!c->why)
		c->why = "the data is corrupt or cut off";
	return ret;
}

static int soft_do(struct comp_msg *c, struct soft_tools *t)
{
	int ret;

	if (needs_pieces(c))
		return soft_pieces(c, t);
	ret = soft_whole(c, t);
	if (ret == -ENOSPC && is_tiny(c))
		return soft_pieces(c, t);
	if ((ret == -ENOSPC || ret == -EBADMSG) && c->dir == WD_DIR_DECOMPRESS)
		return soft_judge(c, t, ret);
	return ret;
}

static int soft_exec(struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	struct soft_tools *t = soft_tools_get();

	c->consumed = 0;
	c->produced = 0;
	c->why = NULL;
	c->more_room = false;
	if (!t)
		m->status = -ENOMEM;
	else if (!probe_recent(c))
		m->status = -EFAULT;
	else
		m->status = soft_do(c, t);
	m->path = WD_PATH_SOFT;
	return m->status;
}

const struct wd_driver soft_deflate_driver = {
	.name = "soft",
	.exec = soft_exec,
};
