/* SPDX-License-Identifier: Apache-2.0 */
/* A device's queue without a library: opened and mapped by hand, and the steps of a loop over its rings. */
#ifndef BENCH_RINGS_H
#define BENCH_RINGS_H

#include <endian.h>
#include <stdint.h>
#include <misc/uacce/hisi_qm.h>
#include "hw/qm_hw.h"

struct rings {
	int fd;
	struct hisi_qp_info info;
	unsigned char *dus;
	size_t dus_bytes;
	volatile uint64_t *doorbell;	/* NULL: the kernel rings */
	struct qm_cqe *cq;
	unsigned int id, tail, head, phase;
	unsigned int unacked, batch;	/* completions since the last CQ doorbell, and the most that may be */
};

/* Both end the program on failure. */
void rings_start(struct rings *r, const char *node, unsigned int qc_type);
void rings_stop(struct rings *r);

static inline void rings_ring(struct rings *r, enum qm_db_cmd cmd, unsigned int index)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*r->doorbell = htole64(qm_db_value((__u16)r->id, cmd, (__u16)index, 0));
}

/* The next descriptor, of that size. */
static inline void *rings_next(struct rings *r, size_t size)
{
	void *sqe = r->dus + (size_t)r->tail * size;

	if (++r->tail == r->info.sq_depth)
		r->tail = 0;
	return sqe;
}

/* Waits for the next completion, and returns its descriptor. */
static inline const void *rings_take(struct rings *r, size_t size)
{
	const struct qm_cqe *cqe = &r->cq[r->head];

	while ((__atomic_load_n(&cqe->w7, __ATOMIC_ACQUIRE) & QM_CQE_PHASE) != r->phase)
		;
	if (++r->head == r->info.cq_depth) {
		r->head = 0;
		r->phase ^= 1;
	}
	r->unacked++;
	return r->dus + (size_t)cqe->sq_head * size;
}

#endif
