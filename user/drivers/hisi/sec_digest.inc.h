/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests on the SEC engine: the fast path's view of a request. The file of each type of descriptor includes this once,
 * after it defined SEC_TYPE (sec_fast.inc.h).
 */
#include "digest.h"

#define SEC_ARG			struct wd_digest_arg
#define SEC_DECRYPT(arg)	0
#define SEC_PRODUCED(s, arg)	((s)->mac_len)
#define SEC_C_KEY(s)		0
#include "sec_fast.inc.h"

static inline bool sec_arg_fits(const struct crypto_sess *s, const struct wd_digest_arg *arg)
{
	const size_t *dst_len = arg->dst_len;

	return arg->src && arg->dst && dst_len && arg->src_len - 1 < SEC_MAX_BYTES && *dst_len >= s->mac_len &&
	       s->keyed == s->needs;
}

static inline bool sec_job_of_arg(const struct crypto_sess *s, const struct wd_digest_arg *arg, struct hisi_queue *h,
				  unsigned int index, struct sec_job *j)
{
	(void)s, (void)h, (void)index;
	sec_job_digest(j, (uintptr_t)arg->src, (__u32)arg->src_len, (uintptr_t)arg->dst);
	return true;
}
