// SPDX-License-Identifier: Apache-2.0
/*
 * Frames of zstd and LZ4, and blocks of LZ4, whose matches a device finds, beside libzstd and liblz4: CPU time of the
 * caller, and sizes. What the emulated device finds says nothing of hardware. The same of zstd's frames whose matches
 * are those of the software path of WD_LZ77.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <errno.h>
#include <lz4.h>
#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include "bench.h"

#define ROUNDS	11
#define TIMES	4
#define SIZE	(1u << 20)
#define ROOM	(2 * SIZE)
#define SEQS	(SIZE / WD_LZ77_MATCH_MIN + SIZE / WD_LZ77_MAX)	/* at most */

struct job {
	const unsigned char *src;
	unsigned char *dst;
	handle_t sess;
	ZSTD_CCtx *zstd, *coder;	/* coder: of sequences that are there */
	size_t (*stock)(struct job *j);
	size_t ours, floor;	/* bytes of the last result */
};

static size_t stock_zstd(struct job *j)
{
	return ZSTD_compress2(j->zstd, j->dst, ROOM, j->src, SIZE);
}

static size_t stock_block(struct job *j)
{
	return (size_t)LZ4_compress_default((const char *)j->src, (char *)j->dst, SIZE, ROOM);
}

/* As the command lz4 makes them, without checksums as ours. */
static size_t stock_frame(struct job *j)
{
	LZ4F_preferences_t prefs = { .frameInfo = {
		.blockSizeID = LZ4F_max4MB, .blockMode = LZ4F_blockIndependent, .contentSize = SIZE,
	} };

	return LZ4F_compressFrame(j->dst, ROOM, j->src, SIZE, &prefs);
}

static unsigned long long ours_ns(void *arg, unsigned int n)
{
	unsigned long long start = cpu_ns();
	struct job *j = arg;
	int ret;

	while (n--) {
		struct wd_comp_arg a = { .src = j->src, .src_len = SIZE, .dst = j->dst, .dst_len = &j->ours };

		j->ours = ROOM;
		ret = wd_compress(j->sess, &a);
		if (ret || a.path != WD_PATH_SIM)
			die("a request on an emulated device", ret);
	}
	return cpu_ns() - start;
}

static unsigned long long floor_ns(void *arg, unsigned int n)
{
	unsigned long long start = cpu_ns();
	struct job *j = arg;

	while (n--)
		j->floor = j->stock(j);
	return cpu_ns() - start;
}

static void rows_of(const char *name, struct job *j, measure_t *ours)
{
	struct pair p = measure_pair(ours, j, floor_ns, j, TIMES, ROUNDS);
	char text[64];

	snprintf(text, sizeof(text), "%s.cpu", name);
	row(text, p.ours, "ns/MiB", p.floor);
	snprintf(text, sizeof(text), "%s.bytes", name);
	row(text, (double)j->ours, "B", (double)j->floor);
	wd_comp_free_sess(j->sess);
	ZSTD_freeCCtx(j->zstd);
	ZSTD_freeCCtx(j->coder);
}

static ZSTD_CCtx *zstd_of(int level)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	return c;
}

static void measure(struct job j, const char *name, int alg, int level, unsigned int flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = (__u8)alg, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = (__u8)level,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW | flags,
	};

	j.sess = wd_comp_alloc_sess(&setup, NULL);
	if (!j.sess)
		die("wd_comp_alloc_sess", -errno);
	j.stock = flags ? stock_block : stock_frame;
	if (alg == WD_ZSTD) {
		j.zstd = zstd_of(level);
		j.stock = stock_zstd;
	}
	rows_of(name, &j, ours_ns);
}

/* Sequences of each block, and a frame of all. */
static unsigned long long soft_ns(void *arg, unsigned int n)
{
	static struct wd_lz77_seq seq[SEQS];
	unsigned long long start = cpu_ns();
	struct job *j = arg;

	while (n--) {
		size_t at, nr = 0;

		for (at = 0; at < SIZE; at += WD_LZ77_MAX) {
			size_t len = (SEQS - nr) * sizeof(*seq);
			struct wd_comp_arg a = {
				.src = j->src + at, .src_len = WD_LZ77_MAX, .dst = seq + nr, .dst_len = &len,
			};
			int ret = wd_compress(j->sess, &a);

			if (ret)
				die("a block of the software path", ret);
			nr += len / sizeof(*seq);
		}
		j->ours = ZSTD_compressSequences(j->coder, j->dst, ROOM, (ZSTD_Sequence *)seq, nr, j->src, SIZE);
	}
	return cpu_ns() - start;
}

static void measure_soft(struct job j, const char *name, int level)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_LZ77, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = (__u8)level,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_SOFT,
	};

	j.sess = wd_comp_alloc_sess(&setup, NULL);
	if (!j.sess)
		die("wd_comp_alloc_sess", -errno);
	j.stock = stock_zstd;
	j.zstd = zstd_of(level);
	j.coder = zstd_of(level);
	ZSTD_CCtx_setParameter(j.coder, ZSTD_c_blockDelimiters, ZSTD_sf_explicitBlockDelimiters);
	ZSTD_CCtx_setParameter(j.coder, ZSTD_c_searchForExternalRepcodes, ZSTD_ps_enable);
	rows_of(name, &j, soft_ns);
}

int zstd_rows(int argc, char **argv)
{
	unsigned char *text = malloc(SIZE), *dst = malloc(ROOM);
	struct job j = { .src = text, .dst = dst };

	(void)argc, (void)argv;
	if (!text || !dst)
		die("memory", -ENOMEM);
	text_fill(text, SIZE);
	measure(j, "zstd.1", WD_ZSTD, 1, 0);
	measure(j, "zstd.3", WD_ZSTD, 3, 0);
	measure_soft(j, "zstd.1.soft", 1);
	measure_soft(j, "zstd.3.soft", 3);
	measure(j, "lz4.1", WD_LZ4, 1, WD_COMP_SESS_BLOCK);
	measure(j, "lz4.1.frame", WD_LZ4, 1, 0);
	free(text);
	free(dst);
	return 0;
}
