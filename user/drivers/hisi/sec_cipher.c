// SPDX-License-Identifier: Apache-2.0
/* Ciphers on the SEC engine, the way of most requests: from the caller's struct into a descriptor, and back. */
#include <errno.h>

#include "cipher.h"
#include "sec.h"
#include "straight.h"

/* Whether it is fit to go as it is, as arg_check() would find. What can't be said in one look is refused as well. */
WD_INLINE bool arg_plain(const struct crypto_sess *s, const struct wd_cipher_arg *arg, enum hisi_kind kind)
{
	const __u64 *r = arg->reserved;
	const size_t *dst_len = arg->dst_len;
	size_t len = arg->src_len;

	if (__builtin_expect(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3], 0))
		return false;
	if (__builtin_expect(!arg->src || !arg->dst || !dst_len || len - 1 >= SEC_MAX_BYTES || *dst_len < len, 0))
		return false;
	if (__builtin_expect(arg->op > WD_CIPHER_DECRYPTION || arg->iv_len != s->iv_len || !arg->iv != !s->iv_len, 0))
		return false;
	/* Stealing from no more than a block isn't plain. */
	return cipher_fits(s, len) && !(s->alg->sec.c_width && len == SEC_IV_BYTES) && s->keyed &&
	       (kind == OWN || !arg->cb == s->no_cb) && !crypto_overlap_bad(arg->src, arg->dst, len);
}

WD_INLINE bool send_to(struct wd_queue *q, const struct hisi_queue *h, struct wd_session *base, void *req, struct wd_msg *own,
		       unsigned int index, enum hisi_kind kind)
{
	const struct crypto_sess *s = to_crypto_sess(base);
	const struct wd_cipher_arg *arg = req;
	struct wd_slot *slot = &q->pub.slots[index];
	struct sec_job j;
	__u32 gen;

	if (__builtin_expect(!arg_plain(s, arg, kind) || !wd_slot_is_free(slot), 0))
		return false;
	gen = wd_slot_begin(slot, base, req, own);
	j = (struct sec_job){
		.src = (uintptr_t)arg->src, .dst = (uintptr_t)arg->dst, .c_iv = (uintptr_t)arg->iv, .c_len = (__u32)arg->src_len,
	};
	sec_write((__le64 *)(void *)(h->ring.sq + (size_t)index * SEC_BD_SIZE), s->bd.head[arg->op], s->bd.auth[0],
		  (uintptr_t)s->key, 0, &j, WD_TAG(gen, index));
	wd_slot_filled(slot, !own);
	return true;
}

WD_INLINE bool tell(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
		    unsigned int index, __u64 *in, __u64 *out)
{
	struct wd_cipher_arg *arg = req;
	/* Shared memory: what is checked must be what is used. */
	const volatile struct sec_bd *bd = (const volatile void *)(h->ring.sq + (size_t)index * SEC_BD_SIZE);

	if (__builtin_expect((le32toh(bd->dw[SEC_BD_RESULT_FIRST]) & SEC_GOOD_MASK) != SEC_GOOD ||
			     le32toh(bd->dw[SEC_BD3_TAG]) != WD_TAG(slot->gen, index), 0))
		return false;
	*in = *out = arg->src_len;
	*arg->dst_len = arg->src_len;
	arg->consumed = arg->src_len;
	arg->status = 0;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&slot->sess->reason, memory_order_relaxed);
	return true;
}

#include "straight_ring.h"

const struct wd_driver hisi_cipher_driver = {
	SEC_DRIVER,
	STRAIGHT_RING,
};
