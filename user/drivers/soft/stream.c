// SPDX-License-Identifier: Apache-2.0
/* Streams on the software path: shared by all libraries. */
#include <errno.h>

#include "soft.h"

struct soft_stream *soft_stream_new(struct soft_key key)
{
	struct soft_choice how = soft_choose_stream(key.dir, key.level);

	if (key.alg == WD_ZSTD)
		return zstd_stream_new(key);
	if (key.alg == WD_LZ4)
		return key.finder ? lz4_maker_new(key) : lz4_stream_new(key);
	if (how.lib != SOFT_ISAL)
		return zlib_stream_new(key, how.level);
	return key.dir == WD_DIR_COMPRESS ? isal_deflate_new(key, how.level) : isal_inflate_new(key);
}

struct soft_key soft_key_of(const struct comp_sess *s)
{
	return (struct soft_key){
		.alg = s->alg, .dir = s->dir, .level = s->level, .win = s->win, .checksum = s->checksum,
		.finder = s->finder,
	};
}

struct soft_stream *soft_stream_alloc(const struct comp_sess *s)
{
	return soft_stream_new(soft_key_of(s));
}

void soft_stream_free(struct soft_stream *z)
{
	if (z)
		z->ops->free(z);
}

void soft_stream_reset(struct soft_stream *z)
{
	z->ops->reset(z);
}

int soft_stream_step(struct soft_stream *z, struct comp_step *t)
{
	static __u8 nothing;
	size_t in = t->src_len, out = t->dst_len;
	int ret;

	if (!t->src)
		t->src = &nothing;
	if (!t->dst)
		t->dst = &nothing;
	ret = z->ops->step(z, t);
	if (ret || t->src_len || t->dst_len)
		return ret;
	/* With room left, the stream stopped for lack of input, and no more input will come. */
	if (t->last && z->key.dir == WD_DIR_DECOMPRESS && out) {
		t->why = "the stream ends early";
		return -EBADMSG;
	}
	return !out && (in || t->last || t->sync) ? -ENOSPC : 0;
}

static int step(void *z, struct comp_step *t)
{
	return soft_stream_step(z, t);
}

int soft_stream_run(struct soft_stream *z, struct comp_ends *e, struct comp_step *t)
{
	/* A library that leaves room has no more output. */
	return comp_run(step, z, true, e, t);
}

void soft_stream_by(const struct soft_stream *z, __u16 *path, __u16 *reason)
{
	if (!z->path)
		return;
	*path = z->path;
	*reason = z->reason;
}
