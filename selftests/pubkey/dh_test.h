/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of DH: sessions and one request. */
#ifndef DH_TEST_H
#define DH_TEST_H

#include <wd_dh.h>
#include "pubkey_test.h"

#define DH_MAX	512

static inline handle_t dh_open(int group, int op_type, unsigned int flags)
{
	struct wd_dh_sess_setup setup = { .group = (__u32)group, .op_type = (__u8)op_type, .flags = flags };

	return wd_dh_alloc_sess(&setup, NULL);
}

static inline handle_t dh_open_value(struct wd_number p, struct wd_number g)
{
	struct wd_dh_sess_setup setup = { .p = p, .g = g };

	return wd_dh_alloc_sess(&setup, NULL);
}

/* x: the request's own private value; NULL: the session's. */
static inline int dh_do(handle_t h, int op, const struct wd_number *x, const void *in, size_t len, void *out,
			size_t *out_len)
{
	struct wd_dh_arg arg = {
		.src = (void *)in, .src_len = len, .dst = out, .dst_len = out_len, .op = (__u32)op,
		.key = x ? x->data : NULL, .key_len = x ? x->len : 0,
	};
	int ret = wd_dh_sync(h, &arg);

	if (arg.status != ret || (!ret && arg.path != expected_path("dh")))
		return -EPROTO;
	return ret;
}

#endif
