/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contexts of this process, open or closed, with permanent numbers: all the state that the core keeps per context.
 */
#ifndef WD_TABLE_H
#define WD_TABLE_H

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>
#include "base/file_id.h"
#include "base/lock.h"
#include "base/set.h"
#include "base/thread.h"
#include "base/watch.h"
#include "driver.h"

#define WD_ENGINE_QUEUES	1024	/* entries for a process' contexts, open or closed */

#define WD_SIZES	8	/* number of size classes with a service time of their own */

struct wd_aside;

/* Requests that are off the ring (aside.c), first in, first out. */
struct wd_aside_list {
	struct wd_aside *first;
	struct wd_aside *last;
};

/* Requests with results in their callers' structs, whose callbacks are due. */
struct wd_due {
	struct wd_session *sess;
	void *req;
};

#define WD_DUE_MAX	32	/* most requests delivered in one row */
static_assert(WD_DUE_MAX <= WD_PULL_MAX, "a row is pulled at once");

struct wd_due_row {
	unsigned int nr;
	unsigned int room;
	struct wd_due due[WD_DUE_MAX + 1];	/* with an end that has no session */
};

#define WD_LANES	256	/* completion queues that share a context at most */

/**
 * struct wd_lane - finished requests of a context for one receiver, oldest first; it stays as long as its context
 * @cq:		the completion queue that receives them; NULL: callbacks, or nobody. Changes under the drain lock
 * @nr:		how many, those in @aside included
 * @first:	number of the first slot in wd_queue.link, plus one; 0: none
 * @last:	of the last one
 * @aside:	requests that have left their slots; behind those above
 * @users:	sessions of @cq that are bound to the context; under the engine's lock
 * @event:	why the context broke, until wd_get_async_event() reports it; 0: nothing to report
 * @watched:	the context's file is in @cq's epoll set
 * @fresh:	requests have come since @cq was last told
 *
 * Under the drain lock, unless stated otherwise.
 */
struct wd_lane {
	struct wd_queue *q;
	_Atomic(struct wd_cq *) cq;
	_Atomic __u32 nr;
	__u32 first;
	__u32 last;
	struct wd_aside_list aside;
	unsigned int users;
	_Atomic int event;
	bool watched;
	bool fresh;
};

/**
 * struct wd_queue - one context of the process; its memory and number are never freed
 *
 * @state: 0 usable; -EIO stopped (may be opened again); -ENODEV gone; -ESTALE
 * inherited; -ESHUTDOWN software whose completion queue was destroyed; -EDQUOT closed
 * in favour of another context, or because no session used it (may be opened again). A
 * binding reuses the entry of a gone or inherited context when it needs a new one. The
 * state changes from 0 under @produce. It returns to 0 with @produce, the drain lock
 * and the sleeper's role held, when no other thread can touch the ring.
 */
struct wd_queue {
	struct wd_queue_pub pub;
	const struct wd_class *cls;
	struct wd_driver drv;		/* with the refusing defaults */
	unsigned int index;
	struct wd_file_id file;		/* of pub.fd, since it was opened */
	_Atomic bool file_lost;		/* another context has got the number: the program had closed the file */
	int node_id;
	int numa_node;
	bool for_cq;			/* serves only completion queues */
	_Atomic(struct wd_session *) owner;	/* its only session, or NULL; changes under the engine's lock */
	unsigned int limit;		/* requests in flight, at most */
	_Atomic __u32 async_limit;	/* the same when adding an asynchronous request: less by @aside_nr */
	bool async;
	_Atomic bool delivers;		/* asynchronous requests come here, even if async is false */
	bool simulated;
	_Atomic bool wanted;		/* its place is: nobody is to begin a sleep */
	_Atomic bool held;		/* a thread opens or closes it, in its place; changes under the grants' lock */
	struct wd_queue *next;		/* of those that are opened before they enter the table; the same */
	struct wd_session *binder;	/* whose binding opens it, or has just done so: closed by nobody; under the
					 * engine's lock */
	char dev_name[WD_NAME_SIZE];
	char api[WD_NAME_SIZE];		/* the device's: another device of that name may need another driver */
	_Atomic int state;
	_Atomic int failed;		/* why this opening's ring is over, 0: it isn't; see wd_queue_failed() */
	_Atomic __u64 retry_at;		/* when to try to open it again; read before opening takes its locks */
	_Atomic __u64 reset_since;	/* when its device was first found to be resetting; 0: it isn't */
	__u64 reset_seen;		/* when it was last; under the produce lock */
	__u32 begun;			/* @submitted at its opening; under the produce lock, like the two below */
	__u64 vain_since;		/* the first of a row of openings that took no request; 0: the last one took
					 * some */
	__u64 vain_seen;		/* the last of them */
	unsigned int users;		/* sessions that are bound to it; under the engine's lock, like the three
					 * below */
	unsigned int firsts;		/* sessions whose first context it is */
	__u64 idle_at;			/* when its last session was freed; 0: it left for another reason */
	bool ended;			/* its users' devices were taken away for good: not reused while it has users */

	alignas(64) struct wd_lock produce;	/* tail, slots being filled, the SQ doorbell */
	_Atomic __u32 submitted;
	_Atomic __u32 async_submitted;	/* asynchronous ones among them */
	__u32 tail;			/* the last that each request needs: in one cache line with those above */
	_Atomic __u64 deadline;		/* not after the first deadline of asynchronous and waiting requests; 0 none */

	alignas(64) struct wd_lock drain;	/* held for copying, or for a stop, which may take seconds */
	_Atomic __u32 freed;		/* slots given back; submitted minus freed slots are in flight */
	struct wd_slot *half[2];	/* slots of this opening and of the previous one, with unfetched results */
	bool second;			/* which half belongs to this opening */
	struct wd_due_row *due;		/* of the draining thread, when it also delivers */
	struct wd_lane *lane;		/* one for callbacks, or one for each completion queue */
	unsigned int lanes_max;
	_Atomic unsigned int lanes;	/* lanes that were ever in use */
	__u32 *link;			/* number of the next slot of a lane, plus one, by slot number: index, plus
					 * depth in half[1] */
	_Atomic __u32 ready_nr;		/* sum of the lanes' nr */
	bool fresh;			/* some lane is */
	struct wd_aside_list waiting;	/* stopped, to be retried later; under the drain lock */
	_Atomic __u32 aside_nr;		/* in both lists */
	__u32 soft_head;		/* software: next slot to compute; under the drain lock */
	bool settled;			/* out of use, with nothing in flight; under the drain lock */
	struct wd_tally tally;		/* under the drain lock */

	alignas(64) _Atomic __u32 sleeper;	/* a thread is in poll() on fd */
	_Atomic __u32 sleeper_wanted;	/* threads that wait for the sleeper's role */
	struct wd_watch watch;		/* threads that sleep in polls, ours or others', and watch this queue */
	_Atomic __u32 async_over;	/* asynchronous requests whose callbacks have begun */
	_Atomic __u64 ended_poll;	/* number of the last poll that ended with this context and left out others */
	_Atomic __u32 sleeps;		/* number of waits that were predicted to be long */
	_Atomic __u32 service_ns[WD_SIZES];	/* estimates, without the queue ahead; 0 unknown */
};

static_assert(offsetof(struct wd_queue, pub) == 0, "wd_queue_pub() counts on it");

/* The descriptor; -1 if the program has closed the file. */
static inline int wd_queue_own_file(const struct wd_queue *q)
{
	return !atomic_load_explicit(&q->file_lost, memory_order_relaxed) && wd_file_is(q->pub.fd, &q->file) ?
	       q->pub.fd : -1;
}

/* The same for poll(), which skips -1: one system call, see wd_file_seems(). */
static inline int wd_queue_file(const struct wd_queue *q)
{
	return !atomic_load_explicit(&q->file_lost, memory_order_relaxed) && wd_file_seems(q->pub.fd, &q->file) ?
	       q->pub.fd : -1;
}

static inline __u32 wd_queue_in_flight(struct wd_queue *q)
{
	/* In this order: a freed slot was submitted before. */
	__u32 freed = atomic_load_explicit(&q->freed, memory_order_acquire);

	return atomic_load_explicit(&q->submitted, memory_order_acquire) - freed;
}

/* Asynchronous requests without a result, or whose callbacks haven't begun. */
static inline __u32 wd_queue_async_nr(struct wd_queue *q)
{
	__u32 over = atomic_load_explicit(&q->async_over, memory_order_acquire);

	return atomic_load_explicit(&q->async_submitted, memory_order_acquire) - over;
}

/* The room for asynchronous requests. Under the produce lock. */
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
	pthread_mutex_t lock;		/* the table, what sessions are bound to; never held while a device is asked */
	pthread_cond_t bound;		/* some session's binding is over */
	_Atomic unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
	struct wd_queue *opening;	/* contexts that are not in the table yet, but hold places; under the grants'
					 * lock */
	unsigned int turn;		/* round robin over sessions */
	_Atomic __u32 sessions;		/* sessions that may use devices; changes under the lock */
	__u32 era;			/* sessions of earlier eras get no context any more; under the lock */
	_Atomic __u32 room_seq;		/* futex: room, or a wake-up */
	struct wd_watch room;		/* threads that wait for it */
	struct wd_watch done;		/* threads that sleep in polls */
	_Atomic __u32 wake_ups[1 + WD_CLASSES];	/* so far: of any class, then of each */
	_Atomic __u32 gen;		/* changes with the set of watched contexts */
	_Atomic int spinners;		/* threads that spin for a completion */
};

extern struct wd_engine wd_engine;

/* The index into wd_engine.wake_ups; NULL: any class. */
static inline unsigned int wd_wake_index(const struct wd_class *cls)
{
	return cls ? cls->kind - WD_KIND_COMP + 1 : 0;
}

/* Call before using the table. */
void wd_table_init(void);

/*
 * Under the grants' lock: the next of the contexts that may hold places, in the table or about to enter it; NULL: the
 * first.
 */
struct wd_queue *wd_table_next(const struct wd_queue *q);

/* Open, or stopped and to be opened again; or being opened, or not closed yet. */
static inline bool wd_holds_place(const struct wd_queue *q)
{
	int state = atomic_load(&q->state);

	return q->pub.path != WD_PATH_SOFT && (!state || state == -EIO || atomic_load(&q->held));
}

static inline bool wd_is_on(const struct wd_queue *q, const struct uacce_dev_info *info)
{
	return q->node_id == info->node_id && !strcmp(q->dev_name, info->name) && !strcmp(q->api, info->api);
}

static inline bool wd_holds_place_on(const struct wd_queue *q, const char *dev_name)
{
	return wd_holds_place(q) && !strcmp(q->dev_name, dev_name);
}

/* The session whose callback this thread is running. */
extern WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

#endif
