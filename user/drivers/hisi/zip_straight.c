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
WD_INLINE bool arg_plain(const struct comp_sess *s, const struct wd_comp_arg *arg, __u32 head, enum hisi_kind kind, struct plain *p)
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
	hisi_sqe_order((void *)sqe);
	zero_pair(sqe + 11);
}

/* To the slot at index; false when it, or the request, isn't fit. */
WD_INLINE bool send_to(struct wd_queue *q, const struct hisi_queue *z, struct wd_session *base, void *req, struct wd_msg *own,
		       unsigned int index, enum hisi_kind kind)
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
WD_INLINE bool tell(const struct wd_queue *q, const struct hisi_queue *z, const struct wd_slot *slot, void *req,
		    unsigned int index, __u64 *in, __u64 *out)
{
	struct wd_comp_arg *arg = req;
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

#include "straight_ring.h"

#define NOT_WORTH_IT	1024	/* bytes: below, a real device is slower than this CPU */

static const char *const zip_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

const struct wd_driver hisi_zip_driver = {
	.name = "hisi_zip",
	.apis = zip_apis,
	.min_bytes = NOT_WORTH_IT,
	.open = zip_open,
	.close = hisi_queue_close,
	.stop = hisi_queue_stop,
	.push = zip_push,
	.result = zip_result,
	.abort = hisi_queue_abort,
	.ready = hisi_queue_ready,
	.arm = hisi_queue_arm,
	.disarm = hisi_queue_disarm,
	STRAIGHT_RING,
};
