// SPDX-License-Identifier: Apache-2.0
/* Waiting for room in contexts that are full. */
#include <sched.h>

#include "request/bell.h"

#define SLICE_NS	2000000ull
#define HELD_UP_NS	1000000ull	/* no event reports every way in which another thread leaves a context */

/* The counts that this thread saw when one of its calls last returned -EBUSY. */
static WD_THREAD_LOCAL struct {
	__u32 seq;		/* wd_engine.room_seq before it looked */
	__u32 freed;		/* sum over its contexts, if something other than room was scarce */
	bool scarce;
	bool held_up;		/* by another thread, which has mostly finished its work on the context, or by a
				 * reset */
} busy;

/* The contexts that one wait covers. */
struct room_set {
	unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
};

static bool queue_has_room(struct wd_queue *q, bool async)
{
	/* A context that is out of use ends the wait, too: the next submit reports why. */
	return atomic_load(&q->state) || (async ? wd_queue_async_room(q) > 0 : wd_queue_in_flight(q) < q->limit);
}

static bool has_room(struct wd_queue *const queue[], unsigned int nr, bool async)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (queue_has_room(queue[i], async))
			return true;
	return !nr;
}

static bool any_resetting(struct wd_queue *const queue[], unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (atomic_load(&queue[i]->state) && wd_queue_resetting(queue[i]))
			return true;
	return false;
}

/* The contexts whose completions make room for the session; at most WD_CQ_QUEUES. */
static unsigned int session_queues(struct wd_session *s, struct wd_queue *queue[])
{
	bool soft = !atomic_load_explicit(&s->nr, memory_order_acquire);
	unsigned int nr;

	/* The queue's credits are shared by all its contexts. */
	if (s->cq)
		return wd_cq_queues(s->cq, queue);
	for (nr = 0; nr < WD_SESS_QUEUES && (queue[nr] = wd_session_queue(s, nr, soft)); nr++)
		;
	return nr;
}

static __u32 freed_sum(struct wd_queue *const queue[], unsigned int nr, bool *flying)
{
	__u32 sum = 0;
	unsigned int i;

	*flying = false;
	for (i = 0; i < nr; i++) {
		sum += atomic_load(&queue[i]->freed);
		*flying |= wd_queue_in_flight(queue[i]) != 0;
	}
	return sum;
}

void wd_room_busy(struct wd_session *s, __u32 seq, bool held_up)
{
	struct wd_queue *queue[WD_CQ_QUEUES];
	unsigned int nr = session_queues(s, queue);
	bool flying;

	busy.seq = seq;
	busy.held_up = held_up;
	busy.scarce = has_room(queue, nr, true);
	if (busy.scarce)
		busy.freed = freed_sum(queue, nr, &flying);
}

/*
 * Moves complete requests off the ring, including those whose callbacks wait for a poll: there may be no thread that is
 * going to poll, and this one waits.
 */
static void room_make(struct wd_queue *const queue[], unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		wd_queue_drain(queue[i], NULL);
		wd_ready_aside(queue[i]);
	}
}

int wd_room_wait(struct wd_session *s, struct wd_queue *q, __u64 deadline)
{
	struct wd_queue *queue[WD_CQ_QUEUES] = { q };
	unsigned int nr = q ? 1 : session_queues(s, queue);
	int ret = 0;

	/* Room, and yet -EBUSY: the next place in the ring is in use, or another resource is scarce for a moment. */
	if (has_room(queue, nr, false)) {
		room_make(queue, nr);
		if (any_resetting(queue, nr))
			wd_futex_wait(&wd_engine.room_seq, atomic_load(&wd_engine.room_seq), wd_now_ns() + HELD_UP_NS);
		else
			sched_yield();
	}
	wd_watch_settle(wd_watch_enter(&wd_engine.room));
	while (!has_room(queue, nr, false)) {
		__u32 seq = atomic_load(&wd_engine.room_seq);
		__u64 now = wd_now_ns();

		if (deadline && now >= deadline) {
			ret = -ETIMEDOUT;
			break;
		}
		room_make(queue, nr);
		if (has_room(queue, nr, false))
			break;
		wd_futex_wait(&wd_engine.room_seq, seq, now + SLICE_NS);
	}
	wd_watch_leave(&wd_engine.room);
	return ret;
}

/* Has anything changed since this thread's -EBUSY? */
static bool may_go_on(struct wd_queue *const queue[], unsigned int nr)
{
	bool flying;

	if (!busy.scarce)
		return has_room(queue, nr, true);
	return freed_sum(queue, nr, &flying) != busy.freed || !flying;
}

static int wait_as_told(struct wd_queue *const queue[], unsigned int nr, unsigned int timeout_ms)
{
	__u64 until = wd_wait_end(timeout_ms), held_until = busy.held_up ? wd_now_ns() + HELD_UP_NS : 0;
	int ret = 0;

	wd_watch_settle(wd_watch_enter(&wd_engine.room));
	/* A context that is out of use counts as room, and would keep the caller busy. */
	if (held_until)
		wd_futex_wait(&wd_engine.room_seq, busy.seq, until && until < held_until ? until : held_until);
	while (!may_go_on(queue, nr)) {
		__u32 seq = atomic_load(&wd_engine.room_seq);

		if (seq != busy.seq || may_go_on(queue, nr))
			break;
		if (until && wd_now_ns() >= until) {
			ret = -ETIME;
			break;
		}
		if (held_until && wd_now_ns() >= held_until)
			break;
		wd_futex_wait(&wd_engine.room_seq, seq,
			      held_until && (!until || held_until < until) ? held_until : until);
	}
	wd_watch_leave(&wd_engine.room);
	busy.scarce = false;
	busy.held_up = false;
	return ret;
}

int wd_session_wait(struct wd_session *s, unsigned int timeout_ms)
{
	struct wd_queue *queue[WD_CQ_QUEUES];
	int ret = wd_cq_check(s);

	return ret ? ret : wait_as_told(queue, session_queues(s, queue), timeout_ms);
}

/* Room has one number for all classes: a thread that waits for it looks again. */
static void wake_sleepers(void)
{
	atomic_fetch_add(&wd_engine.room_seq, 1);
	wd_futex_wake(&wd_engine.room_seq, INT_MAX);
	wd_bells_ring(NULL);
}

static void wake_class(const struct wd_class *cls)
{
	atomic_fetch_add(&wd_engine.wake_ups[wd_wake_index(NULL)], 1);
	atomic_fetch_add(&wd_engine.wake_ups[wd_wake_index(cls)], 1);
	wake_sleepers();
}

int wd_wakeup(void)
{
	unsigned int i;

	wd_fork_now();
	for (i = 0; i <= WD_CLASSES; i++)
		atomic_fetch_add(&wd_engine.wake_ups[i], 1);
	wake_sleepers();
	return 0;
}

int wd_session_wakeup(struct wd_session *s)
{
	int ret = wd_cq_check(s);

	if (!ret)
		wake_class(s->cls);
	return ret;
}

static int set_queues(const struct wd_class *cls, const wd_ctx_set_t *set, struct room_set *rs)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), known = 0, i;
	int ret;

	wd_fork_now();
	if (!set)
		return wd_fail(NULL, EINVAL, "set is NULL");
	ret = wd_ctx_set_check(set);
	if (ret)
		return ret;
	rs->nr = 0;
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = wd_engine.queue[i];
		int state = atomic_load(&q->state);

		if (q->cls != cls || state == -ESTALE || !wd_bits_test(set->set, set->len, i))
			continue;
		known++;
		if (!state || wd_queue_async_nr(q))
			rs->queue[rs->nr++] = q;
	}
	return known ? 0 : wd_fail_str(NULL, EINVAL, "the set names no context of %s", cls->name);
}

int wd_class_wait_set(const struct wd_class *cls, const wd_ctx_set_t *set, unsigned int timeout_ms)
{
	struct room_set rs;
	int ret = set_queues(cls, set, &rs);

	return ret ? ret : wait_as_told(rs.queue, rs.nr, timeout_ms);
}

int wd_class_wakeup_set(const struct wd_class *cls, const wd_ctx_set_t *set)
{
	struct room_set rs;
	int ret = set_queues(cls, set, &rs);

	if (!ret)
		wake_class(cls);
	return ret;
}
