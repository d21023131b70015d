// SPDX-License-Identifier: Apache-2.0
/*
 * A completion queue as its sessions and contexts see it: its members, credits,
 * its contexts' files in the epoll set, and waking threads that sleep on it.
 */
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "request/cq.h"

#define SLICE_NS	100000000ull	/* between two checks of a device that may have died without an event */
#define DRAIN_NAP_NS	100000ull
#define SLICE_MIN_NS	2000000ull	/* the first one, where another sleeper may take the event */

WD_THREAD_LOCAL struct wd_cq *wd_cq_polled;

struct wd_cq *wd_cq_get(handle_t h, int *ret)
{
	struct wd_cq *cq = wd_handle_get(h, WD_KIND_CQ);

	*ret = 0;
	if (!cq) {
		*ret = wd_handle_bad(h, "a completion queue");
	} else if (wd_stale(&cq->obj)) {
		*ret = wd_fail(&cq->obj, ESTALE, "the completion queue was made before fork()");
		cq = NULL;
	}
	return cq;
}

struct wd_cq *wd_cq_join(handle_t h, int *ret)
{
	struct wd_cq *cq = wd_cq_get(h, ret);

	if (cq)
		atomic_fetch_add(&cq->sessions, 1);
	return cq;
}

void wd_cq_quit(struct wd_cq *cq)
{
	atomic_fetch_sub(&cq->sessions, 1);
}

unsigned int wd_cq_queues(struct wd_cq *cq, struct wd_queue *queue[])
{
	unsigned int nr = wd_cq_nr(cq), n = 0, i;

	for (i = 0; i < nr; i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		if (lane)
			queue[n++] = lane->q;
	}
	return n;
}

int wd_cq_check(struct wd_session *s)
{
	return s->cq && wd_stale(&s->obj) ?
	       wd_fail(&s->obj, ESTALE, "the session's completion queue was made before fork()") : 0;
}

/* --- waking sleepers --- */

/* Not write(), which is a cancellation point, under the lock: this may be a thread of the program. */
void wd_cq_signal(struct wd_cq *cq)
{
	int saved = errno;
	__u64 one = 1;

	pthread_mutex_lock(&cq->lock);
	if (atomic_load(&cq->epfd) >= 0 && !cq->signalled) {
		cq->signalled = true;
		if (wd_fork_file_is(&cq->file[WD_CQ_EVENT]))
			syscall(SYS_write, cq->event_fd, &one, sizeof(one));
	}
	pthread_mutex_unlock(&cq->lock);
	errno = saved;
}

void wd_cq_slice_begin(struct wd_cq *cq)
{
	if (atomic_load_explicit(&cq->slice, memory_order_relaxed) != SLICE_MIN_NS)
		atomic_store_explicit(&cq->slice, SLICE_MIN_NS, memory_order_relaxed);
}

/* The queue has completions: wakes a sleeper if the queue is armed. */
static void cq_news(struct wd_cq *cq)
{
	if (atomic_load(&cq->armed) && atomic_exchange(&cq->armed, false))
		wd_cq_signal(cq);
}

/*
 * Several completion queues may share the context, and its file reports an
 * event to only one sleeper. The thread that takes completions off the ring
 * wakes the others.
 */
void wd_cq_tell(struct wd_queue *q)
{
	unsigned int nr = atomic_load_explicit(&q->lanes, memory_order_relaxed), i;

	q->fresh = false;
	/* Orders the completions before the check for sleepers; pairs with the fence in arm_all(). */
	atomic_thread_fence(memory_order_seq_cst);
	for (i = 0; i < nr; i++) {
		struct wd_lane *lane = &q->lane[i];
		struct wd_cq *cq = atomic_load_explicit(&lane->cq, memory_order_relaxed);

		if (lane->fresh && cq && cq != wd_cq_polled)
			cq_news(cq);
		lane->fresh = false;
	}
}

/* --- contexts in the set: under their drain lock --- */

/* The set, or the context's file, may be closed, and the number the program's. */
static bool set_change(struct wd_cq *cq, int op, struct wd_queue *q, struct epoll_event *ev)
{
	int fd = wd_queue_own_file(q), epfd;
	bool is_in = false;

	pthread_mutex_lock(&cq->lock);
	epfd = fd < 0 ? -1 : wd_fork_file_own(&cq->file[WD_CQ_EPOLL]);
	if (epfd >= 0)
		is_in = !epoll_ctl(epfd, op, fd, ev) || errno == EEXIST;
	pthread_mutex_unlock(&cq->lock);
	return is_in;
}

void wd_cq_watch_lane(struct wd_lane *lane)
{
	struct wd_cq *cq = atomic_load(&lane->cq);
	struct wd_queue *q = lane->q;
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = q->index };

	if (!cq || lane->watched || q->pub.fd < 0 || atomic_load(&cq->epfd) < 0)
		return;
	lane->watched = set_change(cq, EPOLL_CTL_ADD, q, &ev);
	if (atomic_load(&cq->armed))
		q->drv.arm(q);
}

static void unwatch_lane(struct wd_lane *lane)
{
	if (!lane->watched)
		return;
	lane->watched = false;
	set_change(atomic_load(&lane->cq), EPOLL_CTL_DEL, lane->q, NULL);
}

void wd_cq_watch(struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		wd_cq_watch_lane(&q->lane[i]);
}

void wd_cq_unwatch(struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		unwatch_lane(&q->lane[i]);
}

static void lane_broke(struct wd_lane *lane, int err)
{
	struct wd_cq *cq = atomic_load(&lane->cq);

	if (!cq)
		return;
	if (err)
		atomic_store(&lane->event, err);
	atomic_store(&cq->news, true);
	if (atomic_load(&cq->armed)) {
		atomic_store(&cq->news, false);
		wd_cq_signal(cq);
	}
}

void wd_cq_broke(struct wd_queue *q, int err)
{
	unsigned int i;

	/* The file stays ready for ever, and all queues are informed below. */
	wd_cq_unwatch(q);
	for (i = 0; i < atomic_load(&q->lanes); i++)
		lane_broke(&q->lane[i], err);
}

/* --- which contexts --- */

static struct wd_lane *cq_find(struct wd_cq *cq, const struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		if (lane && lane->q == q)
			return lane;
	}
	return NULL;
}

bool wd_cq_has(struct wd_cq *cq, struct wd_queue *q)
{
	return cq_find(cq, q);
}

/* Whether the context's device is gone, no session is bound to it, and nothing remains to be polled or reported. */
static bool is_left(struct wd_lane *lane)
{
	return atomic_load(&lane->q->state) == -ENODEV && !lane->q->binder && !lane->users &&
	       !wd_queue_async_nr(lane->q) && !atomic_load(&lane->event);
}

void wd_cq_drop(struct wd_lane *lane)
{
	wd_drain_lock(lane->q);
	unwatch_lane(lane);
	wd_lane_give(lane, NULL);
	wd_drain_unlock(lane->q);
}

/* A free place in the queue's list, else one of a context that is left. -1: none. */
static int place_find(struct wd_cq *cq)
{
	unsigned int i;

	for (i = 0; i < WD_CQ_QUEUES; i++)
		if (i >= wd_cq_nr(cq) || !wd_cq_lane(cq, i))
			return (int)i;
	for (i = 0; i < WD_CQ_QUEUES; i++)
		if (is_left(wd_cq_lane(cq, i)))
			return (int)i;
	return -1;
}

bool wd_cq_may_add(struct wd_cq *cq, struct wd_queue *q)
{
	return wd_cq_has(cq, q) || (place_find(cq) >= 0 && wd_lane_spare(q));
}

int wd_cq_add(struct wd_cq *cq, struct wd_queue *q)
{
	struct wd_lane *lane, *left;
	int place;

	for (;;) {
		if (wd_cq_has(cq, q))
			return 0;
		lane = wd_lane_spare(q);
		place = place_find(cq);
		if (place < 0 || !lane)
			return -EUSERS;
		left = (unsigned int)place < wd_cq_nr(cq) ? wd_cq_lane(cq, place) : NULL;
		if (left) {
			atomic_store(&cq->lane[place], NULL);
			wd_cq_drop(left);
		}
		if (wd_drain_trylock(q))
			break;
		/* The holder copies, or stops the context; other sessions must not wait for a stop. */
		pthread_mutex_unlock(&wd_engine.lock);
		wd_poll_fds(NULL, 0, wd_now_ns() + DRAIN_NAP_NS);
		pthread_mutex_lock(&wd_engine.lock);
	}
	wd_lane_give(lane, cq);
	atomic_store(&cq->lane[place], lane);
	if ((unsigned int)place == wd_cq_nr(cq))
		atomic_store(&cq->nr, place + 1);
	if (!atomic_load(&q->state))
		wd_cq_watch_lane(lane);
	wd_drain_unlock(q);
	return 0;
}

void wd_cq_use(struct wd_cq *cq, struct wd_queue *q, int n)
{
	struct wd_lane *lane = cq_find(cq, q);

	if (lane)
		lane->users += n;
}

/* --- the timer --- */

/* When a thread must check the contexts although no event came; 0: never. */
static __u64 next_look(struct wd_cq *cq, __u64 now)
{
	__u64 end = 0;
	unsigned int i;

	if (!(__u32)atomic_load(&cq->used))
		return 0;
	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);
		__u64 slice, deadline;

		if (!lane || lane->q->pub.path == WD_PATH_SOFT || !wd_queue_async_nr(lane->q))
			continue;
		deadline = atomic_load(&lane->q->deadline);
		slice = wd_lanes_shared(lane->q) ? atomic_load(&cq->slice) : SLICE_NS;
		if (!end || now + slice < end)
			end = now + slice;
		if (deadline && deadline < end)
			end = deadline;
	}
	return end;
}

/*
 * Setting it for each sleep would cost a system call. So while requests come and go the timer is moved when half of its
 * time is over, and it isn't cleared: an idle queue wakes its thread once more.
 */
static bool clock_moves(const struct wd_cq *cq, __u64 now, __u64 end, bool anew)
{
	if (!end)
		return false;
	if (!cq->wake_at || end < cq->wake_at)
		return true;
	return anew && cq->wake_at < now + (end - now) / 2;
}

void wd_cq_clock_set(struct wd_cq *cq, bool anew)
{
	struct itimerspec when = { 0 };
	__u64 end, now = wd_now_ns();
	bool expired;

	pthread_mutex_lock(&cq->lock);
	expired = anew && cq->wake_at && now >= cq->wake_at;
	/* Nothing was polled since. */
	if (expired && atomic_load(&cq->slice) < SLICE_NS)
		atomic_store(&cq->slice, 2 * atomic_load(&cq->slice));
	end = next_look(cq, now);
	when.it_value.tv_sec = end / 1000000000ull;
	when.it_value.tv_nsec = end % 1000000000ull;
	/* Setting an expired timer, even to 0, makes its descriptor unreadable again. */
	if (expired || clock_moves(cq, now, end, anew)) {
		cq->wake_at = end;
		if (wd_fork_file_is(&cq->file[WD_CQ_CLOCK]))
			timerfd_settime(cq->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
	}
	pthread_mutex_unlock(&cq->lock);
}

void wd_cq_submitted(struct wd_cq *cq)
{
	unsigned int i;

	/* Orders the submission before the check for sleepers; pairs with the fence in wd_cq_arm(). */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&cq->armed, memory_order_relaxed))
		return;
	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		if (lane && lane->q->pub.path == WD_PATH_SOFT && wd_soft_waits(lane->q))
			wd_cq_signal(cq);
	}
	wd_cq_clock_set(cq, false);
}

/* --- credits --- */

int wd_cq_enter(struct wd_session *s, unsigned int *n)
{
	struct wd_cq *cq = s->cq;
	__u32 free, take;
	__u64 used;
	int ret = wd_cq_check(s);

	if (ret)
		return ret;
	used = atomic_load_explicit(&cq->used, memory_order_relaxed);
	do {
		/* Redone requests may exceed the depth for a moment. */
		if ((__u32)used >= cq->depth)
			return wd_fail_num(&s->obj,
					   EBUSY, "the completion queue has no room: %u requests are to be polled",
					   (__u32)used, 0);
		free = cq->depth - (__u32)used;
		take = free < *n ? free : *n;
	} while (!atomic_compare_exchange_weak(&cq->used, &used, used + WD_CQ_INSIDE + take));
	*n = take;
	return 0;
}

void wd_cq_leave(struct wd_cq *cq, unsigned int n, int ret)
{
	unsigned int taken = ret > 0 ? ret : 0;

	if (taken)
		wd_cq_submitted(cq);
	atomic_fetch_sub(&cq->used, WD_CQ_INSIDE + (n - taken));
	if (n > taken)
		wd_room_made();
}
