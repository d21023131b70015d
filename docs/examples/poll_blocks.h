/* SPDX-License-Identifier: Apache-2.0 */
/* The polling samples' data, callback and session. */
#ifndef POLL_BLOCKS_H
#define POLL_BLOCKS_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <wd_comp.h>

#define BLOCKS 2000
#define BLOCK_BYTES 4096
#define POLL_MS 10000

struct block {
	struct wd_comp_arg arg;
	size_t packed_len;
	atomic_int ends;	/* 1 when the block is done: neither lost nor counted twice */
	unsigned char plain[BLOCK_BYTES];
	unsigned char packed[BLOCK_BYTES + 512];
};

/* Runs inside wd_comp_poll(), in the thread that polls. */
static inline void on_done(struct wd_comp_arg *arg, void *param)
{
	struct block *b = param;

	(void)arg;
	atomic_fetch_add(&b->ends, 1);
}

static inline struct block *blocks_new(void)
{
	struct block *blocks = calloc(BLOCKS, sizeof(*blocks));
	unsigned int n, i;

	for (n = 0; blocks && n < BLOCKS; n++) {
		struct block *b = &blocks[n];

		for (i = 0; i < BLOCK_BYTES; i++)
			b->plain[i] = 'a' + (i * n >> 5) % 23;
		b->packed_len = sizeof(b->packed);
		b->arg = (struct wd_comp_arg){
			.src = b->plain,
			.src_len = BLOCK_BYTES,
			.dst = b->packed,
			.dst_len = &b->packed_len,
			.cb = on_done,
			.cb_param = b,
			.wr_id = n,
		};
	}
	return blocks;
}

/* Sessions are for one direction; flags and cq as in struct wd_comp_sess_setup. */
static inline handle_t session_with(unsigned int flags, handle_t cq)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB,
		.op_type = WD_ASYNC,
		.dir_type = WD_DIR_COMPRESS,
		.comp_lv = 6,
		.win_size = WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
		.flags = flags,
		.cq = cq,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static inline handle_t session_new(void)
{
	return session_with(0, 0);
}

/* "sim", or "sim 1500 soft 500" if several paths did the work. */
static inline void paths_print(const struct block *blocks)
{
	unsigned int by[4] = { 0 }, n, path;

	for (n = 0; n < BLOCKS; n++)
		by[blocks[n].arg.path & 3]++;
	printf("path");
	for (path = 0; path < 4; path++)
		if (by[path] == BLOCKS)
			printf(" %s", wd_path_str(path));
		else if (by[path])
			printf(" %s %u", wd_path_str(path), by[path]);
	printf("\n");
}

/* 0 if each block ended exactly once and well. */
static inline int blocks_report(const struct block *blocks)
{
	unsigned int n, failed = 0;
	size_t packed = 0;

	for (n = 0; n < BLOCKS; n++) {
		if (blocks[n].ends != 1 || blocks[n].arg.status != WD_COMP_OK)
			failed++;
		packed += blocks[n].packed_len;
	}
	printf("%u blocks, %u failed, %u -> %zu bytes, ", n, failed, BLOCKS * BLOCK_BYTES, packed);
	paths_print(blocks);
	return failed ? -1 : 0;
}

#endif
