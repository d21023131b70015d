// SPDX-License-Identifier: Apache-2.0
/* Streams with zlib, which also reads and writes the headers. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "soft.h"

struct zlib_stream {
	struct soft_stream base;
	z_stream z;
};

static const int win_bits[] = {
	[WD_COMP_WS_4K] = 12,
	[WD_COMP_WS_8K] = 13,
	[WD_COMP_WS_16K] = 14,
	[WD_COMP_WS_24K] = 15,
	[WD_COMP_WS_32K] = 15,
};

static struct zlib_stream *to_zlib(struct soft_stream *base)
{
	return (struct zlib_stream *)base;
}

static int format_bits(__u8 alg, int bits)
{
	return alg == WD_ZLIB ? bits : alg == WD_GZIP ? bits + 16 : -bits;
}

static void zlib_free(struct soft_stream *base)
{
	struct zlib_stream *s = to_zlib(base);

	if (base->key.dir == WD_DIR_COMPRESS)
		deflateEnd(&s->z);
	else
		inflateEnd(&s->z);
	free(s);
}

static void zlib_reset(struct soft_stream *base)
{
	struct zlib_stream *s = to_zlib(base);

	/* These fail only for an invalid stream. */
	if (base->key.dir == WD_DIR_COMPRESS)
		deflateReset(&s->z);
	else
		inflateReset(&s->z);
}

/* One pass over at most UINT_MAX bytes of each side. */
static int zlib_pass(struct zlib_stream *s, int flush, const char **why)
{
	int ret;

	if (s->base.key.dir == WD_DIR_COMPRESS)
		ret = deflate(&s->z, flush);
	else
		ret = inflate(&s->z, Z_NO_FLUSH);
	switch (ret) {
	case Z_OK:
	case Z_BUF_ERROR:
		return 0;
	case Z_STREAM_END:
		return 1;
	case Z_NEED_DICT:
		*why = "the stream needs a preset dictionary";
		return -EBADMSG;
	case Z_DATA_ERROR:
		*why = s->z.msg ? s->z.msg : "the data is corrupt";
		return -EBADMSG;
	case Z_MEM_ERROR:
		return -ENOMEM;
	}
	return -EIO;
}

static int zlib_step(struct soft_stream *base, struct comp_step *t)
{
	int flush = t->last ? Z_FINISH : t->sync ? Z_SYNC_FLUSH : Z_NO_FLUSH;
	struct zlib_stream *s = to_zlib(base);
	size_t in = 0, out = 0;
	int ret;

	do {
		size_t in_part = t->src_len - in < UINT_MAX ? t->src_len - in : UINT_MAX;
		size_t out_part = t->dst_len - out < UINT_MAX ? t->dst_len - out : UINT_MAX;
		bool all = in_part == t->src_len - in;

		s->z.next_in = (__u8 *)t->src + in;
		s->z.avail_in = in_part;
		s->z.next_out = (__u8 *)t->dst + out;
		s->z.avail_out = out_part;
		ret = zlib_pass(s, all ? flush : Z_NO_FLUSH, &t->why);
		in_part -= s->z.avail_in;
		out_part -= s->z.avail_out;
		in += in_part;
		out += out_part;
		if (!in_part && !out_part)
			break;
	} while (!ret && out < t->dst_len && (in < t->src_len || flush != Z_NO_FLUSH));
	t->src_len = in;
	t->dst_len = out;
	return ret;
}

static const struct soft_stream_ops zlib_ops = {
	.step = zlib_step,
	.reset = zlib_reset,
	.free = zlib_free,
};

struct soft_stream *zlib_stream_new(struct soft_key key, int level)
{
	struct zlib_stream *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return NULL;
	s->base.ops = &zlib_ops;
	s->base.key = key;
	if (key.dir == WD_DIR_COMPRESS)
		ret = deflateInit2(&s->z, level, Z_DEFLATED, format_bits(key.alg, win_bits[key.win]), 8,
				   Z_DEFAULT_STRATEGY);
	else
		ret = inflateInit2(&s->z, format_bits(key.alg, 15));
	if (ret != Z_OK) {
		free(s);
		return NULL;
	}
	return &s->base;
}
