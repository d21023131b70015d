// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests that have left the ring, and whose callback hasn't run:
 * their results made room for synchronous requests, or they were stopped and
 * wait until a context may be tried again. Each counts against the limit of
 * asynchronous requests until it is delivered, so there are never more than the
 * ring has entries. The exception is the rest of a row whose callback left by
 * unwinding, as its entries may be in use again.
 */
#include <stdlib.h>

#include "request/aside.h"

#define SPARE_NS	1000000ull

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

/*
 * For a thread that unwinds: the exception may report that there is no memory,
 * and the function that catches it may free some. One thread's rows hold no more
 * than these.
 */
static struct spare {
	struct wd_aside aside;
	atomic_bool taken;
} spare[WD_POLL_DEPTH * WD_DUE_MAX];

#define SPARES	(sizeof(spare) / sizeof(spare[0]))

static struct wd_aside *aside_sure(void)
{
	struct wd_aside *a;
	size_t i;

	for (;;) {
		a = wd_aside_new();
		if (a)
			return a;
		for (i = 0; i < SPARES; i++)
			if (!atomic_exchange(&spare[i].taken, true))
				return &spare[i].aside;
		/* Other threads unwind, too; polls give the spares back. */
		wd_poll_fds(NULL, 0, wd_now_ns() + SPARE_NS);
	}
}

static void aside_free(struct wd_aside *a)
{
	uintptr_t at = (uintptr_t)a - (uintptr_t)spare;

	if (at < sizeof(spare))
		atomic_store(&spare[at / sizeof(spare[0])].taken, false);
	else
		free(a);
}

void wd_aside_put(struct wd_lane *lane, struct wd_aside *a)
{
	struct wd_queue *q = lane->q;

	list_append(&lane->aside, a);
	limit_set(q, atomic_load_explicit(&q->aside_nr, memory_order_relaxed) + 1);
}

/* Inserts rest before the lane's other requests. */
static void back_locked(struct wd_lane *lane, struct wd_aside_list *rest, unsigned int nr)
{
	struct wd_queue *q = lane->q;
	unsigned int i;

	rest->last->next = lane->aside.first;
	if (!lane->aside.first)
		lane->aside.last = rest->last;
	lane->aside.first = rest->first;
	limit_set(q, atomic_load_explicit(&q->aside_nr, memory_order_relaxed) + nr);
	for (i = 0; i < nr; i++)
		wd_lane_count(lane);
}

void wd_aside_back(struct wd_lane *lane, const struct wd_due due[], char msg[][WD_MSG_BYTES_MAX], unsigned int nr)
{
	struct wd_aside_list rest = { NULL, NULL };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct wd_aside *a = aside_sure();

		a->due = due[i];
		if (!a->due.req)
			memcpy(a->msg, msg[i], sizeof(a->msg));
		list_append(&rest, a);
	}
	wd_drain_lock(lane->q);
	back_locked(lane, &rest, nr);
	wd_drain_unlock(lane->q);
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
	aside_free(a);
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

static void make_ready(struct wd_queue *q, struct wd_aside *a)
{
	struct wd_lane *lane = wd_lane_of(q, a->due.sess);

	list_append(&lane->aside, a);
	wd_lane_count(lane);
}

bool wd_aside_hurry(struct wd_queue *q, const struct wd_session *s)
{
	struct wd_aside_list all = q->waiting;
	struct wd_aside *a;
	bool any = false;

	q->waiting.first = NULL;
	while ((a = list_take(&all))) {
		if (a->due.sess == s) {
			make_ready(q, a);
			any = true;
		} else {
			list_append(&q->waiting, a);
		}
	}
	return any;
}

__u64 wd_aside_due(struct wd_queue *q, __u64 now)
{
	struct wd_aside_list all = q->waiting;
	struct wd_aside *a;
	__u64 first = 0;

	q->waiting.first = NULL;
	while ((a = list_take(&all))) {
		if (now >= a->at) {
			make_ready(q, a);
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
		aside_free(a);
}

void wd_aside_forget(struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		list_free(&q->lane[i].aside);
	list_free(&q->waiting);
	limit_set(q, 0);
}
