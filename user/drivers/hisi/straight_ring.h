/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The straight way over rings, for one engine: to be included once, behind
 * that engine's own
 *
 *	bool send_to(q, h, session, req, own, index, kind)
 *		to the slot at index; false when it, or the request, isn't fit
 *	bool tell(q, h, slot, req, index, &in, &out)
 *		what went well, into the caller's struct, and its bytes; false,
 *		and nothing done, when it did not. Under the drain lock
 *
 * which are inlined, as the core's part is: the loops call nothing. STRAIGHT_RING
 * are a driver's entries.
 */
#include <errno.h>

#include "straight.h"
#include "../../libhisi_qm/queue.h"

WD_INLINE void send_end(struct wd_queue *q, struct hisi_queue *h, unsigned int n, unsigned int tail, bool async)
{
	wd_slots_begun(q, n, tail, async);
	wd_ring_submit_to(&h->ring, n, tail);
}

WD_INLINE bool send_one(struct wd_queue *q, struct wd_session *s, void *req, struct wd_msg *own)
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int index = q->tail;

	/* Who comes the other way is told why. */
	if (__builtin_expect(wd_ring_tx_stopped(&h->ring) || !send_to(q, h, s, req, own, index, own ? OWN : ONE), 0))
		return false;
	send_end(q, h, 1, wd_ring_after(&h->ring, index), !own);
	return true;
}

WD_INLINE bool send_own(struct wd_queue *q, struct wd_session *s, struct wd_msg *own)
{
	return send_one(q, s, own->req, own);
}

WD_INLINE unsigned int send_first(struct wd_queue *q, struct wd_session *s, void *const reqs[], unsigned int n)
{
	(void)n;
	return send_one(q, s, reqs[0], NULL);
}

WD_INLINE unsigned int send(struct wd_queue *q, struct wd_session *s, void *const reqs[], unsigned int n)
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int index = q->tail, i;

	if (__builtin_expect(wd_ring_tx_stopped(&h->ring), 0))
		return 0;
	for (i = 0; i < n && reqs[i] && send_to(q, h, s, reqs[i], NULL, index, ONE_OF_MANY); i++)
		index = wd_ring_after(&h->ring, index);
	if (__builtin_expect(i != 0, 1))
		send_end(q, h, i, index, true);
	return i;
}

static bool ring_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	__u64 in, out;

	if (!tell(q, hisi_queue_of(q), slot, slot->owner, index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	return true;
}

/* A synchronous one's, with nobody's callback to be run. */
static bool tell_own(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot, unsigned int index)
{
	__u64 in, out;

	if (!tell(q, h, slot, wd_slot_req(slot, true), index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	wd_slot_told(q, slot);
	return true;
}

WD_INLINE bool next_own(struct wd_queue *q, struct wd_msg *msg, unsigned int index)
{
	struct wd_slot *slot = &q->pub.slots[index];
	struct hisi_queue *h = hisi_queue_of(q);
	__u64 in, out;
	__u32 pos = wd_ring_pos(&h->ring);

	/* Another thread may have taken it already, and the slot may be somebody else's again. */
	if (__builtin_expect(!wd_ring_is_about(&h->ring, pos, (__u16)index) ||
			     atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_SYNC || slot->owner != msg ||
			     !wd_slot_straight(slot) || !tell(q, h, slot, msg->req, index, &in, &out), 0))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	wd_slot_free(q, slot);
	wd_ring_took(&h->ring, wd_ring_pos_after(&h->ring, pos), 1);
	wd_ring_end(&h->ring);
	return true;
}

static enum wd_straight ring_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q)
{
	return wd_straight_sync(q, s, msg, bytes, send_own, next_own);
}

static int ring_async_one(struct wd_session *s, void *req, struct wd_queue *q)
{
	return __builtin_expect(wd_straight_async(q, s, &req, 1, send_first), 1) ? 0 : s->cls->async_other(s, req);
}

static unsigned int ring_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q)
{
	return wd_straight_async(q, s, reqs, n, send);
}

/* The others: nobody takes them off before somebody has time for them, or they didn't go well. */
static __attribute__((noinline)) bool pull_other(struct wd_queue *q, struct hisi_queue *h, struct wd_slot *slot, unsigned int index)
{
	wd_ring_see_sent(&h->ring);
	switch (atomic_load_explicit(&slot->state, memory_order_acquire)) {
	case WD_SLOT_SYNC:
		if (!wd_slot_straight(slot) || !tell_own(q, h, slot, index))
			wd_queue_sync_done(q, slot, index);
		return true;
	case WD_SLOT_ASYNC:
		wd_queue_async_done(q, slot, index);
		return true;
	}
	/* A second completion of the same descriptor is not believed. */
	return false;
}

/* 0, or why there will never be anything again. */
static __attribute__((noinline, cold)) int pull_none(struct hisi_queue *h)
{
	return wd_ring_nothing(&h->ring) ? wd_ring_why(&h->ring) : 0;
}

/* For who delivers what it takes off: max is no more than it has room for. */
static __u32 pull_due(struct wd_queue *q, struct hisi_queue *h, __u32 max, __u32 *pos)
{
	struct wd_told told;
	__u16 index;
	__u32 n;

	wd_told_begin(&told, q);
	for (n = 0; n < max && wd_ring_next(&h->ring, pos, &index) > 0; ) {
		struct wd_slot *slot = &q->pub.slots[index];
		__u64 in, out;

		if (__builtin_expect(wd_told_may(slot) && tell(q, h, slot, slot->owner, index, &in, &out), 1))
			wd_told_one(&told, q, slot, in, out);
		else if (!pull_other(q, h, slot, index))
			continue;
		n++;
	}
	wd_told_end(&told, q);
	return n;
}

static int ring_pull(struct wd_queue *q, unsigned int max)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 n = 0, may = wd_ring_may_take(&h->ring, max), pos = wd_ring_pos(&h->ring);
	__u16 index;

	/* Often asked in vain. */
	if (__builtin_expect(may && !wd_ring_cqe_valid(&h->ring) && !wd_ring_rx_stopped(&h->ring), 0)) {
		wd_ring_end(&h->ring);
		return 0;
	}
	if (q->due)
		n = pull_due(q, h, may, &pos);
	else
		while (n < may && wd_ring_next(&h->ring, &pos, &index) > 0)
			n += pull_other(q, h, &q->pub.slots[index], index);
	wd_ring_took(&h->ring, pos, n);
	wd_ring_end(&h->ring);
	return __builtin_expect(n != 0, 1) ? (int)n : pull_none(h);
}

#define STRAIGHT_RING \
	.sync = ring_sync, \
	.async_one = ring_async_one, \
	.async = ring_async, \
	.tell = ring_tell, \
	.pull = ring_pull
