/* SPDX-License-Identifier: Apache-2.0 */
/* A completion queue inside the core: credits, its contexts, its descriptor. Private to libwd. */
#ifndef WD_CQ_PRIVATE_H
#define WD_CQ_PRIVATE_H

#include <wd_cq.h>
#include "request/lane.h"

/* What its descriptor, an epoll set, reports in data.u64; another number is a context's. */
#define WD_CQ_SIGNAL	(1ull << 32)
#define WD_CQ_TIMER	(2ull << 32)

#define WD_CQ_INSIDE	(1ull << 32)

enum wd_cq_file {
	WD_CQ_EPOLL,
	WD_CQ_EVENT,
	WD_CQ_CLOCK,
	WD_CQ_FILES
};

/**
 * struct wd_cq - a completion queue
 * @used:	credits taken: requests submitted and not yet polled; above them WD_CQ_INSIDE for
 *		each thread that is still on its way out of a submit
 * @sessions:	that name it
 * @turn:	the lane that is looked at first
 * @nr:		places in @lane; some may be NULL. Both change under the engine's lock
 * @priv:	the user's
 * @armed:	somebody sleeps, or is about to
 * @armer:	the one thread that has ever armed it, &wd_cq_many for several
 * @rearm:	@armer took completions after it had armed: it need not do so again before it sleeps
 * @news:	happened while nobody was armed
 * @lock:	the members below, which are the descriptor's; innermost of all locks
 * @epfd:	-1 until somebody asks for it, then constant
 * @signalled:	the event file is readable
 * @wake_at:	what the clock is set to, 0 not
 * @slice:	time until the next look at shared contexts, ns
 */
struct wd_cq {
	struct wd_object obj;
	__u32 depth;
	_Atomic __u64 used;
	_Atomic __u32 sessions;
	_Atomic __u32 turn;
	_Atomic unsigned int nr;
	_Atomic(struct wd_lane *) lane[WD_CQ_QUEUES];
	_Atomic(void *) priv;
	_Atomic bool armed;
	_Atomic(const void *) armer;
	_Atomic bool rearm;
	_Atomic bool news;
	pthread_mutex_t lock;
	struct wd_fork_file file[WD_CQ_FILES];
	_Atomic int epfd;
	int event_fd;
	int timer_fd;
	bool signalled;
	__u64 wake_at;
	_Atomic __u64 slice;
};

/* The completion queue that this thread polls: it needs no wake-up for what it takes in itself. */
extern WD_THREAD_LOCAL struct wd_cq *wd_cq_polled;

static inline struct wd_lane *wd_cq_lane(struct wd_cq *cq, unsigned int i)
{
	return atomic_load_explicit(&cq->lane[i], memory_order_acquire);
}

static inline unsigned int wd_cq_nr(struct wd_cq *cq)
{
	return atomic_load_explicit(&cq->nr, memory_order_acquire);
}

/* Sleeps of others and of this thread's own end now. */
void wd_cq_signal(struct wd_cq *cq);
/* This thread took completions: whoever armed before must look again. */
void wd_cq_progress(struct wd_cq *cq);
/* It found none: its arming before it took some still holds. */
void wd_cq_rearm(struct wd_cq *cq);
/* An idle context whose device is gone never gets a request that would find out. */
void wd_cq_look_idle(struct wd_queue *q);
/* When somebody has to look although nothing is reported: set, or only brought forward (unless anew). */
void wd_cq_clock_set(struct wd_cq *cq, bool anew);
/* Completions were polled: the next looks at shared contexts come soon again. */
void wd_cq_slice_begin(struct wd_cq *cq);
/* Under the drain lock: the file of one that is open, into the queue's set. */
void wd_cq_watch_lane(struct wd_lane *lane);
/* The context's requests come here no more: there is none, nor a session that could send one. */
void wd_cq_drop(struct wd_lane *lane);
/* Close the descriptor's files. */
void wd_cq_files_close(struct wd_cq *cq);
/* The queue of a handle, or NULL and *ret, recorded. */
struct wd_cq *wd_cq_get(handle_t h, int *ret);

#endif
