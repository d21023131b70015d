/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of elliptic curves: sessions, keys, one request. */
#ifndef ECC_TEST_H
#define ECC_TEST_H

#include <wd_ecc.h>
#include "pubkey_test.h"

#define ECC_MAX	72

static inline handle_t ecc_open(int alg, int curve, int op_type, unsigned int flags)
{
	struct wd_ecc_sess_setup setup = {
		.alg = (__u8)alg, .curve = (__u32)curve, .op_type = (__u8)op_type, .flags = flags
	};

	return wd_ecc_alloc_sess(&setup, NULL);
}

static inline int ecc_do(handle_t h, int op, const void *in, size_t len, const void *extra, size_t extra_len, void *out,
			 size_t *out_len)
{
	struct wd_ecc_arg arg = {
		.src = (void *)in, .src_len = len, .dst = out, .dst_len = out_len, .op = (__u32)op, .extra = extra,
		.extra_len = (__u32)extra_len,
	};
	int ret = wd_ecc_sync(h, &arg);

	return arg.status == ret && (ret || arg.path != WD_PATH_NONE) ? ret : -EPROTO;
}

static inline bool ecc_key_points(handle_t h, const struct bytes *d, const struct bytes *x, const struct bytes *y)
{
	struct wd_ecc_key key = { .d = { NULL, 0 } };

	if (d)
		key.d = number_of(d);
	if (x)
		key.x = number_of(x);
	if (y)
		key.y = number_of(y);
	return !wd_ecc_set_key(h, &key);
}

#endif
