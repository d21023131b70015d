/* SPDX-License-Identifier: Apache-2.0 */
/* The request core's functions by file, lowest layer first: a file calls only those above it. Private to libwd. */
#ifndef WD_CORE_H
#define WD_CORE_H

#include "base/likely.h"
#include "device/table.h"

#define WD_REOPEN_AFTER_NS	100000000ull	/* between two attempts to reopen a context */
#define WD_REOPENED_NS		(WD_REOPEN_AFTER_NS + 10000000ull)	/* how long to wait for the next attempt */
/* How long requests wait for a device that is being reset, or ends each queue at once. */
#define WD_RESET_NS		30000000000ull
#define WD_LOOK_AGAIN_NS	1000000000ull	/* between two searches for devices by a session that has none */

/* --- the drain lock --- */
static inline bool wd_drain_trylock(struct wd_queue *q)
{
	return !wd_lock_is_taken(&q->drain) && wd_trylock(&q->drain);
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

/* Wake the threads that wait for room, if there are any. */
void wd_room_tell(void);
/* Give back the n slots that were taken last. */
void wd_slots_untake(struct wd_queue *q, unsigned int n);
/* Under the drain lock. */
static inline void wd_slot_free(struct wd_queue *q, struct wd_slot *slot)
{
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
	wd_count(&q->freed, 1);
}

/* --- soft.c --- */
/* Is there a request that no thread computes yet? */
bool wd_soft_waits(struct wd_queue *q);
/*
 * Under the drain lock: claim the next software request that no thread computes yet, and fill in its message; false:
 * there is none. Its slot is free from then on.
 */
bool wd_soft_claim(struct wd_queue *q, struct wd_msg *msg);
void wd_soft_compute(struct wd_queue *q, struct wd_msg *msg);
/* Under the drain lock: the claimed request is no longer in flight. */
void wd_soft_over(struct wd_queue *q, const struct wd_msg *msg);

/* --- bell.c --- */
/* Callbacks have run, or are due: wake the threads that no file wakes. */
void wd_bells_done(void);

/* --- tally.c --- */
/* In the session's turn to be bound: free the rows of contexts that are gone for good. */
void wd_tally_fold(struct wd_session *s);
/* The same in a fork's child: clear all rows and counters. */
void wd_tally_forget(struct wd_session *s);

/* --- path.c --- */
/* The i-th of the session's contexts on devices, or (soft) of its software contexts; NULL: no more. */
struct wd_queue *wd_session_queue(struct wd_session *s, unsigned int i, bool soft);

/* --- rest.c --- */
/* 0, or -EINVAL for a bad WD_REST, recorded. */
int wd_rest_check(void);
/* Whether the device with that number rests. */
bool wd_device_rests(int node_id);

/* --- sleeper.c --- */
/* Take the role, if it is free. */
bool wd_sleeper_enter(struct wd_queue *q);
/*
 * Wait for the role and take it. The caller has ended the queue's usable state before, so that no thread begins a
 * sleep.
 */
void wd_sleeper_wait(struct wd_queue *q);
void wd_sleeper_leave(struct wd_queue *q);
/* As the sleeper: request an event; false: there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q);

/* --- cqset.c --- */
#define WD_CQ_QUEUES	32	/* contexts of a completion queue at most */

/* A session joins the completion queue, which then lasts until wd_cq_quit(). On failure NULL and *ret, recorded. */
struct wd_cq *wd_cq_join(handle_t h, int *ret);
void wd_cq_quit(struct wd_cq *cq);
/*
 * Make the context deliver to the queue. Under the engine's lock, which is released while another thread stops the
 * context. 0, also when it delivers there already; -EUSERS: the queue has no room for another context, or the context
 * none for another queue.
 */
int wd_cq_add(struct wd_cq *cq, struct wd_queue *q);
/* Whether the context delivers to the queue; and whether wd_cq_add() would succeed (under the engine's lock). */
bool wd_cq_has(struct wd_cq *cq, struct wd_queue *q);
bool wd_cq_may_add(struct wd_cq *cq, struct wd_queue *q);
/*
 * Add n, which may be negative, to the number of the queue's sessions that are bound to the context. Under the engine's
 * lock.
 */
void wd_cq_use(struct wd_cq *cq, struct wd_queue *q, int n);
/* Store the queue's contexts and return their number, at most WD_CQ_QUEUES. */
unsigned int wd_cq_queues(struct wd_cq *cq, struct wd_queue *queue[]);
/* -ESTALE, recorded, for a session whose completion queue belongs to a fork's parent; else 0. */
int wd_cq_check(struct wd_session *s);
/*
 * Take credits for *n requests, or as many as are free. 0, -EBUSY, -ESTALE. After 0 the queue lasts until
 * wd_cq_leave().
 */
int wd_cq_enter(struct wd_session *s, unsigned int *n);
/*
 * Give back the credits of unsubmitted requests; ret: how many were submitted, or -errno. If any were, the session may
 * be gone.
 */
void wd_cq_leave(struct wd_cq *cq, unsigned int n, int ret);
/*
 * Requests were submitted: wakes a thread that sleeps on the queue, or sets its timer, as far as no file reports them.
 */
void wd_cq_submitted(struct wd_cq *cq);
/* Under the drain lock: add the context's file to its completion queues' epoll sets, or remove it from them. */
void wd_cq_watch(struct wd_queue *q);
void wd_cq_unwatch(struct wd_queue *q);
/*
 * Under the drain lock: all requests of the context have just ended. err: what its queues report as an event, 0:
 * nothing.
 */
void wd_cq_broke(struct wd_queue *q, int err);
/* Under the drain lock: wake the threads that sleep for requests which have come to the context's lanes. */
void wd_cq_tell(struct wd_queue *q);

/* --- the end of a context --- */
/* Whether the request of this message, which a device may have begun, can be repeated. */
static inline bool wd_may_redo(const struct wd_msg *msg)
{
	bool (*ask)(const struct wd_msg *msg) = msg->sess->cls->may_redo;

	return msg->redo && (!ask || ask(msg));
}

/* --- drain.c --- */
/* Drain completions; self: the caller's own message. Returns their number; 0 also while another thread drains. */
int wd_queue_drain(struct wd_queue *q, const struct wd_msg *self);
/* The same for the sleeper, who passes a result other than 0 to wd_drained(): an error only after leaving the role. */
int wd_queue_take(struct wd_queue *q, const struct wd_msg *self);
/* The same for a queue with nothing in flight, to learn of its end. The caller has no queue's sleeper's role. */
void wd_queue_look(struct wd_queue *q);
/* Stop the queue because of a deadline, if one of its requests is late; afterwards the device has none of them. */
void wd_queue_stop(struct wd_queue *q);
/*
 * Stop the queue if a device may have one of the session's requests that are marked with WD_SLOT_CANCEL. false: it may
 * still have one, since another thread keeps the queue out of use; try again later.
 */
bool wd_queue_cancelled(struct wd_queue *q, const struct wd_session *s);
/* Whether the stopped request was cancelled: it must not be repeated. */
static inline bool wd_is_cancelled(const struct wd_msg *msg)
{
	return msg->cancels != atomic_load(&msg->sess->cancels);
}

/*
 * Under the produce or the drain lock: a push or a pull returned ret. An error is that of this opening: the next one
 * begins without, under both locks.
 */
static inline void wd_queue_failed(struct wd_queue *q, int ret)
{
	if (unlikely(ret < 0))
		atomic_store_explicit(&q->failed, ret, memory_order_relaxed);
}

/*
 * After that, with no lock held: the requests of the queue end with the error, -EIO or -ENODEV, or are redone. Does
 * nothing when another thread has stopped the queue meanwhile, even if it is open again.
 */
void wd_queue_broken(struct wd_queue *q);
/* Make the queue gone, whatever its state, as if its device were gone. The caller has no queue's sleeper's role. */
void wd_queue_end(struct wd_queue *q);
/*
 * Close a queue that is gone, once no thread sleeps on its file and its ring has no results. Called wherever one of
 * these obstacles may have ended. Under the drain lock.
 */
void wd_queue_shed(struct wd_queue *q);
/* The same with no lock held. */
void wd_queue_gone(struct wd_queue *q);
/*
 * Under the drain lock: take the lane's first request, if there is one, and free its slot. If the caller's struct has
 * the results already, due->req names it; else due->req is NULL, and msg is the request's message.
 */
bool wd_ready_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due);
/* Move ready requests off the ring: their slots become free, their callbacks stay due. */
void wd_ready_aside(struct wd_queue *q);
/* Wake the threads that wait for asynchronous completions. */
static inline void wd_async_done(void);

/* --- deadline.c --- */
/* Stop the context if a deadline of its requests has passed. Waiting requests whose time has come become ready. */
void wd_check_deadlines(struct wd_queue *q);
/* Take one more deadline into account. */
void wd_deadline_note(struct wd_queue *q, __u64 deadline);

/* --- room.c --- */
/* Wake the threads that wait for room; after wd_slot_free(). */
static inline void wd_room_made(void);
/* Wait until one of the session's contexts, or q if given, has room. 0, -ETIMEDOUT: the deadline has passed. */
int wd_room_wait(struct wd_session *s, struct wd_queue *q, __u64 deadline);
/*
 * The current call is about to return -EBUSY. seq: wd_engine.room_seq before it looked for room; held_up: another
 * thread prevents a context's reopening.
 */
void wd_room_busy(struct wd_session *s, __u32 seq, bool held_up);

/* --- wait.c --- */
/* Wait until msg, a request of that many bytes, is done, or its deadline has stopped the queue. Returns msg->status. */
int wd_queue_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/*
 * Continue a request of the session that the fast path hasn't finished: begun: it waits for its completion, and other
 * threads may fill in its message; else it is not in the ring. Returns what the public call returns.
 */
int wd_fast_go_on(struct wd_queue *q, struct wd_session *s, const void *req, struct wd_msg *msg, bool begun);
/* Spin for anything to drain; false: it is time to sleep. */
bool wd_spin(struct wd_queue *q);
/* Leave the sleeper's role, and wake a waiting thread that takes it over. */
void wd_sleeper_pass_on(struct wd_queue *q);

/* --- evict.c --- */
/* Whether the contexts are of one kind and on the same device. */
bool wd_same_group(const struct wd_queue *a, const struct wd_queue *b);
/*
 * Under the grants' lock, which is released meanwhile: close an idle context of the device in favour of q. -EDQUOT:
 * none can be closed; -EAGAIN: another thread has opened or closed one, and the caller looks again.
 */
int wd_evict_for(const struct wd_queue *q);
/* Close all open contexts. No session uses them, and none can open another. No lock is held. */
void wd_evict_all(void);
/*
 * Close a context that no session uses, unless the slot grants its place: no other process could use that. No lock is
 * held.
 */
void wd_evict_idle(struct wd_queue *q);

/* --- open.c --- */
/*
 * Open a context of the session's kind on the device, in a place that is obtained as how says. Under the engine's
 * lock, which is released during calls to the device. While the session is its binder, the context isn't closed for
 * being idle.
 */
int wd_queue_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info, int how,
		  struct wd_queue **res);
/* The software context for the session's asynchronous requests; NULL: no memory, or no room in its completion queue. */
struct wd_queue *wd_queue_soft(struct wd_session *s);
/*
 * Try to reopen a queue that was stopped, or closed in favour of another; -EAGAIN: another thread prevents it. Under
 * its produce lock.
 */
int wd_queue_reopen(struct wd_queue *q);
/* Is its device being reset, as far as the last attempt to reopen it showed, and not for too long? */
static inline bool wd_queue_resetting(const struct wd_queue *q)
{
	__u64 since = atomic_load_explicit(&q->reset_since, memory_order_relaxed);

	return since && wd_now_ns() - since < WD_RESET_NS;
}

/* Is that reset why the context took no request, which failed with err? */
static inline bool wd_queue_reset_refused(const struct wd_queue *q, int err)
{
	return (err == -EIO || err == -EDQUOT) && wd_queue_resetting(q);
}

/*
 * Under the produce lock: the ring took nothing, because it is over. Such an opening is in vain if it had not taken any
 * request before.
 */
void wd_queue_refused(struct wd_queue *q);
/* Have all openings been in vain for as long as requests wait? Under the produce lock. */
static inline bool wd_queue_in_vain(const struct wd_queue *q)
{
	return q->vain_since && q->vain_seen - q->vain_since >= WD_RESET_NS;
}

/* Turn an inherited context into a closed one of this process. Under the engine's lock. */
void wd_queue_renew(struct wd_queue *q);
/* Keep the software context of a completion queue that is destroyed for the next one. */
void wd_queue_park(struct wd_queue *q);

/* --- idle.c --- */
/* Count the session as a user of its contexts, and no longer of those that it had before. Under the engine's lock. */
void wd_idle_hold(struct wd_session *s);
/*
 * The session uses no context any more. freed: it is being freed, and a similar one may follow. Under the engine's
 * lock.
 */
void wd_idle_drop(struct wd_session *s, bool freed);
/* Close the contexts that no session uses. No lock is held. */
void wd_idle_close(void);

/* --- bind.c --- */
/*
 * Take the engine's lock and the turn to bind the session. The turn lasts until wd_bind_end(); the lock is released
 * during calls to a device. The thread can't be cancelled meanwhile.
 */
void wd_bind_begin(struct wd_session *s, int *cancel);
void wd_bind_end(struct wd_session *s, int cancel);
/* Bind the session to contexts, opened as needed. In its turn. 0, or -errno if it is for devices only and got none. */
int wd_engine_bind(struct wd_session *s);
/* Give the session nr contexts of its own, 0: none. In its turn. 0, or -errno, recorded, with nothing changed. */
int wd_engine_own(struct wd_session *s, unsigned int nr);
/* The session is about to be freed: release its own contexts, and close those that no other uses. No lock is held. */
void wd_engine_release(struct wd_session *s);

/* --- submit.c --- */
/* Submit again a request that was stopped because of another, and is still counted. 0: a context took it. */
int wd_request_again(const struct wd_msg *msg);

/* --- deliver.c --- */
/*
 * Callbacks may leave by an exception or pthread_exit(), which passes through these. What they had taken in, and did
 * not deliver, is ready again.
 */

/* Drain completions and run callbacks, at most max. Returns how many ran. */
unsigned int wd_deliver(struct wd_queue *q, unsigned int max);
/* Compute requests that wait for the software path, and run their callbacks, at most max. Returns how many ran. */
unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max);
/* For a callback that polls: run the remaining callbacks of the rows that this thread is delivering, at most max. */
unsigned int wd_deliver_outer(unsigned int max);

/* The state of a stopped request; in the first two cases its session still counts it as in flight. */
enum wd_redone {
	WD_REDONE_FLIES,	/* in flight on a context again */
	WD_REDONE_WAITS,	/* waits for a context, as a request of the one that was stopped */
	WD_REDONE_OVER,
};

/* Redo a request that ended with its context q: on a context again, or on the software path. */
enum wd_redone wd_deliver_redo(struct wd_queue *q, struct wd_msg *msg);

/* --- poll.c --- */
#define WD_POLL_DEPTH	8	/* polls of one thread, each in a callback of the one before */

/* Drain completions, end late requests, and run callbacks, at most max. Returns how many ran. */
unsigned int wd_queue_run(struct wd_queue *q, unsigned int max);

/* --- session.c --- */
/* Bind a session that a fork's parent made to contexts of this process. */
void wd_session_rebind(struct wd_session *s);

/* --- user.c --- */
/* wd_user_start() that doesn't wait, and fails where the kernel can't hold contexts for the process. */
int wd_section_start_held(const char *name);
/* wd_user_stop() that ends the sessions' contexts instead of refusing. */
int wd_section_stop_all(void);

/* --- inlined for speed --- */
static inline void wd_room_made(void)
{
	if (wd_watch_heeds(&wd_engine.room))
		wd_room_tell();
}

static inline void wd_async_done(void)
{
	if (wd_watch_due(&wd_engine.done))
		wd_bells_done();
}

#endif
