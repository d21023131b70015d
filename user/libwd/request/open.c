// SPDX-License-Identifier: Apache-2.0
/*
 * The contexts of this process: opening, closing, opening again; numbered for ever.
 *
 * Locks, outer first:
 *   engine.lock	the table, what sessions are bound to
 *   queue.sleeper	a role: who sleeps on the file; waited for with no other lock but engine.lock
 *   queue.produce	tail, filling, SQ doorbell; opening a stopped queue again, which only tries the role
 *   queue.drain	completions, CQ doorbell; never while sleeping or in callbacks
 *   grants' lock	places: held while a context is opened, so that no two threads open the last one
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "request/aside.h"
#include "request/pollers.h"
#include "section/section.h"

#define SOFT_DEPTH	1024
#define LOOK_AFTER_NS	1000000ull	/* between two looks at what sysfs says of a device that can't be used */
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
	/* Who sends has the lock from before the first descriptor until after the doorbell. */
	q->pub.filling = &q->produce.held;
	q->pub.qc_type = qc_type;
	return q;
}

/* Room for requests, once the driver has said how many there may be. */
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
	wd_fork_block();
	wd_engine.queue[nr] = q;
	atomic_store_explicit(&wd_engine.nr, nr + 1, memory_order_release);
	wd_fork_unblock();
	wd_pollers_changed();
	return 0;
}

/* A place of that kind, open or not. */
static bool is_place(const struct wd_queue *q, const struct wd_session *s, const struct uacce_dev_info *info)
{
	return q->cls == s->cls && q->pub.path != WD_PATH_SOFT && q->pub.qc_type == s->attr.qc_type &&
	       q->async == s->attr.async && q->for_cq == !!s->cq &&
	       wd_is_on(q, info) && q->simulated == info->simulated && q->numa_node == info->numa_node;
}

/* Its file is closed, and nothing of it waits for anybody. */
static bool is_over(struct wd_queue *q)
{
	return q->pub.fd < 0 && !wd_queue_in_flight(q) && !wd_queue_async_nr(q) && !(q->ended && q->users);
}

/*
 * One of its kind that was closed: for another's sake, because nobody used it,
 * with its device, which may be back by now, or with a fork.
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
		if (q->owner || (s->cq && !wd_cq_may_add(s->cq, q)))
			continue;
		if (atomic_load(&q->state) == -EDQUOT || (atomic_load(&q->state) == -ENODEV && is_over(q)))
			return q;
	}
	return NULL;
}

/* Under the grants' lock. 0 or -errno. */
static int place_get(const struct wd_queue *q, enum wd_place how)
{
	int ret = wd_grant_place(q, how);

	if (ret != WD_PLACE_TAKEN)
		return ret;
	return wd_evict_for(q) ? 0 : wd_grant_refuse(q);
}

/* In the place that it got. Where the pool refuses an extra context after all, another's place will do. */
static int place_enter(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	bool refused;
	int ret = wd_grant_open(q, info, &refused);

	if (!refused || how != WD_PLACE_EXCHANGE || place_get(q, how))
		return ret;
	return wd_grant_open(q, info, &refused);
}

/*
 * With the grants' lock, so that its place is taken before anybody else looks
 * for one. -EAGAIN: an open context of its kind was closed meanwhile, and is
 * opened again instead.
 */
static int queue_begin(struct wd_session *s, struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	int ret = closed_find(s, info) ? -EAGAIN : place_get(q, how);

	if (!ret)
		ret = place_enter(q, info, how);
	if (ret)
		return ret;
	ret = queue_fill_room(q, q->pub.limit);
	if (!ret)
		ret = table_add(q);
	if (ret)
		q->drv.close(q);
	return ret;
}

static int queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info,
		      enum wd_place how, struct wd_queue **res)
{
	struct wd_queue *q = queue_new(s, drv, s->attr.qc_type, s->attr.async);
	int ret;

	if (!q)
		return -ENOMEM;
	memcpy(q->dev_name, info->name, sizeof(q->dev_name));
	q->node_id = info->node_id;
	q->numa_node = info->numa_node;
	q->simulated = info->simulated;
	q->pub.path = info->simulated ? WD_PATH_SIM : WD_PATH_HW;
	q->pub.worth = info->simulated ? 0 : drv->min_bytes;
	atomic_store(&q->owner, how == WD_PLACE_OWN ? s : NULL);
	wd_grant_lock();
	ret = queue_begin(s, q, info, how);
	wd_grant_unlock();
	if (ret)
		queue_free(q);
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
 * A new ring begins with free slots. Those whose failure nobody fetched yet
 * stay where they are: whoever fetches them may give them to the new ring.
 * Results lie in the old ring, which has to stay for them. Under the drain lock.
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
 * What was in flight is the parent's, and so are the files; its memory is a copy.
 * Nobody looks at one that is inherited, until its state is another.
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
	memset(&q->tally, 0, sizeof(q->tally));
	atomic_store(&q->submitted, 0);
	atomic_store(&q->freed, 0);
	atomic_store(&q->async_submitted, 0);
	atomic_store(&q->async_over, 0);
	atomic_store(&q->deadline, 0);
	atomic_store(&q->watchers, 0);
	atomic_store(&q->owner, NULL);
	atomic_store(&q->delivers, q->async && !q->for_cq);
	if (q->pub.path != WD_PATH_SOFT)
		atomic_store(&q->state, -EDQUOT);
	else
		atomic_store(&q->state, q->for_cq ? -ESHUTDOWN : 0);
	wd_pollers_changed();
}

/* In the place that it has, or another's. Under all its locks. */
static int queue_restart(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how, __u64 now)
{
	__u32 depth = q->pub.depth;
	int ret;

	wd_grant_lock();
	ret = place_get(q, how);
	if (ret)
		goto out;
	q->retry_at = now + WD_REOPEN_AFTER_NS;
	wd_cq_unwatch(q);
	q->drv.close(q);
	q->tail = 0;
	ret = place_enter(q, info, how);
	if (!ret && q->pub.depth == depth) {
		q->settled = false;
		q->retry_at = 0;
		atomic_store(&q->state, 0);
		wd_pollers_changed();
		wd_cq_watch(q);
	} else if (!ret) {
		q->drv.close(q);
		ret = -ENODEV;
	}
out:
	wd_grant_unlock();
	return ret;
}

/* -EAGAIN: somebody has one of its locks. */
static int queue_reopen(struct wd_queue *q, enum wd_place how)
{
	struct uacce_dev_info info;
	__u64 now = wd_now_ns();
	int ret = -EBUSY;

	/* Who is taking its place away may still be about it, and may yet give it back. */
	wd_grant_lock();
	wd_grant_unlock();
	if (!atomic_load(&q->state))
		return 0;
	if (now < q->retry_at)
		return ret;
	ret = wd_device_read(q->dev_name, &info);
	if (ret == -ENODEV)
		atomic_store(&q->state, -ENODEV);
	if (ret)
		return ret;
	ret = -EBUSY;
	if (!wd_device_usable(&info)) {
		/* Many requests may ask one after the other. */
		q->retry_at = now + LOOK_AFTER_NS;
		return ret;
	}
	ret = -EAGAIN;
	if (!wd_drain_trylock(q))
		return ret;
	if (!q->settled || !wd_sleeper_enter(q))
		goto out_drain;
	ret = -EBUSY;
	if (slots_begin(q))
		ret = queue_restart(q, &info, how, now);
	wd_sleeper_leave(q);
out_drain:
	wd_drain_unlock(q);
	return ret;
}

int wd_queue_reopen(struct wd_queue *q)
{
	int cancel, ret;

	/* Files are opened and closed: not to be cancelled with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = queue_reopen(q, WD_PLACE_EXCHANGE);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

void wd_queue_park(struct wd_queue *q)
{
	wd_lock(&q->produce);
	atomic_store(&q->state, -ESHUTDOWN);
	wd_unlock(&q->produce);
}

/* By whom the engine's lock keeps others from doing it: what is in the way is over soon. */
static int place_open(struct wd_queue *q, enum wd_place how)
{
	int ret = 0, tries;

	for (tries = 0; tries < PLACE_TRIES; tries++) {
		wd_lock(&q->produce);
		/* What was tried before was for requests that had it. */
		q->retry_at = 0;
		ret = atomic_load(&q->state) ? queue_reopen(q, how) : 0;
		wd_unlock(&q->produce);
		if (ret != -EAGAIN)
			return ret;
		sched_yield();
	}
	return -EBUSY;
}

/* A closed one of the session's kind takes its place again. */
static int closed_open(struct wd_session *s, struct wd_queue *q, enum wd_place how)
{
	int ret;

	/* Before others can use it. */
	atomic_store(&q->owner, how == WD_PLACE_OWN ? s : NULL);
	ret = place_open(q, how);
	if (ret)
		atomic_store(&q->owner, NULL);
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

/* The software context for callbacks, or one of this completion queue, or one whose completion queue is gone (parked). */
static struct wd_queue *soft_find(struct wd_session *s, bool parked)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->cls != s->cls || q->pub.path != WD_PATH_SOFT || q->for_cq != !!s->cq)
			continue;
		if (atomic_load(&q->state) == -ESTALE)
			wd_queue_renew(q);
		if (parked ? atomic_load(&q->state) == -ESHUTDOWN : !atomic_load(&q->state) && (!s->cq || wd_cq_has(s->cq, q)))
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
