// SPDX-License-Identifier: Apache-2.0
/*
 * Closes contexts in favour of others: those that no session uses, one whose place another context needs, or all.
 *
 * During a close the context's place is held, but the grants' lock is not, since a device may be slow. Of the context's
 * own locks only the drain lock is waited for. The others are only tried, as their holders may wait for its place.
 */
#include <sched.h>
#include <string.h>

#include "base/probes.h"
#include "request/pollers.h"
#include "section/section.h"

#define EXCHANGE_NS	100000000ull	/* how long to wait for a context that only short work keeps busy */
#define IDLE_NS		300000000ull	/* the same for a context that only a sleeping thread keeps busy */

bool wd_same_group(const struct wd_queue *a, const struct wd_queue *b)
{
	return a->cls == b->cls && a->pub.qc_type == b->pub.qc_type && a->async == b->async &&
	       a->for_cq == b->for_cq && !strcmp(a->dev_name, b->dev_name);
}

static bool has_group(const struct wd_queue *q)
{
	const struct wd_queue *o = NULL;

	while ((o = wd_table_next(o)))
		if (o != q && wd_holds_place(o) && wd_same_group(o, q))
			return true;
	return false;
}

/* Requests that wait for a poller may wait for long; the others end soon. */
static bool has_only_short_work(struct wd_queue *q)
{
	return !wd_queue_async_nr(q) && !atomic_load(&q->ready_nr);
}

/* No more requests from now on. */
static bool queue_shut(struct wd_queue *q)
{
	bool shut = false;

	if (!wd_trylock(&q->produce))
		return false;
	if (!atomic_load(&q->held) && wd_holds_place(q) && has_only_short_work(q)) {
		/* A stopped context is closed again even if its file is closed already. */
		shut = !atomic_load(&q->state) || !wd_queue_in_flight(q);
		if (shut)
			atomic_store(&q->state, -EDQUOT);
	}
	wd_unlock(&q->produce);
	return shut;
}

/* Under the drain lock: close the context if nothing is in flight. It keeps its number for the next opening. */
static bool queue_close(struct wd_queue *q)
{
	__u64 begin = WD_PROBE_BEGIN(ctx_stop);

	if (wd_queue_in_flight(q) && !q->settled) {
		q->pub.self = NULL;
		q->drv.pull(q, wd_queue_in_flight(q));
		wd_room_made();
	}
	if (wd_queue_in_flight(q) || !wd_sleeper_enter(q))
		return false;
	wd_cq_unwatch(q);
	q->drv.close(q);
	atomic_store(&q->deadline, 0);
	q->retry_at = 0;
	q->settled = true;
	wd_sleeper_leave(q);
	WD_PROBE(libwd, ctx_stop, q->index, 0, wd_probe_ns(begin));
	return true;
}

/*
 * Under the grants' lock, which is released meanwhile. The owners of requests wait for them as usual. If the context is
 * still busy at the time limit, it becomes usable again.
 */
static bool queue_evict(struct wd_queue *q, __u64 until)
{
	bool closed, late;
	int shut;

	if (!queue_shut(q))
		return false;
	wd_grant_hold(q);
	atomic_store(&q->wanted, true);
	wd_grant_unlock();
	/* A thread that sleeps on the context's file has the sleeper's role. */
	wd_pollers_due(q);
	do {
		late = wd_now_ns() >= until;
		wd_drain_lock(q);
		closed = queue_close(q);
		shut = -EDQUOT;
		if (!closed && late && !q->settled)
			atomic_compare_exchange_strong(&q->state, &shut, 0);
		wd_drain_unlock(q);
		if (!closed && !late)
			sched_yield();
	} while (!closed && !late);
	wd_grant_lock();
	atomic_store(&q->wanted, false);
	wd_grant_let_go(q);
	return closed;
}

/* Closes one context of the device, round robin; contexts that aren't the only ones of their kind come first. */
static bool evict_any(const struct wd_queue *q, __u64 until, bool *busy)
{
	static unsigned int turn;
	unsigned int nr = atomic_load(&wd_engine.nr), pass, i;

	*busy = false;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < nr; i++) {
			struct wd_queue *o = wd_engine.queue[(turn + i) % nr];

			if (o == q || o->owner || !wd_holds_place_on(o, q->dev_name) || wd_same_group(o, q) ||
			    has_group(o) == pass || !has_only_short_work(o))
				continue;
			*busy = true;
			if (queue_evict(o, until)) {
				turn += i + 1;
				return true;
			}
		}
	return false;
}

int wd_evict_for(const struct wd_queue *q)
{
	__u64 until = wd_now_ns() + EXCHANGE_NS;
	bool busy;

	/* That thread may free a place, or open a context of this kind. */
	if (wd_grant_moving(q->dev_name)) {
		wd_grant_wait();
		return -EAGAIN;
	}
	/* The open contexts of its kind serve as well. */
	if (has_group(q))
		return -EDQUOT;
	while (!evict_any(q, until, &busy)) {
		if (!busy || wd_now_ns() >= until)
			return -EDQUOT;
		sched_yield();
	}
	return 0;
}

void wd_evict_idle(struct wd_queue *q)
{
	wd_grant_lock();
	if (wd_grant_overdrawn(q->dev_name))
		queue_evict(q, wd_now_ns() + IDLE_NS);
	wd_grant_unlock();
}

/* No thread submits: whatever keeps a context busy, most often a sleeper, ends soon. */
void wd_evict_all(void)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		wd_grant_lock();
		while (wd_holds_place(q))
			if (atomic_load(&q->held))
				wd_grant_wait();
			else if (!queue_evict(q, wd_now_ns() + EXCHANGE_NS))
				sched_yield();
		wd_grant_unlock();
	}
}
