// SPDX-License-Identifier: Apache-2.0
/*
 * The floor: the same descriptors, written into the rings by a loop that knows nothing of threads, errors or other
 * requests. A library's cost comes on top of this.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include "bench.h"
#include "hw/zip_hw.h"
#include "rings.h"

#define NODE	"/dev/hisi_zip-0"

struct bare {
	struct rings rings;
	unsigned char src[BYTES], dst[2 * BYTES];
};

struct bare *bare_open(void)
{
	struct bare *b = calloc(1, sizeof(*b));

	if (!b)
		die("bare_open", -ENOMEM);
	rings_start(&b->rings, NODE, 0);
	return b;
}

void bare_close(struct bare *b)
{
	rings_stop(&b->rings);
	free(b);
}

/* Writes in place: the device doesn't look before the doorbell, and the other fields keep the last request's values. */
static void put(struct bare *b, unsigned int tag)
{
	struct zip_sqe *sqe = rings_next(&b->rings, sizeof(*sqe));
	uint64_t src = (uintptr_t)b->src, dst = (uintptr_t)b->dst;

	sqe->dw3 = 0;
	sqe->input_data_length = htole32(BYTES);
	sqe->dw7 = htole32(ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH);
	sqe->dw9 = htole32(ZIP_REQ_DEFLATE | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT);
	sqe->dest_avail_out = htole32(sizeof(b->dst));
	sqe->source_addr_l = htole32((uint32_t)src);
	sqe->source_addr_h = htole32((uint32_t)(src >> 32));
	sqe->dest_addr_l = htole32((uint32_t)dst);
	sqe->dest_addr_h = htole32((uint32_t)(dst >> 32));
	sqe->tag_l = htole32(tag);
}

static void take(struct bare *b)
{
	const struct zip_sqe *sqe = rings_take(&b->rings, sizeof(*sqe));

	if (sqe->dw3 & ZIP_DW3_STATUS_MASK)
		die("descriptor", -EIO);
}

static inline unsigned long long run(struct bare *b, unsigned int n, unsigned int window, bool timed)
{
	struct pollfd p = { .fd = b->rings.fd, .events = POLLIN };
	unsigned long long ns = 0, start = 0;
	struct rings *r = &b->rings;
	unsigned int i;

	for (; n; n -= window) {
		if (window > n)
			window = n;
		for (i = 0; i < window; i++)
			put(b, i);
		rings_ring(r, QM_DB_CMD_SQ, r->tail);
		for (i = 0; i < window; i++)
			take(b);
		if (r->unacked >= r->batch) {
			rings_ring(r, QM_DB_CMD_CQ, r->head);
			if (timed)
				start = now_ns();
			poll(&p, 1, 0);
			if (timed)
				ns += now_ns() - start;
			r->unacked = 0;
		}
	}
	return ns;
}

void bare_run(struct bare *b, unsigned int n, unsigned int window)
{
	run(b, n, window, false);
}

unsigned long long bare_run_polls(struct bare *b, unsigned int n, unsigned int window)
{
	return run(b, n, window, true);
}
