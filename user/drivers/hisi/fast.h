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
 * @own:	the message of a synchronous request, or NULL; on the way in
 * @ready:	what the engine prepared before it took the lock, or NULL
 */
struct fast_req {
	struct wd_session *s;
	void *arg;
	struct wd_slot *slot;
	unsigned int index;
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
	bool (*fill)(const struct fast_ops *ops, struct hisi_queue *h, const struct fast_req *r);
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

/* Checks the last members of an argument struct in one expression. */
WD_INLINE bool fast_end_fits(const struct fast_ops *ops, const struct wd_session *s, const void *arg,
			     enum fast_kind kind)
{
	const struct wd_arg_end *end = wd_arg_end(arg, ops->arg_bytes);
	const __u64 *r = end->reserved;

	return !(end->flags | (kind == ONE_OF_MANY ? end->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]) &&
	       (kind == OWN || !((const struct wd_arg *)arg)->cb == s->no_cb);
}

/* For fill(): makes the slot the request's. Returns the tag. */
WD_INLINE __u32 fast_begin(const struct fast_req *r)
{
	return WD_TAG(wd_slot_begin(r->slot, r->s, r->arg, r->own), r->index);
}

/* Of r, the caller sets all but the slot. */
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

/* Up to the first request that can't take the fast path, with one doorbell. */
WD_INLINE unsigned int fast_send_row(const struct fast_ops *ops, struct wd_queue *q, struct wd_session *s,
				     void *const reqs[], unsigned int n)
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int index = q->tail, i;

	if (unlikely(wd_ring_tx_stopped(&h->ring)))
		return 0;
	for (i = 0; i < n && reqs[i]; i++) {
		struct fast_req r = { .s = s, .arg = reqs[i], .index = index };

		if (!fast_fill(ops, q, h, &r, ONE_OF_MANY))
			break;
		index = wd_ring_after(&h->ring, index);
	}
	if (likely(i != 0))
		fast_send(q, h, i, index, true);
	return i;
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

/* With ready, which belongs to the first request, only that one is submitted. */
WD_INLINE unsigned int fast_submit(const struct fast_ops *ops, struct wd_queue *q, struct wd_session *s,
				   void *const reqs[], unsigned int n, enum fast_kind kind, const void *ready)
{
	struct fast_req first = { .s = s, .arg = reqs[0], .ready = ready };
	unsigned int sent = 0;
	__s32 room;

	wd_lock(&q->produce);
	room = fast_async_room(q);
	if (likely(room > 0)) {
		/* Before another thread can learn of their completions. */
		atomic_fetch_add(&s->in_flight, n);
		sent = kind == ONE || ready ? fast_send_one(ops, q, &first, kind) :
		       fast_send_row(ops, q, s, reqs, n < (__u32)room ? n : (__u32)room);
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
	return (struct fast_req){ .s = slot->sess, .arg = arg, .slot = slot, .index = index };
}

/* For result(): the tag that the request's descriptor has. */
WD_INLINE __u32 fast_tag(const struct fast_req *r)
{
	return WD_TAG(r->slot->gen, r->index);
}

/* Puts the request's results into its caller's struct; false as ops->result() says. */
WD_INLINE bool fast_result(const struct fast_ops *ops, const struct wd_queue *q, const struct hisi_queue *h,
			   const struct fast_req *r, __u64 *in, __u64 *out)
{
	struct wd_arg_end *end = wd_arg_end(r->arg, ops->arg_bytes);

	if (unlikely(!ops->result(ops, h, r, in, out)))
		return false;
	end->consumed = *in;
	end->status = 0;
	end->path = q->pub.path;
	end->path_reason = atomic_load_explicit(&r->s->reason, memory_order_relaxed);
	return true;
}

/* The same for the request in that slot, and counts it. */
WD_INLINE bool fast_tell(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h,
			 struct wd_slot *slot, void *arg, unsigned int index)
{
	const struct fast_req r = fast_req_of(slot, arg, index);
	__u64 in, out;

	if (unlikely(!fast_result(ops, q, h, &r, &in, &out)))
		return false;
	wd_tally_add(q, r.s, in, out, 1);
	return true;
}

/* --- synchronous --- */

/*
 * Takes the next completion if it is that of the slot, and successful. With a device that is done when its doorbell has
 * been rung, no more is needed.
 */
WD_INLINE bool fast_take_own(const struct fast_ops *ops, struct wd_queue *q, struct wd_msg *msg, unsigned int index)
{
	struct wd_slot *slot = &q->pub.slots[index];
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 pos = wd_ring_pos(&h->ring);

	/* Another thread may have taken the completion already, and the slot may belong to another request. */
	if (unlikely(!wd_ring_is_about(&h->ring, pos, (__u16)index) ||
		     atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_SYNC || slot->owner != msg ||
		     !wd_slot_is_fast(slot) || !fast_tell(ops, q, h, slot, msg->req, index)))
		return false;
	wd_slot_free(q, slot);
	wd_ring_took(&h->ring, wd_ring_pos_after(&h->ring, pos), 1);
	wd_ring_end(&h->ring);
	return true;
}

WD_INLINE enum wd_fast fast_do(const struct fast_ops *ops, struct wd_session *s, struct wd_msg *msg, size_t bytes,
			       struct wd_queue *q, const void *ready)
{
	struct fast_req r = { .s = s, .arg = msg->req, .own = msg, .ready = ready };
	bool sent, taken;

	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
	wd_lock(&q->produce);
	sent = likely(fast_room(q) != 0) && fast_send_one(ops, q, &r, OWN);
	wd_unlock(&q->produce);
	if (unlikely(!sent))
		return WD_FAST_NOT;
	if (likely(wd_trylock(&q->drain))) {
		taken = !atomic_load_explicit(&q->state, memory_order_relaxed) && fast_take_own(ops, q, msg, r.index);
		wd_drain_unlock(q);
		if (likely(taken)) {
			wd_room_made();
			return WD_FAST_TOLD;
		}
	}
	return wd_fast_wait(q, msg, bytes);
}

/* --- completions --- */

/*
 * For a synchronous request of another thread: puts the results into its caller's struct, frees the slot and wakes the
 * owner, which may return at once.
 */
WD_INLINE bool fast_tell_owner(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h,
			       struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;

	if (!fast_tell(ops, q, h, slot, msg->req, index))
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
		if (!wd_slot_is_fast(slot) || !fast_tell_owner(ops, q, h, slot, index))
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

/* Adds a request whose results are in place, and makes its callback due. */
WD_INLINE void fast_row_add(struct fast_row *row, struct wd_queue *q, struct wd_slot *slot, __u64 in, __u64 out)
{
	struct wd_session *s = slot->sess;

	if (unlikely(s != row->s)) {
		fast_row_count(row, q);
		row->s = s;
	}
	WD_SCALAR(in);
	WD_SCALAR(out);
	row->in += in;
	row->out += out;
	WD_SCALAR(s);
	row->due->sess = s;
	row->due->req = slot->owner;
	row->due++;
	atomic_store_explicit(&slot->state, WD_SLOT_FREE, memory_order_release);
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
	if (unlikely(!fast_result(ops, q, h, &r, &in, &out)))
		return false;
	fast_row_add(row, q, slot, in, out);
	return true;
}

/* For a caller that delivers what this takes; max is not above its room. */
WD_INLINE __u32 fast_pull_row(const struct fast_ops *ops, struct wd_queue *q, struct hisi_queue *h, __u32 max,
			      __u32 *pos, fast_other_fn *other)
{
	struct wd_due *first = q->due->due + q->due->nr;
	struct fast_row row = { .due = first, .from = first };
	__u32 n = 0, next = *pos;
	__u16 index;

	while (n < max && wd_ring_next(&h->ring, &next, &index) > 0) {
		struct wd_slot *slot = &q->pub.slots[index];
		int counts;

		if (likely(fast_row_take(ops, &row, q, h, slot, index))) {
			n++;
		} else {
			counts = other(q, h, slot);
			if (counts < 0)
				break;
			n += (__u32)counts;
		}
		*pos = next;
	}
	fast_row_count(&row, q);
	q->due->nr = (unsigned int)(row.due - q->due->due);
	return n;
}

/* For a caller that doesn't deliver. */
WD_INLINE __u32 fast_pull_all(struct wd_queue *q, struct hisi_queue *h, __u32 max, __u32 *pos, fast_other_fn *other)
{
	__u32 n = 0, next = *pos;
	__u16 index;
	int counts;

	while (n < max && wd_ring_next(&h->ring, &next, &index) > 0) {
		counts = other(q, h, &q->pub.slots[index]);
		if (counts < 0)
			break;
		*pos = next;
		n += (__u32)counts;
	}
	return n;
}

WD_INLINE int fast_pull(const struct fast_ops *ops, struct wd_queue *q, unsigned int max, fast_other_fn *other)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 n, may = wd_ring_may_take(&h->ring, max), pos = wd_ring_pos(&h->ring);

	/* Often there is nothing to pull. */
	if (unlikely(may && !wd_ring_cqe_valid(&h->ring) && !wd_ring_look(&h->ring))) {
		wd_ring_end(&h->ring);
		return 0;
	}
	if (q->due)
		n = fast_pull_row(ops, q, h, may, &pos, other);
	else
		n = fast_pull_all(q, h, may, &pos, other);
	wd_ring_took(&h->ring, pos, n);
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
static enum wd_fast name##_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q) \
{ \
	return fast_do(ops, s, msg, bytes, q, NULL); \
} \
\
static int name##_async_one(struct wd_session *s, void *req, struct wd_queue *q) \
{ \
	return likely(fast_submit(ops, q, s, &req, 1, ONE, NULL)) ? 0 : s->cls->async_other(s, req); \
} \
\
static unsigned int name##_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q) \
{ \
	return fast_submit(ops, q, s, reqs, n, ONE_OF_MANY, NULL); \
}

/* The other entries. */
#define FAST_COMPLETES(name, ops) \
static bool name##_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index) \
{ \
	return fast_tell(ops, q, hisi_queue_of(q), slot, slot->owner, index); \
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
