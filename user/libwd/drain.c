// SPDX-License-Identifier: Apache-2.0
/* Completions: taken off a queue, handed to their owners; stopping a queue and failing what is left in it. */
#include <limits.h>
#include <sched.h>
#include <string.h>

#include "engine.h"

bool wd_drain_trylock(struct wd_queue *q)
{
	return !atomic_load_explicit(&q->draining, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&q->draining, 1, memory_order_acquire);
}

void wd_drain_unlock(struct wd_queue *q)
{
	atomic_store_explicit(&q->draining, 0, memory_order_release);
}

/* The lock is held for copying only, or for a stop, which is bounded. */
void wd_drain_lock(struct wd_queue *q)
{
	while (!wd_drain_trylock(q))
		sched_yield();
}

struct wd_msg *wd_queue_owner(struct wd_queue *q, unsigned int index)
{
	struct wd_slot *slot;

	if (index >= q->pub.depth)
		return NULL;
	slot = &q->slots[index];
	if (!atomic_load_explicit(&slot->used, memory_order_acquire))
		return NULL;
	return atomic_load_explicit(&slot->msg, memory_order_acquire);
}

static void ready_push(struct wd_queue *q, __u32 index)
{
	__u32 nr = atomic_load_explicit(&q->ready_nr, memory_order_relaxed);

	q->ready[(q->ready_head + nr) % q->pub.depth] = index;
	atomic_store_explicit(&q->ready_nr, nr + 1, memory_order_release);
}

void wd_async_done(void)
{
	if (!atomic_load(&wd_engine.done_waiters))
		return;
	atomic_fetch_add(&wd_engine.done_seq, 1);
	wd_futex_wake(&wd_engine.done_seq, INT_MAX);
}

static void owner_wake(struct wd_msg *msg)
{
	/* The owner may leave the moment it sees DONE; waking a word that is gone does no harm. */
	if (atomic_exchange(&msg->state, WD_MSG_DONE) == WD_MSG_WAITED)
		wd_futex_wake(&msg->state, 1);
}

void wd_queue_done(struct wd_queue *q, struct wd_msg *msg)
{
	struct wd_slot *slot = wd_slot_at(q, msg->tag & 0xffff);

	if (msg->late)
		msg->status = -ETIMEDOUT;
	msg->path = q->pub.path;
	msg->reason = atomic_load_explicit(&msg->sess->reason, memory_order_relaxed);
	if (msg->async) {
		atomic_store_explicit(&msg->state, WD_MSG_DONE, memory_order_relaxed);
		ready_push(q, msg->tag & 0xffff);
		wd_async_done();
		return;
	}
	atomic_store_explicit(&slot->msg, NULL, memory_order_relaxed);
	wd_slot_release(q, slot);
	owner_wake(msg);
}

/* Everything that is still in the queue ends with err. */
static void queue_fail(struct wd_queue *q, int err)
{
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_msg *msg = wd_queue_owner(q, i);

		/* Async ones that are ready have their result already. */
		if (!msg || atomic_load_explicit(&msg->state, memory_order_relaxed) == WD_MSG_DONE)
			continue;
		msg->status = err;
		q->drv.abort(q, msg);
		wd_queue_done(q, msg);
	}
}

static bool state_leave(struct wd_queue *q, int state)
{
	int usable = 0;
	bool mine;

	pthread_mutex_lock(&q->produce);
	mine = atomic_compare_exchange_strong(&q->state, &usable, state);
	pthread_mutex_unlock(&q->produce);
	return mine;
}

/*
 * All contexts on that device are closed: their files' release is the last way
 * to stop the hardware. The sleeper is waited for first, as it may be about to
 * take the other locks.
 */
static void device_close(const char *name)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (strcmp(q->dev_name, name) || atomic_load(&q->state) == -ESTALE)
			continue;
		state_leave(q, -EIO);
		while (!wd_sleeper_enter(q))
			sched_yield();
		/* Whoever stopped it before may have let it be opened again meanwhile. */
		state_leave(q, -EIO);
		wd_drain_lock(q);
		q->drv.close(q);
		queue_fail(q, WD_STOPPED);
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

void wd_queue_broken(struct wd_queue *q, int err)
{
	if (!state_leave(q, err == -ENODEV ? -ENODEV : -EIO))
		return;
	wd_drain_lock(q);
	if (overtaken(q)) {
		wd_drain_unlock(q);
		return;
	}
	/* Whatever the rings say, the device must have let go before buffers are given back. */
	if (q->drv.stop(q)) {
		wd_drain_unlock(q);
		device_close(q->dev_name);
		return;
	}
	queue_fail(q, err);
	q->settled = true;
	wd_drain_unlock(q);
}

/* The stop is for them: even if it lets them finish, they are not told so. */
static void mark_late(struct wd_queue *q)
{
	__u64 now = wd_now_ns();
	__u32 i;

	for (i = 0; i < q->pub.depth; i++) {
		struct wd_msg *msg = wd_queue_owner(q, i);

		if (msg && atomic_load_explicit(&msg->state, memory_order_relaxed) != WD_MSG_DONE)
			msg->late = msg->deadline && now >= msg->deadline;
	}
}

void wd_queue_stop(struct wd_queue *q)
{
	if (!state_leave(q, -EIO))
		return;
	wd_drain_lock(q);
	if (overtaken(q)) {
		wd_drain_unlock(q);
		return;
	}
	mark_late(q);
	if (q->drv.stop(q)) {
		wd_drain_unlock(q);
		device_close(q->dev_name);
		return;
	}
	/* What finished before the stop did finish. */
	q->drv.pull(q, atomic_load(&q->in_flight));
	queue_fail(q, WD_STOPPED);
	q->settled = true;
	wd_drain_unlock(q);
}

int wd_queue_drain(struct wd_queue *q)
{
	__u32 max = atomic_load(&q->in_flight);
	int ret = 0;

	if (!max || !wd_drain_trylock(q))
		return 0;
	if (!atomic_load_explicit(&q->state, memory_order_relaxed))
		ret = q->drv.pull(q, max);
	wd_drain_unlock(q);
	if (ret < 0) {
		wd_queue_broken(q, ret);
		return 1;
	}
	return ret;
}
