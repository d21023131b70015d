// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests that wait for the software path: one thread claims each of them and computes it. A request that
 * is claimed counts as in flight, but its slot is free: one that takes long holds up no other.
 */
#include "base/probes.h"
#include "request/tally.h"

bool wd_soft_waits(struct wd_queue *q)
{
	bool waits;

	wd_drain_lock(q);
	waits = atomic_load(&q->pub.slots[q->soft_head].state) == WD_SLOT_ASYNC;
	wd_drain_unlock(q);
	return waits;
}

bool wd_soft_claim(struct wd_queue *q, struct wd_msg *msg)
{
	struct wd_slot *slot = &q->pub.slots[q->soft_head];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_ASYNC)
		return false;
	q->cls->refill(slot->sess, slot->owner, slot->aux, msg);
	slot->sess->computing++;
	msg->redo = 0;
	msg->status = slot->flags & WD_SLOT_CANCEL ? -ECANCELED : 0;
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	if (++q->soft_head == q->pub.depth)
		q->soft_head = 0;
	return true;
}

void wd_soft_compute(struct wd_queue *q, struct wd_msg *msg)
{
	WD_PROBE(libwd, fallback, wd_probe_text(q->cls->name), atomic_load(&msg->sess->reason));
	if (msg->status != -ECANCELED)
		q->drv.exec(msg);
	msg->path = WD_PATH_SOFT;
	msg->reason = atomic_load(&msg->sess->reason);
}

void wd_soft_over(struct wd_queue *q, const struct wd_msg *msg)
{
	wd_tally_end(q, msg);
	msg->sess->computing--;
	wd_count(&q->freed, 1);
}
