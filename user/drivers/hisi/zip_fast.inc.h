/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path over ZIP's descriptors of one type: it serves a whole flat buffer with enough room and no header to
 * parse, from and to the caller's struct; every line of it counts. The file of a type includes this once, at its head,
 * after it defined ZIP_TYPE, the type.
 */
#include "base/likely.h"
#include "fast.inc.h"
#include "zip.h"

/*
 * Whether a request of a plain session can take the fast path: the argument is right, as arg_refuse() checks, and the
 * size fits. A request that needs more than a short check is refused as well. Each member is read once.
 */
WD_INLINE bool job_of_arg(const struct comp_sess *s, const struct wd_comp_arg *arg, __u32 head, enum hisi_kind kind,
			  struct zip_job *j)
{
	const __u64 *r = arg->reserved;
	const size_t *dst_len = arg->dst_len;

	j->src = (uintptr_t)arg->src;
	j->dst = (uintptr_t)arg->dst;
	if (unlikely(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]))
		return false;
	j->src_len = arg->src_len;
	if (unlikely(!j->src || j->src_len - 1 >= ZIP_MAX_INPUT))
		return false;
	if (unlikely(!j->dst || (kind != OWN && !arg->cb != s->s.no_cb) || !dst_len))
		return false;
	zip_job_flat(s, ZIP_TYPE, j->src, j->src_len, j->dst + head, *dst_len - head, j);
	return j->room - COMP_MIN_OUT <= ZIP_MAX_OUTPUT - COMP_MIN_OUT;
}

WD_INLINE bool fast_fill(struct wd_queue *q, struct hisi_queue *h, struct wd_session *base, void *req,
			 struct wd_msg *own, unsigned int index, enum hisi_kind kind)
{
	const struct comp_sess *s = to_comp_sess(base);
	struct wd_slot *slot = &q->pub.slots[index];
	struct zip_job j;

	if (unlikely(!job_of_arg(s, req, s->head, kind, &j) || !wd_slot_is_free(slot)))
		return false;
	j.tag = WD_TAG(wd_slot_begin(slot, base, req, own), index);
	zip_write((__le64 *)(void *)(h->ring.sq + (size_t)index * ZIP_SQE_SIZE), ZIP_TYPE, &j);
	wd_slot_filled(slot, !own);
	return true;
}

/*
 * A header of zlib or gzip, by copies of constant length, without a loop. False: the header's page may not be writable.
 */
static inline bool header_copy(__u8 *to, const struct comp_sess *s)
{
	if (unlikely(zip_head_apart(to, s->head)))
		return false;
	memcpy(to, s->header, 2);
	if (s->head > 2)
		memcpy(to + 2, s->header + 2, 8);
	return true;
}

WD_INLINE bool fast_result(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
			   unsigned int index, __u64 *in, __u64 *out)
{
	const struct comp_sess *s = to_comp_sess(slot->sess);
	struct wd_comp_arg *arg = req;
	size_t *dst_len = arg->dst_len, head = s->head;
	struct zip_answer a;

	zip_read((const volatile void *)(h->ring.sq + (size_t)index * ZIP_SQE_SIZE), ZIP_TYPE, &a);
	if (unlikely((a.dw3 & s->sqe_good_mask) != s->sqe_good || a.tag != WD_TAG(slot->gen, index) ||
		     a.consumed > arg->src_len || a.produced > *dst_len - head))
		return false;
	*in = a.consumed;
	*out = a.produced + head;
	*dst_len = *out;
	arg->consumed = a.consumed;
	arg->status = WD_COMP_OK;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&s->s.reason, memory_order_relaxed);
	/* The device wrote behind the header, so the header's page is normally writable, too. */
	if (head && !header_copy(arg->dst, s)) {
		/* The slow path's check expects dst_len with the reserve. */
		*dst_len += COMP_MIN_OUT;
		return false;
	}
	return true;
}
