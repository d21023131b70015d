// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption on the SEC engine, the way of most requests: from the caller's struct into a descriptor, and back. */
#include "aead.h"
#include "sec.h"

static inline bool arg_plain(const struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	const size_t *dst_len = arg->dst_len;
	size_t len = arg->src_len, data = len - arg->assoc_len;
	__u8 kind = s->alg->sec.kind;

	if (__builtin_expect(!arg->src || !arg->dst || !dst_len || len - 1 >= SEC_MAX_BYTES || *dst_len < len || !arg->iv || !arg->mac, 0))
		return false;
	/* Without data, with the longest of what is only authenticated, or with the tag in dst, it is for a closer look. */
	if (__builtin_expect(arg->op > WD_CIPHER_DECRYPTION || arg->assoc_len >= len || arg->assoc_len > SEC_MAX_CCM_AAD ||
			     arg->mac_len != s->mac_len || (uintptr_t)arg->mac - (uintptr_t)arg->dst < len ||
			     (uintptr_t)arg->dst - (uintptr_t)arg->mac < s->mac_len, 0))
		return false;
	if (kind == SEC_KIND_CCM ? arg->iv_len - 7u > 6 || data >> 16 : arg->iv_len != s->iv_len)
		return false;
	return (kind != SEC_KIND_AUTHENC || !(data % SEC_IV_BYTES)) && s->keyed == s->needs &&
	       !crypto_overlap_bad(arg->src, arg->dst, len);
}

static inline bool job_plain(const struct crypto_sess *s, const struct wd_aead_arg *arg, struct hisi_queue *h, unsigned int index,
			     struct sec_job *j)
{
	struct crypto_msg c;

	c.src = arg->src;
	c.dst = arg->dst;
	c.src_len = arg->src_len;
	c.iv = arg->iv;
	c.iv_len = arg->iv_len;
	c.mac = arg->mac;
	c.mac_len = s->mac_len;
	c.assoc_len = arg->assoc_len;
	c.sgl = false;
	return !sec_job(h, s, &c, index, j);
}

#define SEC_ARG			struct wd_aead_arg
#define SEC_DECRYPT(arg)	((arg)->op)
#define SEC_PRODUCED(s, arg)	((arg)->src_len)
#define SEC_C_KEY(s)		((uintptr_t)(s)->key)
#include "sec_straight.h"

const struct wd_driver hisi_aead_driver = {
	SEC_DRIVER,
	STRAIGHT_RING,
};
