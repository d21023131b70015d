// SPDX-License-Identifier: Apache-2.0
/*
 * The contexts of this process: opening, closing, opening again; numbered for ever.
 *
 * Locks, outer first:
 *   engine.lock	the table, what sessions are bound to
 *   queue.sleeper	a role: who sleeps on the file; waited for with no other lock but engine.lock
 *   queue.produce	tail, filling, SQ doorbell; opening a stopped queue again, which only tries the role
 *   queue.drain	completions, CQ doorbell; never while sleeping or in callbacks
 *   grants' lock	opening a context (grant.c)
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "pollers.h"
#include "section.h"

#define SOFT_DEPTH	1024

struct wd_engine wd_engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void on_fork_prepare(void)
{
	pthread_mutex_lock(&wd_engine.lock);
}

static void on_fork_parent(void)
{
	pthread_mutex_unlock(&wd_engine.lock);
}

/* Inherited contexts are the parent's; their locks may be held by threads that don't exist here. */
static void on_fork_child(void)
{
	unsigned int i;

	pthread_mutex_init(&wd_engine.lock, NULL);
	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		atomic_store(&q->produce.held, 0);
		atomic_store(&q->produce.waiters, 0);
		atomic_store(&q->state, -ESTALE);
		atomic_store(&q->drain.held, 0);
		atomic_store(&q->drain.waiters, 0);
		atomic_store(&q->sleeper, 0);
		atomic_store(&q->sleeper_wanted, 0);
		atomic_store(&q->wanted, false);
	}
	atomic_store(&wd_engine.room_waiters, 0);
	atomic_store(&wd_engine.done_waiters, 0);
	atomic_store(&wd_engine.spinners, 0);
	wd_barrier_init();
}

static void hook_init(void)
{
	static struct wd_fork_hook hook = {
		.prepare = on_fork_prepare,
		.parent = on_fork_parent,
		.child = on_fork_child,
	};

	wd_barrier_init();
	wd_fork_hook_add(&hook);
	wd_section_init();
}

void wd_engine_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hook_init);
}

static void queue_free(struct wd_queue *q)
{
	if (!q)
		return;
	free(q->half[0]);
	free(q->half[1]);
	free(q->ready);
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
	q->async = async;
	atomic_store(&q->delivers, async && !s->cq);
	q->for_cq = s->cq;
	atomic_store(&q->cq, s->cq);
	q->pub.fd = -1;
	q->pub.qc_type = qc_type;
	return q;
}

/* Room for requests, once the driver has said how many there may be. */
static int queue_fill_room(struct wd_queue *q, unsigned int limit)
{
	q->limit = limit;
	q->half[0] = calloc(q->pub.depth, sizeof(*q->half[0]));
	q->pub.slots = q->half[0];
	/* Of both halves; there are more of none. */
	q->ready_size = 2 * q->pub.depth;
	q->ready = calloc(q->ready_size, sizeof(*q->ready));
	return q->half[0] && q->ready ? 0 : -ENOMEM;
}

static int table_add(struct wd_queue *q)
{
	unsigned int nr = atomic_load(&wd_engine.nr);

	if (nr == WD_ENGINE_QUEUES)
		return -EUSERS;
	q->index = nr;
	wd_engine.queue[nr] = q;
	atomic_store_explicit(&wd_engine.nr, nr + 1, memory_order_release);
	wd_pollers_changed();
	return 0;
}

/* With the grants' lock, so that its place is taken before anybody else looks for one. */
static int queue_begin(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how)
{
	int ret = wd_grant_place(q, how);

	if (!ret)
		ret = wd_grant_open(q, info);
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
	q->worth = info->simulated ? 0 : drv->min_bytes;
	wd_grant_lock();
	ret = queue_begin(q, info, how);
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

/* In the place that it has, or another's. Under all its locks. */
static int queue_restart(struct wd_queue *q, const struct uacce_dev_info *info, enum wd_place how, __u64 now)
{
	__u32 depth = q->pub.depth;
	int ret;

	wd_grant_lock();
	ret = wd_grant_place(q, how);
	if (ret)
		goto out;
	q->retry_at = now + WD_REOPEN_AFTER_NS;
	wd_cq_unwatch(q);
	q->drv.close(q);
	q->tail = 0;
	ret = wd_grant_open(q, info);
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
	if (wd_device_read(q->dev_name, &info)) {
		atomic_store(&q->state, -ENODEV);
		return -ENODEV;
	}
	if (!wd_device_usable(&info) || !wd_drain_trylock(q))
		return ret;
	if (!q->settled || !wd_sleeper_enter(q))
		goto out_drain;
	if (slots_begin(q))
		ret = queue_restart(q, &info, how, now);
	wd_sleeper_leave(q);
out_drain:
	wd_drain_unlock(q);
	return ret;
}

void wd_queue_reopen(struct wd_queue *q)
{
	int cancel;

	/* Files are opened and closed: not to be cancelled with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	queue_reopen(q, WD_PLACE_EXCHANGE);
	pthread_setcancelstate(cancel, NULL);
}

void wd_queue_park(struct wd_queue *q)
{
	wd_lock(&q->produce);
	atomic_store(&q->state, -ESHUTDOWN);
	wd_unlock(&q->produce);
	wd_sleeper_wait(q);
	wd_drain_lock(q);
	wd_cq_unwatch(q);
	q->drv.close(q);
	atomic_store(&q->cq, NULL);
	atomic_store(&q->cq_event, 0);
	atomic_store(&q->deadline, 0);
	q->settled = true;
	wd_drain_unlock(q);
	wd_sleeper_leave(q);
}

static int queue_unpark(struct wd_queue *q, struct wd_cq *cq, const struct uacce_dev_info *info, enum wd_place how)
{
	__u32 depth = q->pub.depth;
	int ret = 0;

	wd_lock(&q->produce);
	wd_drain_lock(q);
	wd_grant_lock();
	if (info) {
		ret = wd_grant_place(q, how);
		if (!ret)
			ret = wd_grant_open(q, info);
		if (!ret && q->pub.depth != depth) {
			q->drv.close(q);
			ret = -ENODEV;
		}
		q->tail = 0;
		q->node_id = info->node_id;
	}
	if (!ret) {
		q->settled = false;
		atomic_store(&q->cq, cq);
		atomic_store(&q->state, 0);
	}
	wd_grant_unlock();
	wd_drain_unlock(q);
	wd_unlock(&q->produce);
	return ret;
}

/* The place of a former completion queue's context, with its number; info NULL: this CPU's. NULL: there is none. */
static struct wd_queue *parked_find(const struct wd_session *s, const struct uacce_dev_info *info)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->cls != s->cls || atomic_load(&q->state) != -ESHUTDOWN || (q->pub.path == WD_PATH_SOFT) != !info)
			continue;
		if (!info || (!strcmp(q->dev_name, info->name) && q->pub.qc_type == s->attr.qc_type))
			return q;
	}
	return NULL;
}

/* A context of this session's completion queue, which has none there yet. */
static int cq_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info,
		   enum wd_place how, struct wd_queue **res)
{
	struct wd_queue *q;
	int ret;

	if (!wd_cq_has_place(s->cq))
		return -EUSERS;
	q = parked_find(s, info);
	ret = q ? queue_unpark(q, s->cq, info, how) : queue_open(s, drv, info, how, &q);
	if (ret)
		return ret;
	wd_cq_add(s->cq, q);
	*res = q;
	return 0;
}

/* One of its kind that was closed for another's sake. */
static struct wd_queue *closed_find(const struct wd_session *s, const struct uacce_dev_info *info)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (atomic_load(&q->state) == -EDQUOT && q->cls == s->cls && q->pub.qc_type == s->attr.qc_type &&
		    q->async == s->attr.async && q->for_cq == !!s->cq && q->cq == s->cq &&
		    !strcmp(q->dev_name, info->name))
			return q;
	}
	return NULL;
}

int wd_queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info, int how,
		  struct wd_queue **res)
{
	struct wd_queue *q = closed_find(s, info);
	int ret;

	if (q) {
		wd_lock(&q->produce);
		ret = atomic_load(&q->state) == -EDQUOT ? queue_reopen(q, (enum wd_place)how) : 0;
		wd_unlock(&q->produce);
		*res = q;
		return ret;
	}
	return s->cq ? cq_open(s, drv, info, how, res) : queue_open(s, drv, info, how, res);
}

static struct wd_queue *soft_open(struct wd_session *s)
{
	struct wd_queue *q = s->cq ? parked_find(s, NULL) : NULL;

	if (q) {
		queue_unpark(q, s->cq, NULL, WD_PLACE_FREE);
		return q;
	}
	q = queue_new(s, s->cls->soft, 0, true);
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

struct wd_queue *wd_queue_soft(struct wd_session *s)
{
	struct wd_queue *q;
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		q = wd_engine.queue[i];
		if (q->cls == s->cls && q->pub.path == WD_PATH_SOFT && q->for_cq == !!s->cq && q->cq == s->cq &&
		    !atomic_load(&q->state))
			return q;
	}
	if (s->cq && !wd_cq_has_place(s->cq))
		return NULL;
	q = soft_open(s);
	if (q && s->cq)
		wd_cq_add(s->cq, q);
	return q;
}
