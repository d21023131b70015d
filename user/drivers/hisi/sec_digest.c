// SPDX-License-Identifier: Apache-2.0
/* Digests on the SEC engine, with descriptors of both types: the fast path. */
#include "base/likely.h"
#include "digest.h"
#include "fast.h"
#include "sec.h"

/* Whether the class's check would accept the request. */
static inline bool digest_arg_fits(const struct crypto_sess *s, const struct wd_digest_arg *arg)
{
	const size_t *dst_len = arg->dst_len;

	return arg->src && arg->dst && dst_len && arg->src_len - 1 < SEC_MAX_BYTES && *dst_len >= s->mac_len &&
	       s->keyed == s->needs;
}

WD_INLINE bool digest_fill(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r)
{
	const struct crypto_sess *s = to_crypto_sess(r->s);
	const struct wd_digest_arg *arg = r->arg;
	struct sec_job j;

	if (unlikely(!digest_arg_fits(s, arg) || !wd_slot_is_free(r->slot)))
		return false;
	sec_job_digest(&j, (uintptr_t)arg->src, (__u32)arg->src_len, (uintptr_t)arg->dst);
	sec_write_whole(fast_sqe(h, r, SEC_BD_SIZE), ops->type, s, 0, NULL, &j, fast_begin(r));
	return true;
}

WD_INLINE bool digest_told(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, __u64 *in,
			__u64 *out)
{
	const struct wd_digest_arg *arg = r->arg;

	if (unlikely(!sec_is_done(fast_sqe(h, r, SEC_BD_SIZE), ops->type, r->tag, r->index)))
		return false;
	*in = arg->src_len;
	*out = to_crypto_sess(r->s)->mac_len;
	*arg->dst_len = *out;
	return true;
}

static const struct fast_ops digest_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_digest_arg), .type = CRYPTO_BD3, .fill = digest_fill,
	.result = digest_told,
};
FAST_ENTRIES(hisi_digest, &digest_fast)

static const struct fast_ops digest_v2_fast = {
	SEC_FAST, .arg_bytes = sizeof(struct wd_digest_arg), .type = CRYPTO_BD2, .fill = digest_fill,
	.result = digest_told,
};
FAST_ENTRIES(hisi_digest_v2, &digest_v2_fast)

const struct wd_driver hisi_digest_driver = {
	SEC_DRIVER,
	FAST_DRIVER(hisi_digest),
};

const struct wd_driver hisi_digest_v2_driver = {
	SEC_V2_DRIVER,
	FAST_DRIVER(hisi_digest_v2),
};
