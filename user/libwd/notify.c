// SPDX-License-Identifier: Apache-2.0
/*
 * A completion queue's descriptor: an epoll set of its contexts' files, an
 * event file for all that no device reports, and a clock.
 *
 * Looking at a context's file consumes what it has to report (on mainline's
 * kernel for good), and several may look: whoever sleeps, who is about to,
 * epoll_ctl(). So nobody relies on it alone. Arming looks at the rings after
 * the file, and what a thread takes away that somebody else may sleep for is
 * signalled on the event file, which stays readable until somebody arms.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cq.h"

#define SLICE_NS	100000000ull	/* between two looks at a device that tells nothing of its end */

static const char many;
static _Thread_local char self;

void wd_cq_signal(struct wd_cq *cq)
{
	pthread_mutex_lock(&cq->lock);
	if (atomic_load(&cq->epfd) >= 0 && !cq->signalled) {
		cq->signalled = true;
		eventfd_write(cq->event_fd, 1);
	}
	pthread_mutex_unlock(&cq->lock);
}

static void unsignal(struct wd_cq *cq)
{
	eventfd_t value;

	pthread_mutex_lock(&cq->lock);
	if (cq->signalled) {
		eventfd_read(cq->event_fd, &value);
		cq->signalled = false;
	}
	pthread_mutex_unlock(&cq->lock);
}

void wd_cq_progress(struct wd_cq *cq)
{
	if (!atomic_load(&cq->armed) || !atomic_exchange(&cq->armed, false))
		return;
	/* The only thread that ever sleeps is awake. */
	if (atomic_load(&cq->armer) != &self)
		wd_cq_signal(cq);
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

void wd_cq_look_idle(struct wd_queue *q)
{
	int ret = 0;

	if (!wd_drain_trylock(q))
		return;
	if (!atomic_load(&q->state) && !wd_queue_in_flight(q) && q->drv.ready(q))
		ret = q->drv.pull(q, 1);
	wd_drain_unlock(q);
	if (ret < 0)
		wd_queue_broken(q, ret);
}

bool wd_cq_soft_due(struct wd_queue *q)
{
	bool due;

	wd_drain_lock(q);
	due = atomic_load(&q->pub.slots[q->soft_head].state) == WD_SLOT_ASYNC;
	wd_drain_unlock(q);
	return due;
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

		if (!q || q->pub.path == WD_PATH_SOFT || !wd_queue_in_flight(q))
			continue;
		deadline = atomic_load(&q->deadline);
		if (!end)
			end = now + SLICE_NS;
		if (deadline && deadline < end)
			end = deadline;
	}
	return end;
}

static void clock_set(struct wd_cq *cq, bool anew)
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

		if (q && q->pub.path == WD_PATH_SOFT && wd_cq_soft_due(q))
			wd_cq_signal(cq);
	}
	clock_set(cq, false);
}

/* --- the descriptor --- */

static int file_add(struct wd_cq *cq, int epfd, enum wd_cq_file which, int fd, __u64 what)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = what };

	if (fd < 0)
		return -errno;
	wd_fork_file_add(&cq->file[which], fd);
	return epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

void wd_cq_files_close(struct wd_cq *cq)
{
	int i;

	for (i = 0; i < WD_CQ_FILES; i++) {
		int fd = wd_fork_file_del(&cq->file[i]);

		if (fd >= 0)
			close(fd);
	}
}

/* Under the lock. */
static int files_open(struct wd_cq *cq)
{
	int epfd = epoll_create1(EPOLL_CLOEXEC), ret;

	if (epfd < 0)
		return -errno;
	wd_fork_file_add(&cq->file[WD_CQ_EPOLL], epfd);
	cq->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = file_add(cq, epfd, WD_CQ_EVENT, cq->event_fd, WD_CQ_SIGNAL);
	if (!ret) {
		cq->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		ret = file_add(cq, epfd, WD_CQ_CLOCK, cq->timer_fd, WD_CQ_TIMER);
	}
	if (ret)
		wd_cq_files_close(cq);
	else
		atomic_store(&cq->epfd, epfd);
	return ret;
}

static int descriptor(struct wd_cq *cq)
{
	int saved = errno, ret = 0;
	unsigned int i;

	if (atomic_load(&cq->epfd) >= 0)
		return 0;
	pthread_mutex_lock(&cq->lock);
	if (atomic_load(&cq->epfd) < 0)
		ret = files_open(cq);
	pthread_mutex_unlock(&cq->lock);
	for (i = 0; !ret && i < wd_cq_nr(cq); i++) {
		struct wd_queue *q = wd_cq_queue(cq, i);

		if (!q)
			continue;
		wd_drain_lock(q);
		if (!atomic_load(&q->state))
			wd_cq_watch(q);
		wd_drain_unlock(q);
	}
	errno = saved;
	return ret ? wd_fail(&cq->obj, -ret, "the completion queue's descriptor could not be made") : 0;
}

int wd_cq_fd(handle_t h)
{
	int ret, cancel;
	struct wd_cq *cq = wd_cq_get(h, &ret);

	if (!cq)
		return ret;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = descriptor(cq);
	pthread_setcancelstate(cancel, NULL);
	return ret ? ret : atomic_load(&cq->epfd);
}

/* Whether there is something to take already. */
static bool queue_arm(struct wd_queue *q)
{
	if (q->pub.path == WD_PATH_SOFT)
		return wd_cq_soft_due(q);
	/* In this order: what completes after the look raises an event. */
	if (!atomic_load(&q->state) && !wd_sleeper_arm(q)) {
		if (wd_queue_in_flight(q))
			return true;
		wd_cq_look_idle(q);
	}
	return atomic_load(&q->ready_nr);
}

static void arm_all(struct wd_cq *cq)
{
	const void *none = NULL;
	unsigned int i;
	bool due;

	unsignal(cq);
	if (!atomic_compare_exchange_strong(&cq->armer, &none, &self) && none != &self)
		atomic_store(&cq->armer, &many);
	atomic_store(&cq->armed, true);
	atomic_thread_fence(memory_order_seq_cst);
	due = atomic_exchange(&cq->news, false);
	for (i = 0; i < wd_cq_nr(cq); i++)
		if (wd_cq_queue(cq, i))
			due |= queue_arm(wd_cq_queue(cq, i));
	clock_set(cq, true);
	if (due)
		wd_cq_signal(cq);
}

int wd_cq_arm(handle_t h)
{
	int ret, cancel;
	struct wd_cq *cq = wd_cq_get(h, &ret);

	if (!cq)
		return ret;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = descriptor(cq);
	if (!ret)
		arm_all(cq);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}
