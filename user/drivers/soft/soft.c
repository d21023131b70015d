// SPDX-License-Identifier: Apache-2.0
/* The driver that needs no device: chooses the library for a request. */
#include <errno.h>

#include "comp.h"
#include "soft.h"

/* libdeflate knows the full window only; a reader with a smaller one needs zlib's. */
static bool needs_pieces(const struct comp_msg *c)
{
	return c->sgl || (c->dir == WD_DIR_COMPRESS && c->win < WD_COMP_WS_24K);
}

static int soft_pieces(struct comp_msg *c)
{
	struct comp_ends e = { .consumed = 0 };
	struct comp_step t = { .last = true };
	struct soft_stream *z;
	int ret;

	z = soft_stream_alloc(to_comp_sess(c->m.sess), &ret);
	if (!z)
		return ret;
	list_walk_init(&e.in, c->sgl, c->src, c->src_len);
	list_walk_init(&e.out, c->sgl, c->dst, c->dst_len);
	do {
		ret = stream_run(NULL, z, &e, &t);
	} while (!ret);
	soft_stream_free(z);
	c->consumed = e.consumed;
	c->produced = e.produced;
	c->why = t.why;
	return ret < 0 ? ret : 0;
}

static int soft_again(struct comp_msg *c)
{
	c->consumed = 0;
	c->produced = 0;
	return soft_pieces(c);
}

static int soft_exec(struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	int ret;

	c->consumed = 0;
	c->produced = 0;
	c->why = NULL;
	c->more_room = false;
	if (!probe_mapped(c))
		ret = -EFAULT;
	else if (needs_pieces(c))
		ret = soft_pieces(c);
	else
		ret = soft_whole(c);
	/* libdeflate wants a little more room than it needs in the end. */
	if (ret == -ENOSPC && c->dir == WD_DIR_COMPRESS && !needs_pieces(c))
		ret = soft_again(c);
	/* It doesn't say what is wrong; zlib does, and it is wrong all the same. */
	if (ret == -EBADMSG && !c->why && soft_again(c) != -EBADMSG)
		c->why = "the data is corrupt or cut off";
	m->path = WD_PATH_SOFT;
	m->status = ret;
	return ret;
}

const struct wd_driver soft_deflate_driver = {
	.name = "soft",
	.exec = soft_exec,
};
