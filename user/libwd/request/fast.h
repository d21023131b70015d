/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path: a request that needs nothing but its descriptor goes from its caller's struct into the ring, and its
 * results go from the ring into the struct, without a message and without a second decision. The loops are in the
 * drivers of rings (drivers/hisi/fast.h); this file has what they and the core share about slots. Uncommon cases are
 * left to submit.c and drain.c.
 */
#ifndef WD_FAST_H
#define WD_FAST_H

#include "base/likely.h"
#include "request/core.h"
#include "request/pollers.h"
#include "request/tally.h"

#define WD_INLINE	static inline __attribute__((always_inline))

/* --- slots --- */

static inline bool wd_slot_is_free(const struct wd_slot *slot)
{
	return likely(atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_FREE);
}

/*
 * Assigns a free slot, at the tail or behind the slots taken just now, to a request. Returns the slot's generation. aux
 * is not set, and neither is whether the request may be redone: drain.c finds that out when it has to know.
 */
WD_INLINE __u32 wd_slot_begin(struct wd_slot *slot, struct wd_session *s, void *req, struct wd_msg *own)
{
	__u32 gen = (slot->gen + 1u) & WD_TAG_GEN_MASK;

	slot->owner = own ? own : req;
	slot->sess = s;
	slot->deadline = own ? own->deadline : 0;
	slot->gen = (__u16)gen;
	slot->flags = WD_SLOT_FAST;
	return gen;
}

/* After the descriptor: a thread that sees the state, because a completion names the slot, may read both. */
WD_INLINE void wd_slot_filled(struct wd_slot *slot, bool async)
{
	atomic_store_explicit(&slot->state, async ? WD_SLOT_ASYNC : WD_SLOT_SYNC, memory_order_release);
}

/* The request took the fast path, and its results can take it, too: it isn't late. */
static inline bool wd_slot_is_fast(const struct wd_slot *slot)
{
	return slot->flags == WD_SLOT_FAST;
}

/* The caller's argument struct. */
static inline void *wd_slot_req(const struct wd_slot *slot, bool sync)
{
	return sync ? ((const struct wd_msg *)slot->owner)->req : slot->owner;
}

/* Ends a synchronous request; its owner may return at once. */
static inline void wd_msg_over(struct wd_queue *q, struct wd_msg *msg)
{
	if (msg == q->pub.self)
		atomic_store_explicit(&msg->state, WD_MSG_DONE, memory_order_relaxed);
	/* The owner may return as soon as it sees DONE; waking a futex word that is gone is harmless. */
	else if (atomic_exchange(&msg->state, WD_MSG_DONE) == WD_MSG_WAITED)
		wd_futex_wake(&msg->state, 1);
}

/* --- completions --- */

/* After a pull that returned ret, without the lock. Returns how many were drained; 1 for the end of the queue. */
static inline int wd_drained(struct wd_queue *q, int ret)
{
	wd_room_made();
	if (atomic_load_explicit(&q->ready_nr, memory_order_relaxed)) {
		wd_async_done();
		wd_pollers_due(q);
	}
	if (likely(ret > 0))
		return ret;
	wd_queue_broken(q);
	return 1;
}

#endif
