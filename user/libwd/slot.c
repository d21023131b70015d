// SPDX-License-Identifier: Apache-2.0
/*
 * Slots: which request a place in the ring belongs to. Taken in ring order
 * under the produce lock, released in any order by whoever copied the result
 * out; the tag's generation tells a request from its predecessors.
 */
#include <limits.h>

#include "engine.h"

#define TAG_INDEX_BITS	16
#define TAG_MASK	0x7fffffffu

struct wd_slot *wd_slot_at(struct wd_queue *q, __u32 pos)
{
	return &q->slots[pos % q->pub.depth];
}

struct wd_msg *wd_slot_msg(struct wd_queue *q, __u32 pos)
{
	return (struct wd_msg *)(q->msgs + (size_t)(pos % q->pub.depth) * q->cls->msg_size);
}

unsigned int wd_slots_take(struct wd_queue *q, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		__u32 pos = q->tail + i;
		struct wd_slot *slot = wd_slot_at(q, pos);

		if (atomic_load_explicit(&q->in_flight, memory_order_relaxed) + i >= q->limit)
			break;
		if (atomic_load_explicit(&slot->used, memory_order_acquire))
			break;
		atomic_store_explicit(&slot->msg, NULL, memory_order_relaxed);
		slot->tag = (++q->gen << TAG_INDEX_BITS | pos % q->pub.depth) & TAG_MASK;
	}
	if (!i)
		return 0;
	for (n = 0; n < i; n++)
		atomic_store_explicit(&wd_slot_at(q, q->tail + n)->used, 1, memory_order_relaxed);
	/* Before the doorbell, so that no drain finds more complete than is in flight. */
	atomic_fetch_add(&q->in_flight, i);
	q->tail += i;
	return i;
}

void wd_slots_untake(struct wd_queue *q, unsigned int n)
{
	/* Whoever looks through the slots believes their messages as long as it has the drain lock. */
	wd_drain_lock(q);
	q->tail -= n;
	atomic_fetch_sub(&q->in_flight, n);
	while (n--)
		atomic_store_explicit(&wd_slot_at(q, q->tail + n)->used, 0, memory_order_release);
	wd_drain_unlock(q);
}

void wd_room_made(void)
{
	if (!atomic_load(&wd_engine.room_waiters))
		return;
	atomic_fetch_add(&wd_engine.room_seq, 1);
	wd_futex_wake(&wd_engine.room_seq, INT_MAX);
}

void wd_slot_release(struct wd_queue *q, struct wd_slot *slot)
{
	atomic_store_explicit(&slot->used, 0, memory_order_release);
	atomic_fetch_sub(&q->in_flight, 1);
	wd_room_made();
}
