// SPDX-License-Identifier: Apache-2.0
/* Completions: taken off a queue, handed to their owners; stopping a queue and failing what is left in it. */
#include <stdlib.h>
#include <string.h>

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

/* What every result is told beside its status. */
static inline __attribute__((always_inline)) void msg_end(struct wd_queue *q, const struct wd_slot *slot, struct wd_msg *msg)
{
	if (slot->flags & WD_SLOT_LATE)
		msg->status = -ETIMEDOUT;
	msg->path = q->pub.path;
	msg->reason = atomic_load_explicit(&msg->sess->reason, memory_order_relaxed);
	wd_tally_end(q, msg);
}

static void sync_done(struct wd_queue *q, struct wd_slot *slot, struct wd_msg *msg)
{
	msg_end(q, slot, msg);
	wd_slot_free(q, slot);
	wd_msg_over(q, msg);
}

/* A synchronous request that took the fast path has nothing in its message until it needs it. */
static void sync_refill(struct wd_queue *q, const struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	if (!(slot->flags & WD_SLOT_FAST))
		return;
	q->cls->refill(slot->sess, msg->req, 0, msg);
	msg->tag = WD_TAG(slot->gen, index);
	msg->told = false;
}

void wd_queue_sync_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	sync_refill(q, slot, index);
	q->drv.result(q, msg, index);
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

/* False: it may be redone, and belongs behind the others, of which some may have results in the ring that a redo needs anew. */
static bool ready_result(struct wd_queue *q, struct wd_slot *slot, unsigned int index, struct wd_msg *msg)
{
	q->drv.result(q, msg, index);
	if (__builtin_expect(msg->status != WD_STOPPED || !msg->redo, 1))
		return true;
	async_fail(slot, WD_STOPPED);
	return false;
}

/* A message for the request, and its results into that. The same answer. */
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
	if (failed)
		msg->status = (__s32)slot->aux;
	else if (!ready_result(q, slot, index, msg))
		return false;
	msg_end(q, slot, msg);
	return true;
}

static bool ready_told(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	return wd_slot_is_fast(slot) && atomic_load_explicit(&slot->state, memory_order_relaxed) == WD_SLOT_READY &&
	       q->drv.tell(q, slot, index);
}

/* The first of the lane that has a slot; wd_lane_uncount() is the caller's. */
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

/* One of them. false: there is none, no memory, or somebody else has the lock. */
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

/* Whether it may be done again; of a request that took the fast path nobody has said so yet. */
static bool may_redo(struct wd_queue *q, struct wd_slot *slot, bool sync)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_msg *msg = (struct wd_msg *)buf;

	if (slot->flags & WD_SLOT_FAST) {
		q->cls->refill(slot->sess, wd_slot_req(slot, sync), 0, msg);
		slot->flags |= msg->redo;
	}
	return slot->flags & WD_SLOT_REDO;
}

/*
 * Everything that is still in the queue ends with why, or what may be redone as
 * stopped. event: what its completion queues report of it, 0: nothing.
 */
static void queue_fail(struct wd_queue *q, int why, int event)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];
		__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);
		int err;

		/* Those that are ready have their result already. */
		if (state != WD_SLOT_SYNC && state != WD_SLOT_ASYNC)
			continue;
		q->drv.abort(q, i);
		err = may_redo(q, slot, state == WD_SLOT_SYNC) ? WD_STOPPED : why;
		if (state == WD_SLOT_ASYNC) {
			async_fail(slot, err);
			ready_push(q, slot, i);
			continue;
		}
		sync_refill(q, slot, i);
		((struct wd_msg *)slot->owner)->status = err;
		sync_done(q, slot, slot->owner);
	}
	wd_room_made();
	wd_async_done();
	wd_pollers_due(q);
	if (q->for_cq)
		wd_cq_broke(q, event);
}

/* The ring is about to go, with the results that nobody fetched: as if they had never been. */
static void ready_lose(struct wd_queue *q)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_relaxed) != WD_SLOT_READY)
			continue;
		q->drv.abort(q, i);
		async_fail(slot, may_redo(q, slot, false) ? WD_STOPPED : -EIO);
	}
}

static bool state_leave(struct wd_queue *q, int state)
{
	int usable = 0;
	bool mine;

	wd_lock(&q->produce);
	mine = atomic_compare_exchange_strong(&q->state, &usable, state);
	wd_unlock(&q->produce);
	/* Who sleeps on the file holds up its closing. */
	wd_pollers_due(q);
	return mine;
}

/*
 * All contexts on that device are closed: their files' release is the last way
 * to stop the hardware. The sleeper is waited for first, as it may be about to
 * take the other locks; so nobody comes here with the role of any queue.
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
		/* Whoever stopped it before may have let it be opened again meanwhile. */
		state_leave(q, -EIO);
		wd_drain_lock(q);
		ready_lose(q);
		wd_cq_unwatch(q);
		q->drv.close(q);
		/* Of one that was out of use already its completion queue knows. */
		queue_fail(q, WD_STOPPED, q->settled ? 0 : atomic_load(&q->state));
		q->settled = true;
		wd_drain_unlock(q);
		wd_sleeper_leave(q);
	}
}

/* Under the drain lock: closed for a neighbour's sake since its state was left, perhaps opened again. */
static bool overtaken(struct wd_queue *q)
{
	return q->settled || !atomic_load(&q->state);
}

/* The stop is for them: even if it lets them finish, they are not told so. */
static void mark_late(struct wd_queue *q)
{
	__u64 now = wd_now_ns();
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];
		__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);

		if ((state == WD_SLOT_SYNC || state == WD_SLOT_ASYNC) && slot->deadline && now >= slot->deadline)
			slot->flags |= WD_SLOT_LATE;
	}
}

/* The queue's state was left: what is in it ends with why. */
static void queue_end(struct wd_queue *q, int why, bool late)
{
	wd_drain_lock(q);
	if (overtaken(q)) {
		wd_drain_unlock(q);
		return;
	}
	if (late)
		mark_late(q);
	/* Whatever the rings say, the device must have let go before buffers are given back. */
	if (q->drv.stop(q)) {
		wd_drain_unlock(q);
		device_close(q->dev_name);
		return;
	}
	/* What finished before the stop did finish. */
	q->drv.pull(q, wd_queue_in_flight(q));
	queue_fail(q, why, why == WD_STOPPED ? 0 : why);
	q->settled = true;
	wd_drain_unlock(q);
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

static void queue_leave(struct wd_queue *q, int state, int why, bool late)
{
	int cancel;

	/* Files are closed on the way: not to be cancelled with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (state_leave(q, state))
		queue_end(q, why, late);
	wd_queue_gone(q);
	pthread_setcancelstate(cancel, NULL);
}

void wd_queue_end(struct wd_queue *q)
{
	int stopped = -EIO;

	queue_leave(q, -ENODEV, -ENODEV, false);
	wd_lock(&q->produce);
	atomic_compare_exchange_strong(&q->state, &stopped, -ENODEV);
	wd_unlock(&q->produce);
	wd_queue_gone(q);
}

void wd_queue_broken(struct wd_queue *q, int err)
{
	wd_recent_forget();
	queue_leave(q, err == -ENODEV ? -ENODEV : -EIO, err, false);
}

void wd_queue_stop(struct wd_queue *q)
{
	queue_leave(q, -EIO, WD_STOPPED, true);
}

static inline __attribute__((always_inline)) int queue_take(struct wd_queue *q, const struct wd_msg *self)
{
	__u32 max = wd_queue_in_flight(q);
	int ret = 0;

	if (!max || !wd_drain_trylock(q))
		return 0;
	/* Their slots are free before the device knows that their completions are read. */
	if (max > WD_PULL_MAX)
		max = WD_PULL_MAX;
	if (__builtin_expect(!atomic_load_explicit(&q->state, memory_order_relaxed), 1)) {
		q->pub.self = self;
		ret = q->drv.pull(q, max);
		/* Who drains next may stop the queue, and is somebody else. */
		q->pub.self = NULL;
		if (__builtin_expect(q->fresh, 0))
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
		if (q->fresh)
			wd_cq_tell(q);
	}
	wd_drain_unlock(q);
	if (ret)
		wd_drained(q, ret);
}
