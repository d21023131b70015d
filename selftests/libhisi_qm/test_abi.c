// SPDX-License-Identifier: Apache-2.0
/* Layouts and numbers that programs were compiled with. */
#include <hisi_qm.h>
#include <stddef.h>
#include "kselftest_harness.h"

#define FIXED(cond)	_Static_assert(cond, #cond)

FIXED(QP_SYNC == 0 && QP_ASYN == 1);
FIXED(sizeof(struct hisi_qp_cfg) == 8);
FIXED(offsetof(struct hisi_qp_cfg, sqe_size) == 0);
FIXED(offsetof(struct hisi_qp_cfg, op_type) == 2);
FIXED(offsetof(struct hisi_qp_cfg, mode) == 4);
FIXED(sizeof(hisi_qm_async_data) == 32);
FIXED(offsetof(struct hisi_qm_async_data, callback) == 0);
FIXED(offsetof(struct hisi_qm_async_data, para) == 8);
FIXED(offsetof(struct hisi_qm_async_data, len) == 16);
FIXED(offsetof(struct hisi_qm_async_data, rsp) == 24);
FIXED(HISI_QM_PARA_MAX == 64);

/* The documented declarations, as far as callers can see them. */
TEST(functions_have_the_types_of_the_documented_interface)
{
	handle_t (*alloc_qp)(const char *, const struct hisi_qp_cfg *) = hisi_qm_alloc_qp;
	int (*recv)(handle_t, void *, int) = hisi_qm_recv;
	int (*poll)(handle_t, __u32) = hisi_qm_poll_async_qp;

	EXPECT_TRUE(alloc_qp && recv && poll);
}

TEST_HARNESS_MAIN
