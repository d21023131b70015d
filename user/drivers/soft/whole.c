// SPDX-License-Identifier: Apache-2.0
/* Whole buffers on the software path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"

static struct libdeflate_compressor *compressor_get(struct soft_tools *t, int level)
{
	struct libdeflate_compressor *lc;
	int i;

	for (i = 0; i < SOFT_COMPRESSORS - 1 && t->comp[i].lc && t->comp[i].level != level; i++)
		;
	lc = t->comp[i].lc;
	if (!lc || t->comp[i].level != level) {
		lc = libdeflate_alloc_compressor(level);
		if (!lc)
			return NULL;
		libdeflate_free_compressor(t->comp[i].lc);
	}
	for (; i; i--)
		t->comp[i] = t->comp[i - 1];
	t->comp[0].lc = lc;
	t->comp[0].level = level;
	return lc;
}

static ssize_t libdeflate_whole(struct comp_msg *c, struct soft_tools *t, __u8 alg, int level, void *dst, size_t room)
{
	struct libdeflate_compressor *lc = compressor_get(t, level);
	size_t n;

	if (!lc)
		return -ENOMEM;
	if (alg == WD_ZLIB)
		n = libdeflate_zlib_compress(lc, c->src, c->src_len, dst, room);
	else if (alg == WD_GZIP)
		n = libdeflate_gzip_compress(lc, c->src, c->src_len, dst, room);
	else
		n = libdeflate_deflate_compress(lc, c->src, c->src_len, dst, room);
	/* The header is as long as libdeflate's, and the same as on a device and in a stream. */
	if (n)
		format_write_header(alg, c->win, c->level, dst);
	return (ssize_t)n;
}

static ssize_t compress_into(struct comp_msg *c, struct soft_tools *t, void *dst, size_t room)
{
	struct soft_choice how = soft_choose_whole(c->level);

	if (how.lib == SOFT_ISAL)
		return isal_whole(c, t, how.level, dst, room);
	return libdeflate_whole(c, t, c->alg, how.level, dst, room);
}

ssize_t soft_deflate_raw(struct comp_msg *c, struct soft_tools *t, void *dst, size_t room)
{
	return libdeflate_whole(c, t, WD_DEFLATE_RAW, soft_choose_whole(c->level).level, dst, room);
}

/* The room may suffice for the result, and only the library needed more. */
static ssize_t compress_tight(struct comp_msg *c, struct soft_tools *t)
{
	ssize_t n = 0;
	void *buf;

	buf = malloc(c->dst_len + SOFT_SLACK);
	if (!buf)
		return 0;
	n = compress_into(c, t, buf, c->dst_len + SOFT_SLACK);
	if (n > (ssize_t)c->dst_len)
		n = 0;
	if (n > 0)
		memcpy(c->dst, buf, n);
	free(buf);
	return n;
}

static int whole_compress(struct comp_msg *c, struct soft_tools *t)
{
	ssize_t n = compress_into(c, t, c->dst, c->dst_len);

	if (!n && !soft_overlaps(c))
		n = compress_tight(c, t);
	if (n <= 0)
		return n ? (int)n : -ENOSPC;
	c->consumed = c->src_len;
	c->produced = n;
	return 0;
}

static int whole_decompress(struct comp_msg *c, struct soft_tools *t)
{
	enum libdeflate_result ret;
	size_t in = 0, out = 0;

	if (!t->decomp)
		t->decomp = libdeflate_alloc_decompressor();
	if (!t->decomp)
		return -ENOMEM;
	if (c->alg == WD_ZLIB)
		ret = libdeflate_zlib_decompress_ex(t->decomp, c->src, c->src_len, c->dst, c->dst_len, &in, &out);
	else if (c->alg == WD_GZIP)
		ret = libdeflate_gzip_decompress_ex(t->decomp, c->src, c->src_len, c->dst, c->dst_len, &in, &out);
	else
		ret = libdeflate_deflate_decompress_ex(t->decomp, c->src, c->src_len, c->dst, c->dst_len, &in, &out);
	switch (ret) {
	case LIBDEFLATE_SUCCESS:
		c->consumed = in;
		c->produced = out;
		return 0;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return -ENOSPC;
	default:
		return -EBADMSG;
	}
}

int soft_whole(struct comp_msg *c, struct soft_tools *t)
{
	return c->dir == WD_DIR_COMPRESS ? whole_compress(c, t) : whole_decompress(c, t);
}
