// SPDX-License-Identifier: Apache-2.0
/*
 * The floor: the same descriptors, written into the rings by a loop that knows nothing of threads, errors or other
 * requests. A library's cost comes on top of this.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <misc/uacce/hisi_qm.h>
#include <misc/uacce/uacce.h>
#include "bench.h"
#include "hw/qm_hw.h"
#include "hw/zip_hw.h"

#define NODE	"/dev/hisi_zip-0"

struct bare {
	int fd;
	struct hisi_qp_info info;
	unsigned char *dus;
	size_t dus_bytes;
	volatile uint64_t *doorbell;
	struct qm_cqe *cq;
	unsigned int id, tail, head, phase;
	unsigned int unacked, batch;	/* completions since the last CQ doorbell, and the most that may be */
	unsigned char src[BYTES], dst[2 * BYTES];
};

static struct bare *bare_map(struct bare *b)
{
	void *mmio;

	b->dus_bytes = (size_t)b->info.sq_depth * b->info.sqe_size + (size_t)b->info.cq_depth * sizeof(struct qm_cqe);
	b->dus_bytes = ((b->dus_bytes + 4095) & ~4095ul) + 4096;
	b->dus = mmap(NULL, b->dus_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, sysconf(_SC_PAGESIZE));
	mmio = mmap(NULL, QM_DB_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (b->dus == MAP_FAILED || mmio == MAP_FAILED)
		die("mmap", -errno);
	b->doorbell = (volatile uint64_t *)((char *)mmio + QM_DB_SQ_CQ);
	b->cq = (struct qm_cqe *)(b->dus + (size_t)b->info.sq_depth * b->info.sqe_size);
	return b;
}

struct bare *bare_open(void)
{
	struct hisi_qp_ctx ctx = { .qc_type = 0 };
	struct bare *b = calloc(1, sizeof(*b));

	if (!b)
		die("bare_open", -ENOMEM);
	b->phase = 1;
	b->fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (b->fd < 0)
		die(NODE, -errno);
	if (ioctl(b->fd, UACCE_CMD_QM_SET_QP_CTX, &ctx) || ioctl(b->fd, UACCE_CMD_QM_SET_QP_INFO, &b->info))
		die("ioctl", -errno);
	b->id = ctx.id;
	b->batch = b->info.cq_depth / 4;
	bare_map(b);
	if (ioctl(b->fd, UACCE_CMD_START_Q))
		die("UACCE_CMD_START_Q", -errno);
	return b;
}

void bare_close(struct bare *b)
{
	munmap(b->dus, b->dus_bytes);
	munmap((char *)b->doorbell - QM_DB_SQ_CQ, QM_DB_WINDOW);
	close(b->fd);
	free(b);
}

static void ring(struct bare *b, enum qm_db_cmd cmd, unsigned int index)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*b->doorbell = htole64(qm_db_value((__u16)b->id, cmd, (__u16)index, 0));
}

/* Writes in place: the device doesn't look before the doorbell, and the other fields keep the last request's values. */
static void put(struct bare *b, unsigned int tag)
{
	struct zip_sqe *sqe = (struct zip_sqe *)(b->dus + (size_t)b->tail * sizeof(*sqe));
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
	if (++b->tail == b->info.sq_depth)
		b->tail = 0;
}

static void take(struct bare *b)
{
	const struct qm_cqe *cqe = &b->cq[b->head];
	const struct zip_sqe *sqe;

	while ((__atomic_load_n(&cqe->w7, __ATOMIC_ACQUIRE) & QM_CQE_PHASE) != b->phase)
		;
	sqe = (const struct zip_sqe *)(b->dus + (size_t)cqe->sq_head * sizeof(*sqe));
	if (sqe->dw3 & ZIP_DW3_STATUS_MASK)
		die("descriptor", -EIO);
	if (++b->head == b->info.cq_depth) {
		b->head = 0;
		b->phase ^= 1;
	}
	b->unacked++;
}

static inline unsigned long long run(struct bare *b, unsigned int n, unsigned int window, bool timed)
{
	struct pollfd p = { .fd = b->fd, .events = POLLIN };
	unsigned long long ns = 0, start = 0;
	unsigned int i;

	for (; n; n -= window) {
		if (window > n)
			window = n;
		for (i = 0; i < window; i++)
			put(b, i);
		ring(b, QM_DB_CMD_SQ, b->tail);
		for (i = 0; i < window; i++)
			take(b);
		if (b->unacked >= b->batch) {
			ring(b, QM_DB_CMD_CQ, b->head);
			if (timed)
				start = now_ns();
			poll(&p, 1, 0);
			if (timed)
				ns += now_ns() - start;
			b->unacked = 0;
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
