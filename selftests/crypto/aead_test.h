/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and requests of AEAD, for tests. */
#ifndef AEAD_TEST_H
#define AEAD_TEST_H

#include <wd_aead.h>
#include "crypto_test.h"

struct aead_kind {
	int calg, cmode, dalg;
};

static inline handle_t aead_open(struct aead_kind k, int op_type, int fmt, unsigned int flags)
{
	struct wd_aead_sess_setup setup = {
		.calg = (__u8)k.calg, .cmode = (__u8)k.cmode, .dalg = (__u8)k.dalg,
		.dmode = k.cmode == WD_CIPHER_CBC ? WD_DIGEST_HMAC : 0, .op_type = (__u8)op_type,
		.data_fmt = (__u16)fmt, .flags = flags,
	};

	return wd_aead_alloc_sess(&setup, NULL);
}

/* tag 0: the default length. */
static inline handle_t aead_keyed(struct aead_kind k, const void *ckey, size_t clen, const void *akey, size_t alen,
				  size_t tag, unsigned int flags)
{
	handle_t h = aead_open(k, WD_SYNC, WD_FLAT_BUF, flags);
	int ret = h ? wd_aead_set_ckey(h, ckey, (__u32)clen) : 0;

	if (h && !ret && k.cmode == WD_CIPHER_CBC)
		ret = wd_aead_set_akey(h, akey, (__u32)alen);
	if (h && !ret && tag)
		ret = wd_aead_set_authsize(h, (__u32)tag);
	if (!ret)
		return h;
	wd_aead_free_sess(h);
	errno = -ret;
	return 0;
}

/* in and out: the associated data, then the data. */
static inline int aead_do(handle_t h, int op, const void *iv, size_t iv_len, const void *in, size_t assoc, size_t len,
			  void *out, void *mac)
{
	size_t out_len = assoc + len;
	struct wd_aead_arg arg = {
		.src = (void *)in, .src_len = assoc + len, .dst = out, .dst_len = &out_len, .iv = (void *)iv,
		.iv_len = (__u32)iv_len, .op = (__u32)op, .mac = mac, .mac_len = (__u32)wd_aead_get_authsize(h),
		.assoc_len = (__u32)assoc,
	};
	int ret = wd_aead_sync(h, &arg);

	return ret ? ret : out_len == assoc + len && arg.consumed == out_len ? 0 : -EIO;
}

/* mac NULL: not the last part; iv NULL: not the first part. */
static inline int aead_part(handle_t h, int op, const void *iv, size_t iv_len, const void *in, size_t assoc, size_t len,
			    void *out, void *mac)
{
	size_t out_len = assoc + len;
	struct wd_aead_arg arg = {
		.src = (void *)in, .src_len = assoc + len, .dst = out, .dst_len = &out_len, .iv = (void *)iv,
		.iv_len = iv ? (__u32)iv_len : 0, .op = (__u32)op, .mac = mac,
		.mac_len = mac ? (__u32)wd_aead_get_authsize(h) : 0, .assoc_len = (__u32)assoc,
	};
	int ret = mac ? wd_aead_final(h, &arg) : wd_aead_update(h, &arg);

	return ret ? ret : out_len == assoc + len && arg.consumed == out_len ? 0 : -EIO;
}

#endif
