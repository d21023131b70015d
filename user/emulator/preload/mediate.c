// SPDX-License-Identifier: Apache-2.0
/*
 * Queues of devices without shared virtual addressing: what the kernel does for them, but for the doorbells. All of it
 * is under the device's lock, so two threads of a process don't translate at the same time.
 */
#include <stdlib.h>
#include <stdint.h>
#include "mediate.h"

#define REQUESTS	128	/* that a queue has slots for */

static __le32 *user_sqe(const struct emu_mediated *m, u32 index)
{
	return (__le32 *)(void *)(m->sq + ((size_t)index << m->shape.sqe_shift));
}

static unsigned char *device_sqe(const struct emu_mediated *m, u32 slot)
{
	return m->device_sq->piece.mem + ((size_t)slot << m->shape.sqe_shift);
}

/* Of a ring's entry that this count comes to, in the pass that it is in */
static u16 phase_of(const struct emu_mediated *m, u64 count)
{
	return count / m->shape.depth & 1 ? 0 : QM_CQE_PHASE;
}

/* ------ completions ------ */

/* The results, then the completion, with its phase last. */
static void publish_one(struct emu_mediated *m)
{
	u32 index = (u32)(m->published % m->shape.depth);
	struct emu_request *r = m->request[index];
	struct qm_cqe *cqe = &m->cq[index];

	emu_request_end(r, user_sqe(m, index));
	m->pinned -= r->pinned;
	emu_request_free(m->dev, r);
	m->request[index] = NULL;
	cqe->sq_head = (__le16)index;
	cqe->sq_num = (__le16)m->shape.id;
	__atomic_store_n(&cqe->w7, (__le16)phase_of(m, m->published), __ATOMIC_RELEASE);
	m->published++;
}

/* In the order of the process' ring. */
static void publish(struct emu_mediated *m)
{
	while (m->published < m->taken && m->request[m->published % m->shape.depth]->done)
		publish_one(m);
}

static const struct qm_cqe *device_cqe(const struct emu_mediated *m)
{
	const struct qm_cqe *ring = (const struct qm_cqe *)(const void *)m->device_cq->piece.mem;
	const struct qm_cqe *cqe = &ring[m->head % m->shape.depth];

	return (__atomic_load_n(&cqe->w7, __ATOMIC_ACQUIRE) & QM_CQE_PHASE) == phase_of(m, m->head) ? cqe : NULL;
}

/* The device isn't trusted: a completion that belongs to no request has no effect. */
static void request_done(struct emu_mediated *m, u32 slot)
{
	struct emu_request *r = slot < m->shape.depth ? m->request[m->slot[slot]] : NULL;

	if (!r || r->done || r->device_slot != slot)
		return;
	memcpy(r->sqe, device_sqe(m, slot), tr_sqe_bytes(&m->q));
	r->done = true;
}

void emu_mediated_reap(struct emu_mediated *m)
{
	const struct qm_cqe *cqe;

	for (; (cqe = device_cqe(m)); m->head++)
		request_done(m, cqe->sq_head);
	publish(m);
}

/* ------ submissions ------ */

static u32 requests_max(const struct emu_mediated *m)
{
	return REQUESTS < m->shape.depth - 1 ? REQUESTS : m->shape.depth - 1;
}

/* False: there is no room for it now. A queue with nothing in flight always takes one. */
static bool take_one(struct emu_mediated *m)
{
	u32 index = (u32)(m->taken % m->shape.depth), slot = m->tail % m->shape.depth;
	struct emu_request *r;

	if (m->taken - m->published >= requests_max(m))
		return false;
	r = emu_request_new(m->dev, &m->q, user_sqe(m, index), m->zeroes->piece.start);
	if (!r)
		return false;
	if (m->taken != m->published && m->pinned + r->pinned > EMU_PINNED_BYTES) {
		emu_request_free(m->dev, r);
		return false;
	}
	m->request[index] = r;
	m->pinned += r->pinned;
	m->taken++;
	if (r->done)
		return true;
	r->device_slot = slot;
	m->slot[slot] = index;
	emu_bus_write(device_sqe(m, slot), r->sqe, tr_sqe_bytes(&m->q));
	m->tail++;
	return true;
}

void emu_mediated_submit(struct emu_mediated *m)
{
	while (m->taken < m->wanted && take_one(m))
		;
	/* A refused one has completed already. */
	publish(m);
}

int emu_mediated_want(struct emu_mediated *m, u32 tail)
{
	u32 depth = m->shape.depth;
	u64 more = (tail + depth - m->wanted % depth) % depth;

	if (m->wanted + more - m->published >= depth)
		return -EINVAL;
	m->wanted += more;
	return 0;
}

/* ------ begin and end ------ */

static void mediated_free(struct emu_mediated *m)
{
	u32 i;

	for (i = 0; i < m->shape.depth; i++)
		if (m->request[i])
			emu_request_free(m->dev, m->request[i]);
	emu_mapping_close(m->dev, m->device_sq);
	emu_mapping_close(m->dev, m->device_cq);
	emu_mapping_close(m->dev, m->zeroes);
	free(m);
}

struct emu_mediated *emu_mediated_begin(struct emu_device *dev, const struct emu_queue_shape *shape, void *sq, void *cq,
					void *device_cq)
{
	static const enum tr_engine engines[] = { [WDM_ZIP] = TR_ZIP, [WDM_SEC] = TR_SEC, [WDM_HPRE] = TR_HPRE };
	size_t sq_bytes = (size_t)shape->depth << shape->sqe_shift, cq_bytes = shape->depth * sizeof(struct qm_cqe);
	struct emu_mediated *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->dev = dev;
	m->shape = *shape;
	m->sq = sq;
	m->cq = cq;
	m->q = (struct tr_queue){
		.engine = engines[dev->kind->type], .generation = (u8)dev->generation, .qc_type = shape->qc_type,
	};
	memset(device_cq, 0, cq_bytes);
	m->device_sq = emu_mapping_own(dev, sq_bytes, WDM_MAY_READ | WDM_MAY_WRITE);
	m->device_cq = emu_mapping_on(dev, device_cq, cq_bytes, WDM_MAY_READ | WDM_MAY_WRITE);
	m->zeroes = emu_mapping_own(dev, EMU_PAGE, WDM_MAY_READ);
	if (m->device_sq && m->device_cq && m->zeroes)
		return m;
	mediated_free(m);
	return NULL;
}

void emu_mediated_end(struct emu_mediated *m)
{
	u64 at;

	emu_mediated_reap(m);
	for (at = m->published; at < m->taken; at++)
		emu_request_stopped(m->request[at % m->shape.depth]);
	publish(m);
	mediated_free(m);
}
