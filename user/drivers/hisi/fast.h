/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path over rings, from a caller's struct into the ring and back. An engine's file has a constant struct
 * fast_ops for each type of its descriptors, and the entries that FAST_ENTRIES() defines for it. All functions here are
 * inlined into these entries, and the engine's functions into them: the loops call no function, so that a request costs
 * one call and nothing is loaded twice.
 */
#ifndef HISI_FAST_H
#define HISI_FAST_H

#include <errno.h>

#include "base/likely.h"
#include "queue.h"
#include "request/fast.h"

/*
 * Requests on the fast path: synchronous; asynchronous, which the class knows to have no deadline; and one of several.
 */
enum fast_kind {
	OWN,
	ONE,
	ONE_OF_MANY,
};

/**
 * struct fast_req - a request on its way into the ring, or its results on their way out
 * @s:		its session
 * @arg:	the caller's argument struct
 * @slot:	its slot
 * @index:	of the descriptor and the slot
 * @tag:	what its descriptor carries
 * @own:	the message of a synchronous request, or NULL; on the way in
 * @ready:	what the engine prepared before it took the lock, or NULL
 */
struct fast_req {
	struct wd_session *s;
	void *arg;
	struct wd_slot *slot;
	unsigned int index;
	__u32 tag;
	struct wd_msg *own;
	const void *ready;
};

/**
 * struct fast_ops - what the requests of one class do differently on one engine; a compile-time constant
 * @arg_bytes:	size of the class's argument struct
 * @type:	of the descriptors, where the engine has several
 * @fill:	write the request into its descriptor, with the tag from fast_begin(). False, with nothing done, when
 *		the slot isn't free, or the request can't take the fast path: it must pass the class's check, and need
 *		no more than a short one. The end of the argument struct has been checked. Where wd_slot_is_free() is
 *		asked counts: the compiler reads members again after it, instead of keeping all in registers. Under the
 *		produce lock
 * @result:	put the results of a successful request into the caller's struct, except for its end, and set the
 *		numbers of bytes that it read and wrote. False, with nothing done, when the request didn't succeed, or
 *		the slow path has to look at the results. Under the drain lock
 * @send:	for all other requests: write the message's request into its descriptor; 0 or -errno. Under the
 *		produce lock
 * @end:	put status and results of the message's request into the message. Under the drain lock
 * @abort:	release what @send took for the request at that index, which will not complete
 */
struct fast_ops {
	size_t arg_bytes;
	unsigned int type;
	bool (*fill)(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r);
	bool (*result)(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, __u64 *in,
		       __u64 *out);
	int (*send)(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m);
	void (*end)(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m, unsigned int index);
	void (*abort)(struct wd_queue *q, unsigned int index);
};

/* The request's descriptor; bytes: size of each. */
WD_INLINE __le64 *fast_sqe(const struct hisi_queue *h, const struct fast_req *r, size_t bytes)
{
	return (__le64 *)(void *)(h->ring.sq + r->index * bytes);
}

/* --- submitting --- */

/*
 * Checks the last members of an argument struct in one expression. Where the session delivers to a completion queue,
 * the slow path has checked that there is no callback.
 */
WD_INLINE bool fast_end_fits(const struct fast_ops *ops, const struct wd_session *s, const void *arg,
			     enum fast_kind kind)
{
	const struct wd_arg_end *end = wd_arg_end(arg, ops->arg_bytes);
	const __u64 *r = end->reserved;

	return !(end->flags | (kind == ONE_OF_MANY ? end->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]) &&
	       (kind == OWN || likely(((const struct wd_arg *)arg)->cb != NULL) || s->no_cb);
}

/* For fill(): makes the slot the request's. Returns the tag. */
WD_INLINE __u32 fast_begin(struct fast_req *r)
{
	r->tag = WD_TAG(wd_slot_begin(r->slot, r->s, r->arg, r->own), r->index);
	return r->tag;
}

/* Of r, the caller sets all but slot and tag. */
WD_INLINE bool fast_fill(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h, struct fast_req *r,
			 enum fast_kind kind)
{
	r->slot = &q->pub.slots[r->index];
	if (unlikely(!fast_end_fits(ops, r->s, r->arg, kind) || !ops->fill(ops, h, r)))
		return false;
	wd_slot_filled(r->slot, !r->own);
	return true;
}

/*
 * Submits n filled slots, up to the one before tail. Counts before the doorbell, so that no drain finds more complete
 * than in flight.
 */
WD_INLINE void fast_send(struct wd_queue *q, struct hisi_queue *h, unsigned int n, unsigned int tail, bool async)
{
	q->tail = tail;
	if (async)
		wd_count(&q->async_submitted, n);
	wd_count(&q->submitted, n);
	wd_ring_submit_to(&h->ring, n, tail);
}

/* False when the request can't take the fast path. */
WD_INLINE bool fast_send_one(const struct fast_ops *ops, struct wd_queue *q, struct fast_req *r, enum fast_kind kind)
{
	struct hisi_queue *h = hisi_queue_of(q);

	r->index = q->tail;
	/* The slow path records why. */
	if (unlikely(wd_ring_tx_stopped(&h->ring) || !fast_fill(ops, q, h, r, kind)))
		return false;
	fast_send(q, h, 1, wd_ring_after(&h->ring, r->index), !r->own);
	return true;
}

/* Fills descriptors up to the end of the ring at most. Returns the first request that has none. */
WD_INLINE void *const *fast_fill_run(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h,
				     struct fast_req *r, void *const *req, void *const *end)
{
	for (; req != end && *req; req++, r->index++) {
		r->arg = *req;
		if (!fast_fill(ops, q, h, r, ONE_OF_MANY))
			break;
	}
	return req;
}

/* Up to the first request that can't take the fast path, with one doorbell. */
WD_INLINE unsigned int fast_send_row(const struct fast_ops *ops, struct wd_queue *q, struct wd_session *s,
				     void *const reqs[], unsigned int n)
{
	struct hisi_queue *h = hisi_queue_of(q);
	struct fast_req r = { .s = s, .index = q->tail };
	void *const *next = reqs, *const *stop, *const *end = reqs + n;
	unsigned int sent, room;

	if (unlikely(wd_ring_tx_stopped(&h->ring)))
		return 0;
	do {
		room = h->ring.sq_depth - r.index;
		stop = n < room ? end : next + room;
		next = fast_fill_run(ops, q, h, &r, next, stop);
		n -= room;
		if (r.index == h->ring.sq_depth)
			r.index = 0;
	} while (next == stop && stop != end);
	sent = (unsigned int)(next - reqs);
	if (likely(sent != 0))
		fast_send(q, h, sent, r.index, true);
	return sent;
}

/* Under the produce lock: the context's room for requests. */
WD_INLINE __u32 fast_room(struct wd_queue *q)
{
	return unlikely(atomic_load_explicit(&q->state, memory_order_relaxed)) ? 0 : q->limit - wd_queue_in_flight(q);
}

/* The same for asynchronous requests; below 0: none. */
WD_INLINE __s32 fast_async_room(struct wd_queue *q)
{
	return unlikely(atomic_load_explicit(&q->state, memory_order_relaxed)) ? 0 : wd_queue_async_room(q);
}

/* One asynchronous request; false: it was not submitted. */
WD_INLINE bool fast_submit(const struct fast_ops *ops, struct wd_queue *q, struct wd_session *s, void *req,
			   enum fast_kind kind, const void *ready)
{
	struct fast_req r = { .s = s, .arg = req, .ready = ready };

	wd_lock(&q->produce);
	if (likely(fast_async_room(q) > 0)) {
		/* Before another thread can learn of its completion. */
		atomic_fetch_add(&s->in_flight, 1);
		if (likely(fast_send_one(ops, q, &r, kind))) {
			wd_unlock(&q->produce);
			return true;
		}
		atomic_fetch_sub(&s->in_flight, 1);
	}
	wd_unlock(&q->produce);
	return false;
}

/* Returns how many of the n requests were submitted. */
WD_INLINE unsigned int fast_submit_row(const struct fast_ops *ops, struct wd_queue *q, struct wd_session *s,
				       void *const reqs[], unsigned int n)
{
	unsigned int sent = 0;
	__s32 room;

	wd_lock(&q->produce);
	room = fast_async_room(q);
	if (likely(room > 0)) {
		atomic_fetch_add(&s->in_flight, n);
		sent = fast_send_row(ops, q, s, reqs, n < (__u32)room ? n : (__u32)room);
		if (unlikely(sent < n))
			atomic_fetch_sub(&s->in_flight, n - sent);
	}
	wd_unlock(&q->produce);
	return sent;
}

/* --- results --- */

/* The request in that slot, which is not free. */
WD_INLINE struct fast_req fast_req_of(struct wd_slot *slot, void *arg, unsigned int index)
{
	return (struct fast_req){
		.s = slot->sess, .arg = arg, .slot = slot, .index = index, .tag = WD_TAG(slot->gen, index)
	};
}

/* How the session's requests end that succeed on the context. */
WD_INLINE void fast_how(union wd_how *how, const struct wd_queue *q, const struct wd_session *s)
{
	how->status = 0;
	how->path = q->pub.path;
	how->path_reason = atomic_load_explicit(&s->reason, memory_order_relaxed);
}

/* Puts the request's results into its caller's struct, and counts it; false as ops->result() says. */
WD_INLINE bool fast_tell(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h,
			 const struct fast_req *r)
{
	struct wd_arg_end *end = wd_arg_end(r->arg, ops->arg_bytes);
	__u64 in, out;

	if (unlikely(!ops->result(ops, h, r, &in, &out)))
		return false;
	end->consumed = in;
	fast_how(&end->how, q, r->s);
	wd_tally_add(q, r->s, in, out, 1);
	return true;
}

/* The same for the request in that slot. */
WD_INLINE bool fast_tell_at(const struct fast_ops *ops, struct wd_queue *q, struct wd_slot *slot, void *arg,
			    unsigned int index)
{
	const struct fast_req r = fast_req_of(slot, arg, index);

	return fast_tell(ops, q, hisi_queue_of(q), &r);
}

/* --- synchronous --- */

/*
 * Takes the next completion if it is that of the thread's own request, and successful. With a device that is done when
 * its doorbell has been rung, no more is needed.
 */
WD_INLINE bool fast_take_own(const struct fast_ops *ops, struct wd_queue *q, const struct fast_req *r)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 pos = wd_ring_pos(&h->ring);

	/* Another thread may have ended the request already, and its slot may belong to another one. */
	if (unlikely(!wd_ring_is_about(&h->ring, pos, (__u16)r->index) ||
		     atomic_load_explicit(&r->own->state, memory_order_relaxed) == WD_MSG_DONE ||
		     !wd_slot_is_fast(r->slot) || !fast_tell(ops, q, h, r)))
		return false;
	wd_slot_free(q, r->slot);
	wd_ring_took(&h->ring, wd_ring_pos_after(&h->ring, pos), 1);
	wd_ring_end(&h->ring);
	return true;
}

WD_INLINE int fast_do(const struct fast_ops *ops, struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q,
		      const void *ready)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_msg *msg = (struct wd_msg *)buf;
	struct fast_req r = { .s = s, .arg = req, .own = msg, .ready = ready };

	msg->req = req;
	msg->deadline = deadline;
	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
	wd_lock(&q->produce);
	if (unlikely(!fast_room(q) || !fast_send_one(ops, q, &r, OWN))) {
		wd_unlock(&q->produce);
		return wd_fast_go_on(q, s, req, msg, false);
	}
	wd_unlock(&q->produce);
	if (likely(wd_trylock(&q->drain))) {
		if (likely(!atomic_load_explicit(&q->state, memory_order_relaxed) && fast_take_own(ops, q, &r))) {
			wd_drain_unlock(q);
			wd_room_made();
			return 0;
		}
		wd_drain_unlock(q);
	}
	return wd_fast_go_on(q, s, req, msg, true);
}

/* --- completions --- */

/*
 * For a synchronous request of another thread: puts the results into its caller's struct, frees the slot and wakes the
 * owner, which may return at once.
 */
WD_INLINE bool fast_tell_owner(const struct fast_ops *ops, struct wd_queue *q, struct wd_slot *slot,
			       unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	if (!fast_tell_at(ops, q, slot, msg->req, index))
		return false;
	msg->status = 0;
	msg->told = true;
	wd_slot_free(q, slot);
	wd_msg_over(q, msg);
	return true;
}

/*
 * All other requests: unsuccessful ones, and those that stay in the ring until a thread has time for them. 1: the
 * completion counts; 0: it is a second completion of the same descriptor, and is ignored; -1: that isn't known yet.
 */
typedef int fast_other_fn(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot);

WD_INLINE int fast_other(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot)
{
	/* The caller doesn't keep it in a register. */
	unsigned int index = (unsigned int)(slot - q->pub.slots);
	bool filling = wd_ring_filling(&h->ring);

	wd_ring_see_sent(&h->ring);
	switch (atomic_load_explicit(&slot->state, memory_order_acquire)) {
	case WD_SLOT_SYNC:
		if (!wd_slot_is_fast(slot) || !fast_tell_owner(ops, q, slot, index))
			wd_queue_sync_done(q, slot, index);
		return 1;
	case WD_SLOT_ASYNC:
		wd_queue_async_done(q, slot, index);
		return 1;
	}
	return filling ? -1 : 0;
}

/*
 * State of a pull that also delivers: where the next request goes in the row, and the requests of one session, from
 * @from on, that aren't counted yet.
 */
struct fast_row {
	struct wd_due *due;
	struct wd_due *from;
	struct wd_session *s;
	union wd_how how;
	__u64 in;
	__u64 out;
};

WD_INLINE void fast_row_count(struct fast_row *row, struct wd_queue *q)
{
	__u32 nr = (__u32)(row->due - row->from);

	if (!nr)
		return;
	wd_tally_add(q, row->s, row->in, row->out, nr);
	wd_count(&q->freed, nr);
	row->from = row->due;
	row->in = row->out = 0;
}

/* The requests that follow are another session's. */
WD_INLINE void fast_row_change(struct fast_row *row, struct wd_queue *q, struct wd_session *s)
{
	fast_row_count(row, q);
	row->s = s;
	fast_how(&row->how, q, s);
}

/* Adds a request whose results are in place, and makes its callback due. */
WD_INLINE void fast_row_add(const struct fast_ops *ops, struct fast_row *row, const struct fast_req *r, __u64 in,
			    __u64 out)
{
	struct wd_arg_end *end = wd_arg_end(r->arg, ops->arg_bytes);

	end->consumed = in;
	end->how.all = row->how.all;
	row->in += in;
	row->out += out;
	*row->due++ = (struct wd_due){ .sess = r->s, .req = r->arg };
	atomic_store_explicit(&r->slot->state, WD_SLOT_FREE, memory_order_release);
}

/* Adds the slot's request if it belongs into the row, and frees the slot; the ring shows that it has completed. */
WD_INLINE bool fast_row_take(const struct fast_ops *ops, struct fast_row *row, struct wd_queue *q,
			     struct hisi_queue *h, struct wd_slot *slot, unsigned int index)
{
	struct fast_req r;
	__u64 in, out;

	if (unlikely(atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_ASYNC ||
		     !wd_slot_is_fast(slot)))
		return false;
	r = fast_req_of(slot, slot->owner, index);
	if (unlikely(r.s != row->s))
		fast_row_change(row, q, r.s);
	if (unlikely(!ops->result(ops, h, &r, &in, &out)))
		return false;
	fast_row_add(ops, row, &r, in, out);
	return true;
}

/* For a caller that delivers what this takes; max is not above its room. Returns how many. */
WD_INLINE __u32 fast_pull_row(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h, __u32 max,
			      struct wd_ring_at *at, fast_other_fn *other)
{
	struct wd_due *first = q->due->due + q->due->nr;
	struct fast_row row = { .due = first, .from = first };
	__u32 left = max;
	__u16 index;

	while (left && wd_ring_peek(&h->ring, at, &index) > 0) {
		struct wd_slot *slot = &q->pub.slots[index];
		int counts;

		if (likely(fast_row_take(ops, &row, q, h, slot, index))) {
			left--;
		} else {
			counts = other(q, h, slot);
			if (counts < 0)
				break;
			left -= (__u32)counts;
		}
		wd_ring_step(&h->ring, at);
	}
	fast_row_count(&row, q);
	q->due->nr = (unsigned int)(row.due - q->due->due);
	return max - left;
}

/* For a caller that doesn't deliver. */
WD_INLINE __u32 fast_pull_all(struct wd_queue *q, struct hisi_queue *h, __u32 max, struct wd_ring_at *at,
			      fast_other_fn *other)
{
	__u32 left = max;
	__u16 index;
	int counts;

	while (left && wd_ring_peek(&h->ring, at, &index) > 0) {
		counts = other(q, h, &q->pub.slots[index]);
		if (counts < 0)
			break;
		left -= (__u32)counts;
		wd_ring_step(&h->ring, at);
	}
	return max - left;
}

WD_INLINE int fast_pull(const struct fast_ops *ops, struct wd_queue *q, unsigned int max, fast_other_fn *other)
{
	struct hisi_queue *h = hisi_queue_of(q);
	struct wd_ring_at at = wd_ring_at(&h->ring, wd_ring_pos(&h->ring));
	__u32 n, may = wd_ring_may_take(&h->ring, max);

	/* Often there is nothing to pull. */
	if (unlikely(may && !wd_ring_at_valid(&at) && !wd_ring_look(&h->ring))) {
		wd_ring_end(&h->ring);
		return 0;
	}
	if (q->due)
		n = fast_pull_row(ops, q, h, may, &at, other);
	else
		n = fast_pull_all(q, h, may, &at, other);
	wd_ring_took(&h->ring, wd_ring_pos_of(&h->ring, &at), n);
	wd_ring_end(&h->ring);
	return likely(n != 0) ? (int)n : hisi_queue_why_nothing(h);
}

/* --- messages: requests that don't take the fast path --- */

/* Fills descriptors for n messages and rings the doorbell once. */
WD_INLINE int fast_push(const struct fast_ops *ops, struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int i;
	int ret = 0;

	/* The core keeps to the limit, so both rings always have room. */
	for (i = 0; i < n; i++) {
		ret = ops->send(ops, h, msgs[i]);
		if (ret)
			break;
	}
	if (wd_ring_tx_stopped(&h->ring)) {
		while (i--)
			ops->abort(q, HISI_INDEX(msgs[i]));
		return wd_ring_why(&h->ring);
	}
	if (!i)
		return ret;
	wd_ring_submit_to(&h->ring, i, wd_ring_after(&h->ring, HISI_INDEX(msgs[i - 1])));
	return (int)i;
}

/* --- entries --- */

/*
 * Entries of struct wd_driver, for these operations: name_sync() and so on. The first three submit requests that need
 * no preparation.
 */
#define FAST_SUBMITS(name, ops) \
static int name##_sync(struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q) \
{ \
	return fast_do(ops, s, req, deadline, q, NULL); \
} \
\
static int name##_async_one(struct wd_session *s, void *req, struct wd_queue *q) \
{ \
	return likely(fast_submit(ops, q, s, req, ONE, NULL)) ? 0 : s->cls->async_other(s, req); \
} \
\
static unsigned int name##_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q) \
{ \
	return fast_submit_row(ops, q, s, reqs, n); \
}

/* The other entries. */
#define FAST_COMPLETES(name, ops) \
static bool name##_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index) \
{ \
	return fast_tell_at(ops, q, slot, slot->owner, index); \
} \
\
static __attribute__((noinline)) int name##_other(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot) \
{ \
	return fast_other(ops, q, h, slot); \
} \
\
static int name##_pull(struct wd_queue *q, unsigned int max) \
{ \
	return fast_pull(ops, q, max, name##_other); \
} \
\
static int name##_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n) \
{ \
	return fast_push(ops, q, msgs, n); \
} \
\
static void name##_result(struct wd_queue *q, struct wd_msg *msg, unsigned int index) \
{ \
	(ops)->end(ops, hisi_queue_of(q), msg, index); \
}

#define FAST_ENTRIES(name, ops) \
FAST_SUBMITS(name, ops) \
FAST_COMPLETES(name, ops)

/* All of them in a driver's table. */
#define FAST_DRIVER(name) \
	.push = name##_push, \
	.result = name##_result, \
	.sync = name##_sync, \
	.async_one = name##_async_one, \
	.async = name##_async, \
	.tell = name##_tell, \
	.pull = name##_pull

#endif
