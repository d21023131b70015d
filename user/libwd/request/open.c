// SPDX-License-Identifier: Apache-2.0
/*
 * The contexts of this process are opened, closed and reopened here. Their numbers are permanent.
 *
 * Locks, outer first:
 *   engine.lock	the table, what sessions are bound to; released while a context is opened, so that only threads
 *			that need this context wait for the device
 *   queue.sleeper	a role: the thread that sleeps on the file; waited for with no other lock held
 *   queue.produce	tail, filling, SQ doorbell; reopening a stopped queue, which only tries the role
 *   queue.drain	completions, CQ doorbell; never held while sleeping or in callbacks
 *   grants' lock	who holds a place; a place is taken before its context is opened, so that two threads never open
 *			a context in the last place
 *
 * A thread that has one of these locks doesn't wait for another thread that holds a place. The exception is a thread
 * that has the locks of a context which it reopens: a thread that closes the context doesn't wait for these locks, but
 * only tries them, before it holds the place.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/probes.h"
#include "device/device.h"
#include "request/aside.h"
#include "request/pollers.h"
#include "section/section.h"

#define SOFT_DEPTH	1024
#define LOOK_AFTER_NS	1000000ull	/* between two looks in sysfs at a device that can't be used */
#define PLACE_TRIES	1000

static void queue_free(struct wd_queue *q)
{
	if (!q)
		return;
	free(q->half[0]);
	free(q->half[1]);
	wd_lanes_free(q);
	free(q);
}

static struct wd_queue *queue_new(struct wd_session *s, const struct wd_driver *drv, __u8 qc_type, bool async)
{
	struct wd_queue *q = aligned_alloc(_Alignof(struct wd_queue), sizeof(*q));

	if (!q)
		return NULL;
	memset(q, 0, sizeof(*q));
	q->cls = s->cls;
	wd_driver_fill(&q->drv, drv);
	q->pub.ops = &q->drv;
	q->async = async;
	atomic_store(&q->delivers, async && !s->cq);
	q->for_cq = s->cq;
	q->pub.fd = -1;
	/* A thread that submits has the lock from before the first descriptor until after the doorbell. */
	q->pub.filling = &q->produce.held;
	q->pub.filler = &q->produce.by_owner;
	q->pub.qc_type = qc_type;
	return q;
}

/* Allocates slots and lanes, once the driver has reported the depth. */
static int queue_fill_room(struct wd_queue *q, unsigned int limit)
{
	q->limit = limit;
	atomic_store(&q->async_limit, limit);
	q->half[0] = calloc(q->pub.depth, sizeof(*q->half[0]));
	q->pub.slots = q->half[0];
	if (!q->half[0])
		return -ENOMEM;
	return wd_lanes_make(q, q->for_cq && q->pub.path != WD_PATH_SOFT ? WD_LANES : 1);
}

static int table_add(struct wd_queue *q)
{
	unsigned int nr = atomic_load(&wd_engine.nr);

	if (nr == WD_ENGINE_QUEUES)
		return -EUSERS;
	q->index = nr;
	q->pub.by.ctx = (__u16)nr;
	wd_fork_block();
	wd_engine.queue[nr] = q;
	atomic_store_explicit(&wd_engine.nr, nr + 1, memory_order_release);
	wd_fork_unblock();
	wd_pollers_changed();
	return 0;
}

/* Whether the context is of the session's kind and on that device, open or not. */
static bool is_place(const struct wd_queue *q, const struct wd_session *s, const struct uacce_dev_info *info)
{
	return q->cls == s->cls && q->pub.path != WD_PATH_SOFT && q->pub.qc_type == s->attr.qc_type &&
	       q->async == s->attr.async && q->for_cq == !!s->cq &&
	       wd_is_on(q, info) && q->simulated == info->simulated && q->numa_node == info->numa_node;
}

/* The context's file is closed, and none of its requests is unfinished. */
static bool is_over(struct wd_queue *q)
{
	return q->pub.fd < 0 && !wd_queue_in_flight(q) && !wd_queue_async_nr(q) && !(q->ended && q->users);
}

/*
 * Finds a closed context of the session's kind. It was closed in favour of another, because no session used it, with
 * its device, which may have come back, or in a fork's child.
 */
static struct wd_queue *closed_find(const struct wd_session *s, const struct uacce_dev_info *info)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (!is_place(q, s, info))
			continue;
		if (atomic_load(&q->state) == -ESTALE)
			wd_queue_renew(q);
		if (q->owner || q->binder || atomic_load(&q->held) || (s->cq && !wd_cq_may_add(s->cq, q)))
			continue;
		if (atomic_load(&q->state) == -EDQUOT || (atomic_load(&q->state) == -ENODEV && is_over(q)))
			return q;
	}
	return NULL;
}

/* Is another session's binding about to reopen a context of the same kind there, which holds no place yet? */
static bool closed_is_claimed(const struct wd_session *s, const struct uacce_dev_info *info)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		const struct wd_queue *q = wd_engine.queue[i];

		if (is_place(q, s, info) && q->binder && !q->owner && atomic_load(&q->state) && !atomic_load(&q->held))
			return true;
	}
	return false;
}

/* Under the grants' lock, released while another context has to be closed. 0, and q holds a place, or -errno. */
static int place_get(struct wd_queue *q, enum wd_place how)
{
	int ret;

	do {
		ret = wd_grant_place(q, how);
		if (ret != WD_PLACE_TAKEN)
			break;
		ret = wd_evict_for(q);
		if (!ret)
			ret = wd_section_usable();
		else if (ret != -EAGAIN)
			ret = wd_grant_refuse(q);
	} while (ret == -EAGAIN);
	if (!ret)
		wd_grant_hold(q);
	return ret;
}

/*
 * Opens q in the place that it holds, and releases the place if that fails. Under the grants' lock, which is released
 * meanwhile. If the pool refuses an extra context after all, another context's place is tried.
 */
static int place_enter(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	bool refused;
	int ret = wd_grant_open(q, info, &refused);

	if (ret)
		wd_grant_let_go(q);
	if (refused && how == WD_PLACE_EXCHANGE && !place_get(q, how)) {
		ret = wd_grant_open(q, info, &refused);
		if (ret)
			wd_grant_let_go(q);
	}
	WD_PROBE(libwd, ctx_open, q->dev_name, wd_probe_text(q->cls->name), ret);
	return ret;
}

/*
 * Under the grants' lock, which is released for good. After success and failure alike, q->held says whether q is open.
 */
static int queue_try(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	int ret = place_get(q, how);

	if (!ret)
		ret = place_enter(q, info, how);
	wd_grant_unlock();
	return ret ? ret : queue_fill_room(q, q->pub.limit);
}

/*
 * Takes a place before another thread can look for one, and opens q. The engine's lock is released meanwhile. -EAGAIN:
 * an open context of the same kind was closed since the caller looked, and is to be reopened instead.
 */
static int queue_begin(struct wd_session *s, struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	int ret;

	if (atomic_load(&wd_engine.nr) == WD_ENGINE_QUEUES)
		return -EUSERS;
	wd_grant_lock();
	ret = closed_find(s, info) ? -EAGAIN : how <= WD_PLACE_FREE && closed_is_claimed(s, info) ? -EDQUOT : 0;
	if (ret) {
		wd_grant_unlock();
		return ret;
	}
	pthread_mutex_unlock(&wd_engine.lock);
	ret = queue_try(q, info, how);
	pthread_mutex_lock(&wd_engine.lock);
	return ret;
}

/* Adds q to the table, in the place that it holds, unless ret is an error. Under the engine's lock. */
static int queue_settle(struct wd_session *s, struct wd_queue *q, int ret)
{
	wd_grant_lock();
	if (!ret) {
		q->binder = s;
		atomic_store(&q->state, 0);
		ret = table_add(q);
	}
	if (!ret)
		wd_grant_let_go(q);
	wd_grant_unlock();
	return ret;
}

/* Frees a context that didn't get into the table. Under the engine's lock, which is released meanwhile. */
static void queue_give_up(struct wd_queue *q)
{
	if (atomic_load(&q->held)) {
		/* Opening succeeded, and a later step failed. */
		pthread_mutex_unlock(&wd_engine.lock);
		q->drv.close(q);
		wd_grant_lock();
		wd_grant_let_go(q);
		wd_grant_unlock();
		pthread_mutex_lock(&wd_engine.lock);
	}
	queue_free(q);
}

static int queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info,
		      enum wd_place how, struct wd_queue **res)
{
	struct wd_queue *q = queue_new(s, drv, s->attr.qc_type, s->attr.async);
	int ret;

	if (!q)
		return -ENOMEM;
	memcpy(q->dev_name, info->name, sizeof(q->dev_name));
	memcpy(q->api, info->api, sizeof(q->api));
	q->node_id = info->node_id;
	q->numa_node = info->numa_node;
	q->simulated = info->simulated;
	q->pub.path = info->simulated ? WD_PATH_SIM : WD_PATH_HW;
	wd_lock_may_belong(&q->produce);
	wd_lock_may_belong(&q->drain);
	q->pub.worth = info->simulated ? 0 : drv->min_bytes;
	atomic_store(&q->owner, how == WD_PLACE_OWN ? s : NULL);
	atomic_store(&q->state, -EDQUOT);
	ret = queue_settle(s, q, queue_begin(s, q, info, how));
	if (ret)
		queue_give_up(q);
	else
		*res = q;
	return ret;
}

static bool slots_none(const struct wd_queue *q, const struct wd_slot *slots, __u8 state)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++)
		if (atomic_load_explicit(&slots[i].state, memory_order_relaxed) == state)
			return false;
	return true;
}

static bool slots_all_free(const struct wd_queue *q, const struct wd_slot *slots)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++)
		if (atomic_load_explicit(&slots[i].state, memory_order_acquire) != WD_SLOT_FREE)
			return false;
	return true;
}

/*
 * A new ring begins with free slots. Slots whose failure was not fetched yet stay in their half, as the thread that
 * fetches them may submit their requests to the new ring. Unfetched results are in the old ring, which has to stay as
 * long as they do. Under the drain lock.
 */
static bool slots_begin(struct wd_queue *q)
{
	if (slots_all_free(q, q->pub.slots))
		return true;
	if (!slots_none(q, q->pub.slots, WD_SLOT_READY))
		return false;
	if (!q->half[!q->second])
		q->half[!q->second] = calloc(q->pub.depth, sizeof(struct wd_slot));
	if (!q->half[!q->second] || !slots_all_free(q, q->half[!q->second]))
		return false;
	q->second = !q->second;
	q->pub.slots = q->half[q->second];
	return true;
}

static void slots_forget(struct wd_queue *q, unsigned int half)
{
	if (q->half[half])
		memset(q->half[half], 0, q->pub.depth * sizeof(*q->half[half]));
}

/*
 * The requests in flight and the files belong to the parent; the child has a copy of the memory. No other thread uses
 * an inherited context until its state changes.
 */
void wd_queue_renew(struct wd_queue *q)
{
	q->drv.close(q);
	slots_forget(q, 0);
	slots_forget(q, 1);
	q->tail = 0;
	q->soft_head = 0;
	wd_aside_forget(q);
	wd_lanes_forget(q);
	q->due = NULL;
	q->pub.self = NULL;
	q->retry_at = 0;
	q->settled = true;
	atomic_store(&q->reset_since, 0);
	memset(&q->tally, 0, sizeof(q->tally));
	atomic_store(&q->submitted, 0);
	q->begun = 0;
	q->vain_since = 0;
	atomic_store(&q->failed, 0);
	atomic_store(&q->freed, 0);
	atomic_store(&q->async_submitted, 0);
	atomic_store(&q->async_over, 0);
	atomic_store(&q->deadline, 0);
	wd_watch_reset(&q->watch);
	atomic_store(&q->owner, NULL);
	atomic_store(&q->delivers, q->async && !q->for_cq);
	if (q->pub.path != WD_PATH_SOFT)
		atomic_store(&q->state, -EDQUOT);
	else
		atomic_store(&q->state, q->for_cq ? -ESHUTDOWN : 0);
	wd_pollers_changed();
}

void wd_queue_refused(struct wd_queue *q)
{
	__u64 now = wd_now_ns();

	if (atomic_load(&q->submitted) != q->begun)
		q->vain_since = 0;
	/* If no request has met such an opening for so long, this one begins another row. */
	else if (!q->vain_since || now - q->vain_seen > WD_RESET_NS)
		q->vain_since = now;
	q->vain_seen = now;
}

/* The queue is open again; it is usable only if its new ring has the old depth. Under all its locks. */
static int queue_started(struct wd_queue *q, __u32 depth)
{
	int ret = 0;

	if (q->pub.depth == depth) {
		q->settled = false;
		q->retry_at = 0;
		atomic_store(&q->failed, 0);
		if (atomic_load(&q->submitted) != q->begun)
			q->vain_since = 0;
		q->begun = atomic_load(&q->submitted);
		atomic_store(&q->state, 0);
		wd_pollers_changed();
		wd_cq_watch(q);
		wd_room_made();
	} else {
		q->drv.close(q);
		ret = -ENODEV;
	}
	wd_grant_lock();
	wd_grant_let_go(q);
	wd_grant_unlock();
	return ret;
}

/*
 * A device refuses queues with EPERM while it is being reset. A queue that was opened just before has ended when it is
 * to start: EIO, or ENODEV, as for a device that is gone. A device that doesn't come back is isolated, or no longer
 * there, which the next attempt sees.
 */
static void reset_note(struct wd_queue *q, int ret, __u64 now)
{
	__u64 since = atomic_load(&q->reset_since);

	/* Waiting for a reset has no limit. */
	if (ret == -EPERM)
		q->vain_since = 0;
	if (ret != -EPERM && ret != -EIO && ret != -ENODEV)
		since = 0;
	/* If no request has met a reset for so long, this one is another. */
	else if (!since || now - q->reset_seen > WD_RESET_NS)
		since = now;
	q->reset_seen = now;
	atomic_store(&q->reset_since, since);
}

/* Reopens the queue in its own place, or in another context's. Under all its locks. */
static int queue_restart(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how, __u64 now)
{
	__u32 depth = q->pub.depth;
	int ret;

	wd_grant_lock();
	ret = place_get(q, how);
	wd_grant_unlock();
	if (ret)
		return ret;
	q->retry_at = now + WD_REOPEN_AFTER_NS;
	wd_cq_unwatch(q);
	q->drv.close(q);
	q->tail = 0;
	wd_grant_lock();
	ret = place_enter(q, info, how);
	wd_grant_unlock();
	reset_note(q, ret, now);
	return ret ? ret : queue_started(q, depth);
}

/*
 * -EAGAIN: another thread has one of the queue's locks; -ENOBUFS: requests that an earlier stop ended aren't fetched
 * yet.
 */
static int queue_reopen(struct wd_queue *q, enum wd_place how)
{
	struct uacce_dev_info info;
	__u64 now = wd_now_ns();
	int ret = -EBUSY;

	/* Another thread may be taking the place away, and may still give it back. */
	wd_grant_lock();
	while (atomic_load(&q->held))
		wd_grant_wait();
	wd_grant_unlock();
	if (!atomic_load(&q->state))
		return 0;
	if (now < q->retry_at)
		return ret;
	ret = wd_device_read(q->dev_name, &info);
	if (!ret && strcmp(q->api, info.api))
		ret = -ENODEV;
	if (ret == -ENODEV)
		atomic_store(&q->state, -ENODEV);
	if (ret)
		return ret;
	ret = -EBUSY;
	if (!wd_device_usable(&info)) {
		/* Many requests may get here one after the other. */
		q->retry_at = now + LOOK_AFTER_NS;
		atomic_store(&q->reset_since, 0);
		return ret;
	}
	ret = -EAGAIN;
	if (!wd_drain_trylock(q))
		return ret;
	if (!q->settled || !wd_sleeper_enter(q))
		goto out_drain;
	ret = slots_begin(q) ? queue_restart(q, &info, how, now) : -ENOBUFS;
	wd_sleeper_leave(q);
out_drain:
	wd_drain_unlock(q);
	return ret;
}

int wd_queue_reopen(struct wd_queue *q)
{
	int cancel, ret;

	/* Opening and closing files are cancellation points, and locks are held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = queue_reopen(q, WD_PLACE_EXCHANGE);
	if (ret == -ENOBUFS)
		ret = -EAGAIN;
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

void wd_queue_park(struct wd_queue *q)
{
	wd_lock(&q->produce);
	atomic_store(&q->state, -ESHUTDOWN);
	wd_unlock(&q->produce);
}

/* Opens a context for its binder, which keeps other bindings away: any other obstacle ends soon. */
static int place_open(struct wd_queue *q, enum wd_place how)
{
	int ret = 0, tries;

	for (tries = 0; tries < PLACE_TRIES; tries++) {
		wd_lock(&q->produce);
		/* The delay after an earlier attempt is meant for requests, not for a binding. */
		q->retry_at = 0;
		ret = atomic_load(&q->state) ? queue_reopen(q, how) : 0;
		wd_unlock(&q->produce);
		if (ret == -ENOBUFS)
			break;
		if (ret != -EAGAIN)
			return ret;
		sched_yield();
	}
	return -EBUSY;
}

/* Reopens a closed context of the session's kind. */
static int closed_open(struct wd_session *s, struct wd_queue *q, enum wd_place how)
{
	int ret;

	/* Before other threads can use it. */
	atomic_store(&q->owner, how == WD_PLACE_OWN ? s : NULL);
	q->binder = s;
	pthread_mutex_unlock(&wd_engine.lock);
	ret = place_open(q, how);
	pthread_mutex_lock(&wd_engine.lock);
	if (ret) {
		atomic_store(&q->owner, NULL);
		q->binder = NULL;
		pthread_cond_broadcast(&wd_engine.bound);
	}
	return ret;
}

int wd_queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info, int how,
		  struct wd_queue **res)
{
	int ret;

	do {
		*res = closed_find(s, info);
		if (*res)
			return closed_open(s, *res, how);
		ret = queue_open(s, drv, info, how, res);
	} while (ret == -EAGAIN && closed_find(s, info));
	return ret;
}

static struct wd_queue *soft_new(struct wd_session *s)
{
	struct wd_queue *q = queue_new(s, s->cls->soft, 0, true);

	if (!q)
		return NULL;
	strcpy(q->dev_name, "soft");
	q->numa_node = -1;
	q->pub.path = WD_PATH_SOFT;
	q->pub.depth = SOFT_DEPTH;
	if (queue_fill_room(q, SOFT_DEPTH) || table_add(q)) {
		queue_free(q);
		return NULL;
	}
	return q;
}

/* The software context for callbacks, or of this completion queue, or (parked) one whose completion queue is gone. */
static struct wd_queue *soft_find(struct wd_session *s, bool parked)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->cls != s->cls || q->pub.path != WD_PATH_SOFT || q->for_cq != !!s->cq)
			continue;
		if (atomic_load(&q->state) == -ESTALE)
			wd_queue_renew(q);
		if (parked ? atomic_load(&q->state) == -ESHUTDOWN :
		    !atomic_load(&q->state) && (!s->cq || wd_cq_has(s->cq, q)))
			return q;
	}
	return NULL;
}

struct wd_queue *wd_queue_soft(struct wd_session *s)
{
	struct wd_queue *q = soft_find(s, false);

	if (q)
		return q;
	if (s->cq)
		q = soft_find(s, true);
	if (!q)
		q = soft_new(s);
	if (!q || !s->cq)
		return q;
	if (wd_cq_add(s->cq, q)) {
		wd_queue_park(q);
		return NULL;
	}
	wd_lock(&q->produce);
	atomic_store(&q->state, 0);
	wd_unlock(&q->produce);
	return q;
}
