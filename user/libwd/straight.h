/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The straight way: a request that needs nothing beside its descriptor goes
 * from its caller's struct into the ring, and its results from there into the
 * struct, without a message and without a second decision.
 *
 * The core's part is inlined into the functions that a driver makes of it
 * (struct wd_driver: sync, async_one, async), so that a request makes one call
 * and nothing is loaded twice. Whatever is not as it is for most requests is
 * left to submit.c and drain.c.
 */
#ifndef WD_STRAIGHT_H
#define WD_STRAIGHT_H

#include "engine.h"
#include "pollers.h"
#include "tally.h"

#define WD_INLINE	static inline __attribute__((always_inline))
/* Stays where it is: gcc would gather pairs of words in vectors, which costs more than it saves. */
#define WD_SCALAR(x)	__asm__("" : "+r"(x))

/* --- slots --- */

static inline bool wd_slot_is_free(const struct wd_slot *slot)
{
	return __builtin_expect(atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_FREE, 1);
}

/*
 * A free one, at the tail or behind those taken just now, becomes that of a
 * request. Returns its generation. Its aux is nobody's, and whether it may be
 * done again is found out by who has to know.
 */
WD_INLINE __u32 wd_slot_begin(struct wd_slot *slot, struct wd_session *s, void *req, struct wd_msg *own)
{
	__u32 gen = (slot->gen + 1u) & WD_TAG_GEN_MASK;

	slot->owner = own ? own : req;
	slot->sess = s;
	slot->deadline = own ? own->deadline : 0;
	slot->gen = (__u16)gen;
	slot->flags = WD_SLOT_STRAIGHT;
	return gen;
}

/* After its descriptor: who sees the state, because a completion says it is that slot's, may read both. */
WD_INLINE void wd_slot_filled(struct wd_slot *slot, bool async)
{
	atomic_store_explicit(&slot->state, async ? WD_SLOT_ASYNC : WD_SLOT_SYNC, memory_order_release);
}

/* Went the straight way, and nothing is against its coming back the same way: it isn't late. */
static inline bool wd_slot_straight(const struct wd_slot *slot)
{
	return slot->flags == WD_SLOT_STRAIGHT;
}

/* n slots are taken and filled, up to that before tail; before the doorbell, so that no drain finds more complete than is in flight. */
WD_INLINE void wd_slots_begun(struct wd_queue *q, unsigned int n, unsigned int tail, bool async)
{
	q->tail = tail;
	if (async)
		wd_count(&q->async_submitted, n);
	wd_count(&q->submitted, n);
}

/* The caller's argument struct. */
static inline void *wd_slot_req(const struct wd_slot *slot, bool sync)
{
	return sync ? ((const struct wd_msg *)slot->owner)->req : slot->owner;
}

/* The owner of a synchronous request, which may leave at once, goes on. */
static inline void wd_msg_over(struct wd_queue *q, struct wd_msg *msg)
{
	if (msg == q->pub.self)
		atomic_store_explicit(&msg->state, WD_MSG_DONE, memory_order_relaxed);
	/* The owner may leave the moment it sees DONE; waking a word that is gone does no harm. */
	else if (atomic_exchange(&msg->state, WD_MSG_DONE) == WD_MSG_WAITED)
		wd_futex_wake(&msg->state, 1);
}

/* Results of somebody's synchronous request have been told: its slot is free, its owner goes on. */
static inline void wd_slot_told(struct wd_queue *q, struct wd_slot *slot)
{
	struct wd_msg *msg = slot->owner;

	msg->status = 0;
	msg->told = true;
	wd_slot_free(q, slot);
	wd_msg_over(q, msg);
}

/* --- submitting --- */

/* The first of its contexts, when nothing speaks against it: that is the case to be fast in. */
WD_INLINE struct wd_queue *wd_first_queue(struct wd_session *s, size_t bytes)
{
	struct wd_queue *q = atomic_load_explicit(&s->first, memory_order_acquire);

	return __builtin_expect(!q || (bytes < q->worth && s->soft_ok), 0) ? NULL : q;
}

/* Under the produce lock: for how many the context has room. */
WD_INLINE __u32 wd_room_locked(struct wd_queue *q)
{
	return __builtin_expect(atomic_load_explicit(&q->state, memory_order_relaxed), 0) ? 0 : q->limit - wd_queue_in_flight(q);
}

/*
 * send: the request to the slot at the tail, and the doorbell; whether it was
 * fit. next: if its completion is the next, and it went well, take it and tell
 * the caller; with a device that is done when its doorbell has been rung that
 * is all there is to do.
 */
WD_INLINE enum wd_straight wd_straight_sync(struct wd_queue *q, struct wd_session *s, struct wd_msg *msg, size_t bytes,
					    bool (*send)(struct wd_queue *q, struct wd_session *s, struct wd_msg *msg),
					    bool (*next)(struct wd_queue *q, struct wd_msg *msg, unsigned int index))
{
	unsigned int index;
	bool sent, told;

	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
	wd_lock(&q->produce);
	index = q->tail;
	sent = __builtin_expect(wd_room_locked(q) != 0, 1) && send(q, s, msg);
	wd_unlock(&q->produce);
	if (__builtin_expect(!sent, 0))
		return WD_STRAIGHT_NOT;
	if (__builtin_expect(wd_drain_trylock(q), 1)) {
		told = !atomic_load_explicit(&q->state, memory_order_relaxed) && next(q, msg, index);
		wd_drain_unlock(q);
		if (__builtin_expect(told, 1)) {
			wd_room_made();
			return WD_STRAIGHT_TOLD;
		}
	}
	return wd_straight_wait(q, msg, bytes);
}

/* send: as many as are fit of those to the slots from the tail on, and the doorbell. */
WD_INLINE unsigned int wd_straight_async(struct wd_queue *q, struct wd_session *s, void *const reqs[], unsigned int n,
					 unsigned int (*send)(struct wd_queue *q, struct wd_session *s, void *const reqs[],
							      unsigned int n))
{
	unsigned int sent = 0;
	__u32 room;

	wd_lock(&q->produce);
	room = wd_room_locked(q);
	if (__builtin_expect(room != 0, 1)) {
		/* Before anybody can be told of their ends. */
		atomic_fetch_add(&s->in_flight, n);
		sent = send(q, s, reqs, n < room ? n : room);
		if (__builtin_expect(sent < n, 0))
			atomic_fetch_sub(&s->in_flight, n - sent);
	}
	wd_unlock(&q->produce);
	return sent;
}

/* --- completions --- */

/* After a pull that returned ret, without the lock. How many; 1 for the end of the queue. */
static inline int wd_drained(struct wd_queue *q, int ret)
{
	wd_room_made();
	if (atomic_load_explicit(&q->ready_nr, memory_order_relaxed)) {
		wd_async_done();
		wd_pollers_due(q);
	}
	if (__builtin_expect(ret > 0, 1))
		return ret;
	wd_queue_broken(q, ret);
	return 1;
}

/*
 * What a pull for somebody who delivers keeps over its row: where the next one
 * goes, and those of one session, since from, that nobody has counted yet.
 */
struct wd_told {
	struct wd_due *due;
	struct wd_due *from;
	struct wd_session *s;
	__u64 in;
	__u64 out;
};

WD_INLINE void wd_told_begin(struct wd_told *t, struct wd_queue *q)
{
	*t = (struct wd_told){ .due = q->due->due + q->due->nr };
	t->from = t->due;
}

/* Whether that slot's is such a request; its arrival is known from the ring. */
WD_INLINE bool wd_told_may(const struct wd_slot *slot)
{
	return atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_ASYNC && wd_slot_straight(slot);
}

WD_INLINE void wd_told_count(struct wd_told *t, struct wd_queue *q)
{
	__u32 nr = (__u32)(t->due - t->from);

	if (!nr)
		return;
	wd_tally_add(q, t->s, t->in, t->out, nr);
	wd_count(&q->freed, nr);
	t->from = t->due;
	t->in = t->out = 0;
}

/* The slot's request has been told about: its callback is due, its slot free. */
WD_INLINE void wd_told_one(struct wd_told *t, struct wd_queue *q, struct wd_slot *slot, __u64 in, __u64 out)
{
	struct wd_session *s = slot->sess;

	if (__builtin_expect(s != t->s, 0)) {
		wd_told_count(t, q);
		t->s = s;
	}
	WD_SCALAR(in);
	WD_SCALAR(out);
	t->in += in;
	t->out += out;
	WD_SCALAR(s);
	t->due->sess = s;
	t->due->req = slot->owner;
	t->due++;
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
}

WD_INLINE void wd_told_end(struct wd_told *t, struct wd_queue *q)
{
	wd_told_count(t, q);
	q->due->nr = (unsigned int)(t->due - q->due->due);
}

#endif
