// SPDX-License-Identifier: Apache-2.0
/*
 * Slots: the requests to which the places in the ring belong. Slots are taken in ring order under the produce lock. The
 * thread that has copied a result out gives the slot back under the drain lock, in any order. The tag's generation
 * distinguishes a request from its predecessors in the slot.
 */
#include "request/core.h"

void wd_slots_untake(struct wd_queue *q, unsigned int n)
{
	/* A thread that scans the slots relies on them while it has the drain lock. */
	wd_drain_lock(q);
	while (n--) {
		struct wd_slot *slot;

		q->tail = (q->tail ? q->tail : q->pub.depth) - 1;
		slot = &q->pub.slots[q->tail];
		if (atomic_load_explicit(&slot->state, memory_order_relaxed) == WD_SLOT_ASYNC)
			wd_count(&q->async_submitted, -1u);
		wd_count(&q->submitted, -1u);
		atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	}
	wd_drain_unlock(q);
}

void wd_room_tell(void)
{
	if (!wd_watch_is_on(&wd_engine.room))
		return;
	atomic_fetch_add(&wd_engine.room_seq, 1);
	wd_futex_wake(&wd_engine.room_seq, INT_MAX);
}
