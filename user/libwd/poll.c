// SPDX-License-Identifier: Apache-2.0
/* Delivering asynchronous completions, and waiting for them or for room. */
#include <limits.h>
#include <poll.h>

#include "engine.h"

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

		if (q->cls != cls || q->for_cq || state == -ESTALE || (set && !wd_bits_test(set->set, set->len, i)))
			continue;
		/* A synchronous context may serve both modes: look, unless nobody ever used it so. */
		if (!set && !q->async && !wd_queue_async_nr(q))
			continue;
		ps->known++;
		/* A stopped one isn't gone: the next submission opens it again. */
		if (state != -ENODEV || wd_queue_async_nr(q))
			ps->queue[ps->nr++] = q;
	}
}

static unsigned int poll_set_in_flight(const struct poll_set *ps)
{
	unsigned int sum = 0, i;

	for (i = 0; i < ps->nr; i++)
		sum += wd_queue_async_nr(ps->queue[i]);
	return sum;
}

/* Later deadlines are remembered. */
void wd_check_deadlines(struct wd_queue *q)
{
	__u64 old = atomic_load_explicit(&q->deadline, memory_order_relaxed), first = 0, now;
	__u32 i;

	if (!old)
		return;
	now = wd_now_ns();
	if (now < old)
		return;
	/* No request may come between what is found and what is noted of it. */
	wd_lock(&q->produce);
	wd_drain_lock(q);
	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_ASYNC && slot->deadline &&
		    (!first || slot->deadline < first))
			first = slot->deadline;
	}
	wd_drain_unlock(q);
	atomic_store_explicit(&q->deadline, first, memory_order_relaxed);
	wd_unlock(&q->produce);
	if (first && now >= first)
		wd_queue_stop(q);
}

unsigned int wd_queue_run(struct wd_queue *q, unsigned int max)
{
	unsigned int ran;

	if (q->pub.path == WD_PATH_SOFT)
		return wd_deliver_soft(q, max);
	ran = wd_deliver(q, max);
	wd_check_deadlines(q);
	/* Those that ended with the context because they were late. */
	if (ran < max && atomic_load_explicit(&q->ready_nr, memory_order_acquire))
		ran += wd_deliver(q, max - ran);
	return ran;
}

static unsigned int run_all(struct poll_set *ps, unsigned int max)
{
	unsigned int ran = wd_deliver_outer(max), i;

	for (i = 0; i < ps->nr && ran < max; i++)
		ran += wd_queue_run(ps->queue[i], max - ran);
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
	wd_barrier_heavy();
	for (i = 0; i < ps->nr; i++) {
		struct wd_queue *q = ps->queue[i];

		if (!wd_queue_async_nr(q))
			continue;
		if (q->pub.fd < 0 || atomic_load(&q->state) || n == WD_SESS_QUEUES || !wd_sleeper_enter(q)) {
			others = true;
			continue;
		}
		pfd[n] = (struct pollfd){ .fd = q->pub.fd, .events = POLLIN };
		mine[n++] = q;
		if (!wd_sleeper_arm(q))
			quiet = false;
	}
	/* After the last arming: what others drained before it, no event tells. */
	for (i = 0; i < ps->nr; i++)
		if (atomic_load(&ps->queue[i]->ready_nr))
			quiet = false;
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
		if (ps->queue[i]->pub.fd >= 0 && wd_queue_async_nr(ps->queue[i]) && wd_spin(ps->queue[i]))
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
	int ret;

	wd_fork_now();
	if (!count || count > INT_MAX)
		return wd_fail_num(NULL, EINVAL, "count %u is not in 1 .. 2147483647", count, 0);
	ret = set_known(cls, set, &ps);
	if (ret)
		return ret;
	ret = poll_until(&ps, count, timeout_ms);
	if (!ret && ps.known && !ps.nr)
		return wd_fail(NULL, ENODEV, "every context of the set is gone");
	return ret;
}
