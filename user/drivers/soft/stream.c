// SPDX-License-Identifier: Apache-2.0
/* Streams on this CPU: zlib, which also reads and writes the headers itself. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "comp.h"

struct soft_stream {
	z_stream z;
	__u8 dir;
};

static const int win_bits[] = {
	[WD_COMP_WS_4K] = 12,
	[WD_COMP_WS_8K] = 13,
	[WD_COMP_WS_16K] = 14,
	[WD_COMP_WS_24K] = 15,
	[WD_COMP_WS_32K] = 15,
};

static int format_bits(__u8 alg, int bits)
{
	return alg == WD_ZLIB ? bits : alg == WD_GZIP ? bits + 16 : -bits;
}

struct soft_stream *soft_stream_alloc(const struct comp_sess *s, int *err)
{
	struct soft_stream *z = calloc(1, sizeof(*z));
	int ret;

	*err = -ENOMEM;
	if (!z)
		return NULL;
	z->dir = s->dir;
	if (s->dir == WD_DIR_COMPRESS)
		ret = deflateInit2(&z->z, s->level > 9 ? 9 : s->level, Z_DEFLATED,
				   format_bits(s->alg, win_bits[s->win]), 8, Z_DEFAULT_STRATEGY);
	else
		ret = inflateInit2(&z->z, format_bits(s->alg, 15));
	if (ret != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

void soft_stream_free(struct soft_stream *z)
{
	if (!z)
		return;
	if (z->dir == WD_DIR_COMPRESS)
		deflateEnd(&z->z);
	else
		inflateEnd(&z->z);
	free(z);
}

int soft_stream_reset(struct soft_stream *z)
{
	if (z->dir == WD_DIR_COMPRESS)
		return deflateReset(&z->z) == Z_OK ? 0 : -EIO;
	return inflateReset(&z->z) == Z_OK ? 0 : -EIO;
}

/* One pass over at most UINT_MAX bytes of each side. */
static int soft_pass(struct soft_stream *z, int flush, const char **why)
{
	int ret;

	if (z->dir == WD_DIR_COMPRESS)
		ret = deflate(&z->z, flush);
	else
		ret = inflate(&z->z, Z_NO_FLUSH);
	switch (ret) {
	case Z_OK:
	case Z_BUF_ERROR:
		return 0;
	case Z_STREAM_END:
		return 1;
	case Z_NEED_DICT:
		*why = "a preset dictionary is needed";
		return -EBADMSG;
	case Z_DATA_ERROR:
		*why = z->z.msg ? z->z.msg : "data is corrupt";
		return -EBADMSG;
	case Z_MEM_ERROR:
		return -ENOMEM;
	}
	return -EIO;
}

static int soft_run(struct soft_stream *z, const __u8 *src, size_t *src_len, __u8 *dst, size_t *dst_len,
		    int flush, const char **why)
{
	size_t in = 0, out = 0;
	int ret;

	do {
		size_t in_part = *src_len - in < UINT_MAX ? *src_len - in : UINT_MAX;
		size_t out_part = *dst_len - out < UINT_MAX ? *dst_len - out : UINT_MAX;
		bool all = in_part == *src_len - in;

		z->z.next_in = (__u8 *)src + in;
		z->z.avail_in = in_part;
		z->z.next_out = dst + out;
		z->z.avail_out = out_part;
		ret = soft_pass(z, all ? flush : Z_NO_FLUSH, why);
		in_part -= z->z.avail_in;
		out_part -= z->z.avail_out;
		in += in_part;
		out += out_part;
		if (!in_part && !out_part)
			break;
	} while (!ret && out < *dst_len && (in < *src_len || flush != Z_NO_FLUSH));
	*src_len = in;
	*dst_len = out;
	return ret;
}

int soft_stream_step(struct soft_stream *z, struct comp_step *t)
{
	static __u8 nothing;
	size_t in = t->src_len, out = t->dst_len;
	int flush = t->last ? Z_FINISH : t->sync ? Z_SYNC_FLUSH : Z_NO_FLUSH;
	int ret;

	ret = soft_run(z, t->src ? t->src : &nothing, &t->src_len, t->dst ? t->dst : &nothing, &t->dst_len, flush, &t->why);
	if (ret)
		return ret;
	/* With room left, zlib stopped for want of input: there is none to come. */
	if (t->last && z->dir == WD_DIR_DECOMPRESS && t->src_len == in && t->dst_len < out) {
		t->why = "the stream ends early";
		return -EBADMSG;
	}
	if (!t->src_len && !t->dst_len && !out && (in || flush != Z_NO_FLUSH))
		return -ENOSPC;
	return 0;
}
