/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path over rings, for one engine's requests of one class. A driver's
 * file includes this once, at its head, and defines further down
 *
 *	fast_fill(q, h, session, req, own, index, kind)
 *		writes the request into the slot at index; false when the request
 *		or the slot can't take the fast path. Under the produce lock
 *	fast_result(q, h, slot, req, index, &in, &out)
 *		puts the results of a successful request into the caller's struct,
 *		and counts its bytes; false, with nothing done, when the request
 *		didn't succeed. Under the drain lock
 *
 * Both are inlined, like everything here: the loops call no function, so that a
 * request costs one call and nothing is loaded twice. HISI_FAST are the entries of
 * a driver's table.
 *
 * A file whose requests need long preparation defines before the inclusion
 *
 *	FAST_READY	the struct that holds what was prepared
 *
 * and further down
 *
 *	fast_wants_ready(session, req)
 *		whether the request needs preparation
 *	fast_make_ready(session, req, ready)
 *		prepares, before the produce lock is taken, so that threads don't
 *		wait for each other
 *	fast_forget_ready(ready)
 *		wipes secrets from the stack
 *
 * Its fast_fill() has a last parameter, ready, which is NULL for requests without
 * preparation. Prepared requests of a row are sent one by one: compared with their
 * preparation, a doorbell costs nothing.
 */
#include <errno.h>

#include "base/likely.h"
#include "queue.h"
#include "request/fast.h"

#ifdef FAST_READY
#define FAST_READY_PARAMETER	, const FAST_READY *ready
#define FAST_READY_ARGUMENT	, ready
WD_INLINE bool fast_wants_ready(struct wd_session *s, const void *req);
WD_INLINE void fast_make_ready(struct wd_session *s, const void *req, FAST_READY *ready);
WD_INLINE void fast_forget_ready(FAST_READY *ready);
#else
#define FAST_READY		char
#define FAST_READY_PARAMETER
#define FAST_READY_ARGUMENT
#define fast_wants_ready(s, req)	((void)(s), (void)(req), false)
#define fast_make_ready(s, req, ready)	((void)(s), (void)(req), (void)(*(ready) = 0))
#define fast_forget_ready(ready)	((void)(ready))
#endif

WD_INLINE bool fast_fill(struct wd_queue *q, struct hisi_queue *h, struct wd_session *s, void *req, struct wd_msg *own,
			 unsigned int index, enum hisi_kind kind FAST_READY_PARAMETER);
WD_INLINE bool fast_result(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
			   unsigned int index, __u64 *in, __u64 *out);

/* --- submitting --- */

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

/* own: the message of a synchronous request, else NULL. False when the request can't take the fast path. */
WD_INLINE bool fast_send_one(struct wd_queue *q, struct wd_session *s, void *req, struct wd_msg *own,
			     unsigned int index, enum hisi_kind kind, const FAST_READY *ready)
{
	struct hisi_queue *h = hisi_queue_of(q);

	(void)ready;
	/* The slow path records why. */
	if (unlikely(wd_ring_tx_stopped(&h->ring) ||
		     !fast_fill(q, h, s, req, own, index, kind FAST_READY_ARGUMENT)))
		return false;
	fast_send(q, h, 1, wd_ring_after(&h->ring, index), !own);
	return true;
}

/* Up to the first request that can't take the fast path, with one doorbell. */
WD_INLINE unsigned int fast_send_row(struct wd_queue *q, struct wd_session *s, void *const reqs[], unsigned int n)
{
	const FAST_READY *const ready = NULL;
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int index = q->tail, i;

	(void)ready;
	if (unlikely(wd_ring_tx_stopped(&h->ring)))
		return 0;
	for (i = 0; i < n && reqs[i] && fast_fill(q, h, s, reqs[i], NULL, index, ONE_OF_MANY FAST_READY_ARGUMENT); i++)
		index = wd_ring_after(&h->ring, index);
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
WD_INLINE unsigned int fast_submit(struct wd_queue *q, struct wd_session *s, void *const reqs[], unsigned int n,
				   enum hisi_kind kind, const FAST_READY *ready)
{
	unsigned int sent = 0;
	__s32 room;

	wd_lock(&q->produce);
	room = fast_async_room(q);
	if (likely(room > 0)) {
		/* Before another thread can learn of their completions. */
		atomic_fetch_add(&s->in_flight, n);
		sent = kind == ONE || ready ? fast_send_one(q, s, reqs[0], NULL, q->tail, kind, ready) :
		       fast_send_row(q, s, reqs, n < (__u32)room ? n : (__u32)room);
		if (unlikely(sent < n))
			atomic_fetch_sub(&s->in_flight, n - sent);
	}
	wd_unlock(&q->produce);
	return sent;
}

/*
 * Takes the next completion if it is that of the slot, and successful. With a device that is done when its doorbell has
 * been rung, no more is needed.
 */
WD_INLINE bool fast_take_own(struct wd_queue *q, struct wd_msg *msg, unsigned int index)
{
	struct wd_slot *slot = &q->pub.slots[index];
	struct hisi_queue *h = hisi_queue_of(q);
	__u64 in, out;
	__u32 pos = wd_ring_pos(&h->ring);

	/* Another thread may have taken the completion already, and the slot may belong to another request. */
	if (unlikely(!wd_ring_is_about(&h->ring, pos, (__u16)index) ||
		     atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_SYNC || slot->owner != msg ||
		     !wd_slot_is_fast(slot) || !fast_result(q, h, slot, msg->req, index, &in, &out)))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	wd_slot_free(q, slot);
	wd_ring_took(&h->ring, wd_ring_pos_after(&h->ring, pos), 1);
	wd_ring_end(&h->ring);
	return true;
}

WD_INLINE enum wd_fast fast_do(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q,
			       const FAST_READY *ready)
{
	unsigned int index;
	bool sent, taken;

	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
	wd_lock(&q->produce);
	index = q->tail;
	sent = likely(fast_room(q) != 0) && fast_send_one(q, s, msg->req, msg, index, OWN, ready);
	wd_unlock(&q->produce);
	if (unlikely(!sent))
		return WD_FAST_NOT;
	if (likely(wd_trylock(&q->drain))) {
		taken = !atomic_load_explicit(&q->state, memory_order_relaxed) && fast_take_own(q, msg, index);
		wd_drain_unlock(q);
		if (likely(taken)) {
			wd_room_made();
			return WD_FAST_TOLD;
		}
	}
	return wd_fast_wait(q, msg, bytes);
}

static __attribute__((noinline)) enum wd_fast fast_sync_ready(struct wd_session *s, struct wd_msg *msg, size_t bytes,
							      struct wd_queue *q)
{
	FAST_READY ready;
	enum wd_fast ret;

	fast_make_ready(s, msg->req, &ready);
	ret = fast_do(s, msg, bytes, q, &ready);
	fast_forget_ready(&ready);
	return ret;
}

static __attribute__((noinline)) unsigned int fast_submit_ready(struct wd_session *s, void *req, struct wd_queue *q,
								enum hisi_kind kind)
{
	FAST_READY ready;
	unsigned int sent;

	fast_make_ready(s, req, &ready);
	sent = fast_submit(q, s, &req, 1, kind, &ready);
	fast_forget_ready(&ready);
	return sent;
}

static enum wd_fast fast_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q)
{
	if (fast_wants_ready(s, msg->req))
		return fast_sync_ready(s, msg, bytes, q);
	return fast_do(s, msg, bytes, q, NULL);
}

static int fast_async_one(struct wd_session *s, void *req, struct wd_queue *q)
{
	unsigned int sent = fast_wants_ready(s, req) ? fast_submit_ready(s, req, q, ONE) :
			    fast_submit(q, s, &req, 1, ONE, NULL);

	return likely(sent) ? 0 : s->cls->async_other(s, req);
}

static unsigned int fast_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q)
{
	unsigned int i = 0;

	if (!fast_wants_ready(s, reqs[0]))
		return fast_submit(q, s, reqs, n, ONE_OF_MANY, NULL);
	while (i < n && reqs[i] && fast_wants_ready(s, reqs[i]) && fast_submit_ready(s, reqs[i], q, ONE_OF_MANY))
		i++;
	return i;
}

/* --- completions --- */

/* struct wd_driver's tell(). */
static bool fast_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	__u64 in, out;

	if (!fast_result(q, hisi_queue_of(q), slot, slot->owner, index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	return true;
}

/*
 * For a synchronous request of another thread: puts the results into its caller's struct, frees the slot and wakes the
 * owner, which may return at once.
 */
static bool fast_tell_owner(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot, unsigned int index)
{
	struct wd_msg *msg = slot->owner;
	__u64 in, out;

	if (!fast_result(q, h, slot, msg->req, index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
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
static __attribute__((noinline)) int fast_pull_other(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot,
						     unsigned int index)
{
	bool filling = wd_ring_filling(&h->ring);

	wd_ring_see_sent(&h->ring);
	switch (atomic_load_explicit(&slot->state, memory_order_acquire)) {
	case WD_SLOT_SYNC:
		if (!wd_slot_is_fast(slot) || !fast_tell_owner(q, h, slot, index))
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

/* Adds a request whose results are in place: frees the slot, and makes the callback due. */
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

/* Whether that slot's request belongs into the row; the ring shows that it has completed. */
WD_INLINE bool fast_is_for_row(const struct wd_slot *slot)
{
	return atomic_load_explicit(&slot->state, memory_order_acquire) == WD_SLOT_ASYNC && wd_slot_is_fast(slot);
}

/* For a caller that delivers what this takes; max is not above its room. */
static __u32 fast_pull_row(struct wd_queue *q, struct hisi_queue *h, __u32 max, __u32 *pos)
{
	struct wd_due *first = q->due->due + q->due->nr;
	struct fast_row row = { .due = first, .from = first };
	__u32 n = 0, next = *pos;
	__u16 index;

	while (n < max && wd_ring_next(&h->ring, &next, &index) > 0) {
		struct wd_slot *slot = &q->pub.slots[index];
		__u64 in, out;
		int counts = 1;

		if (likely(fast_is_for_row(slot) && fast_result(q, h, slot, slot->owner, index, &in, &out)))
			fast_row_add(&row, q, slot, in, out);
		else
			counts = fast_pull_other(q, h, slot, index);
		if (unlikely(counts < 0))
			break;
		*pos = next;
		n += (__u32)counts;
	}
	fast_row_count(&row, q);
	q->due->nr = (unsigned int)(row.due - q->due->due);
	return n;
}

/* For a caller that doesn't deliver. */
static __u32 fast_pull_all(struct wd_queue *q, struct hisi_queue *h, __u32 max, __u32 *pos)
{
	__u32 n = 0, next = *pos;
	__u16 index;
	int counts;

	while (n < max && wd_ring_next(&h->ring, &next, &index) > 0) {
		counts = fast_pull_other(q, h, &q->pub.slots[index], index);
		if (counts < 0)
			break;
		*pos = next;
		n += (__u32)counts;
	}
	return n;
}

/* 0, or why nothing will complete any more. */
static __attribute__((noinline, cold)) int fast_pull_none(struct hisi_queue *h)
{
	return wd_ring_nothing(&h->ring) ? wd_ring_why(&h->ring) : 0;
}

static int fast_pull(struct wd_queue *q, unsigned int max)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 n, may = wd_ring_may_take(&h->ring, max), pos = wd_ring_pos(&h->ring);

	/* Often there is nothing to pull. */
	if (unlikely(may && !wd_ring_cqe_valid(&h->ring) && !wd_ring_rx_stopped(&h->ring))) {
		wd_ring_end(&h->ring);
		return 0;
	}
	if (q->due)
		n = fast_pull_row(q, h, may, &pos);
	else
		n = fast_pull_all(q, h, may, &pos);
	wd_ring_took(&h->ring, pos, n);
	wd_ring_end(&h->ring);
	return likely(n != 0) ? (int)n : fast_pull_none(h);
}

#define HISI_FAST \
	.sync = fast_sync, \
	.async_one = fast_async_one, \
	.async = fast_async, \
	.tell = fast_tell, \
	.pull = fast_pull
