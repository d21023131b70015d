// SPDX-License-Identifier: Apache-2.0
/*
 * A completion queue's descriptor: an epoll set of its contexts' files, an event file for events that no device
 * reports, and a timer.
 *
 * Polling a context's file consumes its event (for good with mainline's kernel), and several callers may poll it: a
 * thread that sleeps, a thread that is about to, epoll_ctl(). So no thread relies on that event alone. Arming looks at
 * the rings after the file. A thread that takes completions which another may sleep for signals the event file, which
 * stays readable until a thread arms.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "request/cq.h"

static const char many;
static _Thread_local char self;

static void unsignal(struct wd_cq *cq)
{
	int saved = errno;
	__u64 count;

	pthread_mutex_lock(&cq->lock);
	if (cq->signalled) {
		if (wd_fork_file_is(&cq->file[WD_CQ_EVENT]))
			syscall(SYS_read, cq->event_fd, &count, sizeof(count));
		cq->signalled = false;
	}
	pthread_mutex_unlock(&cq->lock);
	errno = saved;
}

void wd_cq_progress(struct wd_cq *cq)
{
	if (!atomic_load(&cq->armed) || !atomic_exchange(&cq->armed, false))
		return;
	/* If this thread is the only one that ever arms, no other can be asleep. */
	if (atomic_load(&cq->armer) != &self)
		wd_cq_signal(cq);
	else
		atomic_store_explicit(&cq->rearm, true, memory_order_relaxed);
}

/*
 * The rings and the timer are as this thread's arming left them. Events since then were not signalled because the
 * thread was awake; they are signalled now.
 */
void wd_cq_rearm(struct wd_cq *cq)
{
	unsigned int i;
	bool due;

	if (!atomic_load_explicit(&cq->rearm, memory_order_relaxed) || atomic_load(&cq->armer) != &self)
		return;
	atomic_store_explicit(&cq->rearm, false, memory_order_relaxed);
	atomic_store(&cq->armed, true);
	atomic_thread_fence(memory_order_seq_cst);
	due = atomic_exchange(&cq->news, false);
	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		due |= lane &&
		       (lane->q->pub.path == WD_PATH_SOFT ? wd_soft_waits(lane->q) : atomic_load(&lane->nr) != 0);
	}
	if (due)
		wd_cq_signal(cq);
}

void wd_cq_look_idle(struct wd_queue *q)
{
	int ret = 0;

	if (!wd_drain_trylock(q))
		return;
	if (!atomic_load(&q->state) && !wd_queue_in_flight(q) && q->drv.ready(q))
		ret = q->drv.pull(q, 1);
	wd_queue_failed(q, ret);
	wd_drain_unlock(q);
	if (ret < 0)
		wd_queue_broken(q);
}

/* --- the descriptor --- */

static int file_add(struct wd_cq *cq, int epfd, enum wd_cq_file which, int fd, __u64 what)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = what };

	if (fd < 0)
		return -errno;
	wd_fork_file_add_anonymous(&cq->file[which], fd);
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
	wd_fork_file_add_anonymous(&cq->file[WD_CQ_EPOLL], epfd);
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

/* Under the lock. Whether the program has closed a file. */
static bool files_lost(const struct wd_cq *cq)
{
	int i;

	for (i = 0; i < WD_CQ_FILES && wd_fork_file_is(&cq->file[i]); i++)
		;
	return i < WD_CQ_FILES;
}

/* Under the lock. In a sandbox the files can't be recognised, and new ones can't be opened. */
static int files_replace(struct wd_cq *cq)
{
	if (wd_sandbox())
		return -EACCES;
	wd_cq_files_close(cq);
	cq->signalled = false;
	cq->wake_at = 0;
	return files_open(cq);
}

static void watch_all(struct wd_cq *cq)
{
	unsigned int i;

	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		if (!lane)
			continue;
		wd_drain_lock(lane->q);
		lane->watched = false;
		if (!atomic_load(&lane->q->state))
			wd_cq_watch_lane(lane);
		wd_drain_unlock(lane->q);
	}
}

/* replace: also if there is one, but the program has closed it. */
static int descriptor(struct wd_cq *cq, bool replace)
{
	int saved = errno, ret = 0;
	bool none, lost;

	if (atomic_load(&cq->epfd) >= 0 && !replace)
		return 0;
	pthread_mutex_lock(&cq->lock);
	none = atomic_load(&cq->epfd) < 0;
	lost = !none && files_lost(cq);
	if (none)
		ret = files_open(cq);
	else if (lost)
		ret = files_replace(cq);
	pthread_mutex_unlock(&cq->lock);
	if ((none || lost) && !ret)
		watch_all(cq);
	/* The queue may be armed, and its signal and its timer are lost. */
	if (lost && !ret)
		wd_cq_signal(cq);
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
	ret = descriptor(cq, true);
	pthread_setcancelstate(cancel, NULL);
	return ret ? ret : atomic_load(&cq->epfd);
}

/* Arms a lane's context; true: there is something to take already. */
static bool lane_arm(struct wd_lane *lane)
{
	struct wd_queue *q = lane->q;

	if (q->pub.path == WD_PATH_SOFT)
		return wd_soft_waits(q);
	/* Arm first, then look: a completion after the look raises an event. */
	if (!atomic_load(&q->state) && !wd_sleeper_arm(q)) {
		if (wd_queue_in_flight(q))
			return true;
		wd_cq_look_idle(q);
	}
	return atomic_load(&lane->nr);
}

static void arm_all(struct wd_cq *cq)
{
	const void *none = NULL;
	unsigned int i;
	bool due;

	unsignal(cq);
	if (!atomic_compare_exchange_strong(&cq->armer, &none, &self) && none != &self)
		atomic_store(&cq->armer, &many);
	atomic_store_explicit(&cq->rearm, false, memory_order_relaxed);
	atomic_store(&cq->armed, true);
	atomic_thread_fence(memory_order_seq_cst);
	due = atomic_exchange(&cq->news, false);
	for (i = 0; i < wd_cq_nr(cq); i++)
		if (wd_cq_lane(cq, i))
			due |= lane_arm(wd_cq_lane(cq, i));
	wd_cq_clock_set(cq, true);
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
	ret = descriptor(cq, false);
	if (!ret)
		arm_all(cq);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}
