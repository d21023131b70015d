/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue pair's ring, which tracks the slots that the device owns: the request core tracks this in slots of its own.
 */
#ifndef HISI_QM_QP_RING_H
#define HISI_QM_QP_RING_H

#include "ring.h"

enum qp_slot_state {
	QP_SLOT_FREE,
	QP_SLOT_GIVEN,		/* owned by the device */
	QP_SLOT_TAKEN,		/* completed, its descriptor still in use */
};

/**
 * struct qp_ring - a ring and its slots
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

/* The number of descriptors, up to want, that can be filled now. */
static inline uint32_t qp_ring_room(const struct qp_ring *q, uint32_t want)
{
	uint32_t produced = atomic_load_explicit(&q->ring.produced, memory_order_relaxed);
	uint32_t used = produced - atomic_load_explicit(&q->ring.consumed, memory_order_acquire);
	/* Completions also occupy the device's ring until the device knows that they were taken. */
	uint32_t held = produced - atomic_load_explicit(&q->ring.acked, memory_order_relaxed);
	uint32_t room = used < q->ring.limit ? q->ring.limit - used : 0;
	uint32_t spare = held < q->ring.cq_depth - 1u ? q->ring.cq_depth - 1u - held : 0;
	uint32_t n;

	if (room > spare)
		room = spare;
	if (want > room)
		want = room;
	/* Completions may arrive out of order: a slot is free when its own completion has arrived. */
	for (n = 0; n < want; n++)
		if (atomic_load_explicit(&q->busy[qp_ring_index(q, n)], memory_order_acquire))
			break;
	return n;
}

/*
 * Enclose the building of descriptors and qp_ring_submit(): a software device may read
 * descriptors before the doorbell, and complete one that isn't counted yet.
 */
static inline void qp_ring_fill_begin(struct qp_ring *q)
{
	wd_ring_announce(&q->filling);
}

static inline void qp_ring_fill_end(struct qp_ring *q)
{
	atomic_store_explicit(&q->filling, 0, memory_order_release);
}

/* The memory of the i-th descriptor (i < qp_ring_room()). It still holds an older descriptor. */
static inline void *qp_ring_sqe(const struct qp_ring *q, uint32_t i)
{
	return wd_ring_slot(&q->ring, qp_ring_index(q, i));
}

/*
 * Passes the first n descriptors to the device, with one doorbell. False: the queue has
 * been stopped, and the device got nothing. If the stop happens at the same time, the
 * device may get them and never complete them.
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
 * Takes one finished descriptor: stores its slot's number in index. The slot belongs
 * to the caller until qp_ring_release(). Returns as wd_ring_peek().
 */
static inline int qp_ring_take_held(struct qp_ring *q, uint16_t *index)
{
	struct wd_ring_at at = wd_ring_at(&q->ring, wd_ring_pos(&q->ring));
	int ret;

	if (!wd_ring_may_take(&q->ring, 1))
		return wd_ring_nothing(&q->ring);
	/* A second completion of the same descriptor is ignored. */
	while ((ret = wd_ring_peek_looked(&q->ring, &at, index)) > 0 && !qp_ring_is_given(q, *index)) {
		if (wd_ring_filling(&q->ring) || qp_ring_is_given(q, *index)) {
			ret = 0;
			break;
		}
		wd_ring_step(&q->ring, &at);
	}
	if (ret > 0) {
		atomic_store_explicit(&q->busy[*index], QP_SLOT_TAKEN, memory_order_relaxed);
		wd_ring_step(&q->ring, &at);
	}
	wd_ring_took(&q->ring, wd_ring_pos_of(&q->ring, &at), ret > 0);
	return ret;
}

/* Makes the slot free for a new descriptor. */
static inline void qp_ring_release(struct qp_ring *q, uint16_t index)
{
	atomic_store_explicit(&q->busy[index], QP_SLOT_FREE, memory_order_release);
}

/* Takes one finished descriptor: copies it, and releases its slot. */
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
