// SPDX-License-Identifier: Apache-2.0
/* The software path against direct calls of the library that it uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "direct.h"

#define ROUNDS	15
#define TURN_NS	8000000.0	/* CPU time of one measurement */
#define MOST	(1u << 20)

/* One kind of request: its direction, whole or in pieces, and its data. */
struct job {
	int level;		/* 0: decompress */
	bool stream;
	bool part;
	const unsigned char *src;
	size_t size;
	unsigned char *dst;
	size_t room;
	handle_t sess;
	struct direct *direct;
};

static void whole(const struct job *j)
{
	size_t len = j->room;
	struct wd_comp_arg a = { .src = (void *)j->src, .src_len = j->size, .dst = j->dst, .dst_len = &len,
				 .flags = j->part ? WD_COMP_PART : 0 };
	int ret = j->level ? wd_compress(j->sess, &a) : wd_decompress(j->sess, &a);

	if (ret)
		die("a request on the software path", ret);
}

static void pieces(const struct job *j)
{
	size_t at, out = 0;
	int ret = 0;

	for (at = 0; at < j->size; at += PIECE) {
		size_t in = j->size - at < PIECE ? j->size - at : PIECE, len = j->room - out;
		struct wd_comp_strm s = {
			.src = (void *)(j->src + at), .src_len = &in, .dst = j->dst + out, .dst_len = &len,
			.last = at + PIECE >= j->size,
		};

		ret = j->level ? wd_strm_compress(j->sess, &s) : wd_strm_decompress(j->sess, &s);
		if (ret < 0)
			die("a stream on the software path", ret);
		out += len;
	}
	if (ret != 1)
		die("a stream that doesn't end", -EIO);
}

static unsigned long long ours_ns(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--)
		if (j->stream)
			pieces(j);
		else
			whole(j);
	return cpu_ns() - start;
}

static unsigned long long direct_ns(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--)
		direct_run(j->direct, j->src, j->size, j->dst, j->room);
	return cpu_ns() - start;
}

static handle_t session(const struct job *j)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_SYNC,
		.dir_type = j->level ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS, .comp_lv = (__u8)j->level,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_SOFT,
	};
	handle_t sess = wd_comp_alloc_sess(&setup, NULL);

	if (!sess)
		die("wd_comp_alloc_sess", -errno);
	return sess;
}

static void measure(struct job *j, const char *size)
{
	char level[8] = "", name[64];
	unsigned int n;
	struct pair p;
	double once;

	j->direct = direct_open(j->level, j->stream);
	j->sess = session(j);
	direct_ns(j, 1);
	once = (double)direct_ns(j, 1);
	/* As many as fill one measurement. */
	n = once < TURN_NS ? (unsigned int)(TURN_NS / (once + 1)) + 1 : 1;
	p = measure_pair(ours_ns, j, direct_ns, j, n, ROUNDS);
	if (j->level)
		snprintf(level, sizeof(level), "%d.", j->level);
	snprintf(name, sizeof(name), "soft.%s%s.%s%s.ratio", j->level ? "deflate" : "inflate",
		 j->stream ? "-stream" : j->part ? "-part" : "", level, size);
	/* The row's value is the ratio; its floor is the direct call's time. */
	printf("row %s %.4f x:%s %.0f %.4f\n", name, p.ratio, direct_name(j->direct), p.floor, p.ratio);
	fflush(stdout);
	wd_comp_free_sess(j->sess);
	direct_close(j->direct);
}

/* Of wdzip's size. The direct call makes a whole stream. */
static void parts(struct job *j)
{
	static const int levels[] = { 1, 2, 6, 9 };
	unsigned int i;

	j->size = MOST / 2;
	j->stream = false;
	j->part = true;
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		j->level = levels[i];
		measure(j, "512k");
	}
	j->part = false;
}

int soft_rows(int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t bytes;
	} sizes[] = { { "4k", 4096 }, { "64k", 65536 }, { "1m", MOST } };
	static const int levels[] = { 1, 3, 6, 9, 12 };
	unsigned char *text = malloc(MOST), *packed = malloc(2 * MOST);
	struct job j = { .dst = malloc(2 * MOST), .room = 2 * MOST };
	struct direct *packer = direct_open(6, false);
	unsigned int i, k;

	(void)argc, (void)argv;
	if (!text || !packed || !j.dst)
		die("malloc", -ENOMEM);
	text_fill(text, MOST);
	for (k = 0; k < 3; k++) {
		j.src = text;
		j.size = sizes[k].bytes;
		for (i = 0; i < 5; i++) {
			j.level = levels[i];
			j.stream = false;
			/* The highest level takes a tenth of a second for a megabyte. */
			if (k < 2 || j.level < 12)
				measure(&j, sizes[k].name);
			j.stream = true;
			if (k && j.level < 12)
				measure(&j, sizes[k].name);
		}
		j.level = 0;
		j.size = direct_run(packer, text, sizes[k].bytes, packed, 2 * MOST);
		j.src = packed;
		j.stream = false;
		measure(&j, sizes[k].name);
		j.stream = true;
		measure(&j, sizes[k].name);
	}
	j.src = text;
	parts(&j);
	direct_close(packer);
	free(text);
	free(packed);
	free(j.dst);
	return 0;
}
