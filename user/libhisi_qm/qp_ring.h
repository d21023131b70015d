/* SPDX-License-Identifier: Apache-2.0 */
/* A queue pair's ring, which knows by itself what slots are the device's: the request core keeps that in slots of its own. */
#ifndef HISI_QM_QP_RING_H
#define HISI_QM_QP_RING_H

#include "ring.h"

enum qp_slot_state {
	QP_SLOT_FREE,
	QP_SLOT_GIVEN,		/* the device's */
	QP_SLOT_TAKEN,		/* completed, its descriptor still in use */
};

/**
 * struct qp_ring - a ring, and its slots
 * @busy:	for each slot, enum qp_slot_state
 * @tail:	the next slot; under the producer lock
 * @filling:	descriptors are being built, see qp_ring_fill_begin()
 */
struct qp_ring {
	struct wd_ring ring;
	_Atomic uint8_t *busy;
	alignas(64) _Atomic uint32_t filling;
	uint16_t tail;
};

/* --- producing: under the producer lock --- */

static inline uint16_t qp_ring_index(const struct qp_ring *q, uint32_t i)
{
	uint32_t slot = q->tail + i;

	return slot < q->ring.sq_depth ? slot : slot - q->ring.sq_depth;
}

/* How many descriptors, up to want, can be filled now. */
static inline uint32_t qp_ring_room(const struct qp_ring *q, uint32_t want)
{
	uint32_t produced = atomic_load_explicit(&q->ring.produced, memory_order_relaxed);
	uint32_t used = produced - atomic_load_explicit(&q->ring.consumed, memory_order_acquire);
	/* Completions that the device does not know to be taken occupy its ring, too. */
	uint32_t held = produced - atomic_load_explicit(&q->ring.acked, memory_order_relaxed);
	uint32_t room = used < q->ring.limit ? q->ring.limit - used : 0;
	uint32_t spare = held < q->ring.cq_depth - 1u ? q->ring.cq_depth - 1u - held : 0;
	uint32_t n;

	if (room > spare)
		room = spare;
	if (want > room)
		want = room;
	/* Completions may come out of order: a slot is free when its own has come. */
	for (n = 0; n < want; n++)
		if (atomic_load_explicit(&q->busy[qp_ring_index(q, n)], memory_order_acquire))
			break;
	return n;
}

/*
 * Around the building of descriptors and qp_ring_submit(): a software device
 * may look before the doorbell, and complete what nobody has counted yet.
 */
static inline void qp_ring_fill_begin(struct qp_ring *q)
{
	atomic_exchange(&q->filling, 1);
}

static inline void qp_ring_fill_end(struct qp_ring *q)
{
	atomic_store_explicit(&q->filling, 0, memory_order_release);
}

/* Where to build the i-th descriptor (i < qp_ring_room()). It holds what was there before. */
static inline void *qp_ring_sqe(const struct qp_ring *q, uint32_t i)
{
	return wd_ring_slot(&q->ring, qp_ring_index(q, i));
}

/*
 * Give the first n descriptors to the device, with one doorbell. false: the
 * queue has been stopped and nothing was given. When the stop comes at the
 * same time they may be given and never complete.
 */
static inline bool qp_ring_submit(struct qp_ring *q, uint32_t n)
{
	uint32_t i;

	if (wd_ring_tx_stopped(&q->ring))
		return false;
	for (i = 0; i < n; i++)
		atomic_store_explicit(&q->busy[qp_ring_index(q, i)], QP_SLOT_GIVEN, memory_order_relaxed);
	q->tail = qp_ring_index(q, n);
	wd_ring_submit_to(&q->ring, n, q->tail);
	return true;
}

/* --- draining: under the drain lock --- */

static inline bool qp_ring_is_given(const struct qp_ring *q, uint16_t index)
{
	return atomic_load_explicit(&q->busy[index], memory_order_relaxed) == QP_SLOT_GIVEN;
}

/*
 * Take one finished descriptor: its slot's number goes to index, and the slot
 * stays the caller's until qp_ring_release(). Returns as wd_ring_next().
 */
static inline int qp_ring_take_held(struct qp_ring *q, uint16_t *index)
{
	uint32_t pos = wd_ring_pos(&q->ring), next = pos;
	int ret;

	if (!wd_ring_may_take(&q->ring, 1))
		return wd_ring_nothing(&q->ring);
	/* A second completion of the same descriptor is not believed. */
	while ((ret = wd_ring_next(&q->ring, &next, index)) > 0 && !qp_ring_is_given(q, *index)) {
		if (wd_ring_filling(&q->ring) || qp_ring_is_given(q, *index)) {
			wd_ring_took(&q->ring, pos, 0);
			return 0;
		}
		pos = next;
	}
	if (ret > 0)
		atomic_store_explicit(&q->busy[*index], QP_SLOT_TAKEN, memory_order_relaxed);
	wd_ring_took(&q->ring, next, ret > 0);
	return ret;
}

/* The slot may be filled again. */
static inline void qp_ring_release(struct qp_ring *q, uint16_t index)
{
	atomic_store_explicit(&q->busy[index], QP_SLOT_FREE, memory_order_release);
}

/* A copy of it, and its slot released. */
static inline int qp_ring_take(struct qp_ring *q, void *sqe)
{
	uint16_t index;
	int ret = qp_ring_take_held(q, &index);

	if (ret > 0) {
		memcpy(sqe, wd_ring_slot(&q->ring, index), q->ring.sqe_size);
		qp_ring_release(q, index);
	}
	return ret;
}

#endif
