// SPDX-License-Identifier: Apache-2.0
/* Asynchronous requests that wait for the software path: one thread claims each of them and computes it. */
#include "request/core.h"

bool wd_soft_waits(struct wd_queue *q)
{
	bool waits;

	wd_drain_lock(q);
	waits = atomic_load(&q->pub.slots[q->soft_head].state) == WD_SLOT_ASYNC;
	wd_drain_unlock(q);
	return waits;
}

struct wd_slot *wd_soft_claim(struct wd_queue *q)
{
	struct wd_slot *slot = &q->pub.slots[q->soft_head];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_ASYNC)
		return NULL;
	atomic_store_explicit(&slot->state, WD_SLOT_CLAIMED, memory_order_relaxed);
	if (++q->soft_head == q->pub.depth)
		q->soft_head = 0;
	return slot;
}

void wd_soft_compute(struct wd_queue *q, const struct wd_slot *slot, struct wd_msg *msg)
{
	q->cls->refill(slot->sess, slot->owner, slot->aux, msg);
	msg->redo = 0;
	q->drv.exec(msg);
	msg->path = WD_PATH_SOFT;
	msg->reason = atomic_load(&msg->sess->reason);
}
