/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path over HPRE's descriptors, for one class. Its file includes this
 * once, at its head, after it defined HPRE_ARG, the struct of a request, and FAST_READY
 * if it needs one (fast.inc.h). It defines further down
 *
 *	hpre_job_of_arg(session, arg, area, job)
 *		puts operands into the area and fills in the job, if the
 *		request passes the class's check. A request that needs more than a
 *		short check is refused as well; the area is wiped
 *		then. job->text is 0. With a FAST_READY that is the last
 *		parameter
 *	hpre_results_of(session, arg, area, answer)
 *		puts results into the caller's memory; false, with nothing done,
 *		when the slow path has to check them
 */
#include "base/likely.h"
#include "fast.inc.h"
#include "hpre.h"

WD_INLINE bool hpre_job_of_arg(struct wd_session *base, const HPRE_ARG *arg, struct hpre_area *a, struct hpre_job *j
			       FAST_READY_PARAMETER);
static inline bool hpre_results_of(struct wd_session *base, const HPRE_ARG *arg, const struct hpre_area *a,
				   __u64 answer);

/* Checks the last members of an argument struct in one expression. */
WD_INLINE bool hpre_end_fits(struct wd_session *s, const HPRE_ARG *arg, enum hisi_kind kind)
{
	const __u64 *r = arg->reserved;

	return !(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]) &&
	       (kind == OWN || !arg->cb == s->no_cb);
}

WD_INLINE bool fast_fill(struct wd_queue *q, struct hisi_queue *h, struct wd_session *s, void *req, struct wd_msg *own,
			 unsigned int index, enum hisi_kind kind FAST_READY_PARAMETER)
{
	struct wd_slot *slot = &q->pub.slots[index];
	const HPRE_ARG *arg = req;
	struct hpre_area *a;
	struct hpre_job j;
	__u32 gen;

	/* The area belongs to the slot. */
	if (unlikely(!hpre_end_fits(s, arg, kind) || !wd_slot_is_free(slot)))
		return false;
	a = hisi_queue_scratch(h, index);
	if (unlikely(!a))
		return false;
	/* The area is empty; hpre_job_of_arg() sets out. */
	j.text = 0;
	if (unlikely(!hpre_job_of_arg(s, arg, a, &j FAST_READY_ARGUMENT))) {
		hpre_area_wipe(a);
		return false;
	}
	gen = wd_slot_begin(slot, s, req, own);
	hpre_write((__le64 *)(void *)(h->ring.sq + (size_t)index * HPRE_SQE_SIZE), &j, a->out, WD_TAG(gen, index));
	wd_slot_filled(slot, !own);
	return true;
}

WD_INLINE bool fast_result(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
			   unsigned int index, __u64 *in, __u64 *out)
{
	struct hpre_area *a = hisi_queue_scratch_at(h, index);
	struct hpre_answer answer;
	HPRE_ARG *arg = req;

	hpre_read((const volatile void *)(h->ring.sq + (size_t)index * HPRE_SQE_SIZE), &answer);
	if (unlikely(!hpre_is_good(answer.dw0) || answer.tag != WD_TAG(slot->gen, index) ||
		     !hpre_results_of(slot->sess, arg, a, answer.out)))
		return false;
	*in = arg->src_len;
	*out = a->bytes;
	hpre_area_wipe(a);
	/* A verification has no dst_len. */
	if (arg->dst_len)
		*arg->dst_len = *out;
	arg->consumed = *in;
	arg->status = 0;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&slot->sess->reason, memory_order_relaxed);
	return true;
}
