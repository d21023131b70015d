/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the compression tests: data to compress, checks with zlib, sessions. */
#ifndef COMP_TEST_H
#define COMP_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wd_comp.h>
#include <zlib.h>

#include "noise.h"
#include "session.h"

#define KIB	1024u
#define MIB	(1024u * 1024u)

/* An address where nothing is mapped: so low that the kernel doesn't place any thread's later mapping there. */
#define NOWHERE	((unsigned char *)0x100000)

/* A run for another kernel or a sanitizer: parts that don't depend on these run in full elsewhere. */
static inline bool brief(void)
{
	return getenv("WD_TEST_BRIEF");
}

static const char *const alg_names[] = { "zlib", "gzip", "deflate" };

/* Text-like, repeatable for a seed: compresses to about a third. */
static inline void fill_text(unsigned char *p, size_t n, unsigned int seed)
{
	static const char *const words[] = {
		"queue ", "context ", "descriptor ", "doorbell ", "the ", "of ", "session ", "a ", "ring\n", "42 ",
		"completion ",
	};
	size_t i = 0;

	while (i < n) {
		const char *w;

		seed = seed * 1103515245u + 12345u;
		w = words[(seed >> 16) % 11];
		while (*w && i < n)
			p[i++] = *w++;
		if (i < n && (seed >> 24) % 5 == 0)
			p[i++] = seed >> 8;
	}
}

#define GUARD		0xa5
#define GUARD_BYTES	64

/* Guard bytes behind a destination, which show whether anything was written there. */
static inline void guard_set(unsigned char *p)
{
	memset(p, GUARD, GUARD_BYTES);
}

static inline bool guard_intact(const unsigned char *p)
{
	int i;

	for (i = 0; i < GUARD_BYTES; i++)
		if (p[i] != GUARD)
			return false;
	return true;
}

static inline int z_bits(int alg, int bits)
{
	return alg == WD_ZLIB ? bits : alg == WD_GZIP ? bits + 16 : -bits;
}

/* Compresses all of src with zlib; the length, or -1. */
static inline long z_compress(int alg, const void *src, size_t n, void *dst, size_t room)
{
	z_stream z = { .next_in = (void *)src, .avail_in = n, .next_out = dst, .avail_out = room };
	long ret = -1;

	if (deflateInit2(&z, 6, Z_DEFLATED, z_bits(alg, 15), 8, Z_DEFAULT_STRATEGY))
		return -1;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END)
		ret = z.total_out;
	deflateEnd(&z);
	return ret;
}

/* Decompresses with zlib; the length, or -1 when src is no complete stream. *used: where the stream ends. */
static inline long z_inflate(int alg, const void *src, size_t n, void *dst, size_t room, int bits, size_t *used)
{
	z_stream z = { .next_in = (void *)src, .avail_in = n, .next_out = dst, .avail_out = room };
	long ret = -1;

	if (inflateInit2(&z, z_bits(alg, bits)))
		return -1;
	if (inflate(&z, Z_FINISH) == Z_STREAM_END)
		ret = z.total_out;
	inflateEnd(&z);
	if (used)
		*used = z.total_in;
	return ret;
}

/* The same, for a stream with no data behind it. */
static inline long z_decompress(int alg, const void *src, size_t n, void *dst, size_t room, int bits)
{
	size_t used = 0;
	long ret = z_inflate(alg, src, n, dst, room, bits, &used);

	return used == n ? ret : -1;
}

static inline handle_t sess_flags(int alg, int dir, int op, int fmt, int level, int win, unsigned int flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg, .op_type = op, .dir_type = dir, .comp_lv = level, .win_size = win, .data_fmt = fmt,
		.flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static inline handle_t sess_new(int alg, int dir, int op)
{
	return sess_flags(alg, dir, op, WD_FLAT_BUF, 6, WD_COMP_WS_32K, 0);
}

#endif
