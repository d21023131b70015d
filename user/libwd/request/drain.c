// SPDX-License-Identifier: Apache-2.0
/* Takes completions off a queue and gives them to their owners; stops a queue and fails its remaining requests. */
#include <stdlib.h>
#include <string.h>

#include "base/likely.h"
#include "base/probes.h"
#include "device/recent.h"
#include "request/aside.h"
#include "request/pollers.h"
#include "request/fast.h"

static void ready_push(struct wd_queue *q, const struct wd_slot *slot, unsigned int index)
{
	struct wd_lane *lane = wd_lane_of(q, slot->sess);

	wd_lane_append(lane, q->second ? q->pub.depth + index : index);
	wd_lane_count(lane);
}

/* Fills in what every message needs at its end beside the status. */
static inline __attribute__((always_inline)) void msg_end(struct wd_queue *q, const struct wd_slot *slot,
							  struct wd_msg *msg)
{
	if (slot->flags & WD_SLOT_LATE)
		msg->status = -ETIMEDOUT;
	msg->by = q->pub.by;
	msg->reason = atomic_load_explicit(&msg->sess->reason, memory_order_relaxed);
	wd_tally_end(q, msg);
}

static void sync_done(struct wd_queue *q, struct wd_slot *slot, struct wd_msg *msg)
{
	msg_end(q, slot, msg);
	wd_slot_free(q, slot);
	wd_msg_over(q, msg);
}

/* The message of a synchronous request on the fast path is filled in only when the request needs it. */
static void sync_refill(struct wd_queue *q, const struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	if (!(slot->flags & WD_SLOT_FAST))
		return;
	q->cls->refill(slot->sess, msg->req, 0, msg);
	msg->tag = WD_TAG(slot->gen, index);
	msg->told = false;
}

/* The status of a request that the device gave back undone. */
static __s32 stopped_status(const struct wd_slot *slot, struct wd_msg *msg)
{
	msg->cancels = atomic_load(&slot->sess->cancelled);
	return slot->flags & WD_SLOT_CANCEL ? -ECANCELED : WD_STOPPED;
}

void wd_queue_sync_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	sync_refill(q, slot, index);
	q->drv.result(q, msg, index);
	if (unlikely(msg->status == WD_STOPPED))
		msg->status = stopped_status(slot, msg);
	sync_done(q, slot, msg);
}

void wd_queue_async_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	atomic_store_explicit(&slot->state, WD_SLOT_READY, memory_order_relaxed);
	ready_push(q, slot, index);
}

static void async_fail(struct wd_slot *slot, int err)
{
	slot->aux = (__u32)err;
	atomic_store_explicit(&slot->state, WD_SLOT_FAILED, memory_order_relaxed);
}

/*
 * false: the request may be redone and goes behind the others, since some of them may have results in the ring, whose
 * places a redo needs.
 */
static bool ready_result(struct wd_queue *q, struct wd_slot *slot, unsigned int index, struct wd_msg *msg)
{
	q->drv.result(q, msg, index);
	if (likely(msg->status != WD_STOPPED))
		return true;
	msg->status = stopped_status(slot, msg);
	if (!wd_may_redo(msg)) {
		msg->redo = 0;
		return true;
	}
	async_fail(slot, msg->status);
	return false;
}

/* Makes a message for the request and fills in its results. Returns the same as ready_result(). */
static bool ready_msg(struct wd_queue *q, struct wd_slot *slot, unsigned int index, struct wd_msg *msg)
{
	bool failed = atomic_load_explicit(&slot->state, memory_order_relaxed) == WD_SLOT_FAILED;
	bool fast = slot->flags & WD_SLOT_FAST;

	q->cls->refill(slot->sess, slot->owner, failed || fast ? 0 : slot->aux, msg);
	msg->tag = WD_TAG(slot->gen, index);
	msg->deadline = slot->deadline;
	msg->waited = false;
	if (!fast)
		msg->redo = slot->flags & WD_SLOT_REDO;
	if (failed) {
		msg->cancels = atomic_load(&slot->sess->cancelled);
		msg->status = (__s32)slot->aux;
	} else if (!ready_result(q, slot, index, msg)) {
		return false;
	}
	msg_end(q, slot, msg);
	return true;
}

static bool ready_told(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	return wd_slot_is_fast(slot) && atomic_load_explicit(&slot->state, memory_order_relaxed) == WD_SLOT_READY &&
	       q->drv.tell(q, slot, index);
}

/* Takes the first request of the lane that has a slot; the caller calls wd_lane_uncount(). */
static bool slot_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due)
{
	struct wd_queue *q = lane->q;
	struct wd_slot *slot;
	bool told;

	for (;;) {
		__u32 number, index;

		if (!lane->first)
			return false;
		number = wd_lane_take(lane);
		index = number < q->pub.depth ? number : number - q->pub.depth;
		slot = &q->half[number != index][index];
		told = ready_told(q, slot, index);
		if (told || ready_msg(q, slot, index, msg))
			break;
		wd_lane_append(lane, number);
	}
	*due = (struct wd_due){ .sess = slot->sess, .req = told ? slot->owner : NULL };
	wd_slot_free(q, slot);
	return true;
}

bool wd_ready_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due)
{
	if (!atomic_load_explicit(&lane->nr, memory_order_relaxed))
		return false;
	if (!slot_pop(lane, msg, due) && !wd_aside_pop(lane, msg, due))
		return false;
	wd_lane_uncount(lane);
	return true;
}

/* Moves one request off the ring. false: there is none, no memory, or another thread has the lock. */
static bool ready_one_aside(struct wd_queue *q)
{
	struct wd_aside *a = wd_aside_new();
	bool moved = false;

	if (a && wd_drain_trylock(q)) {
		moved = slot_pop(q->lane, (struct wd_msg *)a->msg, &a->due);
		if (moved)
			wd_aside_put(q->lane, a);
		wd_drain_unlock(q);
	}
	if (!moved)
		free(a);
	return moved;
}

void wd_ready_aside(struct wd_queue *q)
{
	bool any = false;

	while (atomic_load_explicit(&q->ready_nr, memory_order_acquire) && ready_one_aside(q))
		any = true;
	if (any)
		wd_room_made();
}

/* Whether the request may be redone. A synchronous one that didn't take the fast path still has its message. */
static bool may_redo(struct wd_queue *q, struct wd_slot *slot, bool sync)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_msg *msg = (struct wd_msg *)buf;
	bool fast = slot->flags & WD_SLOT_FAST;

	if (sync && !fast)
		return wd_may_redo(slot->owner);
	if (!fast && !(slot->flags & WD_SLOT_REDO))
		return false;
	q->cls->refill(slot->sess, wd_slot_req(slot, sync), fast ? 0 : slot->aux, msg);
	if (fast)
		slot->flags |= msg->redo;
	return wd_may_redo(msg);
}

/*
 * Requests that are still in the queue end with why, or as stopped if they may be redone. event: what the queue's
 * completion queues report, 0: nothing.
 */
static void queue_fail(struct wd_queue *q, int why, int event)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];
		__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);
		int err;

		/* Ready requests have their result already. */
		if (state != WD_SLOT_SYNC && state != WD_SLOT_ASYNC)
			continue;
		q->drv.abort(q, i);
		err = slot->flags & WD_SLOT_CANCEL ? -ECANCELED :
		      may_redo(q, slot, state == WD_SLOT_SYNC) ? WD_STOPPED : why == WD_STOPPED ? -EIO : why;
		if (state == WD_SLOT_ASYNC) {
			async_fail(slot, err);
			ready_push(q, slot, i);
			continue;
		}
		sync_refill(q, slot, i);
		((struct wd_msg *)slot->owner)->status = err;
		((struct wd_msg *)slot->owner)->cancels = atomic_load(&slot->sess->cancelled);
		sync_done(q, slot, slot->owner);
	}
	wd_room_made();
	wd_async_done();
	wd_pollers_due(q);
	if (q->for_cq)
		wd_cq_broke(q, event);
}

/* Drops unfetched results, of all requests or of those that came back undone. Their requests fail or are redone. */
static void ready_lose(struct wd_queue *q, bool all)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_relaxed) != WD_SLOT_READY ||
		    !(all || q->drv.stopped(q, i)))
			continue;
		q->drv.abort(q, i);
		async_fail(slot, slot->flags & WD_SLOT_CANCEL ? -ECANCELED :
			   may_redo(q, slot, false) ? WD_STOPPED : -EIO);
	}
}

/* Under the produce lock. */
static bool state_set(struct wd_queue *q, int state)
{
	int usable = 0;

	return atomic_compare_exchange_strong(&q->state, &usable, state);
}

static bool state_leave(struct wd_queue *q, int state)
{
	bool mine;

	wd_lock(&q->produce);
	mine = state_set(q, state);
	wd_unlock(&q->produce);
	/* A thread that sleeps on the file delays its closing. */
	wd_pollers_due(q);
	return mine;
}

/* Returns why this opening has failed, when the caller is the one to end it; else 0. */
static int failed_leave(struct wd_queue *q)
{
	int err;

	wd_lock(&q->produce);
	err = atomic_load_explicit(&q->failed, memory_order_relaxed);
	if (err && !state_set(q, err == -ENODEV ? -ENODEV : -EIO))
		err = 0;
	wd_unlock(&q->produce);
	wd_pollers_due(q);
	return err;
}

/*
 * Closes all contexts on the device: the release of their files is the last way to stop the hardware. It waits for each
 * queue's sleeper before it takes the other locks, as the sleeper may be about to take them; so the caller must not
 * have the role of any queue.
 */
static void device_close(const char *name)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (strcmp(q->dev_name, name) || atomic_load(&q->state) == -ESTALE)
			continue;
		state_leave(q, -EIO);
		wd_sleeper_wait(q);
		/* It may have been stopped before, and reopened meanwhile. */
		state_leave(q, -EIO);
		wd_drain_lock(q);
		/* The ring is about to be freed. */
		ready_lose(q, true);
		wd_cq_unwatch(q);
		q->drv.close(q);
		/* The completion queues of a context that was out of use already know of that. */
		queue_fail(q, WD_STOPPED, q->settled ? 0 : atomic_load(&q->state));
		q->settled = true;
		wd_drain_unlock(q);
		wd_sleeper_leave(q);
	}
}

/* Under the drain lock: since its state changed, a neighbour's end has closed the queue, and it may be open again. */
static bool overtaken(struct wd_queue *q)
{
	return q->settled || !atomic_load(&q->state);
}

static bool is_late(const struct wd_slot *slot, __u64 now)
{
	__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);

	return (state == WD_SLOT_SYNC || state == WD_SLOT_ASYNC) && slot->deadline && now >= slot->deadline;
}

/* Late requests are the reason of the stop: they end as late even if the stop lets them finish. */
static void mark_late(struct wd_queue *q)
{
	__u64 now = wd_now_ns();
	__u32 i;

	for (i = 0; i < q->pub.depth; i++)
		if (is_late(&q->pub.slots[i], now))
			q->pub.slots[i].flags |= WD_SLOT_LATE;
}

static bool has_late(const struct wd_queue *q)
{
	__u64 now = wd_now_ns();
	__u32 i;

	for (i = 0; i < q->pub.depth; i++)
		if (is_late(&q->pub.slots[i], now))
			return true;
	return false;
}

/*
 * The late request may have ended meanwhile, by another thread's stop, and the queue may be open again. Under the
 * produce lock no request is added.
 */
static bool late_leave(struct wd_queue *q)
{
	bool mine;

	wd_lock(&q->produce);
	mine = !atomic_load(&q->state) && has_late(q) && state_set(q, -EIO);
	wd_unlock(&q->produce);
	wd_pollers_due(q);
	return mine;
}

/* The queue's state is no longer usable: its requests end with why. */
static void queue_end(struct wd_queue *q, int why, bool late)
{
	__u64 begin = WD_PROBE_BEGIN(ctx_stop);

	wd_drain_lock(q);
	if (overtaken(q)) {
		wd_drain_unlock(q);
		return;
	}
	if (late)
		mark_late(q);
	/* Whatever the rings show, the device must have released the buffers before their owners get them back. */
	if (q->drv.stop(q)) {
		wd_drain_unlock(q);
		device_close(q->dev_name);
		return;
	}
	/* Requests that finished before the stop keep their results. The ring stays until these are fetched. */
	q->drv.pull(q, wd_queue_in_flight(q));
	ready_lose(q, false);
	queue_fail(q, why, why == WD_STOPPED ? 0 : why);
	q->settled = true;
	wd_drain_unlock(q);
	WD_PROBE(libwd, ctx_stop, q->index, why, wd_probe_ns(begin));
}

static bool ring_has_results(struct wd_queue *q)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++)
		if (atomic_load_explicit(&q->pub.slots[i].state, memory_order_relaxed) == WD_SLOT_READY)
			return true;
	return false;
}

void wd_queue_shed(struct wd_queue *q)
{
	int cancel;

	if (atomic_load(&q->state) != -ENODEV || !q->settled || q->pub.fd < 0 || ring_has_results(q) ||
	    !wd_sleeper_enter(q))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	wd_cq_unwatch(q);
	q->drv.close(q);
	pthread_setcancelstate(cancel, NULL);
	wd_sleeper_leave(q);
}

void wd_queue_gone(struct wd_queue *q)
{
	if (atomic_load(&q->state) != -ENODEV || q->pub.fd < 0)
		return;
	wd_drain_lock(q);
	wd_queue_shed(q);
	wd_drain_unlock(q);
}

void wd_queue_end(struct wd_queue *q)
{
	int stopped = -EIO, cancel;

	/* Closing a file is a cancellation point, and locks are held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (state_leave(q, -ENODEV))
		queue_end(q, -ENODEV, false);
	wd_lock(&q->produce);
	atomic_compare_exchange_strong(&q->state, &stopped, -ENODEV);
	wd_unlock(&q->produce);
	wd_queue_gone(q);
	pthread_setcancelstate(cancel, NULL);
}

void wd_queue_broken(struct wd_queue *q)
{
	int cancel, err;

	wd_recent_forget();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = failed_leave(q);
	if (err)
		queue_end(q, err, false);
	wd_queue_gone(q);
	pthread_setcancelstate(cancel, NULL);
}

void wd_queue_stop(struct wd_queue *q)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (late_leave(q))
		queue_end(q, WD_STOPPED, true);
	wd_queue_gone(q);
	pthread_setcancelstate(cancel, NULL);
}

static bool has_cancelled(const struct wd_queue *q, const struct wd_session *s)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		const struct wd_slot *slot = &q->pub.slots[i];
		__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);

		if ((state == WD_SLOT_SYNC || state == WD_SLOT_ASYNC) && slot->sess == s &&
		    slot->flags & WD_SLOT_CANCEL)
			return true;
	}
	return false;
}

bool wd_queue_cancelled(struct wd_queue *q, const struct wd_session *s)
{
	bool any, mine;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	wd_lock(&q->produce);
	wd_drain_lock(q);
	any = has_cancelled(q, s);
	mine = any && state_set(q, -EIO);
	wd_drain_unlock(q);
	wd_unlock(&q->produce);
	if (mine) {
		wd_pollers_due(q);
		queue_end(q, WD_STOPPED, false);
	}
	wd_queue_gone(q);
	pthread_setcancelstate(cancel, NULL);
	return !any || mine;
}

static inline __attribute__((always_inline)) int queue_take(struct wd_queue *q, const struct wd_msg *self)
{
	__u32 max = wd_queue_in_flight(q);
	int ret = 0;

	if (!max || !wd_drain_trylock(q))
		return 0;
	/* Slots become free before the device learns that their completions are read: one pull at a time at most. */
	if (max > WD_PULL_MAX)
		max = WD_PULL_MAX;
	if (likely(!atomic_load_explicit(&q->state, memory_order_relaxed))) {
		q->pub.self = self;
		ret = q->drv.pull(q, max);
		wd_queue_failed(q, ret);
		/* The next thread that drains is another one, and may stop the queue. */
		q->pub.self = NULL;
		if (unlikely(q->fresh))
			wd_cq_tell(q);
	}
	wd_drain_unlock(q);
	return ret;
}

int wd_queue_take(struct wd_queue *q, const struct wd_msg *self)
{
	return queue_take(q, self);
}

int wd_queue_drain(struct wd_queue *q, const struct wd_msg *self)
{
	int ret = queue_take(q, self);

	return ret ? wd_drained(q, ret) : 0;
}

void wd_queue_look(struct wd_queue *q)
{
	int ret = 0;

	if (!wd_drain_trylock(q))
		return;
	if (!atomic_load(&q->state)) {
		q->pub.self = NULL;
		ret = q->drv.pull(q, 1);
		wd_queue_failed(q, ret);
		if (q->fresh)
			wd_cq_tell(q);
	}
	wd_drain_unlock(q);
	if (ret)
		wd_drained(q, ret);
}
