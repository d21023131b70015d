/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path over SEC's descriptors of one type, for one class. Its file includes this
 * once, at its head, after it defined
 *
 *	SEC_TYPE		the type of the descriptors, enum crypto_bd_type
 *	SEC_ARG			the struct of a request
 *	SEC_DECRYPT(arg)	its direction, 0 or 1
 *	SEC_PRODUCED(s, arg)	number of bytes that it produces
 *	SEC_C_KEY(s)		address of a cipher's key, or 0
 *
 * It defines further down
 *
 *	sec_arg_fits(s, arg)
 *		whether the request passes the class's check. A request that needs
 *		more than a short check is refused as well
 *	sec_job_of_arg(s, arg, h, index, job)
 *		fills in the job for the request at that ring index
 */
#include "base/likely.h"
#include "fast.inc.h"
#include "sec.h"

static inline bool sec_arg_fits(const struct crypto_sess *s, const SEC_ARG *arg);
static inline bool sec_job_of_arg(const struct crypto_sess *s, const SEC_ARG *arg, struct hisi_queue *h,
				  unsigned int index, struct sec_job *j);

/* Checks the last members of an argument struct in one expression. */
WD_INLINE bool sec_end_fits(const struct crypto_sess *s, const SEC_ARG *arg, enum hisi_kind kind)
{
	const __u64 *r = arg->reserved;

	return !(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3]) &&
	       (kind == OWN || !arg->cb == s->s.no_cb);
}

WD_INLINE bool fast_fill(struct wd_queue *q, struct hisi_queue *h, struct wd_session *base, void *req,
			 struct wd_msg *own, unsigned int index, enum hisi_kind kind)
{
	const struct crypto_sess *s = to_crypto_sess(base);
	const struct crypto_bd *bd = &s->bd[SEC_TYPE];
	struct wd_slot *slot = &q->pub.slots[index];
	const SEC_ARG *arg = req;
	struct sec_job j;
	__u32 gen;

	if (unlikely(!sec_end_fits(s, arg, kind) || !sec_arg_fits(s, arg) || !wd_slot_is_free(slot) ||
		     !sec_job_of_arg(s, arg, h, index, &j)))
		return false;
	gen = wd_slot_begin(slot, base, req, own);
	sec_write((__le64 *)(void *)(h->ring.sq + (size_t)index * SEC_BD_SIZE), SEC_TYPE, bd->head[SEC_DECRYPT(arg)],
		  bd->auth[SEC_DECRYPT(arg)], SEC_C_KEY(s), s->a_key, &j, WD_TAG(gen, index));
	wd_slot_filled(slot, !own);
	return true;
}

WD_INLINE bool fast_result(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
			   unsigned int index, __u64 *in, __u64 *out)
{
	struct sec_answer answer;
	SEC_ARG *arg = req;

	sec_read((const volatile void *)(h->ring.sq + (size_t)index * SEC_BD_SIZE), SEC_TYPE, &answer);
	if (unlikely(!sec_is_good(answer.result) || !sec_is_of(&answer, SEC_TYPE, WD_TAG(slot->gen, index), index)))
		return false;
	*in = arg->src_len;
	*out = SEC_PRODUCED(to_crypto_sess(slot->sess), arg);
	*arg->dst_len = *out;
	arg->consumed = *in;
	arg->status = 0;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&slot->sess->reason, memory_order_relaxed);
	return true;
}
