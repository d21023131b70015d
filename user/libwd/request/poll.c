// SPDX-License-Identifier: Apache-2.0
/* Delivering asynchronous completions, and waiting for them or for room. */
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "base/likely.h"
#include "request/aside.h"
#include "request/bell.h"
#include "request/pollers.h"

#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull
#define IDLE_MAX_NS	1000000000ull	/* with nothing in flight */
#define HUNG_NS		1000000ull
#define POLL_FILES	64	/* files of one sleep; with more contexts the sleep is short */

/* The contexts that one call polls. */
struct poll_set {
	const struct wd_class *cls;		/* NULL: all */
	const wd_ctx_set_t *set;
	bool for_work;			/* sleeps with nothing in flight, too */
	__u32 gen;			/* wd_engine.gen that it was filled at */
	unsigned int nr;
	unsigned int known;		/* contexts that the set names, including those that are gone */
	struct wd_queue *queue[WD_ENGINE_QUEUES];
};

/* How many polls have ended before they came to all contexts with requests. */
static _Atomic __u64 short_polls;

/* The call begins behind the context that such a poll last ended with, so that none is starved. */
static __attribute__((noinline)) void poll_set_turn(struct poll_set *ps)
{
	struct wd_queue *front[WD_ENGINE_QUEUES];
	unsigned int first = 0, i;
	__u64 latest = 0;

	for (i = 0; i < ps->nr; i++) {
		__u64 at = atomic_load_explicit(&ps->queue[i]->ended_poll, memory_order_relaxed);

		if (at > latest) {
			latest = at;
			first = i + 1;
		}
	}
	memcpy(front, ps->queue, first * sizeof(front[0]));
	memmove(ps->queue, ps->queue + first, (ps->nr - first) * sizeof(front[0]));
	memcpy(ps->queue + ps->nr - first, front, first * sizeof(front[0]));
}

/* The software path's contexts, of which a class has one for callbacks, come last: their requests take longest. */
static void poll_set_fill(struct poll_set *ps)
{
	const wd_ctx_set_t *set = ps->set;
	struct wd_queue *soft[WD_CLASSES];
	unsigned int nr_soft = 0, nr, i;

	ps->gen = atomic_load(&wd_engine.gen);
	nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire);
	ps->nr = 0;
	ps->known = 0;
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = wd_engine.queue[i];
		int state = atomic_load(&q->state);

		if ((ps->cls && q->cls != ps->cls) || q->for_cq || state == -ESTALE ||
		    (set && !wd_bits_test(set->set, set->len, i)))
			continue;
		/* A synchronous context may serve both modes: skip it only if it has never delivered callbacks. */
		if (!set && !atomic_load(&q->delivers))
			continue;
		ps->known++;
		/* A stopped context isn't gone: the next submission opens it again. */
		if (q->pub.path == WD_PATH_SOFT && nr_soft < WD_CLASSES)
			soft[nr_soft++] = q;
		else if (state != -ENODEV || wd_queue_async_nr(q))
			ps->queue[ps->nr++] = q;
	}
	for (i = 0; i < nr_soft; i++)
		ps->queue[ps->nr++] = soft[i];
	if (unlikely(atomic_load_explicit(&short_polls, memory_order_relaxed) != 0))
		poll_set_turn(ps);
}

/* wd_engine.wake_ups that this thread has returned for: a poll of one class leaves those of others. */
static WD_THREAD_LOCAL __u32 wake_ups[1 + WD_CLASSES];

static bool woken(const struct poll_set *ps)
{
	unsigned int i = wd_wake_index(ps->cls);

	return atomic_load(&wd_engine.wake_ups[i]) != wake_ups[i];
}

static void woken_over(const struct poll_set *ps)
{
	unsigned int i = wd_wake_index(ps->cls);

	wake_ups[i] = atomic_load(&wd_engine.wake_ups[i]);
}

static unsigned int poll_set_in_flight(const struct poll_set *ps)
{
	unsigned int sum = 0, i;

	for (i = 0; i < ps->nr; i++)
		sum += wd_queue_async_nr(ps->queue[i]);
	return sum;
}

unsigned int wd_queue_run(struct wd_queue *q, unsigned int max)
{
	unsigned int ran;

	if (q->pub.path == WD_PATH_SOFT)
		return wd_deliver_soft(q, max);
	ran = wd_deliver(q, max);
	if (unlikely(atomic_load_explicit(&q->deadline, memory_order_relaxed) != 0))
		wd_check_deadlines(q);
	/* Requests whose deadline has passed end with the context. */
	if (ran < max && atomic_load_explicit(&q->ready_nr, memory_order_acquire))
		ran += wd_deliver(q, max - ran);
	return ran;
}

/* The call ends after that many of its contexts: deadlines are kept on the others, too. */
static __attribute__((noinline)) void poll_is_short(const struct poll_set *ps, unsigned int done)
{
	bool left_out = false;
	unsigned int i;

	for (i = done; i < ps->nr; i++) {
		if (!wd_queue_async_nr(ps->queue[i]))
			continue;
		left_out = true;
		wd_check_deadlines(ps->queue[i]);
	}
	if (left_out && done)
		atomic_store_explicit(&ps->queue[done - 1]->ended_poll, atomic_fetch_add(&short_polls, 1) + 1,
				      memory_order_relaxed);
}

static unsigned int run_all(struct poll_set *ps, unsigned int max)
{
	unsigned int ran = unlikely(wd_in_callback_of != NULL) ? wd_deliver_outer(max) : 0, i;

	for (i = 0; i < ps->nr && ran < max; i++)
		ran += wd_queue_run(ps->queue[i], max - ran);
	if (unlikely(i < ps->nr))
		poll_is_short(ps, i);
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

/* --- sleeping --- */

/* One poll() for all contexts that have no sleeper, including idle ones: a submit doesn't wake this thread. */
struct nap {
	bool quiet;
	bool busy;		/* one of its contexts has requests in flight */
	bool unseen;		/* more contexts than fit */
	unsigned int n;		/* files; the first of pfd is the bell's */
	struct wd_queue *mine[POLL_FILES];
	struct pollfd pfd[1 + POLL_FILES];
};

static void nap_queue(struct nap *nap, struct wd_queue *q)
{
	if (q->pub.path == WD_PATH_SOFT) {
		nap->quiet &= !wd_soft_waits(q);
		return;
	}
	if (atomic_load(&q->state) || atomic_load(&q->wanted))
		return;
	if (nap->n == POLL_FILES) {
		nap->unseen = true;
		return;
	}
	/* The context's sleeper wakes this thread when it stops being the sleeper. */
	if (!wd_sleeper_enter(q))
		return;
	nap->mine[nap->n++] = q;
	nap->pfd[nap->n] = (struct pollfd){ .fd = wd_queue_file(q), .events = POLLIN };
	nap->busy |= wd_queue_async_nr(q) != 0;
	if (!wd_sleeper_arm(q))
		nap->quiet = false;
}

static void nap_begin(struct nap *nap, struct poll_set *ps)
{
	bool news = wd_watch_enter(&wd_engine.done);
	unsigned int i;

	for (i = 0; i < ps->nr; i++)
		news |= wd_watch_enter(&ps->queue[i]->watch);
	wd_watch_settle(news);
	nap->n = 0;
	nap->busy = nap->unseen = false;
	nap->quiet = ps->gen == atomic_load(&wd_engine.gen) &&
		     (ps->for_work ? !woken(ps) : poll_set_in_flight(ps) != 0);
	for (i = 0; i < ps->nr; i++)
		nap_queue(nap, ps->queue[i]);
	/* After the last arming, because no event reports requests that other threads drained before it. */
	for (i = 0; i < ps->nr; i++)
		if (atomic_load(&ps->queue[i]->ready_nr))
			nap->quiet = false;
}

/* Whether one of the files that report something is a context's that has nothing to drain. Arms those again. */
static bool nap_again(struct nap *nap)
{
	bool again = false;
	unsigned int i;

	for (i = 0; i < nap->n && !nap->pfd[0].revents; i++) {
		if (!nap->pfd[i + 1].revents)
			continue;
		if (nap->pfd[i + 1].revents != POLLIN || !wd_sleeper_arm(nap->mine[i]))
			return false;
		again = true;
	}
	return again && !nap->pfd[0].revents;
}

/*
 * The first event may be that of completions which were taken before: the kernel moves its head in the ring only when
 * the file is polled.
 */
static void nap_take(struct nap *nap, __u64 end)
{
	wd_poll_fds(nap->pfd, nap->n + 1, end);
	if (nap_again(nap))
		wd_poll_fds(nap->pfd, nap->n + 1, end);
}

/* Checks contexts whose file reports their end. The thread isn't any context's sleeper here. */
static void nap_look(const struct nap *nap)
{
	bool hung = false;
	unsigned int i;

	for (i = 0; i < nap->n; i++) {
		bool over = nap->quiet && nap->pfd[i + 1].revents & (POLLERR | POLLHUP | POLLNVAL);

		if ((over || !nap->quiet) && !wd_queue_in_flight(nap->mine[i]))
			wd_queue_look(nap->mine[i]);
		hung |= over && !atomic_load(&nap->mine[i]->state);
	}
	/* The file reports the end before the rings do: a short sleep instead of spinning. */
	if (hung)
		wd_poll_fds(NULL, 0, wd_now_ns() + HUNG_NS);
}

static void nap_end(struct nap *nap, struct poll_set *ps)
{
	unsigned int i;

	for (i = 0; i < ps->nr; i++)
		wd_watch_leave(&ps->queue[i]->watch);
	wd_watch_leave(&wd_engine.done);
	for (i = 0; i < nap->n; i++)
		wd_sleeper_pass_on(nap->mine[i]);
	nap_look(nap);
}

static void sleep_all(struct poll_set *ps, __u64 slice, __u64 until)
{
	struct wd_bell *bell = wd_bell_take(ps->queue, ps->nr);
	__u64 end = wd_now_ns() + slice;
	struct nap nap;

	if (until && until < end)
		end = until;
	nap_begin(&nap, ps);
	end = first_deadline(ps, end);
	if ((!bell || nap.unseen) && end > wd_now_ns() + SLICE_MIN_NS)
		end = wd_now_ns() + SLICE_MIN_NS;
	if (bell && nap.busy)
		wd_bell_not_done(bell);
	nap.pfd[0] = (struct pollfd){ .fd = bell ? bell->file.fd : -1, .events = POLLIN };
	if (nap.quiet)
		nap_take(&nap, end);
	if (bell)
		wd_bell_put(bell, nap.pfd[0].revents & POLLIN);
	nap_end(&nap, ps);
}

/* Spins on contexts whose requests are likely to end soon. */
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
	bool timed = false;

	for (;;) {
		unsigned int n = run_all(ps, count - ran);

		ran += n;
		if (ran >= count || !timeout_ms)
			break;
		if (ps->gen != atomic_load_explicit(&wd_engine.gen, memory_order_relaxed))
			poll_set_fill(ps);
		if (!poll_set_in_flight(ps))
			break;
		if (!timed)
			until = wd_wait_end(timeout_ms);
		timed = true;
		if (until && wd_now_ns() >= until)
			return ran ? (int)ran : -ETIME;
		slice = n ? SLICE_MIN_NS : slice * 2 < SLICE_MAX_NS ? slice * 2 : SLICE_MAX_NS;
		if (!n && !spin_all(ps))
			sleep_all(ps, slice, until);
	}
	return ran;
}

/* A wake-up since this thread's previous return for one ends the call. */
static int poll_for_work(struct poll_set *ps, __u32 count, unsigned int timeout_ms)
{
	__u64 until = wd_wait_end(timeout_ms), slice = SLICE_MIN_NS;

	for (;;) {
		unsigned int ran = run_all(ps, count);
		__u64 max = poll_set_in_flight(ps) ? SLICE_MAX_NS : IDLE_MAX_NS;

		if (ran)
			return (int)ran;
		if (woken(ps)) {
			woken_over(ps);
			return 0;
		}
		if (ps->gen != atomic_load_explicit(&wd_engine.gen, memory_order_relaxed))
			poll_set_fill(ps);
		if (ps->set && !ps->nr)
			return 0;
		if (until && wd_now_ns() >= until)
			return -ETIME;
		slice = slice * 2 < max ? slice * 2 : max;
		if (!spin_all(ps))
			sleep_all(ps, slice, until);
	}
}

static int set_known(const struct wd_class *cls, const wd_ctx_set_t *set, struct poll_set *ps)
{
	int ret;

	if (set) {
		ret = wd_ctx_set_check(set);
		if (ret)
			return ret;
	}
	ps->cls = cls;
	ps->set = set;
	ps->for_work = false;
	poll_set_fill(ps);
	if (set && !ps->known)
		return wd_fail_str(NULL, EINVAL, "the set names no context of %s", cls ? cls->name : "any class");
	return 0;
}

static __attribute__((noinline)) int class_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms,
						const wd_ctx_set_t *set, bool for_work)
{
	struct poll_set ps;
	int ret;

	wd_fork_now();
	if (!count || count > INT_MAX)
		return wd_fail_num(NULL, EINVAL, "count %u is not in 1 .. 2147483647", count, 0);
	ret = set_known(cls, set, &ps);
	if (ret)
		return ret;
	ps.for_work = for_work;
	ret = for_work ? poll_for_work(&ps, count, timeout_ms) : poll_until(&ps, count, timeout_ms);
	if (!ret && ps.known && !ps.nr && (set || !for_work))
		return wd_fail(NULL, ENODEV, "every context of the set is gone");
	return ret;
}

/* Polls of this thread that run inside callbacks; the outermost poll isn't counted. */
static WD_THREAD_LOCAL unsigned int nested;

static inline void nested_leave(unsigned int *before)
{
	nested = *before;
}

/* A poll inside a callback. The depth is limited because each level needs stack for its rows. */
static __attribute__((noinline, cold)) int nested_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms,
						       const wd_ctx_set_t *set, bool for_work)
{
	unsigned int before __attribute__((cleanup(nested_leave))) = nested;

	if (before + 1 == WD_POLL_DEPTH)
		return wd_fail_num(NULL, EDEADLK, "the thread is inside %u polls, each in a callback of the one before",
				   WD_POLL_DEPTH, 0);
	nested = before + 1;
	return class_poll(cls, count, timeout_ms, set, for_work);
}

int wd_class_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	if (unlikely(wd_in_callback_of != NULL))
		return nested_poll(cls, count, timeout_ms, set, false);
	return class_poll(cls, count, timeout_ms, set, false);
}

int wd_class_poll_wait(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	if (unlikely(wd_in_callback_of != NULL))
		return nested_poll(cls, count, timeout_ms, set, true);
	return class_poll(cls, count, timeout_ms, set, true);
}

int wd_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	return wd_class_poll(NULL, count, timeout_ms, set);
}

int wd_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	return wd_class_poll_wait(NULL, count, timeout_ms, set);
}
