// SPDX-License-Identifier: Apache-2.0
/* Compresses many blocks at once: submits until there is no room, polls, and retries what was refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <wd_comp.h>

#define BLOCKS 2000
#define BLOCK_BYTES 4096
#define POLL_MS 10000

struct block {
	struct wd_comp_arg arg;
	size_t packed_len;
	unsigned char plain[BLOCK_BYTES];
	unsigned char packed[BLOCK_BYTES + 512];
};

struct totals {
	unsigned int done, failed;
	size_t packed_bytes;
};

/* Runs inside wd_comp_poll(), in the thread that polls. */
static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct totals *totals = param;

	totals->done++;
	if (arg->status == WD_COMP_OK)
		totals->packed_bytes += *arg->dst_len;
	else
		totals->failed++;
}

static void prepare(struct block *b, unsigned int number, struct totals *totals)
{
	size_t i;

	for (i = 0; i < BLOCK_BYTES; i++)
		b->plain[i] = 'a' + (i * number >> 5) % 23;
	b->packed_len = sizeof(b->packed);
	b->arg = (struct wd_comp_arg){
		.src = b->plain,
		.src_len = BLOCK_BYTES,
		.dst = b->packed,
		.dst_len = &b->packed_len,
		.cb = on_done,
		.cb_param = totals,
	};
}

static int submit_all(handle_t sess, struct block *blocks, struct totals *totals)
{
	unsigned int i = 0;
	int ret;

	while (i < BLOCKS) {
		prepare(&blocks[i], i, totals);
		ret = wd_comp_async(sess, &blocks[i].arg, NULL);
		if (!ret) {
			i++;
		} else if (ret == -EBUSY) {
			/* Full: block i was not taken. Make room, then submit the same block again. */
			ret = wd_comp_poll(1, POLL_MS, NULL);
			if (ret < 0)
				return ret;
		} else {
			return ret;
		}
	}
	return 0;
}

/* Even after an error the buffers may be freed only when nothing is in flight. */
static int drain(const struct totals *totals, unsigned int wanted)
{
	int ret = 1;

	while (totals->done < wanted && ret > 0)
		ret = wd_comp_poll(wanted - totals->done, POLL_MS, NULL);
	return ret < 0 ? ret : 0;
}

static int run(handle_t sess, struct block *blocks)
{
	struct totals totals = { 0 };
	int ret;

	ret = submit_all(sess, blocks, &totals);
	if (!ret)
		ret = drain(&totals, BLOCKS);
	if (ret)
		return ret;
	printf("%u blocks, %u failed, %u -> %zu bytes, path %s\n", totals.done, totals.failed,
	       BLOCKS * BLOCK_BYTES, totals.packed_bytes, wd_path_str(blocks[0].arg.path));
	return totals.done == BLOCKS && !totals.failed ? 0 : -EIO;
}

int main(void)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB,
		.op_type = WD_ASYNC,
		.dir_type = WD_DIR_COMPRESS,
		.comp_lv = 6,
		.win_size = WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
	};
	struct block *blocks = calloc(BLOCKS, sizeof(*blocks));
	handle_t sess;
	int ret;

	sess = blocks ? wd_comp_alloc_sess(&setup, NULL) : 0;
	if (!sess) {
		fprintf(stderr, "comp_async: %s\n", wd_status_str(-errno));
		free(blocks);
		return 1;
	}
	ret = run(sess, blocks);
	if (ret)
		fprintf(stderr, "comp_async: %s\n", wd_status_str(ret));
	/* The session can't be freed while requests are in flight: then the buffers must stay as well. */
	if (!wd_comp_free_sess(sess))
		free(blocks);
	return ret != 0;
}
