// SPDX-License-Identifier: Apache-2.0
/* Delivering asynchronous completions, and waiting for them or for room. */
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "engine.h"

#define MSG_BYTES_MAX	256
#define ROW		16
#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull

/* The contexts that one call looks at. */
struct poll_set {
	const struct wd_class *cls;
	unsigned int nr;
	unsigned int known;		/* how many the set names, gone ones included */
	struct wd_queue *queue[WD_ENGINE_QUEUES];
};

static void poll_set_fill(struct poll_set *ps, const struct wd_class *cls, const wd_ctx_set_t *set)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), i;

	ps->cls = cls;
	ps->nr = 0;
	ps->known = 0;
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = wd_engine.queue[i];
		int state = atomic_load(&q->state);

		if (q->cls != cls || state == -ESTALE || (set && !wd_bits_test(set->set, set->len, i)))
			continue;
		/* A synchronous context may serve both modes: look, unless nobody ever used it so. */
		if (!set && !q->async && !atomic_load(&q->async_nr))
			continue;
		ps->known++;
		if (!state || atomic_load(&q->async_nr))
			ps->queue[ps->nr++] = q;
	}
}

static unsigned int poll_set_in_flight(const struct poll_set *ps)
{
	unsigned int sum = 0, i;

	for (i = 0; i < ps->nr; i++)
		sum += atomic_load(&ps->queue[i]->async_nr);
	return sum;
}

/* Ended by a neighbour's deadline: to a context again, or done on this CPU. true: it is in flight once more. */
static bool redo(struct wd_msg *msg)
{
	struct wd_session *s = msg->sess;

	if (msg->redo && !wd_request_again(msg))
		return true;
	if (msg->redo && s->soft_ok) {
		s->cls->soft->exec(msg);
		msg->reason = WD_REASON_GONE;
	} else {
		msg->status = -EIO;
	}
	return false;
}

/* The request is over: counts before the callback, so that whoever is told by it may free what this was the last of. */
static bool deliver(struct wd_queue *q, struct wd_msg *msg)
{
	struct wd_session *s = msg->sess;
	bool again = msg->status == WD_STOPPED && redo(msg);
	void *outer;

	atomic_fetch_sub(&q->async_nr, 1);
	if (again) {
		wd_session_over(s);
		return false;
	}
	outer = wd_callback_enter(s);
	s->cls->complete(msg);
	wd_callback_leave(outer);
	return true;
}

/* Under the drain lock: the first of those that are ready, copied; its slot is free afterwards. */
static bool ready_pop(struct wd_queue *q, struct wd_msg *copy)
{
	__u32 nr = atomic_load_explicit(&q->ready_nr, memory_order_relaxed);
	__u32 index;
	struct wd_slot *slot;

	if (!nr)
		return false;
	index = q->ready[q->ready_head];
	q->ready_head = (q->ready_head + 1) % q->pub.depth;
	atomic_store_explicit(&q->ready_nr, nr - 1, memory_order_release);
	slot = &q->slots[index];
	memcpy((void *)copy, wd_slot_msg(q, index), q->cls->msg_size);
	atomic_store_explicit(&slot->msg, NULL, memory_order_relaxed);
	wd_slot_release(q, slot);
	return true;
}

static unsigned int run_ready(struct wd_queue *q, unsigned int max)
{
	_Alignas(max_align_t) char row[ROW][MSG_BYTES_MAX];
	unsigned int ran = 0, n, i;

	while (ran < max && atomic_load_explicit(&q->ready_nr, memory_order_acquire)) {
		wd_drain_lock(q);
		for (n = 0; n < ROW && n < max - ran && ready_pop(q, (struct wd_msg *)row[n]); n++)
			;
		wd_drain_unlock(q);
		if (!n)
			break;
		for (i = 0; i < n; i++)
			ran += deliver(q, (struct wd_msg *)row[i]);
		wd_async_done();
	}
	return ran;
}

/* Under the drain lock: the next software request that nobody computes yet. */
static struct wd_msg *soft_claim(struct wd_queue *q)
{
	struct wd_msg *msg = wd_queue_owner(q, q->soft_head % q->pub.depth);
	__u32 flying = WD_MSG_FLYING;

	if (!msg || !atomic_compare_exchange_strong(&msg->state, &flying, WD_MSG_WAITED))
		return NULL;
	q->soft_head++;
	return msg;
}

static unsigned int run_soft(struct wd_queue *q, unsigned int max)
{
	_Alignas(max_align_t) char copy[MSG_BYTES_MAX];
	struct wd_msg *m = (struct wd_msg *)copy;
	unsigned int ran;

	for (ran = 0; ran < max; ran++) {
		struct wd_msg *msg;

		wd_drain_lock(q);
		msg = soft_claim(q);
		wd_drain_unlock(q);
		if (!msg)
			break;
		q->drv.exec(msg);
		msg->path = WD_PATH_SOFT;
		msg->reason = atomic_load(&msg->sess->reason);
		memcpy(copy, (void *)msg, q->cls->msg_size);
		wd_slot_release(q, wd_slot_at(q, m->tag & 0xffff));
		deliver(q, m);
		wd_async_done();
	}
	return ran;
}

/* Requests whose time is over end with their context; later deadlines are remembered. */
static void check_deadlines(struct wd_queue *q)
{
	__u64 old = atomic_load(&q->deadline), first = 0, now;
	__u32 i;

	if (!old)
		return;
	now = wd_now_ns();
	if (now < old)
		return;
	wd_drain_lock(q);
	for (i = 0; i < q->pub.depth; i++) {
		struct wd_msg *msg = wd_queue_owner(q, i);

		if (!msg || !msg->async || !msg->deadline || atomic_load(&msg->state) == WD_MSG_DONE)
			continue;
		if (!first || msg->deadline < first)
			first = msg->deadline;
	}
	wd_drain_unlock(q);
	atomic_compare_exchange_strong(&q->deadline, &old, first);
	if (first && now >= first)
		wd_queue_stop(q);
}

static unsigned int run_queue(struct wd_queue *q, unsigned int max)
{
	if (q->pub.path == WD_PATH_SOFT)
		return run_soft(q, max);
	wd_queue_drain(q);
	check_deadlines(q);
	return run_ready(q, max);
}

static unsigned int run_all(struct poll_set *ps, unsigned int max)
{
	unsigned int ran = 0, i;

	for (i = 0; i < ps->nr && ran < max; i++)
		ran += run_queue(ps->queue[i], max - ran);
	return ran;
}

static __u64 first_deadline(const struct poll_set *ps, __u64 end)
{
	unsigned int i;

	for (i = 0; i < ps->nr; i++) {
		__u64 d = atomic_load(&ps->queue[i]->deadline);

		if (d && d < end)
			end = d;
	}
	return end;
}

/* The sleeper's role of every busy context that has none, then one poll() for all of them. */
static void sleep_all(struct poll_set *ps, __u64 slice, __u64 until)
{
	struct pollfd pfd[WD_SESS_QUEUES];
	struct wd_queue *mine[WD_SESS_QUEUES];
	__u32 seq = atomic_load(&wd_engine.done_seq);
	unsigned int n = 0, i;
	bool others = false, quiet = true;
	__u64 end = wd_now_ns() + slice;

	if (until < end)
		end = until;
	atomic_fetch_add(&wd_engine.done_waiters, 1);
	for (i = 0; i < ps->nr; i++) {
		struct wd_queue *q = ps->queue[i];

		if (!atomic_load(&q->async_nr))
			continue;
		if (atomic_load(&q->ready_nr))
			quiet = false;
		if (q->pub.fd < 0 || atomic_load(&q->state) || n == WD_SESS_QUEUES || !wd_sleeper_enter(q)) {
			others = true;
			continue;
		}
		pfd[n] = (struct pollfd){ .fd = q->pub.fd, .events = POLLIN };
		mine[n++] = q;
		if (!wd_sleeper_arm(q))
			quiet = false;
	}
	end = first_deadline(ps, end);
	/* What another thread sleeps on, or computes, can't wake a poll() here. */
	if (quiet && n && others && end > wd_now_ns() + SLICE_MIN_NS)
		end = wd_now_ns() + SLICE_MIN_NS;
	if (quiet && n)
		wd_poll_fds(pfd, n, end);
	else if (quiet && poll_set_in_flight(ps))
		wd_futex_wait(&wd_engine.done_seq, seq, end);
	for (i = 0; i < n; i++)
		wd_sleeper_pass_on(mine[i]);
	atomic_fetch_sub(&wd_engine.done_waiters, 1);
}

/* Looks worth doing before a sleep. */
static bool spin_all(struct poll_set *ps)
{
	unsigned int i;

	for (i = 0; i < ps->nr; i++)
		if (ps->queue[i]->pub.fd >= 0 && atomic_load(&ps->queue[i]->async_nr) && wd_spin(ps->queue[i], NULL))
			return true;
	return false;
}

static int poll_until(struct poll_set *ps, __u32 count, unsigned int timeout_ms)
{
	__u64 until = 0, slice = SLICE_MIN_NS;
	unsigned int ran = 0;

	for (;;) {
		unsigned int n = run_all(ps, count - ran);

		ran += n;
		if (ran >= count || !timeout_ms)
			break;
		if (!poll_set_in_flight(ps))
			break;
		if (!until)
			until = wd_now_ns() + timeout_ms * 1000000ull;
		if (wd_now_ns() >= until)
			return ran ? (int)ran : -ETIME;
		slice = n ? SLICE_MIN_NS : slice * 2 < SLICE_MAX_NS ? slice * 2 : SLICE_MAX_NS;
		if (!n && !spin_all(ps))
			sleep_all(ps, slice, until);
	}
	return ran;
}

static int set_known(const struct wd_class *cls, const wd_ctx_set_t *set, struct poll_set *ps)
{
	int ret;

	if (set) {
		ret = wd_ctx_set_check(set);
		if (ret)
			return ret;
	}
	poll_set_fill(ps, cls, set);
	if (set && !ps->known)
		return wd_fail_str(NULL, EINVAL, "the set names no context of %s", cls->name);
	return 0;
}

int wd_class_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	struct poll_set ps;
	int ret, cancel;

	wd_fork_now();
	if (!count || count > INT_MAX)
		return wd_fail_num(NULL, EINVAL, "count %u is not in 1 .. 2147483647", count, 0);
	ret = set_known(cls, set, &ps);
	if (ret)
		return ret;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = poll_until(&ps, count, timeout_ms);
	pthread_setcancelstate(cancel, NULL);
	if (!ret && ps.known && !ps.nr)
		return wd_fail(NULL, ENODEV, "every context of the set is gone");
	return ret;
}

/* --- room --- */

static bool set_has_room(struct wd_queue *const queue[], unsigned int nr)
{
	unsigned int i;

	/* A context that is out of use has an answer, too: the next submit gives it. */
	for (i = 0; i < nr; i++)
		if (atomic_load(&queue[i]->state) || atomic_load(&queue[i]->in_flight) < queue[i]->limit)
			return true;
	return !nr;
}

static int room_wait(struct wd_queue *const queue[], unsigned int nr, unsigned int timeout_ms)
{
	__u64 until = wd_deadline(timeout_ms);
	__u32 first = wd_busy_seq();
	int ret = 0;

	atomic_fetch_add(&wd_engine.room_waiters, 1);
	while (!set_has_room(queue, nr)) {
		__u32 seq = atomic_load(&wd_engine.room_seq);

		if (seq != first || set_has_room(queue, nr))
			break;
		if (until && wd_now_ns() >= until) {
			ret = -ETIMEDOUT;
			break;
		}
		wd_futex_wait(&wd_engine.room_seq, seq, until);
	}
	atomic_fetch_sub(&wd_engine.room_waiters, 1);
	return ret;
}

int wd_session_wait(struct wd_session *s, unsigned int timeout_ms)
{
	struct wd_queue *queue[WD_SESS_QUEUES];
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;

	for (i = 0; i < nr; i++)
		queue[i] = atomic_load(&s->queue[i]);
	if (!nr && atomic_load(&s->soft))
		queue[nr++] = atomic_load(&s->soft);
	return room_wait(queue, nr, timeout_ms);
}

static void wake_all(void)
{
	atomic_fetch_add(&wd_engine.room_seq, 1);
	wd_futex_wake(&wd_engine.room_seq, INT_MAX);
}

int wd_session_wakeup(struct wd_session *s)
{
	(void)s;
	wake_all();
	return 0;
}

int wd_class_wait_set(const struct wd_class *cls, const wd_ctx_set_t *set, unsigned int timeout_ms)
{
	struct poll_set ps;
	int ret;

	wd_fork_now();
	if (!set)
		return wd_fail(NULL, EINVAL, "set is NULL");
	ret = set_known(cls, set, &ps);
	return ret ? ret : room_wait(ps.queue, ps.nr, timeout_ms);
}

int wd_class_wakeup_set(const struct wd_class *cls, const wd_ctx_set_t *set)
{
	struct poll_set ps;
	int ret;

	wd_fork_now();
	if (!set)
		return wd_fail(NULL, EINVAL, "set is NULL");
	ret = set_known(cls, set, &ps);
	if (!ret)
		wake_all();
	return ret;
}
