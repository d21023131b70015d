// SPDX-License-Identifier: Apache-2.0
/*
 * Slots: which request a place in the ring belongs to. Taken in ring order
 * under the produce lock, given back in any order under the drain lock by
 * whoever copied the result out; the tag's generation tells a request from its
 * predecessors.
 */
#include "request/core.h"

void wd_slots_untake(struct wd_queue *q, unsigned int n)
{
	/* Whoever looks through the slots believes them as long as it has the drain lock. */
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
