// SPDX-License-Identifier: Apache-2.0
/*
 * Slots: which request a place in the ring belongs to. Taken in ring order
 * under the produce lock, given back in any order under the drain lock by
 * whoever copied the result out; the tag's generation tells a request from its
 * predecessors.
 */
#include "engine.h"

#define GEN_MASK	0x7fffu

unsigned int wd_slots_take(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n, bool async)
{
	__u32 used = wd_queue_in_flight(q), index = q->tail;
	unsigned int i;

	if (n > q->limit - used)
		n = q->limit - used;
	for (i = 0; i < n; i++) {
		struct wd_slot *slot = &q->slots[index];
		struct wd_msg *msg = msgs[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_FREE)
			break;
		slot->owner = async ? msg->req : msg;
		slot->sess = msg->sess;
		slot->deadline = msg->deadline;
		slot->aux = msg->aux;
		slot->flags = msg->redo ? WD_SLOT_REDO : 0;
		slot->gen = (slot->gen + 1) & GEN_MASK;
		msg->tag = WD_TAG(slot->gen, index);
		atomic_store_explicit(&slot->state, async ? WD_SLOT_ASYNC : WD_SLOT_SYNC, memory_order_release);
		if (++index == q->pub.depth)
			index = 0;
	}
	q->tail = index;
	/* Before the doorbell, so that no drain finds more complete than is in flight. */
	if (async)
		wd_count(&q->async_submitted, i);
	wd_count(&q->submitted, i);
	return i;
}

void wd_slots_untake(struct wd_queue *q, unsigned int n)
{
	/* Whoever looks through the slots believes them as long as it has the drain lock. */
	wd_drain_lock(q);
	while (n--) {
		struct wd_slot *slot;

		q->tail = (q->tail ? q->tail : q->pub.depth) - 1;
		slot = &q->slots[q->tail];
		if (atomic_load_explicit(&slot->state, memory_order_relaxed) == WD_SLOT_ASYNC)
			wd_count(&q->async_submitted, -1u);
		wd_count(&q->submitted, -1u);
		atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	}
	wd_drain_unlock(q);
}

void wd_slot_free(struct wd_queue *q, struct wd_slot *slot)
{
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	wd_count(&q->freed, 1);
}
