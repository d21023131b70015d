/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the request core offer each other, the lowest first: each calls those above it only. Private to libwd. */
#ifndef WD_CORE_H
#define WD_CORE_H

#include "device/table.h"

#define WD_REOPEN_AFTER_NS	100000000ull	/* between two tries to open a context again */
#define WD_REOPENED_NS		(WD_REOPEN_AFTER_NS + 10000000ull)	/* one that could not be opened at once may be a little later */
#define WD_LOOK_AGAIN_NS	1000000000ull	/* between two looks for devices by a session that works without */

/* --- the drain lock --- */
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

/* --- soft.c --- */
/* Does a request wait that nobody computes yet? */
bool wd_soft_waits(struct wd_queue *q);
/* Under the drain lock: the next software request that nobody computes yet, or NULL. */
struct wd_slot *wd_soft_claim(struct wd_queue *q);
void wd_soft_compute(struct wd_queue *q, const struct wd_slot *slot, struct wd_msg *msg);

/* --- bell.c --- */
/* Callbacks have run, or are due: wake those whom no file tells. */
void wd_bells_done(void);

/* --- tally.c --- */
/* In the session's turn to be bound: rows of contexts that are gone for good become free; all of them, in a child. */
void wd_tally_fold(struct wd_session *s);
void wd_tally_forget(struct wd_session *s);

/* --- path.c --- */
/* The i-th of the session's contexts, or of those that wait for this CPU; NULL: no more. */
struct wd_queue *wd_session_queue(struct wd_session *s, unsigned int i, bool soft);

/* --- sleeper.c --- */
/* Take the role, if it is free. */
bool wd_sleeper_enter(struct wd_queue *q);
/* The same, waiting for it; for who has left the queue's state, so that nobody else begins a sleep. */
void wd_sleeper_wait(struct wd_queue *q);
void wd_sleeper_leave(struct wd_queue *q);
/* As the sleeper: ask for an event; false when there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q);

/* --- cqset.c --- */
#define WD_CQ_QUEUES	32	/* contexts of a completion queue at most */

/* A session names the queue from now on: it lasts until wd_cq_quit(). NULL and *ret, recorded. */
struct wd_cq *wd_cq_join(handle_t h, int *ret);
void wd_cq_quit(struct wd_cq *cq);
/*
 * A context's requests may come to the queue. Under the engine's lock, which is left while somebody stops the context. 0,
 * also when they do already; -EUSERS: one of the two has as many of the other as it can.
 */
int wd_cq_add(struct wd_cq *cq, struct wd_queue *q);
/* Whether they do; and whether wd_cq_add() would succeed (under the engine's lock). */
bool wd_cq_has(struct wd_cq *cq, struct wd_queue *q);
bool wd_cq_may_add(struct wd_cq *cq, struct wd_queue *q);
/* n sessions of the queue more, or less, are bound to the context. Under the engine's lock. */
void wd_cq_use(struct wd_cq *cq, struct wd_queue *q, int n);
/* All its contexts; how many (at most WD_CQ_QUEUES). */
unsigned int wd_cq_queues(struct wd_cq *cq, struct wd_queue *queue[]);
/* -ESTALE, recorded, for a session whose completion queue belongs to a fork's parent; else 0. */
int wd_cq_check(struct wd_session *s);
/* Credits for n requests, or for as many as there are; 0, -EBUSY, -ESTALE. After 0 the queue stays until wd_cq_leave(). */
int wd_cq_enter(struct wd_session *s, unsigned int *n);
/* The reverse for those that weren't submitted; ret: how many were, or -errno. When any were, the session may be gone. */
void wd_cq_leave(struct wd_cq *cq, unsigned int n, int ret);
/* Requests were submitted: somebody may sleep on what doesn't report them. */
void wd_cq_submitted(struct wd_cq *cq);
/* Under the drain lock: the context's file, into its completion queues' sets and out of them. */
void wd_cq_watch(struct wd_queue *q);
void wd_cq_unwatch(struct wd_queue *q);
/* Under the drain lock: all that was in the context has just ended; err: and that is an event. */
void wd_cq_broke(struct wd_queue *q, int err);
/* Under the drain lock: wakes those who sleep for what has come to the context's lanes. */
void wd_cq_tell(struct wd_queue *q);

/* --- drain.c --- */
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
/* It is to be gone, whatever its state: as if its device were. Without any sleeper's role. */
void wd_queue_end(struct wd_queue *q);
/*
 * Closes one that is gone, once nobody sleeps on its file and its ring has no
 * results: the last that has to do with it calls this. Under the drain lock.
 */
void wd_queue_shed(struct wd_queue *q);
/* The same with no lock held. */
void wd_queue_gone(struct wd_queue *q);
/*
 * Under the drain lock: the first of the lane's requests, if there is one; its
 * slot is free afterwards. Into due when its caller's struct has the results
 * already, else due->req is NULL, and into msg.
 */
bool wd_ready_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due);
/* What is ready leaves the ring: its slots are free, its callbacks are due as before. */
void wd_ready_aside(struct wd_queue *q);
/* Wake those who wait for asynchronous completions. */
static inline void wd_async_done(void);

/* --- deadline.c --- */
/* Requests whose time is over end with their context; those that wait are ready when theirs has come. */
void wd_check_deadlines(struct wd_queue *q);
/* There is one more deadline. */
void wd_deadline_note(struct wd_queue *q, __u64 deadline);

/* --- room.c --- */
/* Look for somebody who waits for room, after wd_slot_free(). */
static inline void wd_room_made(void);
/* Until one of the session's contexts has room (or q, when given). 0, -ETIMEDOUT. */
int wd_room_wait(struct wd_session *s, struct wd_queue *q, __u64 deadline);
/*
 * This thread is about to be told -EBUSY; seq: wd_engine.room_seq as it was before it looked; held_up: another thread is
 * in the way of a context's reopening.
 */
void wd_room_busy(struct wd_session *s, __u32 seq, bool held_up);

/* --- wait.c --- */
/* Wait until msg, of so many bytes, is done, or until the queue was stopped for its deadline. Returns msg->status. */
int wd_queue_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/* The same for one on the fast path that a first look did not end. */
enum wd_fast wd_fast_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/* Look a while for anything to drain; false: it is time to sleep. */
bool wd_spin(struct wd_queue *q);
/* Leave the sleeper's role, and have one of those who wait take over. */
void wd_sleeper_pass_on(struct wd_queue *q);

/* --- evict.c --- */
/*
 * Under the grants' lock, which is left meanwhile: close an idle context of the device for q's sake. -EDQUOT: none can be
 * spared; -EAGAIN: another thread has opened or closed one, and the caller looks again.
 */
int wd_evict_for(const struct wd_queue *q);
/* Close what is open; no session uses it, and none can open another. No lock is held. */
void wd_evict_all(void);
/* Close one that no session uses, unless its place is the slot's own, which nobody else can have. No lock is held. */
void wd_evict_idle(struct wd_queue *q);

/* --- open.c --- */
/*
 * A context of its own kind on the device, in a place that is to be had as how says. Under the engine's lock, which is
 * left while the device is asked; until the session is its binder no more the context isn't closed for being idle.
 */
int wd_queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info, int how,
		  struct wd_queue **res);
/* Where the session's asynchronous requests wait for this CPU; NULL: no memory, or no place in its completion queue. */
struct wd_queue *wd_queue_soft(struct wd_session *s);
/* Try to open a queue that was stopped, or closed for another's sake; -EAGAIN: another thread is in the way. Under its produce lock. */
int wd_queue_reopen(struct wd_queue *q);
/* What was inherited becomes a place of this process, closed. Under the engine's lock. */
void wd_queue_renew(struct wd_queue *q);
/* The software context of a completion queue that is destroyed: for the next one. */
void wd_queue_park(struct wd_queue *q);

/* --- idle.c --- */
/* The session's contexts are in use; those that it had before are so no longer. Under the engine's lock. */
void wd_idle_hold(struct wd_session *s);
/* It uses none any more; freed: because it is freed, so that another may soon be made like it. The same. */
void wd_idle_drop(struct wd_session *s, bool freed);
/* Contexts that no session uses are closed. No lock is held. */
void wd_idle_close(void);

/* --- bind.c --- */
/*
 * The engine's lock, and one thread's turn to bind the session: that lasts until wd_bind_end(), the lock is left whenever a
 * device is asked. Not to be cancelled meanwhile.
 */
void wd_bind_begin(struct wd_session *s, int *cancel);
void wd_bind_end(struct wd_session *s, int cancel);
/* Contexts for the session, opened as needed. In its turn. 0 or -errno when devices only and none. */
int wd_engine_bind(struct wd_session *s);
/* So many contexts of its own from now on, 0: none. In its turn. 0, or -errno, recorded, and nothing has changed. */
int wd_engine_own(struct wd_session *s, unsigned int nr);
/* It is about to be freed: its own contexts are nobody's, and those that nobody else uses are closed. No lock is held. */
void wd_engine_release(struct wd_session *s);

/* --- submit.c --- */
/* A request that was stopped for another's sake, and is still counted, goes to a context again. 0 when it was taken. */
int wd_request_again(const struct wd_msg *msg);

/* --- deliver.c --- */
/* Take in what is complete, and run callbacks, at most max. */
unsigned int wd_deliver(struct wd_queue *q, unsigned int max);
/* Compute what waits for this CPU, at most max. */
unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max);
/* Those of the rows that this thread is in the middle of, when a callback polls. */
unsigned int wd_deliver_outer(unsigned int max);

/* What became of a request that was stopped; in the first two cases its session counts it once more. */
enum wd_redone {
	WD_REDONE_FLIES,	/* on a context again */
	WD_REDONE_WAITS,	/* for one, still as a request of the context that it was stopped with */
	WD_REDONE_OVER,
};

/* Ended with its context q: to one again, or done on this CPU. */
enum wd_redone wd_deliver_redo(struct wd_queue *q, struct wd_msg *msg);

/* --- poll.c --- */
/* Take in what is complete, end what is late, and run callbacks, at most max. How many ran. */
unsigned int wd_queue_run(struct wd_queue *q, unsigned int max);

/* --- session.c --- */
/* It was bound by a fork's parent: bind it to contexts of this process. */
void wd_session_rebind(struct wd_session *s);

/* --- user.c --- */
/* wd_user_start() without waiting, and without success where nothing can be held back. */
int wd_section_start_held(const char *name);
/* wd_user_stop() that ends what sessions have instead of refusing. */
int wd_section_stop_all(void);

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
	if (__builtin_expect(atomic_load_explicit(&wd_engine.done_waiters, memory_order_relaxed), 0))
		wd_bells_done();
}

#endif
