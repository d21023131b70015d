// SPDX-License-Identifier: Apache-2.0
/*
 * The ZIP engine's driver, the way of most requests: a whole flat buffer, with
 * room enough and no header to be read. Its descriptor is made from the
 * caller's struct, and its result goes back there. Every line here counts, and
 * the loops call nothing.
 */
#include <errno.h>
#include <string.h>

#include "straight.h"
#include "zip.h"

void hisi_zip_session(struct comp_sess *s)
{
	__u32 dw9 = zip_req_type(s->alg) | ZIP_BUF_FLAT << ZIP_DW9_BUF_SHIFT |
		    (s->dir == WD_DIR_COMPRESS ? (__u32)s->win << ZIP_DW9_WIN_SHIFT : 0);

	struct wd_queue *q = atomic_load_explicit(&s->s.first, memory_order_acquire);

	s->sqe_word = (__u64)dw9 << 32;
	/*
	 * Reading, the end of the stream must have been seen; of which simulated devices make no status of its own. What
	 * comes back in another way takes the other, to the same end.
	 */
	s->sqe_good_mask = ZIP_DW3_STATUS_MASK | (s->dir == WD_DIR_COMPRESS ? 0 : ZIP_DW3_LAST_BLOCK);
	s->sqe_good = ZIP_ST_OK;
	if (s->dir == WD_DIR_DECOMPRESS)
		s->sqe_good = ZIP_DW3_LAST_BLOCK | (q && wd_queue_pub(q)->path == WD_PATH_SIM ? ZIP_ST_OK : ZIP_ST_END);
}

/* The caller's own, one for which its class has looked that it has no deadline, and one of several. */
enum kind {
	OWN,
	ONE,
	ONE_OF_MANY,
};

/* A request as its descriptor has it, read once. */
struct plain {
	__u64 src;
	__u64 dst;
	__u64 src_len;
	__u64 room;
};

/*
 * Whether a request of a session that is plain is fit to go as it is: its
 * argument right, as arg_refuse() would find, and of a size that fits. What
 * can't be said in one look is refused as well.
 */
WD_INLINE bool arg_plain(const struct comp_sess *s, const struct wd_comp_arg *arg, __u32 head, enum kind kind, struct plain *p)
{
	const __u64 *r = arg->reserved;
	const size_t *dst_len = arg->dst_len;

	p->src = (uintptr_t)arg->src;
	p->dst = (uintptr_t)arg->dst;
	if (__builtin_expect(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3], 0))
		return false;
	p->src_len = arg->src_len;
	if (__builtin_expect(!p->src || p->src_len - 1 >= ZIP_MAX_INPUT, 0))
		return false;
	if (__builtin_expect(!p->dst || (kind != OWN && !arg->cb != s->no_cb) || !dst_len, 0))
		return false;
	p->room = *dst_len - head;
	return p->room - COMP_MIN_OUT <= ZIP_MAX_OUTPUT - COMP_MIN_OUT;
}

static inline void zero_pair(__le64 *to)
{
	memset(to, 0, 2 * sizeof(*to));
}

/* What was stored there before is visible before what is stored there next. */
WD_INLINE void sqe_order(__le64 (*sqe)[ZIP_SQE_SIZE / 8])
{
#ifdef __aarch64__
#define SQE_ORDER	"dmb ishst"
#else
#define SQE_ORDER	""
#endif
	/* Of this memory only: nothing else has to be loaded anew. */
	__asm__ volatile(SQE_ORDER : "+m"(*sqe));
}

/*
 * A software device may look before the doorbell, so it must find the old
 * descriptor or the new one: the stores stand together, and the last of them
 * is the last word that the model marks a descriptor with that it has taken.
 */
WD_INLINE void sqe_write(__le64 *sqe, const struct plain *p, __u32 head, __u64 word, __u32 tag)
{
	const __u64 dw7 = ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH;

	zero_pair(sqe);
	sqe[2] = htole64(p->src_len);
	sqe[3] = htole64(dw7 << 32);
	sqe[4] = htole64(word);
	zero_pair(sqe + 5);
	sqe[7] = htole64(p->room);
	sqe[8] = 0;
	sqe[9] = htole64(p->src);
	sqe[10] = htole64(p->dst + head);
	sqe[13] = htole64(tag);
	zero_pair(sqe + 14);
	sqe_order((void *)sqe);
	zero_pair(sqe + 11);
}

/* To the slot at index; false when it, or the request, isn't fit. */
WD_INLINE bool send_to(struct wd_queue *q, const struct zip_queue *z, struct wd_session *base, void *req, struct wd_msg *own,
		       unsigned int index, enum kind kind)
{
	const struct comp_sess *s = to_comp_sess(base);
	struct wd_slot *slot = &q->pub.slots[index];
	__u32 head = s->head, gen;
	struct plain p;

	if (__builtin_expect(!arg_plain(s, req, head, kind, &p) || !wd_slot_is_free(slot), 0))
		return false;
	gen = wd_slot_begin(slot, base, req, own);
	sqe_write((__le64 *)(void *)(z->ring.sq + (size_t)index * ZIP_SQE_SIZE), &p, head, s->sqe_word, WD_TAG(gen, index));
	wd_slot_filled(slot, !own);
	return true;
}

WD_INLINE void send_end(struct wd_queue *q, struct zip_queue *z, unsigned int n, unsigned int tail, bool async)
{
	wd_slots_begun(q, n, tail, async);
	wd_ring_submit_to(&z->ring, n, tail);
}

WD_INLINE bool send_one(struct wd_queue *q, struct wd_session *s, void *req, struct wd_msg *own)
{
	struct zip_queue *z = zip_of(q);
	unsigned int index = q->tail;

	/* Who comes the other way is told why. */
	if (__builtin_expect(wd_ring_tx_stopped(&z->ring) || !send_to(q, z, s, req, own, index, own ? OWN : ONE), 0))
		return false;
	send_end(q, z, 1, wd_ring_after(&z->ring, index), !own);
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
	struct zip_queue *z = zip_of(q);
	unsigned int index = q->tail, i;

	if (__builtin_expect(wd_ring_tx_stopped(&z->ring), 0))
		return 0;
	for (i = 0; i < n && reqs[i] && send_to(q, z, s, reqs[i], NULL, index, ONE_OF_MANY); i++)
		index = wd_ring_after(&z->ring, index);
	if (__builtin_expect(i != 0, 1))
		send_end(q, z, i, index, true);
	return i;
}

/* zlib's, or gzip's: no length for which a compiler would make a loop. false: that the device could write behind it says nothing. */
static inline bool header_put(__u8 *to, const struct comp_sess *s)
{
	if (__builtin_expect(zip_head_apart(to, s->head), 0))
		return false;
	memcpy(to, s->header, 2);
	if (s->head > 2)
		memcpy(to + 2, s->header + 2, 8);
	return true;
}

/* What went well, into the caller's struct, and its bytes. Under the drain lock. */
WD_INLINE bool tell(const struct wd_queue *q, const struct zip_queue *z, const struct wd_slot *slot, struct wd_comp_arg *arg,
		    unsigned int index, __u64 *in, __u64 *out)
{
	/* Shared memory: what is checked must be what is used. */
	const volatile struct zip_sqe *sqe = (const volatile void *)(z->ring.sq + (size_t)index * ZIP_SQE_SIZE);
	const struct comp_sess *s = to_comp_sess(slot->sess);
	__u32 consumed = le32toh(sqe->consumed), produced = le32toh(sqe->produced), dw3 = le32toh(sqe->dw3);
	size_t *dst_len = arg->dst_len, head = s->head;

	if (__builtin_expect((dw3 & s->sqe_good_mask) != s->sqe_good || le32toh(sqe->tag_l) != WD_TAG(slot->gen, index) ||
			     consumed > arg->src_len || produced > *dst_len - head, 0))
		return false;
	*in = consumed;
	*out = produced + head;
	*dst_len = *out;
	arg->consumed = consumed;
	arg->status = WD_COMP_OK;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&s->s.reason, memory_order_relaxed);
	/* Now that the device could write behind it, so can we. */
	if (head && !header_put(arg->dst, s)) {
		/* What is told the other way has had room enough. */
		*dst_len += COMP_MIN_OUT;
		return false;
	}
	return true;
}

bool zip_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	__u64 in, out;

	if (!tell(q, zip_of(q), slot, slot->owner, index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	return true;
}

/* A synchronous one's, with nobody's callback to be run. */
static bool tell_own(struct wd_queue *q, struct zip_queue *z, struct wd_slot *slot, unsigned int index)
{
	__u64 in, out;

	if (!tell(q, z, slot, wd_slot_req(slot, true), index, &in, &out))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	wd_slot_told(q, slot);
	return true;
}

WD_INLINE bool next_own(struct wd_queue *q, struct wd_msg *msg, unsigned int index)
{
	struct wd_slot *slot = &q->pub.slots[index];
	struct zip_queue *z = zip_of(q);
	__u64 in, out;
	__u32 pos = wd_ring_pos(&z->ring);

	/* Another thread may have taken it already, and the slot may be somebody else's again. */
	if (__builtin_expect(!wd_ring_is_about(&z->ring, pos, (__u16)index) ||
			     atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_SYNC || slot->owner != msg ||
			     !wd_slot_straight(slot) || !tell(q, z, slot, msg->req, index, &in, &out), 0))
		return false;
	wd_tally_add(q, slot->sess, in, out, 1);
	wd_slot_free(q, slot);
	wd_ring_took(&z->ring, wd_ring_pos_after(&z->ring, pos), 1);
	wd_ring_end(&z->ring);
	return true;
}

enum wd_straight zip_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q)
{
	return wd_straight_sync(q, s, msg, bytes, send_own, next_own);
}

int zip_async_one(struct wd_session *s, void *req, struct wd_queue *q)
{
	return __builtin_expect(wd_straight_async(q, s, &req, 1, send_first), 1) ? 0 : s->cls->async_other(s, req);
}

unsigned int zip_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q)
{
	return wd_straight_async(q, s, reqs, n, send);
}

/* The others: nobody takes them off before somebody has time for them, or they didn't go well. */
static __attribute__((noinline)) bool pull_other(struct wd_queue *q, struct zip_queue *z, struct wd_slot *slot, unsigned int index)
{
	wd_ring_see_sent(&z->ring);
	switch (atomic_load_explicit(&slot->state, memory_order_acquire)) {
	case WD_SLOT_SYNC:
		if (!wd_slot_straight(slot) || !tell_own(q, z, slot, index))
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
static __attribute__((noinline, cold)) int pull_none(struct zip_queue *z)
{
	return wd_ring_nothing(&z->ring) ? wd_ring_why(&z->ring) : 0;
}

/* For who delivers what it takes off: max is no more than it has room for. */
static __u32 pull_due(struct wd_queue *q, struct zip_queue *z, __u32 max, __u32 *pos)
{
	struct wd_told told;
	__u16 index;
	__u32 n;

	wd_told_begin(&told, q);
	for (n = 0; n < max && wd_ring_next(&z->ring, pos, &index) > 0; ) {
		struct wd_slot *slot = &q->pub.slots[index];
		__u64 in, out;

		if (__builtin_expect(wd_told_may(slot) && tell(q, z, slot, slot->owner, index, &in, &out), 1))
			wd_told_one(&told, q, slot, in, out);
		else if (!pull_other(q, z, slot, index))
			continue;
		n++;
	}
	wd_told_end(&told, q);
	return n;
}

int zip_pull(struct wd_queue *q, unsigned int max)
{
	struct zip_queue *z = zip_of(q);
	__u32 n = 0, may = wd_ring_may_take(&z->ring, max), pos = wd_ring_pos(&z->ring);
	__u16 index;

	/* Often asked in vain. */
	if (__builtin_expect(may && !wd_ring_cqe_valid(&z->ring) && !wd_ring_rx_stopped(&z->ring), 0)) {
		wd_ring_end(&z->ring);
		return 0;
	}
	if (q->due)
		n = pull_due(q, z, may, &pos);
	else
		while (n < may && wd_ring_next(&z->ring, &pos, &index) > 0)
			n += pull_other(q, z, &q->pub.slots[index], index);
	wd_ring_took(&z->ring, pos, n);
	wd_ring_end(&z->ring);
	return __builtin_expect(n != 0, 1) ? (int)n : pull_none(z);
}
