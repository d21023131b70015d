// SPDX-License-Identifier: Apache-2.0
/*
 * Frames of zstd and blocks of LZ4 whose matches a device finds, beside libzstd and liblz4: CPU time of the caller, and
 * sizes. What the emulated device finds says nothing of hardware.
 */
#include <errno.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include "bench.h"

#define ROUNDS	11
#define TIMES	4
#define SIZE	(1u << 20)
#define ROOM	(2 * SIZE)

struct job {
	const unsigned char *src;
	unsigned char *dst;
	handle_t sess;
	ZSTD_CCtx *zstd;	/* NULL: LZ4 */
	size_t ours, floor;	/* bytes of the last result */
};

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

	while (n--) {
		if (j->zstd)
			j->floor = ZSTD_compress2(j->zstd, j->dst, ROOM, j->src, SIZE);
		else
			j->floor = (size_t)LZ4_compress_default((const char *)j->src, (char *)j->dst, SIZE, ROOM);
	}
	return cpu_ns() - start;
}

static void measure(const unsigned char *src, unsigned char *dst, const char *name, int alg, int level)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = (__u8)alg, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = (__u8)level,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW | (alg == WD_LZ4 ? WD_COMP_SESS_BLOCK : 0),
	};
	struct job j = { .src = src, .dst = dst, .sess = wd_comp_alloc_sess(&setup, NULL) };
	char text[64];
	struct pair p;

	if (!j.sess)
		die("wd_comp_alloc_sess", -errno);
	if (alg == WD_ZSTD) {
		j.zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(j.zstd, ZSTD_c_compressionLevel, level);
	}
	p = measure_pair(ours_ns, &j, floor_ns, &j, TIMES, ROUNDS);
	snprintf(text, sizeof(text), "%s.cpu", name);
	row(text, p.ours, "ns/MiB", p.floor);
	snprintf(text, sizeof(text), "%s.bytes", name);
	row(text, (double)j.ours, "B", (double)j.floor);
	ZSTD_freeCCtx(j.zstd);
	wd_comp_free_sess(j.sess);
}

int zstd_rows(int argc, char **argv)
{
	unsigned char *text = malloc(SIZE), *dst = malloc(ROOM);

	(void)argc, (void)argv;
	if (!text || !dst)
		die("memory", -ENOMEM);
	text_fill(text, SIZE);
	measure(text, dst, "zstd.1", WD_ZSTD, 1);
	measure(text, dst, "zstd.3", WD_ZSTD, 3);
	measure(text, dst, "lz4.1", WD_LZ4, 1);
	free(text);
	free(dst);
	return 0;
}
