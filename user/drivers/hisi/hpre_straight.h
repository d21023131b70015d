/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The straight way over HPRE's descriptors, for one class: to be included once,
 * behind
 *
 *	HPRE_ARG		the struct of a request
 *	bool job_plain(session, arg, area, job)
 *		operands into the area, and what the descriptor says, if the
 *		request is fit to go as it is, as the class's check would find.
 *		What can't be said in one look is refused as well; the area is
 *		wiped then. j->text is 0
 *	bool told_plain(session, arg, area, answer)
 *		results into the caller's memory; false, and nothing done, when
 *		they need a closer look
 */
#include <errno.h>

#include "hpre.h"
#include "straight.h"

/* The end of an argument struct, in one look. */
WD_INLINE bool end_plain(struct wd_session *s, const HPRE_ARG *arg, enum hisi_kind kind)
{
	const __u64 *r = arg->reserved;

	return !(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]) &&
	       (kind == OWN || !arg->cb == to_pubkey_sess(s)->no_cb);
}

WD_INLINE bool send_to(struct wd_queue *q, struct hisi_queue *h, struct wd_session *s, void *req, struct wd_msg *own,
		       unsigned int index, enum hisi_kind kind)
{
	struct wd_slot *slot = &q->pub.slots[index];
	const HPRE_ARG *arg = req;
	struct hpre_area *a;
	struct hpre_job j;
	__u32 gen;

	/* The area is the slot's. */
	if (__builtin_expect(!end_plain(s, arg, kind) || !wd_slot_is_free(slot), 0))
		return false;
	a = hisi_queue_scratch(h, index);
	if (__builtin_expect(!a, 0))
		return false;
	/* Nothing is in it, and what becomes of out is job_plain()'s. */
	j.text = 0;
	if (__builtin_expect(!job_plain(s, arg, a, &j), 0)) {
		hpre_area_wipe(a);
		return false;
	}
	gen = wd_slot_begin(slot, s, req, own);
	hpre_write((__le64 *)(void *)(h->ring.sq + (size_t)index * HPRE_SQE_SIZE), &j, a->out, WD_TAG(gen, index));
	wd_slot_filled(slot, !own);
	return true;
}

WD_INLINE bool tell(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
		    unsigned int index, __u64 *in, __u64 *out)
{
	/* Shared memory: what is checked must be what is used. */
	const volatile struct hpre_sqe *sqe = (const volatile void *)(h->ring.sq + (size_t)index * HPRE_SQE_SIZE);
	struct hpre_area *a = hisi_queue_scratch_at(h, index);
	HPRE_ARG *arg = req;

	/* Done, and no error of either kind. */
	if (__builtin_expect(le32toh(sqe->dw0) >> HPRE_DW0_ETYPE_SHIFT !=
			     HPRE_DONE_HARDWARE << (HPRE_DW0_DONE_SHIFT - HPRE_DW0_ETYPE_SHIFT) ||
			     le64toh(sqe->tag) != WD_TAG(slot->gen, index) || !told_plain(slot->sess, arg, a, le64toh(sqe->out)), 0))
		return false;
	*in = arg->src_len;
	*out = a->bytes;
	hpre_area_wipe(a);
	/* A verification has none. */
	if (arg->dst_len)
		*arg->dst_len = *out;
	arg->consumed = *in;
	arg->status = 0;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&slot->sess->reason, memory_order_relaxed);
	return true;
}

#include "straight_ring.h"
