// SPDX-License-Identifier: Apache-2.0
/* Layouts and numbers that programs were compiled with. */
#include <stddef.h>
#include <string.h>
#include <wd.h>
#include <wd_request.h>
#include <wd_user.h>
#include "kselftest_harness.h"

#define FIXED(cond)	_Static_assert(cond, #cond)

FIXED(sizeof(struct wd_user_info) == 216);
FIXED(offsetof(struct wd_user_info, queue_priority) == 136);
FIXED(sizeof(struct wd_user_grant) == 120);
FIXED(offsetof(struct wd_user_grant, numa_node) == 64);
FIXED(sizeof(handle_t) == 8);
FIXED(WD_NAME_SIZE == 64 && MAX_ATTR_STR_SIZE == 384 && PATH_STR_SIZE == 256 && UACCE_QFRT_MAX == 16);

FIXED(offsetof(struct uacce_dev_info, flags) == 0);
FIXED(offsetof(struct uacce_dev_info, api) == 4);
FIXED(offsetof(struct uacce_dev_info, algs) == 68);
FIXED(offsetof(struct uacce_dev_info, qfrs_offs) == 456);
FIXED(offsetof(struct uacce_dev_info, name) == 584);
FIXED(offsetof(struct uacce_dev_info, alg_path) == 648);
FIXED(offsetof(struct uacce_dev_info, dev_root) == 904);
FIXED(offsetof(struct uacce_dev_info, node_id) == 1160);
FIXED(offsetof(struct uacce_dev_info, numa_node) == 1164);
FIXED(offsetof(struct uacce_dev_info, priority) == 1168);
FIXED(offsetof(struct uacce_dev_info, simulated) == 1172);
FIXED(offsetof(struct uacce_dev_info, isolated) == 1176);
FIXED(offsetof(struct uacce_dev_info, avail) == 1180);

FIXED(offsetof(struct uacce_dev_list, info) == 0 && offsetof(struct uacce_dev_list, next) == 8);
FIXED(sizeof(wd_dev_mask_t) == 16 && offsetof(wd_dev_mask_t, len) == 8 && offsetof(wd_dev_mask_t, magic) == 12);
FIXED(sizeof(wd_ctx_set_t) == 16 && offsetof(wd_ctx_set_t, len) == 8 && offsetof(wd_ctx_set_t, magic) == 12);
FIXED(sizeof(struct wd_datalist) == 24 && offsetof(struct wd_datalist, len) == 8);
FIXED(WD_FLAT_BUF == 0 && WD_SGL_BUF == 1);
FIXED(UACCE_QFRT_MMIO == 0 && UACCE_QFRT_DUS == 1);

FIXED(sizeof(struct wd_counts) == 64 && offsetof(struct wd_counts, bytes_out) == 32);
FIXED(sizeof(struct wd_ctx_stats) == 128 && offsetof(struct wd_ctx_stats, in_flight) == 64);
FIXED(offsetof(struct wd_ctx_stats, path) == 68 && offsetof(struct wd_ctx_stats, reserved) == 72);
FIXED(sizeof(struct wd_sess_stats) == 512);

TEST(the_library_says_the_version_it_was_built_as)
{
	EXPECT_STREQ(WD_VERSION, wd_version());
}

TEST_HARNESS_MAIN
