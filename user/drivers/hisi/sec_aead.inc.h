/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authenticated encryption on the SEC engine: the fast path's view of a request. The file of each type of descriptor
 * includes this once, after it defined SEC_TYPE (sec_fast.inc.h).
 */
#include "aead.h"
#include "base/likely.h"

#define SEC_ARG			struct wd_aead_arg
#define SEC_DECRYPT(arg)	((arg)->op)
#define SEC_PRODUCED(s, arg)	((arg)->src_len)
#define SEC_C_KEY(s)		((uintptr_t)(s)->key)
#include "sec_fast.inc.h"

static inline bool sec_arg_fits(const struct crypto_sess *s, const struct wd_aead_arg *arg)
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

static inline bool sec_job_of_arg(const struct crypto_sess *s, const struct wd_aead_arg *arg, struct hisi_queue *h,
				  unsigned int index, struct sec_job *j)
{
	__u8 kind = s->alg->sec.kind;
	__u32 data = (__u32)arg->src_len - arg->assoc_len;
	struct sec_scratch *b;

	sec_job_cipher(j, kind, (uintptr_t)arg->src, (uintptr_t)arg->dst, (uintptr_t)arg->iv, (uintptr_t)arg->mac,
		       (__u32)arg->src_len, arg->assoc_len);
	if (kind == SEC_KIND_AUTHENC)
		return true;
	b = hisi_queue_scratch(h, index);
	if (!b)
		return false;
	j->c_iv = j->a_iv = (uintptr_t)b->c_iv;
	if (kind == SEC_KIND_CCM) {
		j->a_iv = (uintptr_t)b->a_iv;
		sec_ccm_blocks(b, arg->iv, arg->iv_len, s->mac_len, arg->assoc_len, data);
		return true;
	}
	/* One block serves both: the hash's has the same value. */
	memcpy(b->c_iv, arg->iv, GCM_IV_BYTES);
	memset(b->c_iv + GCM_IV_BYTES, 0, SEC_IV_BYTES - GCM_IV_BYTES);
	return true;
}
