/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path: a request that needs nothing beside its descriptor goes
 * from its caller's struct into the ring, and its results from there into the
 * struct, without a message and without a second decision. A driver of rings
 * has the loops (fast.inc.h); here is what they and the core know of slots.
 * Whatever is not as it is for most requests is left to submit.c and drain.c.
 */
#ifndef WD_FAST_H
#define WD_FAST_H

#include "request/core.h"
#include "request/pollers.h"
#include "request/tally.h"

#define WD_INLINE	static inline __attribute__((always_inline))
/* Stays where it is: gcc would gather pairs of words in vectors, which costs more than it saves. */
#define WD_SCALAR(x)	__asm__("" : "+r"(x))

/* --- slots --- */

static inline bool wd_slot_is_free(const struct wd_slot *slot)
{
	return __builtin_expect(atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_FREE, 1);
}

/*
 * A free one, at the tail or behind those taken just now, becomes that of a
 * request. Returns its generation. Its aux is nobody's, and whether it may be
 * done again is found out by who has to know.
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

/* After its descriptor: who sees the state, because a completion says it is that slot's, may read both. */
WD_INLINE void wd_slot_filled(struct wd_slot *slot, bool async)
{
	atomic_store_explicit(&slot->state, async ? WD_SLOT_ASYNC : WD_SLOT_SYNC, memory_order_release);
}

/* Took the fast path, and nothing is against its coming back the same way: it isn't late. */
static inline bool wd_slot_is_fast(const struct wd_slot *slot)
{
	return slot->flags == WD_SLOT_FAST;
}

/* The caller's argument struct. */
static inline void *wd_slot_req(const struct wd_slot *slot, bool sync)
{
	return sync ? ((const struct wd_msg *)slot->owner)->req : slot->owner;
}

/* The owner of a synchronous request, which may leave at once, goes on. */
static inline void wd_msg_over(struct wd_queue *q, struct wd_msg *msg)
{
	if (msg == q->pub.self)
		atomic_store_explicit(&msg->state, WD_MSG_DONE, memory_order_relaxed);
	/* The owner may leave the moment it sees DONE; waking a word that is gone does no harm. */
	else if (atomic_exchange(&msg->state, WD_MSG_DONE) == WD_MSG_WAITED)
		wd_futex_wake(&msg->state, 1);
}

/* --- completions --- */

/* After a pull that returned ret, without the lock. How many; 1 for the end of the queue. */
static inline int wd_drained(struct wd_queue *q, int ret)
{
	wd_room_made();
	if (atomic_load_explicit(&q->ready_nr, memory_order_relaxed)) {
		wd_async_done();
		wd_pollers_due(q);
	}
	if (__builtin_expect(ret > 0, 1))
		return ret;
	wd_queue_broken(q, ret);
	return 1;
}

#endif
