// SPDX-License-Identifier: Apache-2.0
/*
 * A completion queue as its sessions and contexts see it: who belongs to it,
 * credits, its contexts' files in the set, and telling those who sleep on it.
 */
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "request/cq.h"

#define SLICE_NS	100000000ull	/* between two looks at a device that tells nothing of its end */

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
		queue[n] = wd_cq_queue(cq, i);
		n += queue[n] != NULL;
	}
	return n;
}

int wd_cq_check(struct wd_session *s)
{
	return s->cq && wd_stale(&s->obj) ?
	       wd_fail(&s->obj, ESTALE, "the session's completion queue was made before fork()") : 0;
}

/* --- telling those who sleep --- */

/* Not read() and write(), which could be cancelled with the lock held: this may be anybody's thread. */
void wd_cq_signal(struct wd_cq *cq)
{
	int saved = errno;
	__u64 one = 1;

	pthread_mutex_lock(&cq->lock);
	if (atomic_load(&cq->epfd) >= 0 && !cq->signalled) {
		cq->signalled = true;
		syscall(SYS_write, cq->event_fd, &one, sizeof(one));
	}
	pthread_mutex_unlock(&cq->lock);
	errno = saved;
}

/* --- contexts in the set: under their drain lock --- */

void wd_cq_watch(struct wd_queue *q)
{
	struct wd_cq *cq = q->cq;
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = q->index };

	if (!cq || q->watched || q->pub.fd < 0 || atomic_load(&cq->epfd) < 0)
		return;
	q->watched = !epoll_ctl(atomic_load(&cq->epfd), EPOLL_CTL_ADD, q->pub.fd, &ev);
	if (atomic_load(&cq->armed))
		q->drv.arm(q);
}

void wd_cq_unwatch(struct wd_queue *q)
{
	if (!q->watched)
		return;
	q->watched = false;
	epoll_ctl(atomic_load(&q->cq->epfd), EPOLL_CTL_DEL, q->pub.fd, NULL);
}

void wd_cq_broke(struct wd_queue *q, int err)
{
	struct wd_cq *cq = q->cq;

	/* Its file says so for ever, now that everybody knows. */
	wd_cq_unwatch(q);
	if (err)
		atomic_store(&q->cq_event, err);
	atomic_store(&cq->news, true);
	if (atomic_load(&cq->armed)) {
		atomic_store(&cq->news, false);
		wd_cq_signal(cq);
	}
}

void wd_cq_add(struct wd_cq *cq, struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < wd_cq_nr(cq) && wd_cq_queue(cq, i); i++)
		;
	atomic_store(&cq->queue[i], q);
	if (i == wd_cq_nr(cq))
		atomic_store(&cq->nr, i + 1);
	wd_drain_lock(q);
	wd_cq_watch(q);
	wd_drain_unlock(q);
}

/* --- the clock --- */

/* When somebody must look although nothing was reported; 0 never. */
static __u64 next_look(struct wd_cq *cq, __u64 now)
{
	__u64 end = 0;
	unsigned int i;

	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_queue *q = wd_cq_queue(cq, i);
		__u64 deadline;

		if (!q || q->pub.path == WD_PATH_SOFT || !wd_queue_async_nr(q))
			continue;
		deadline = atomic_load(&q->deadline);
		if (!end)
			end = now + SLICE_NS;
		if (deadline && deadline < end)
			end = deadline;
	}
	return end;
}

void wd_cq_clock_set(struct wd_cq *cq, bool anew)
{
	__u64 end = next_look(cq, wd_now_ns());
	struct itimerspec when = { .it_value = { .tv_sec = end / 1000000000ull, .tv_nsec = end % 1000000000ull } };

	pthread_mutex_lock(&cq->lock);
	/* Setting it, if only to nothing, makes a clock that has struck quiet again. */
	if (anew ? end || cq->wake_at : end && (!cq->wake_at || end < cq->wake_at)) {
		cq->wake_at = end;
		timerfd_settime(cq->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
	}
	pthread_mutex_unlock(&cq->lock);
}

void wd_cq_submitted(struct wd_cq *cq)
{
	unsigned int i;

	/* Between what was submitted and the look whether somebody sleeps; wd_cq_arm() has the other. */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&cq->armed, memory_order_relaxed))
		return;
	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_queue *q = wd_cq_queue(cq, i);

		if (q && q->pub.path == WD_PATH_SOFT && wd_soft_waits(q))
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
		/* Requests that are done again may exceed the depth for a moment. */
		if ((__u32)used >= cq->depth)
			return wd_fail_num(&s->obj, EBUSY, "the completion queue has no room: %u requests are to be polled",
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
