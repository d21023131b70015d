/* SPDX-License-Identifier: Apache-2.0 */
/* The contexts of this process, open or closed, numbered for ever: all that the core keeps of them. */
#ifndef WD_TABLE_H
#define WD_TABLE_H

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>
#include "base/lock.h"
#include "base/set.h"
#include "base/thread.h"
#include "driver.h"

#define WD_ENGINE_QUEUES	1024	/* contexts that a process can have had at once and before */

#define WD_READY_SECOND	0x10000	/* of the second half; the index below */

#define WD_SIZES	8	/* service times are kept for so many sizes of requests */

struct wd_aside;

/* Requests that are off the ring (aside.c), first in, first out. */
struct wd_aside_list {
	struct wd_aside *first;
	struct wd_aside *last;
};

/* Requests whose callers' structs have the results, and whose callbacks come next. */
struct wd_due {
	struct wd_session *sess;
	void *req;
};

#define WD_DUE_MAX	16	/* delivered in a row */
static_assert(WD_DUE_MAX <= WD_PULL_MAX, "a row is pulled at once");

struct wd_due_row {
	unsigned int nr;
	unsigned int room;
	struct wd_due due[WD_DUE_MAX];
};

/**
 * struct wd_queue - one context of the process; its memory and number stay for ever
 *
 * @state: 0 usable, -EIO stopped (may be opened again), -ENODEV gone, -ESTALE
 * inherited, -ESHUTDOWN without a completion queue that it could serve, -EDQUOT closed
 * for another context's sake, or because no session used it (may be opened again). A
 * place that is gone or inherited is used anew by a binding that needs such a one. It
 * leaves 0 under @produce, and returns to 0 with @produce, the
 * drain lock and the sleeper's role held, when nobody else can touch the ring.
 */
struct wd_queue {
	struct wd_queue_pub pub;
	const struct wd_class *cls;
	struct wd_driver drv;		/* with the refusing defaults */
	unsigned int index;
	int node_id;
	int numa_node;
	bool for_cq;			/* serves completion queues, one after the other, and nobody else */
	_Atomic(struct wd_cq *) cq;	/* the one; changes with all locks held */
	_Atomic(struct wd_session *) owner;	/* serves it and no other session; changes under the engine's lock */
	unsigned int limit;		/* in flight at most */
	_Atomic __u32 async_limit;	/* the same, when an asynchronous request is to be added: less by @aside_nr */
	bool async;
	_Atomic bool delivers;		/* asynchronous requests come here, also when it isn't async */
	bool simulated;
	_Atomic bool wanted;		/* its place is: nobody is to begin a sleep */
	char dev_name[WD_NAME_SIZE];
	_Atomic int state;
	_Atomic __u64 retry_at;		/* when opening it again is worth a try; read before the locks that opening takes */
	unsigned int users;		/* sessions that are bound to it; under the engine's lock, like ended */
	bool ended;			/* its users' devices were taken away for good: not to be used anew while there are any */

	alignas(64) struct wd_lock produce;	/* tail, slots being filled, the SQ doorbell */
	_Atomic __u32 submitted;
	_Atomic __u32 async_submitted;	/* asynchronous ones among them */
	_Atomic __u64 deadline;		/* not later than the first of the asynchronous ones', and of those that wait; 0 none */
	__u32 tail;

	alignas(64) struct wd_lock drain;	/* held for copying, or for a stop, which may take seconds */
	_Atomic __u32 freed;		/* slots given back; submitted ones without these are in flight */
	struct wd_slot *half[2];	/* slots of this opening and of the one before, with what nobody fetched */
	bool second;			/* which of them is this opening's */
	struct wd_due_row *due;		/* of the thread that drains, when it delivers what it drains */
	__u32 *ready;			/* slots whose callbacks are due (WD_READY_*), a ring; under the drain lock */
	_Atomic __u32 ready_nr;		/* with those in @aside */
	__u32 ready_len;
	__u32 ready_head;
	__u32 ready_size;
	struct wd_aside_list aside;	/* their callbacks are due, and their slots are free; under the drain lock */
	struct wd_aside_list waiting;	/* stopped, to be tried again at a time; the same */
	_Atomic __u32 aside_nr;		/* in both lists */
	__u32 soft_head;		/* software: next slot to compute; under the drain lock */
	bool watched;			/* in its completion queue's set of files; under the drain lock */
	_Atomic int cq_event;		/* to be reported: why it broke */
	bool settled;			/* out of use, and nothing is in flight any more; under the drain lock */
	struct wd_tally tally;		/* under the drain lock */

	alignas(64) _Atomic __u32 sleeper;	/* somebody is in poll() on fd */
	_Atomic __u32 sleeper_wanted;	/* threads that wait for the role to be free */
	_Atomic __u32 watchers;		/* threads that sleep in polls, ours or others', and look after it */
	_Atomic __u32 async_over;	/* asynchronous requests whose callbacks have begun */
	_Atomic __u32 sleeps;		/* times that a wait was taken for a long one */
	_Atomic __u32 service_ns[WD_SIZES];	/* estimates, without the queue ahead; 0 unknown */
};

static_assert(offsetof(struct wd_queue, pub) == 0, "wd_queue_pub() counts on it");

static inline __u32 wd_queue_in_flight(struct wd_queue *q)
{
	/* In this order: what is freed was submitted before. */
	__u32 freed = atomic_load_explicit(&q->freed, memory_order_acquire);

	return atomic_load_explicit(&q->submitted, memory_order_acquire) - freed;
}

/* Asynchronous requests without a result or with their callbacks still to come. */
static inline __u32 wd_queue_async_nr(struct wd_queue *q)
{
	__u32 over = atomic_load_explicit(&q->async_over, memory_order_acquire);

	return atomic_load_explicit(&q->async_submitted, memory_order_acquire) - over;
}

/* For how many asynchronous requests there is room. Under the produce lock. */
static inline __s32 wd_queue_async_room(struct wd_queue *q)
{
	return (__s32)(atomic_load_explicit(&q->async_limit, memory_order_relaxed) - wd_queue_in_flight(q));
}

/* A counter that only the holder of a lock changes. */
static inline void wd_count(_Atomic __u32 *counter, __u32 n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_release);
}

struct wd_engine {
	pthread_mutex_t lock;		/* the table, binding of sessions */
	_Atomic unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
	unsigned int turn;		/* round robin over sessions */
	_Atomic __u32 sessions;		/* that may use devices; changes under the lock */
	__u32 era;			/* sessions of earlier ones get no context any more; under the lock */
	_Atomic __u32 room_seq;		/* futex: room, or a wake-up */
	_Atomic __u32 room_waiters;
	_Atomic __u32 done_waiters;	/* threads that sleep in polls */
	_Atomic __u32 wake_ups;		/* wd_<alg>_wakeup() and _wakeup_set() so far */
	_Atomic __u32 gen;		/* changes with the contexts that somebody looks after */
	_Atomic int spinners;		/* threads that look for a completion */
};

extern struct wd_engine wd_engine;

/* Before the table is used. */
void wd_table_init(void);

/* Open, or stopped and to be opened again. */
static inline bool wd_holds_place(const struct wd_queue *q)
{
	int state = atomic_load(&q->state);

	return q->pub.path != WD_PATH_SOFT && (!state || state == -EIO);
}

static inline bool wd_holds_place_on(const struct wd_queue *q, const char *dev_name)
{
	return wd_holds_place(q) && !strcmp(q->dev_name, dev_name);
}

/* The session whose callback this thread is in. */
extern WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

#endif
