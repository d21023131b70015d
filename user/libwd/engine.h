/* SPDX-License-Identifier: Apache-2.0 */
/* The request core's own structures: contexts in use and their slots; private to libwd. */
#ifndef WD_ENGINE_H
#define WD_ENGINE_H

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include "driver.h"
#include "lock.h"
#include "set.h"

/* A few words, which every thread has from its start: a dlopen()ed library gets them, too. */
#define WD_THREAD_LOCAL		_Thread_local __attribute__((tls_model("initial-exec")))

#define WD_ENGINE_QUEUES	1024	/* contexts that a process can have had at once and before */

#define WD_READY_SECOND	0x10000	/* of the second half; the index below */

#define WD_REOPEN_AFTER_NS	100000000ull	/* between two tries to open a context again */

#define WD_SIZES	8	/* service times are kept for so many sizes of requests */

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
 * for another context's sake (may be opened again). It leaves 0 under @produce, and returns to 0 with @produce, the
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
	unsigned int limit;		/* in flight at most */
	size_t worth;			/* with path "auto", smaller requests are for this CPU */
	bool async;
	_Atomic bool delivers;		/* asynchronous requests come here, also when it isn't async */
	bool simulated;
	_Atomic bool wanted;		/* its place is: nobody is to begin a sleep */
	char dev_name[WD_NAME_SIZE];
	_Atomic int state;
	__u64 retry_at;			/* when opening it again is worth a try */

	alignas(64) struct wd_lock produce;	/* tail, slots being filled, the SQ doorbell */
	_Atomic __u32 submitted;
	_Atomic __u32 async_submitted;	/* asynchronous ones among them */
	_Atomic __u64 deadline;		/* not later than the first of the asynchronous ones'; 0 none */
	__u32 tail;

	alignas(64) struct wd_lock drain;	/* held for copying, or for a stop, which may take seconds */
	_Atomic __u32 freed;		/* slots given back; submitted ones without these are in flight */
	struct wd_slot *half[2];	/* slots of this opening and of the one before, with what nobody fetched */
	bool second;			/* which of them is this opening's */
	struct wd_due_row *due;		/* of the thread that drains, when it delivers what it drains */
	__u32 *ready;			/* slots whose callbacks are due (WD_READY_*), a ring; under the drain lock */
	_Atomic __u32 ready_nr;
	__u32 ready_head;
	__u32 ready_size;
	__u32 soft_head;		/* software: next slot to compute; under the drain lock */
	bool watched;			/* in its completion queue's set of files; under the drain lock */
	_Atomic int cq_event;		/* to be reported: why it broke */
	bool settled;			/* out of use, and nothing is in flight any more; under the drain lock */
	struct wd_tally tally;		/* under the drain lock */

	alignas(64) _Atomic __u32 sleeper;	/* somebody is in poll() on fd */
	_Atomic __u32 sleeper_wanted;	/* threads that wait for the role to be free */
	_Atomic __u32 watchers;		/* poll threads that sleep and look after it */
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
	_Atomic __u32 sessions;		/* that may use devices; grows under the lock */
	_Atomic __u32 room_seq;		/* futex: room, or a wake-up */
	_Atomic __u32 room_waiters;
	_Atomic __u32 done_seq;		/* futex: an asynchronous request was finished */
	_Atomic __u32 done_waiters;
	_Atomic int spinners;		/* threads that look for a completion */
};

extern struct wd_engine wd_engine;

/* --- engine.c --- */
void wd_engine_init(void);
/* A context of its own kind on the device, in a place that is to be had as how says. Under the engine's lock. */
int wd_queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info, int how,
		  struct wd_queue **res);
/* Where the session's asynchronous requests wait for this CPU; NULL: no memory, or no place in its completion queue. */
struct wd_queue *wd_queue_soft(struct wd_session *s);
/* Try to open a queue that was stopped, or closed for another's sake. Under its produce lock. */
void wd_queue_reopen(struct wd_queue *q);
/* Close an idle queue of a completion queue, for the next one that wants its place. Under the engine's lock. */
void wd_queue_park(struct wd_queue *q);

/* --- bind.c --- */
/* Contexts for the session, opened as needed. Under the engine's lock. 0 or -errno when devices only and none. */
int wd_engine_bind(struct wd_session *s);

/* --- session.c --- */
/* It was bound by a fork's parent: bind it to contexts of this process. */
void wd_session_rebind(struct wd_session *s);
/* The session whose callback this thread is in. */
extern WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

/* --- straight.c --- */
/* The rest of a synchronous request that a first look did not end. */
enum wd_straight wd_straight_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes);

/* --- slot.c --- */
#define WD_TAG(slot_gen, index)	((__u32)(slot_gen) << 16 | (index))
#define WD_TAG_GEN_MASK		0x7fffu

/* Undo the last n taken. */
void wd_slots_untake(struct wd_queue *q, unsigned int n);
/* Under the drain lock. */
static inline void wd_slot_free(struct wd_queue *q, struct wd_slot *slot)
{
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	wd_count(&q->freed, 1);
}

/* --- room.c --- */
/* Look for somebody who waits for room, after wd_slot_free(). */
static inline void wd_room_made(void);
/* Until one of the session's contexts has room (or q, when given). 0, -ETIMEDOUT. */
int wd_room_wait(struct wd_session *s, struct wd_queue *q, __u64 deadline);
/* This thread is about to be told -EBUSY; seq: wd_engine.room_seq as it was before it looked. */
void wd_room_busy(struct wd_session *s, __u32 seq);

/* --- drain.c --- */
static inline bool wd_drain_trylock(struct wd_queue *q)
{
	return !atomic_load_explicit(&q->drain.held, memory_order_relaxed) && wd_trylock(&q->drain);
}

static inline void wd_drain_unlock(struct wd_queue *q)
{
	wd_unlock(&q->drain);
}

static inline void wd_drain_lock(struct wd_queue *q)
{
	wd_lock(&q->drain);
}

/* Take in what is complete; self: the caller's own message. Returns how many; 0 also when somebody else does it. */
int wd_queue_drain(struct wd_queue *q, const struct wd_msg *self);
/* The same for who has a sleeper's role: what isn't 0 is to be told wd_drained(), an error not before the role is given up. */
int wd_queue_take(struct wd_queue *q, const struct wd_msg *self);
/* The same for a queue with nothing in flight, to learn of its end. Without any sleeper's role. */
void wd_queue_look(struct wd_queue *q);
/* Stop the queue for a deadline's sake; afterwards the device has nothing of it. */
void wd_queue_stop(struct wd_queue *q);
/* The queue said that it is over: -EIO or -ENODEV for all that is in it. */
void wd_queue_broken(struct wd_queue *q, int err);
/*
 * Under the drain lock: the first of those that are ready, if there is one; its
 * slot is free afterwards. Into due when its caller's struct has the results
 * already, else due->req is NULL, and into msg.
 */
bool wd_ready_pop(struct wd_queue *q, struct wd_msg *msg, struct wd_due *due);
/* Wake those who wait for asynchronous completions. */
static inline void wd_async_done(void);

/* --- deliver.c --- */
/* Take in what is complete, and run callbacks, at most max. */
unsigned int wd_deliver(struct wd_queue *q, unsigned int max);
/* Compute what waits for this CPU, at most max. */
unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max);
/* Those of the rows that this thread is in the middle of, when a callback polls. */
unsigned int wd_deliver_outer(unsigned int max);

/* Ended with its context q: to one again, or done on this CPU. true: it is in flight once more. */
bool wd_deliver_redo(struct wd_queue *q, struct wd_msg *msg);
/* Under the drain lock: the next software request that nobody computes yet, or NULL. */
struct wd_slot *wd_soft_claim(struct wd_queue *q);
void wd_soft_compute(struct wd_queue *q, const struct wd_slot *slot, struct wd_msg *msg);

/* --- poll.c --- */
/* Take in what is complete, end what is late, and run callbacks, at most max. How many ran. */
unsigned int wd_queue_run(struct wd_queue *q, unsigned int max);
/* Requests whose time is over end with their context. */
void wd_check_deadlines(struct wd_queue *q);

/* --- cq.c --- */
#define WD_CQ_QUEUES	32	/* contexts of a completion queue at most */

/* A session names the queue from now on: it lasts until wd_cq_quit(). NULL and *ret, recorded. */
struct wd_cq *wd_cq_join(handle_t h, int *ret);
void wd_cq_quit(struct wd_cq *cq);
/* Under the engine's lock: is there a place for one more context? */
bool wd_cq_has_place(struct wd_cq *cq);
void wd_cq_add(struct wd_cq *cq, struct wd_queue *q);
/* All its contexts; how many (at most WD_CQ_QUEUES). */
unsigned int wd_cq_queues(struct wd_cq *cq, struct wd_queue *queue[]);
/* -ESTALE, recorded, for a session whose completion queue belongs to a fork's parent; else 0. */
int wd_cq_check(struct wd_session *s);
/* Credits for n requests, or for as many as there are; 0, -EBUSY, -ESTALE. */
int wd_cq_enter(struct wd_session *s, unsigned int *n);
/* The reverse for those that weren't submitted; ret: how many were, or -errno. */
void wd_cq_leave(struct wd_session *s, unsigned int n, int ret);

/* --- notify.c --- */
/* Requests were submitted: somebody may sleep on what doesn't report them. */
void wd_cq_submitted(struct wd_cq *cq);
/* Under the drain lock: the queue's file, into the set and out of it. */
void wd_cq_watch(struct wd_queue *q);
void wd_cq_unwatch(struct wd_queue *q);
/* Under the drain lock: all that was in the queue has just ended; err: and that is an event. */
void wd_cq_broke(struct wd_queue *q, int err);

/* --- sleep.c --- */
struct pollfd;
/* Wait until msg, of so many bytes, is done, or until the queue was stopped for its deadline. Returns msg->status. */
int wd_queue_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/* Look a while for anything to drain; false: it is time to sleep. */
bool wd_spin(struct wd_queue *q);
bool wd_sleeper_enter(struct wd_queue *q);
/* The same, waiting for it; for who has left the queue's state, so that nobody else begins a sleep. */
void wd_sleeper_wait(struct wd_queue *q);
void wd_sleeper_leave(struct wd_queue *q);
/* As the sleeper: ask for an event; false when there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q);
/* Leave, and have one of those who wait take over. */
void wd_sleeper_pass_on(struct wd_queue *q);
/* poll() until an absolute time; not a cancellation point. */
void wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end);

/* --- submit.c --- */
/* A request that was stopped for another's sake goes to a context again. 0 when it was taken. */
int wd_request_again(const struct wd_msg *msg);
/* The i-th of the session's contexts, or of those that wait for this CPU; NULL: no more. */
struct wd_queue *wd_session_queue(struct wd_session *s, unsigned int i, bool soft);

/* --- tally.c --- */
/* Under the engine's lock: rows of contexts that are gone for good become free; all of them, in a child. */
void wd_tally_fold(struct wd_session *s);
void wd_tally_forget(struct wd_session *s);

/* --- driver.c --- */
void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv);
const struct wd_driver *wd_driver_find(const struct wd_class *cls, const char *api);

/* --- here for speed --- */
static inline void wd_room_made(void)
{
	wd_barrier_light();
	if (!atomic_load_explicit(&wd_engine.room_waiters, memory_order_relaxed))
		return;
	atomic_fetch_add(&wd_engine.room_seq, 1);
	wd_futex_wake(&wd_engine.room_seq, INT_MAX);
}

static inline void wd_async_done(void)
{
	wd_barrier_light();
	if (!atomic_load_explicit(&wd_engine.done_waiters, memory_order_relaxed))
		return;
	atomic_fetch_add(&wd_engine.done_seq, 1);
	wd_futex_wake(&wd_engine.done_seq, INT_MAX);
}

#endif
