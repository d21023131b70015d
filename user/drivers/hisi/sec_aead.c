// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption on the SEC engine, with descriptors of both types: the fast path. */
#include "aead.h"
#include "base/likely.h"
#include "fast.h"
#include "sec.h"

/* Whether the class's check would accept the request. */
static inline bool aead_arg_fits(const struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	const size_t *dst_len = arg->dst_len;
	size_t len = arg->src_len, data = len - arg->assoc_len;
	__u8 kind = s->alg->sec.kind;

	if (unlikely(!arg->src || !arg->dst || !dst_len || len - 1 >= SEC_MAX_BYTES || *dst_len < len || !arg->iv ||
		     !arg->mac))
		return false;
	/* Requests without data, with long associated data, or with the tag in dst take the slow path. */
	if (unlikely(arg->op > WD_CIPHER_DECRYPTION || arg->assoc_len >= len || arg->assoc_len > SEC_MAX_CCM_AAD ||
		     arg->mac_len != s->mac_len || (uintptr_t)arg->mac - (uintptr_t)arg->dst < len ||
		     (uintptr_t)arg->dst - (uintptr_t)arg->mac < s->mac_len))
		return false;
	/* So do requests with a nonce of seven bytes, which are rare. */
	if (kind == SEC_KIND_CCM ? arg->iv_len - 8u > 5 || data >> 16 : arg->iv_len != s->iv_len)
		return false;
	return (kind != SEC_KIND_AUTHENC || !(data % SEC_IV_BYTES)) && s->keyed == s->needs &&
	       !crypto_overlap_bad(arg->src, arg->dst, len);
}

/* The blocks of CCM or GCM for that much data, in the memory of the request's place in the ring. */
static inline void blocks_fill(const struct crypto_sess *s, const struct wd_aead_arg *arg, bool ccm, __u32 data,
			       struct sec_scratch *b, struct sec_job *j)
{
	j->c_iv = j->a_iv = (uintptr_t)b->c_iv;
	if (ccm) {
		j->a_iv = (uintptr_t)b->a_iv;
		sec_ccm_blocks(b, arg->iv, arg->iv_len, s->mac_len, arg->assoc_len, data);
		return;
	}
	/* One block serves both: the hash's has the same value. */
	memcpy(b->c_iv, arg->iv, GCM_IV_BYTES);
	memset(b->c_iv + GCM_IV_BYTES, 0, SEC_IV_BYTES - GCM_IV_BYTES);
}

WD_INLINE bool aead_fill(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r)
{
	const struct crypto_sess *s = to_crypto_sess(r->s);
	const struct wd_aead_arg *arg = r->arg;
	struct sec_scratch *b;
	struct sec_job j;
	__u32 data;
	__u8 kind;

	if (unlikely(!aead_arg_fits(s, arg) || !wd_slot_is_free(r->slot)))
		return false;
	kind = s->alg->sec.kind;
	data = (__u32)arg->src_len - arg->assoc_len;
	sec_job_cipher(&j, kind, (uintptr_t)arg->src, (uintptr_t)arg->dst, (uintptr_t)arg->iv, (uintptr_t)arg->mac,
		       (__u32)arg->src_len, arg->assoc_len);
	if (likely(kind != SEC_KIND_AUTHENC)) {
		b = hisi_queue_scratch(h, r->index);
		if (unlikely(!b))
			return false;
		blocks_fill(s, arg, kind == SEC_KIND_CCM, data, b, &j);
	}
	sec_write_whole(fast_sqe(h, r, SEC_BD_SIZE), ops->type, s, arg->op, s->key, &j, fast_begin(r));
	return true;
}

WD_INLINE bool aead_told(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, __u64 *in,
			__u64 *out)
{
	const struct wd_aead_arg *arg = r->arg;

	if (unlikely(!sec_is_done(fast_sqe(h, r, SEC_BD_SIZE), ops->type, r->tag, r->index)))
		return false;
	*in = *out = *arg->dst_len = arg->src_len;
	return true;
}

static const struct fast_ops aead_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_aead_arg), .type = CRYPTO_BD3, .fill = aead_fill, .result = aead_told,
};
FAST_ENTRIES(hisi_aead, &aead_fast)

static const struct fast_ops aead_v2_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_aead_arg), .type = CRYPTO_BD2, .fill = aead_fill, .result = aead_told,
};
FAST_ENTRIES(hisi_aead_v2, &aead_v2_fast)

const struct wd_driver hisi_aead_driver = {
	SEC_DRIVER,
	FAST_DRIVER(hisi_aead),
};

const struct wd_driver hisi_aead_v2_driver = {
	SEC_V2_DRIVER,
	FAST_DRIVER(hisi_aead_v2),
};
