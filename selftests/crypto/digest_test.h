/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and requests of digests, for tests. */
#ifndef DIGEST_TEST_H
#define DIGEST_TEST_H

#include <wd_digest.h>
#include "crypto_test.h"

static inline handle_t digest_open(int alg, int mode, int op_type, int fmt, size_t out, unsigned int flags)
{
	struct wd_digest_sess_setup setup = {
		.alg = (__u8)alg, .mode = (__u8)mode, .op_type = (__u8)op_type, .data_fmt = (__u16)fmt,
		.out_bytes = (__u16)out, .flags = flags,
	};

	return wd_digest_alloc_sess(&setup, NULL);
}

static inline handle_t digest_keyed(int alg, int mode, const void *key, size_t key_len, size_t out, unsigned int flags)
{
	handle_t h = digest_open(alg, mode, WD_SYNC, WD_FLAT_BUF, out, flags);
	int ret = h && mode == WD_DIGEST_HMAC ? wd_digest_set_key(h, key, (__u32)key_len) : 0;

	if (!ret)
		return h;
	wd_digest_free_sess(h);
	errno = -ret;
	return 0;
}

static inline int digest_do(handle_t h, const void *msg, size_t len, void *md, size_t md_len)
{
	size_t out = md_len;
	struct wd_digest_arg arg = { .src = (void *)msg, .src_len = len, .dst = md, .dst_len = &out };
	int ret = wd_digest_sync(h, &arg);

	return ret ? ret : out == md_len && arg.consumed == len ? 0 : -EIO;
}

/* md NULL: not the last part. */
static inline int digest_part(handle_t h, const void *part, size_t len, void *md)
{
	size_t out = WD_DIGEST_MAX;
	struct wd_digest_arg arg = { .src = (void *)part, .src_len = len, .dst = md, .dst_len = md ? &out : NULL };

	return md ? wd_digest_final(h, &arg) : wd_digest_update(h, &arg);
}

#endif
