// SPDX-License-Identifier: Apache-2.0
/*
 * The contexts of this process: opened as sessions need them, one synchronous
 * and one asynchronous a NUMA node and queue type, numbered for ever.
 *
 * Locks, outer first:
 *   engine.lock	the table, what sessions are bound to
 *   queue.sleeper	a role: who sleeps on the file; waited for with no other lock but engine.lock
 *   queue.produce	tail, filling, SQ doorbell; opening a stopped queue again, which only tries the role
 *   queue.draining	completions, CQ doorbell; never while sleeping or in callbacks
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "pollers.h"

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
		atomic_store(&q->draining, 0);
		atomic_store(&q->sleeper, 0);
	}
	atomic_store(&wd_engine.room_waiters, 0);
	atomic_store(&wd_engine.done_waiters, 0);
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

static int queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info,
		      struct wd_queue **res)
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
	ret = q->drv.open(q, info);
	if (ret)
		goto err_free;
	ret = queue_fill_room(q, q->pub.limit);
	if (ret)
		goto err_close;
	ret = table_add(q);
	if (ret)
		goto err_close;
	*res = q;
	return 0;

err_close:
	q->drv.close(q);
err_free:
	queue_free(q);
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

static void queue_reopen(struct wd_queue *q)
{
	struct uacce_dev_info info;
	__u32 depth = q->pub.depth;
	__u64 now = wd_now_ns();
	int ret;

	if (now < q->retry_at)
		return;
	if (wd_device_read(q->dev_name, &info)) {
		atomic_store(&q->state, -ENODEV);
		return;
	}
	if (!wd_device_usable(&info) || !wd_drain_trylock(q))
		return;
	if (!q->settled || !wd_sleeper_enter(q))
		goto out_drain;
	if (!slots_begin(q))
		goto out_sleeper;
	q->retry_at = now + WD_REOPEN_AFTER_NS;
	wd_cq_unwatch(q);
	q->drv.close(q);
	q->tail = 0;
	ret = q->drv.open(q, &info);
	if (!ret && q->pub.depth == depth) {
		q->settled = false;
		q->retry_at = 0;
		atomic_store(&q->state, 0);
		wd_pollers_changed();
		wd_cq_watch(q);
	} else if (!ret) {
		q->drv.close(q);
	}
out_sleeper:
	wd_sleeper_leave(q);
out_drain:
	wd_drain_unlock(q);
}

void wd_queue_reopen(struct wd_queue *q)
{
	int cancel;

	/* Files are opened and closed: not to be cancelled with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	queue_reopen(q);
	pthread_setcancelstate(cancel, NULL);
}

static bool session_may_use(const struct wd_session *s, int node_id)
{
	return !s->mask || wd_bits_test(s->mask, s->mask_len, node_id);
}

static bool queue_suits(const struct wd_queue *q, const struct wd_session *s)
{
	int state = atomic_load(&q->state);

	return q->cls == s->cls && q->for_cq == !!s->cq && q->cq == s->cq && q->pub.fd >= 0 && q->pub.qc_type == s->attr.qc_type &&
	       (!state || state == -EIO) && session_may_use(s, q->node_id);
}

/* The context's device among those that may serve a session: it offers the algorithm, and is neither isolated nor disabled. */
static const struct uacce_dev_info *listed(const struct uacce_dev_list *list, const struct wd_queue *q)
{
	for (; list; list = list->next)
		if (!strcmp(list->info->name, q->dev_name))
			return list->info;
	return NULL;
}

/*
 * Among the contexts that are open: one for this session, on that device's
 * node and of its priority, in turn where there are several; or on any device
 * by that name.
 */
static struct wd_queue *table_find(const struct wd_session *s, bool async, const struct uacce_dev_list *list,
				   const struct uacce_dev_info *info, bool by_name)
{
	struct wd_queue *fits[WD_ENGINE_QUEUES];
	unsigned int nr = 0, i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		const struct uacce_dev_info *other;

		if (!queue_suits(q, s) || q->async != async)
			continue;
		if (by_name ? strcmp(q->dev_name, info->name) : q->numa_node != info->numa_node)
			continue;
		other = listed(list, q);
		if (other && other->priority == info->priority)
			fits[nr++] = q;
	}
	return nr ? fits[wd_engine.turn++ % nr] : NULL;
}

void wd_queue_park(struct wd_queue *q)
{
	wd_lock(&q->produce);
	atomic_store(&q->state, -ESHUTDOWN);
	wd_unlock(&q->produce);
	while (!wd_sleeper_enter(q))
		sched_yield();
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

static int queue_unpark(struct wd_queue *q, struct wd_cq *cq, const struct uacce_dev_info *info)
{
	__u32 depth = q->pub.depth;
	int ret = 0;

	wd_lock(&q->produce);
	wd_drain_lock(q);
	if (info) {
		ret = q->drv.open(q, info);
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
		   struct wd_queue **res)
{
	struct wd_queue *q;
	int ret;

	if (!wd_cq_has_place(s->cq))
		return -EUSERS;
	q = parked_find(s, info);
	ret = q ? queue_unpark(q, s->cq, info) : queue_open(s, drv, info, &q);
	if (ret)
		return ret;
	wd_cq_add(s->cq, q);
	*res = q;
	return 0;
}

static struct wd_queue *soft_open(struct wd_session *s)
{
	struct wd_queue *q = s->cq ? parked_find(s, NULL) : NULL;

	if (q) {
		queue_unpark(q, s->cq, NULL);
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

static struct wd_queue *soft_queue(struct wd_session *s)
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

/* What kept devices from being used; the first that applies is told. */
struct refusals {
	unsigned int masked;
	unsigned int no_driver;
	unsigned int no_sva;
	unsigned int busy;
	unsigned int access;
	int err;
};

static struct wd_queue *bind_device(struct wd_session *s, const struct uacce_dev_list *list,
				    const struct uacce_dev_info *info, struct refusals *no)
{
	const struct wd_driver *drv;
	struct wd_device_alg alg;
	struct wd_queue *q;
	int ret;

	if (!session_may_use(s, info->node_id)) {
		no->masked++;
		return NULL;
	}
	if (!(info->flags & UACCE_DEV_SVA)) {
		no->no_sva++;
		return NULL;
	}
	wd_device_read_alg(info, s->cls->algs[s->attr.alg], &alg);
	drv = wd_driver_find(s->cls, alg.device_api);
	if (!drv) {
		no->no_driver++;
		return NULL;
	}
	q = table_find(s, s->attr.async, list, info, false);
	if (q)
		return q;
	ret = s->cq ? cq_open(s, drv, info, &q) : queue_open(s, drv, info, &q);
	if (!ret)
		return q;
	no->err = ret;
	if (ret == -EBUSY)
		no->busy++;
	else if (ret == -EACCES || ret == -EPERM)
		no->access++;
	/* Fewer contexts than modes want them: one serves both. */
	return table_find(s, !s->attr.async, list, info, true);
}

static int bind_refused(struct wd_session *s, const struct refusals *no)
{
	const char *alg = s->cls->algs[s->attr.alg];

	if (s->attr.refuse) {
		atomic_store(&s->reason, s->attr.refuse);
		return wd_fail_str(NULL, EOPNOTSUPP, "no device can do what this session asks of %s", alg);
	}
	if (no->busy) {
		atomic_store(&s->reason, WD_REASON_NO_QUEUE);
		return wd_fail_str(NULL, EBUSY, "every device for %s is out of queues", alg);
	}
	if (no->access) {
		atomic_store(&s->reason, WD_REASON_NO_ACCESS);
		return wd_fail_str(NULL, EACCES, "the devices for %s may not be opened", alg);
	}
	if (no->no_driver) {
		atomic_store(&s->reason, WD_REASON_NO_DRIVER);
		return wd_fail_str(NULL, ENODEV, "the devices for %s speak an API that is not known here", alg);
	}
	if (no->no_sva) {
		atomic_store(&s->reason, WD_REASON_UNSUPPORTED);
		return wd_fail_str(NULL, ENODEV, "the devices for %s can't work on this process' addresses", alg);
	}
	if (no->err) {
		atomic_store(&s->reason, WD_REASON_GONE);
		return wd_fail_str(NULL, -no->err, "no device for %s could be opened", alg);
	}
	if (no->masked) {
		atomic_store(&s->reason, WD_REASON_MASKED);
		return wd_fail_str(NULL, ENODEV, "the device mask leaves no device for %s", alg);
	}
	atomic_store(&s->reason, WD_REASON_NO_DEVICE);
	return wd_fail_str(NULL, ENODEV, "no device offers %s", alg);
}

/* Contexts that exist already take what the first one has no room for. */
static unsigned int bind_overflow(struct wd_session *s, const struct uacce_dev_list *list, unsigned int nr)
{
	unsigned int all = atomic_load(&wd_engine.nr), i;

	for (i = 0; i < all && nr < WD_SESS_QUEUES; i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (queue_suits(q, s) && listed(list, q) && q->async == s->attr.async && q != atomic_load(&s->queue[0]))
			atomic_store(&s->queue[nr++], q);
	}
	return nr;
}

static int bind_devices(struct wd_session *s)
{
	struct uacce_dev_list *list = NULL, *l;
	struct refusals no = { 0 };
	struct wd_queue *q = NULL;

	if (!s->attr.refuse)
		list = wd_device_list(s->cls->algs[s->attr.alg], s->attr.async ? WD_RANK_THROUGHPUT : WD_RANK_LATENCY);
	for (l = list; l && !q; l = l->next)
		q = bind_device(s, list, l->info, &no);
	if (!q) {
		wd_free_list_accels(list);
		return bind_refused(s, &no);
	}
	if (s->attr.async && !s->cq)
		wd_pollers_adopt(q);
	atomic_store(&s->queue[0], q);
	atomic_store(&s->reason, s->soft_ok ? WD_REASON_BEST : WD_REASON_POLICY);
	atomic_store_explicit(&s->nr, bind_overflow(s, list, 1), memory_order_release);
	atomic_store_explicit(&s->first, q, memory_order_release);
	wd_free_list_accels(list);
	return 0;
}

int wd_engine_bind(struct wd_session *s)
{
	int ret = 0, saved = errno, cancel;

	/* The engine's lock is held while files are opened: not to be cancelled with it. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	wd_tally_fold(s);
	atomic_store(&s->nr, 0);
	atomic_store(&s->first, NULL);
	atomic_store(&s->reason, WD_REASON_POLICY);
	/* Of no use to a child. */
	if (s->cq && s->obj.fork_gen && wd_stale(&s->obj))
		goto out;
	if (s->attr.async && s->soft_ok) {
		atomic_store(&s->soft, soft_queue(s));
		if (!atomic_load(&s->soft))
			ret = wd_fail(NULL, ENOMEM, "no memory for the software context");
	}
	if (!ret && s->hw_ok)
		ret = bind_devices(s);
out:
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	atomic_store_explicit(&s->bound_gen, wd_fork_now(), memory_order_release);
	return ret == -ENOMEM || !s->soft_ok ? ret : 0;
}
