// SPDX-License-Identifier: Apache-2.0
/* Whole buffers on this CPU: libdeflate, or zlib where libdeflate can't (small windows, lists, trailing members). */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <libdeflate.h>

#include "comp.h"
#include "soft.h"

#define LIBDEFLATE_MAX_LEVEL	12

/* A thread's (de)compressors: making one costs more than a small request. */
struct soft_tools {
	struct libdeflate_compressor *comp[LIBDEFLATE_MAX_LEVEL + 1];
	struct libdeflate_decompressor *decomp;
};

static pthread_key_t tools_key;
static pthread_once_t tools_once = PTHREAD_ONCE_INIT;
static bool tools_have_key;

static void tools_free(void *p)
{
	struct soft_tools *t = p;
	int i;

	for (i = 0; i <= LIBDEFLATE_MAX_LEVEL; i++)
		libdeflate_free_compressor(t->comp[i]);
	if (t->decomp)
		libdeflate_free_decompressor(t->decomp);
	free(t);
}

static void tools_init(void)
{
	tools_have_key = !pthread_key_create(&tools_key, tools_free);
}

/* A thread that exits through main() runs no key destructors. */
__attribute__((destructor)) static void tools_exit(void)
{
	struct soft_tools *t;

	if (!tools_have_key)
		return;
	t = pthread_getspecific(tools_key);
	pthread_key_delete(tools_key);
	if (t)
		tools_free(t);
	tools_have_key = false;
}

static struct soft_tools *tools_get(void)
{
	struct soft_tools *t;

	pthread_once(&tools_once, tools_init);
	if (!tools_have_key)
		return NULL;
	t = pthread_getspecific(tools_key);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && pthread_setspecific(tools_key, t)) {
		free(t);
		return NULL;
	}
	return t;
}

/* Levels as the contract's table has them, without ISA-L. */
static int libdeflate_level(__u8 level)
{
	return level > LIBDEFLATE_MAX_LEVEL ? LIBDEFLATE_MAX_LEVEL : level;
}

static int whole_compress(struct comp_msg *c, struct soft_tools *t)
{
	int level = libdeflate_level(c->level);
	struct libdeflate_compressor *lc = t->comp[level];
	size_t n;

	if (!lc)
		lc = t->comp[level] = libdeflate_alloc_compressor(level);
	if (!lc)
		return -ENOMEM;
	if (c->alg == WD_ZLIB)
		n = libdeflate_zlib_compress(lc, c->src, c->src_len, c->dst, c->dst_len);
	else if (c->alg == WD_GZIP)
		n = libdeflate_gzip_compress(lc, c->src, c->src_len, c->dst, c->dst_len);
	else
		n = libdeflate_deflate_compress(lc, c->src, c->src_len, c->dst, c->dst_len);
	if (!n)
		return -ENOSPC;
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

int soft_whole(struct comp_msg *c)
{
	struct soft_tools *t = tools_get();

	if (!t)
		return -ENOMEM;
	return c->dir == WD_DIR_COMPRESS ? whole_compress(c, t) : whole_decompress(c, t);
}
