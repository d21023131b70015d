/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ciphers on the SEC engine: the fast path's view of a request. The file of each type of descriptor includes this once,
 * after it defined SEC_TYPE (sec_fast.inc.h).
 */
#include "base/likely.h"
#include "cipher.h"

#define SEC_ARG			struct wd_cipher_arg
#define SEC_DECRYPT(arg)	((arg)->op)
#define SEC_PRODUCED(s, arg)	((arg)->src_len)
#define SEC_C_KEY(s)		((uintptr_t)(s)->key)
#include "sec_fast.inc.h"

static inline bool sec_arg_fits(const struct crypto_sess *s, const struct wd_cipher_arg *arg)
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

static inline bool sec_job_of_arg(const struct crypto_sess *s, const struct wd_cipher_arg *arg, struct hisi_queue *h,
				  unsigned int index, struct sec_job *j)
{
	(void)s, (void)h, (void)index;
	sec_job_cipher(j, SEC_KIND_CIPHER, (uintptr_t)arg->src, (uintptr_t)arg->dst, (uintptr_t)arg->iv, 0,
		       (__u32)arg->src_len, 0);
	return true;
}
