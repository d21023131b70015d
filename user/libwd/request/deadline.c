// SPDX-License-Identifier: Apache-2.0
/* Deadlines of asynchronous requests: the first one of each context, and what happens when it passes. */
#include "request/aside.h"
#include "request/pollers.h"

void wd_deadline_note(struct wd_queue *q, __u64 deadline)
{
	__u64 old = atomic_load_explicit(&q->deadline, memory_order_relaxed);

	while (deadline && (!old || deadline < old))
		if (atomic_compare_exchange_weak(&q->deadline, &old, deadline)) {
			wd_pollers_due(q);
			break;
		}
}

static __u64 sooner(__u64 a, __u64 b)
{
	return !a || (b && b < a) ? b : a;
}

/* The first deadline of the requests on the ring. Under the produce and drain locks. */
static __u64 first_on_ring(struct wd_queue *q)
{
	__u64 first = 0;
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_ASYNC)
			first = sooner(first, slot->deadline);
	}
	return first;
}

/* Also notes the first of the later deadlines. */
void wd_check_deadlines(struct wd_queue *q)
{
	__u64 old = atomic_load_explicit(&q->deadline, memory_order_relaxed), first, next, now;

	if (!old)
		return;
	now = wd_now_ns();
	if (now < old)
		return;
	/* No request may be added between the search and the store of its result. */
	wd_lock(&q->produce);
	wd_drain_lock(q);
	first = first_on_ring(q);
	next = wd_aside_due(q, now);
	if (q->fresh)
		wd_cq_tell(q);
	/* A request that begins to wait after this search also notes its time after this store. */
	atomic_store_explicit(&q->deadline, sooner(first, next), memory_order_relaxed);
	wd_drain_unlock(q);
	wd_unlock(&q->produce);
	if (first && now >= first)
		wd_queue_stop(q);
}
