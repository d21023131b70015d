// SPDX-License-Identifier: Apache-2.0
/* The driver that needs no device: a request in one call, or in pieces. */
#include <errno.h>

#include "finder.h"
#include "soft.h"

/*
 * libdeflate supports only flat buffers and the full window; one call of ISA-L, only lengths of 32 bits, and no parts.
 */
static bool needs_pieces(const struct comp_msg *c)
{
	if (c->sgl)
		return true;
	if (c->dir == WD_DIR_DECOMPRESS)
		return false;
	if (soft_choose_whole(c->level).lib == SOFT_ISAL)
		return c->part || c->src_len >= UINT32_MAX / 2;
	return c->win < WD_COMP_WS_24K;
}

/* libdeflate stores data this small uncompressed; the room may only be enough for a compressed form. */
#define TINY_BYTES	64

static bool is_tiny(const struct comp_msg *c)
{
	return c->dir == WD_DIR_COMPRESS && c->src_len <= TINY_BYTES && !soft_overlaps(c);
}

/*
 * libdeflate doesn't report what is wrong. After data that was cut off it may also decode the bytes that follow, and
 * run out of room. A stream gives the exact error.
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

/* A frame of a device's blocks is made in pieces. */
static bool devices_make(struct comp_msg *c, const struct comp_finder *f)
{
	if (!f || !c->src_len)
		return false;
	return f->ready(f, c->src_len, &c->by_path, &c->by_reason) || f->hw_only;
}

static int framed_do(struct comp_msg *c, struct soft_tools *t)
{
	const struct comp_sess *s = to_comp_sess(c->m.sess);
	int ret = -ENOSPC;

	if (s->block)
		return soft_lz4_block(c);
	if (c->alg == WD_LZ4 && c->dir == WD_DIR_COMPRESS && !c->sgl && !devices_make(c, s->finder))
		ret = soft_lz4_whole(c, soft_key_of(s));
	return ret == -ENOSPC ? soft_pieces(c, t) : ret;
}

static int soft_do(struct comp_msg *c, struct soft_tools *t)
{
	int ret;

	if (comp_is_framed(c->alg))
		return framed_do(c, t);
	if (c->alg == WD_LZ77)
		return soft_lz77(c);
	if (needs_pieces(c))
		return soft_pieces(c, t);
	if (c->part)
		return soft_part(c, t);
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
