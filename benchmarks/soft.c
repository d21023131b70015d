// SPDX-License-Identifier: Apache-2.0
/* This CPU's path against the library that it uses, called directly. */
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "bench.h"

#define ROUNDS	15
#define TURN_NS	8000000.0	/* of CPU time for one measurement */
#define MOST	(1u << 20)

struct job {
	int level;
	size_t size;
	unsigned char *src, *dst, *packed;
	size_t room, packed_len;
	handle_t sess;
	struct libdeflate_compressor *comp;
	struct libdeflate_decompressor *decomp;
	z_stream z;
};

static void checked(const char *what, int ret)
{
	if (ret < 0)
		die(what, ret);
}

static unsigned long long wd_block(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--) {
		size_t len = j->room;
		struct wd_comp_arg a = { .src = j->src, .src_len = j->size, .dst = j->dst, .dst_len = &len };

		checked("wd_compress", wd_compress(j->sess, &a));
	}
	return cpu_ns() - start;
}

static unsigned long long direct_block(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--)
		if (!libdeflate_deflate_compress(j->comp, j->src, j->size, j->dst, j->room))
			die("libdeflate_deflate_compress", -EIO);
	return cpu_ns() - start;
}

static unsigned long long wd_unpack(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--) {
		size_t len = j->room;
		struct wd_comp_arg a = { .src = j->packed, .src_len = j->packed_len, .dst = j->dst, .dst_len = &len };

		checked("wd_decompress", wd_decompress(j->sess, &a));
	}
	return cpu_ns() - start;
}

static unsigned long long direct_unpack(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();
	size_t in, out;

	while (n--)
		if (libdeflate_deflate_decompress_ex(j->decomp, j->packed, j->packed_len, j->dst, j->room, &in, &out))
			die("libdeflate_deflate_decompress_ex", -EIO);
	return cpu_ns() - start;
}

#define PIECE	16384u

static unsigned long long wd_stream(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();
	size_t at, out;

	while (n--)
		for (at = 0, out = 0; at < j->size; at += PIECE) {
			size_t in = j->size - at < PIECE ? j->size - at : PIECE, len = j->room - out;
			struct wd_comp_strm s = {
				.src = j->src + at, .src_len = &in, .dst = j->dst + out, .dst_len = &len,
				.last = at + PIECE >= j->size,
			};

			checked("wd_strm_compress", wd_strm_compress(j->sess, &s));
			out += len;
		}
	return cpu_ns() - start;
}

static unsigned long long direct_stream(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();
	size_t at;

	while (n--) {
		deflateReset(&j->z);
		j->z.next_out = j->dst;
		j->z.avail_out = (uInt)j->room;
		for (at = 0; at < j->size; at += PIECE) {
			j->z.next_in = j->src + at;
			j->z.avail_in = (uInt)(j->size - at < PIECE ? j->size - at : PIECE);
			if (deflate(&j->z, at + PIECE >= j->size ? Z_FINISH : Z_NO_FLUSH) < 0)
				die("deflate", -EIO);
		}
	}
	return cpu_ns() - start;
}

/* As many as fill a turn. */
static void pair_row(const char *name, measure_t *ours, measure_t *direct, struct job *j)
{
	double once;
	unsigned int n;
	struct pair p;

	direct(j, 1);
	once = (double)direct(j, 1);
	n = once < TURN_NS ? (unsigned int)(TURN_NS / (once + 1)) + 1 : 1;
	p = measure_pair(ours, j, direct, j, n, ROUNDS);
	/* The ratio is the row; the direct call's time is its floor. */
	printf("row %s %.4f x %.0f %.4f\n", name, p.ratio, p.floor, p.ratio);
	fflush(stdout);
}

static const char *size_name(size_t size)
{
	return size == 4096 ? "4k" : size == 65536 ? "64k" : "1m";
}

static void block_rows(struct job *j, int level, size_t size)
{
	char name[64];

	j->level = level;
	j->size = size;
	j->comp = libdeflate_alloc_compressor(level > 12 ? 12 : level);
	j->sess = session_open(WD_SYNC, level, WD_SESS_PATH_SOFT, ANY_DEVICE);
	snprintf(name, sizeof(name), "soft.deflate.%d.%s.ratio", level, size_name(size));
	pair_row(name, wd_block, direct_block, j);
	wd_comp_free_sess(j->sess);
	libdeflate_free_compressor(j->comp);
}

static void unpack_row(struct job *j, size_t size)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_SYNC, .dir_type = WD_DIR_DECOMPRESS, .flags = WD_SESS_PATH_SOFT,
		.win_size = WD_COMP_WS_32K,
	};
	char name[64];

	j->size = size;
	j->comp = libdeflate_alloc_compressor(6);
	j->decomp = libdeflate_alloc_decompressor();
	j->packed_len = libdeflate_deflate_compress(j->comp, j->src, size, j->packed, j->room);
	j->sess = wd_comp_alloc_sess(&setup, NULL);
	if (!j->sess)
		die("wd_comp_alloc_sess", -errno);
	snprintf(name, sizeof(name), "soft.inflate.%s.ratio", size_name(size));
	pair_row(name, wd_unpack, direct_unpack, j);
	wd_comp_free_sess(j->sess);
	libdeflate_free_decompressor(j->decomp);
	libdeflate_free_compressor(j->comp);
}

static void stream_row(struct job *j, int level, size_t size)
{
	char name[64];

	j->size = size;
	memset(&j->z, 0, sizeof(j->z));
	if (deflateInit2(&j->z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		die("deflateInit2", -ENOMEM);
	j->sess = session_open(WD_SYNC, level, WD_SESS_PATH_SOFT, ANY_DEVICE);
	snprintf(name, sizeof(name), "soft.deflate-stream.%d.%s.ratio", level, size_name(size));
	pair_row(name, wd_stream, direct_stream, j);
	wd_comp_free_sess(j->sess);
	deflateEnd(&j->z);
}

int soft_rows(int argc, char **argv)
{
	static const int levels[] = { 1, 3, 6, 9, 12 };
	static const size_t sizes[] = { 4096, 65536, MOST };
	struct job j = { .room = 2 * MOST };
	unsigned int i, k;

	(void)argc, (void)argv;
	j.src = malloc(MOST);
	j.dst = malloc(j.room);
	j.packed = malloc(j.room);
	if (!j.src || !j.dst || !j.packed)
		die("malloc", -ENOMEM);
	text_fill(j.src, MOST);
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		for (k = 0; k < (levels[i] > 9 ? 2u : 3u); k++)
			block_rows(&j, levels[i], sizes[k]);
	for (k = 0; k < 3; k++)
		unpack_row(&j, sizes[k]);
	for (i = 0; i < 4; i++)
		for (k = 1; k < 3; k++)
			stream_row(&j, levels[i], sizes[k]);
	free(j.src);
	free(j.dst);
	free(j.packed);
	return 0;
}
