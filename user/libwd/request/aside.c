// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests whose place in the ring is free, and whose callback is
 * still to come: their results have left the ring to make room for synchronous
 * requests, or they were stopped and wait until a context may be tried again.
 * Each counts against what may be submitted asynchronously until it is
 * delivered, so there are never more than the ring has places.
 */
#include <stdlib.h>

#include "request/aside.h"

static void list_append(struct wd_aside_list *list, struct wd_aside *a)
{
	a->next = NULL;
	if (list->first)
		list->last->next = a;
	else
		list->first = a;
	list->last = a;
}

static struct wd_aside *list_take(struct wd_aside_list *list)
{
	struct wd_aside *a = list->first;

	if (a)
		list->first = a->next;
	return a;
}

static void limit_set(struct wd_queue *q, __u32 nr)
{
	atomic_store_explicit(&q->aside_nr, nr, memory_order_relaxed);
	atomic_store_explicit(&q->async_limit, q->limit - nr, memory_order_relaxed);
}

struct wd_aside *wd_aside_new(void)
{
	return malloc(sizeof(struct wd_aside));
}

void wd_aside_put(struct wd_lane *lane, struct wd_aside *a)
{
	struct wd_queue *q = lane->q;

	list_append(&lane->aside, a);
	limit_set(q, atomic_load_explicit(&q->aside_nr, memory_order_relaxed) + 1);
}

bool wd_aside_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due)
{
	struct wd_aside *a = list_take(&lane->aside);
	struct wd_queue *q = lane->q;

	if (!a)
		return false;
	*due = a->due;
	if (!due->req)
		memcpy(msg, a->msg, sizeof(a->msg));
	free(a);
	limit_set(q, atomic_load_explicit(&q->aside_nr, memory_order_relaxed) - 1);
	return true;
}

bool wd_aside_wait(struct wd_queue *q, const struct wd_msg *msg, __u64 at)
{
	struct wd_aside *a = wd_aside_new();

	if (!a)
		return false;
	a->at = at;
	a->due = (struct wd_due){ .sess = msg->sess };
	memcpy(a->msg, msg, sizeof(a->msg));
	wd_drain_lock(q);
	list_append(&q->waiting, a);
	limit_set(q, atomic_load_explicit(&q->aside_nr, memory_order_relaxed) + 1);
	wd_drain_unlock(q);
	return true;
}

__u64 wd_aside_due(struct wd_queue *q, __u64 now)
{
	struct wd_aside_list all = q->waiting;
	struct wd_aside *a;
	__u64 first = 0;

	q->waiting.first = NULL;
	while ((a = list_take(&all))) {
		if (now >= a->at) {
			struct wd_lane *lane = wd_lane_of(q, a->due.sess);

			list_append(&lane->aside, a);
			wd_lane_count(lane);
			continue;
		}
		list_append(&q->waiting, a);
		if (!first || a->at < first)
			first = a->at;
	}
	return first;
}

static void list_free(struct wd_aside_list *list)
{
	struct wd_aside *a;

	while ((a = list_take(list)))
		free(a);
}

void wd_aside_forget(struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		list_free(&q->lane[i].aside);
	list_free(&q->waiting);
	limit_set(q, 0);
}
