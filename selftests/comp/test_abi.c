// SPDX-License-Identifier: Apache-2.0
/* The structs of wd_comp.h and wd_request.h: layouts that programs were built with, and values that are fixed. */
#include <wd_cq.h>

#include "abi.h"
#include "comp_test.h"
#include "kselftest_harness.h"

TEST(a_request_is_laid_out_as_it_was)
{
	ARG(wd_comp_arg, 48);
}

TEST(a_stream_step_is_laid_out_as_it_was)
{
	AT(wd_comp_strm, src, 0);
	AT(wd_comp_strm, src_len, 8);
	AT(wd_comp_strm, dst, 16);
	AT(wd_comp_strm, dst_len, 24);
	AT(wd_comp_strm, last, 32);
	AT(wd_comp_strm, flags, 40);
	AT(wd_comp_strm, timeout_ms, 44);
	AT(wd_comp_strm, wr_id, 48);
	AT(wd_comp_strm, consumed, 56);
	AT(wd_comp_strm, status, 64);
	AT(wd_comp_strm, path, 68);
	AT(wd_comp_strm, path_reason, 70);
	AT(wd_comp_strm, reserved, 72);
	EXPECT_EQ(104, sizeof(struct wd_comp_strm));
}

TEST(a_setup_is_laid_out_as_it_was)
{
	SETUP(wd_comp_sess_setup, 1, 8);
	AT(wd_comp_sess_setup, alg_type, 0);
	AT(wd_comp_sess_setup, dir_type, 2);
	AT(wd_comp_sess_setup, comp_lv, 3);
	AT(wd_comp_sess_setup, win_size, 4);
	AT(wd_comp_sess_setup, data_fmt, 6);
}

TEST(completions_are_laid_out_as_they_were)
{
	AT(wd_wc, wr_id, 0);
	AT(wd_wc, status, 8);
	AT(wd_wc, opcode, 12);
	AT(wd_wc, vendor_err, 16);
	AT(wd_wc, flags, 20);
	AT(wd_wc, byte_len, 24);
	AT(wd_wc, consumed, 32);
	AT(wd_wc, ctx, 40);
	AT(wd_wc, path, 44);
	AT(wd_wc, path_reason, 46);
	AT(wd_wc, sess, 48);
	AT(wd_wc, reserved, 56);
	EXPECT_EQ(64, sizeof(struct wd_wc));
	AT(wd_async_event, event, 0);
	AT(wd_async_event, err, 4);
	AT(wd_async_event, ctx, 8);
	AT(wd_async_event, flags, 12);
	AT(wd_async_event, cq, 16);
	AT(wd_async_event, reserved, 24);
	EXPECT_EQ(56, sizeof(struct wd_async_event));
}

TEST(context_infos_are_laid_out_as_they_were)
{
	AT(wd_ctx_info, dev_name, 0);
	AT(wd_ctx_info, numa_node, 64);
	AT(wd_ctx_info, path, 68);
	AT(wd_ctx_info, qc_type, 70);
	AT(wd_ctx_info, async, 71);
	AT(wd_ctx_info, depth, 72);
	AT(wd_ctx_info, in_flight, 76);
	AT(wd_ctx_info, state, 80);
	AT(wd_ctx_info, reserved, 88);
	EXPECT_EQ(120, sizeof(struct wd_ctx_info));
}

TEST(values_are_the_seeds)
{
	EXPECT_EQ(0, WD_ZLIB);
	EXPECT_EQ(1, WD_GZIP);
	EXPECT_EQ(2, WD_DEFLATE_RAW);
	EXPECT_EQ(0, WD_SYNC);
	EXPECT_EQ(1, WD_ASYNC);
	EXPECT_EQ(0, WD_DIR_COMPRESS);
	EXPECT_EQ(1, WD_DIR_DECOMPRESS);
	EXPECT_EQ(0, WD_COMP_WS_4K);
	EXPECT_EQ(4, WD_COMP_WS_32K);
	EXPECT_EQ(0, WD_COMP_OK);
	EXPECT_EQ(-1, WD_COMP_PARMS);
	EXPECT_EQ(-2, WD_DATA_ERR);
	EXPECT_EQ(-3, WD_COMP_OUT_NOSPACE);
	EXPECT_EQ(0, WD_FLAT_BUF);
	EXPECT_EQ(1, WD_SGL_BUF);
	EXPECT_EQ(1, WD_PATH_HW);
	EXPECT_EQ(2, WD_PATH_SIM);
	EXPECT_EQ(3, WD_PATH_SOFT);
	EXPECT_EQ(1, WD_WC_COMPRESS);
	EXPECT_EQ(2, WD_WC_DECOMPRESS);
	EXPECT_EQ(1, WD_EVENT_CQ_ERR);
	EXPECT_EQ(4, WD_SESS_CQ);
}

TEST(paths_and_reasons_have_names)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		EXPECT_NE(NULL, wd_path_str(i));
		EXPECT_NE(NULL, wd_path_reason_str(i));
	}
	EXPECT_STREQ("sim", wd_path_str(WD_PATH_SIM));
}

TEST_HARNESS_MAIN
