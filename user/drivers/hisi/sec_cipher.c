// SPDX-License-Identifier: Apache-2.0
/* Ciphers on the SEC engine, with descriptors of both types: the fast path. */
#include "base/likely.h"
#include "cipher.h"
#include "fast.h"
#include "sec.h"

/* Whether the class's check would accept the request. */
static inline bool cipher_arg_fits(const struct crypto_sess *s, const struct wd_cipher_arg *arg)
{
	const size_t *dst_len = arg->dst_len;
	size_t len = arg->src_len;

	if (unlikely(!arg->src || !arg->dst || !dst_len || len - 1 >= SEC_MAX_BYTES || *dst_len < len))
		return false;
	if (unlikely(arg->op > WD_CIPHER_DECRYPTION || arg->iv_len != s->iv_len || !arg->iv != !s->iv_len))
		return false;
	return !(len & (s->granule - 1u)) && len >= s->fast_least && s->keyed &&
	       !crypto_overlap_bad(arg->src, arg->dst, len);
}

WD_INLINE bool cipher_fill(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r)
{
	const struct crypto_sess *s = to_crypto_sess(r->s);
	const struct wd_cipher_arg *arg = r->arg;
	struct sec_job j;

	if (unlikely(!cipher_arg_fits(s, arg) || !wd_slot_is_free(r->slot)))
		return false;
	sec_job_cipher(&j, SEC_KIND_CIPHER, (uintptr_t)arg->src, (uintptr_t)arg->dst, (uintptr_t)arg->iv, 0,
		       (__u32)arg->src_len, 0);
	sec_write_whole(fast_sqe(h, r, SEC_BD_SIZE), ops->type, s, arg->op, s->key, &j, fast_begin(r));
	return true;
}

WD_INLINE bool cipher_told(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, __u64 *in,
			__u64 *out)
{
	const struct wd_cipher_arg *arg = r->arg;

	if (unlikely(!sec_is_done(fast_sqe(h, r, SEC_BD_SIZE), ops->type, r->tag, r->index)))
		return false;
	*in = *out = *arg->dst_len = arg->src_len;
	return true;
}

static const struct fast_ops cipher_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_cipher_arg), .type = CRYPTO_BD3, .fill = cipher_fill,
	.result = cipher_told,
};
FAST_ENTRIES(hisi_cipher, &cipher_fast)

static const struct fast_ops cipher_v2_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_cipher_arg), .type = CRYPTO_BD2, .fill = cipher_fill,
	.result = cipher_told,
};
FAST_ENTRIES(hisi_cipher_v2, &cipher_v2_fast)

const struct wd_driver hisi_cipher_driver = {
	SEC_DRIVER,
	FAST_DRIVER(hisi_cipher),
};

const struct wd_driver hisi_cipher_v2_driver = {
	SEC_V2_DRIVER,
	FAST_DRIVER(hisi_cipher_v2),
};
