/* SPDX-License-Identifier: Apache-2.0 */
/* A completion queue inside the core: credits, its contexts, its descriptor. Private to libwd. */
#ifndef WD_CQ_PRIVATE_H
#define WD_CQ_PRIVATE_H

#include <wd_cq.h>
#include "request/lane.h"

/* What the queue's descriptor, an epoll set, reports in data.u64; any other value is a context's number. */
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
 * @used:	credits taken, in the lower 32 bits: requests submitted and not yet polled; above them
 *		WD_CQ_INSIDE for each thread that has not left its submit yet
 * @sessions:	how many deliver to it
 * @turn:	the lane that the next poll begins with
 * @nr:		entries in @lane; some may be NULL. Both change under the engine's lock
 * @priv:	the user's pointer
 * @armed:	some thread sleeps, or is about to
 * @armer:	the only thread that has ever armed the queue, or a marker for several
 * @rearm:	@armer took completions after it had armed: its arming can be restored without arming again
 * @news:	something happened while no thread had armed
 * @lock:	protects the members below, which are the descriptor's; innermost of all locks
 * @epfd:	-1 until wd_cq_fd() or wd_cq_arm() is first called; changes if the program has closed one of the files
 * @signalled:	the event file is readable
 * @wake_at:	when the timer expires, 0: not set
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

/* Ends the sleeps of all threads, and the next one of this thread. */
void wd_cq_signal(struct wd_cq *cq);
/* This thread took completions: a thread that armed before must look again. */
void wd_cq_progress(struct wd_cq *cq);
/* This thread found no completions: restores its arming from before it last took some. */
void wd_cq_rearm(struct wd_cq *cq);
/* Looks whether an idle context's device is gone, since no request would find out. */
void wd_cq_look_idle(struct wd_queue *q);
/*
 * Sets the timer to when a thread has to look although no file reports anything, or lets it expire earlier. anew:
 * everything was looked at, so the timer may be moved to a later time.
 */
void wd_cq_clock_set(struct wd_cq *cq, bool anew);
/* Completions were polled: restart with short intervals between looks at shared contexts. */
void wd_cq_slice_begin(struct wd_cq *cq);
/* Under the drain lock: add the file of an open context to the queue's epoll set. */
void wd_cq_watch_lane(struct wd_lane *lane);
/* The context delivers here no more. It has no request for the queue, and no session could send one. */
void wd_cq_drop(struct wd_lane *lane);
/* Close the descriptor's files. */
void wd_cq_files_close(struct wd_cq *cq);
/* The completion queue of a handle, or NULL and *ret, recorded. */
struct wd_cq *wd_cq_get(handle_t h, int *ret);

#endif
