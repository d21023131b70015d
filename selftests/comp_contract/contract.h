/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, sample data and zlib as the judge, for the tests of the compression API's contract. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <wd_comp.h>

#include "noise.h"

#define GUARD 0xa5
#define GUARD_BYTES 64

static const __u8 all_algs[] = { WD_ZLIB, WD_GZIP, WD_DEFLATE_RAW };

static inline struct wd_comp_sess_setup setup_of(__u8 alg, __u8 op, __u8 dir)
{
	struct wd_comp_sess_setup s = {
		.alg_type = alg,
		.op_type = op,
		.dir_type = dir,
		.comp_lv = 6,
		.win_size = WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
	};

	return s;
}

static inline handle_t sess_of(__u8 alg, __u8 op, __u8 dir)
{
	struct wd_comp_sess_setup s = setup_of(alg, op, dir);

	return wd_comp_alloc_sess(&s, NULL);
}

/* Whether a device is there, an emulated one for example; then the path is its. */
static inline int path_expected(void)
{
	struct uacce_dev_list *list = wd_list_accels("gzip");
	int path = !list ? WD_PATH_SOFT : list->info->simulated ? WD_PATH_SIM : WD_PATH_HW;

	wd_free_list_accels(list);
	return path;
}

/* Reproducible; compressible about three to one. */
static inline void fill_text(unsigned char *p, size_t len, unsigned int seed)
{
	unsigned int x = seed * 2654435761u + 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = x * 1103515245u + 12345;
		p[i] = (x >> 16) % 5 ? "etaoin shrdlu"[(x >> 20) % 13] : p[i / 3];
	}
}

static inline int window_bits(__u8 alg)
{
	return alg == WD_ZLIB ? 15 : alg == WD_GZIP ? 31 : -15;
}

/* zlib's view of a stream: bytes produced, or -1 when it is not whole; *used says where it ends. */
static inline long judge_inflate(__u8 alg, const void *src, size_t len, void *dst, size_t room, size_t *used)
{
	z_stream z = { 0 };
	int ret;

	if (inflateInit2(&z, window_bits(alg)) != Z_OK)
		return -1;
	z.next_in = (void *)src;
	z.avail_in = len;
	z.next_out = dst;
	z.avail_out = room;
	ret = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (used)
		*used = z.total_in;
	return ret == Z_STREAM_END ? (long)z.total_out : -1;
}

static inline size_t judge_deflate(__u8 alg, const void *src, size_t len, void *dst, size_t room)
{
	z_stream z = { 0 };

	if (deflateInit2(&z, 6, Z_DEFLATED, window_bits(alg), 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	z.next_in = (void *)src;
	z.avail_in = len;
	z.next_out = dst;
	z.avail_out = room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		z.total_out = 0;
	deflateEnd(&z);
	return z.total_out;
}

static inline bool guard_intact(const unsigned char *p)
{
	int i;

	for (i = 0; i < GUARD_BYTES; i++)
		if (p[i] != GUARD)
			return false;
	return true;
}

#endif
