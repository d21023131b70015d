// SPDX-License-Identifier: Apache-2.0
/* Bad input that functions of queue pairs refuse without a device. */
#include <hisi_qm.h>
#include <string.h>
#include "kselftest_harness.h"

static const struct hisi_qp_cfg good = { .sqe_size = 128, .op_type = 0, .mode = QP_SYNC };

static int mentions(const char *word)
{
	char text[256];

	return wd_error_detail(0, text, sizeof(text)) > 0 && strstr(text, word);
}

static int alloc_error(const char *path, struct hisi_qp_cfg cfg)
{
	errno = 0;
	return hisi_qm_alloc_qp(path, &cfg) ? 0 : errno;
}

TEST(null_arguments)
{
	EXPECT_EQ(0, hisi_qm_alloc_qp(NULL, &good));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(mentions("node_path"));
	EXPECT_EQ(0, hisi_qm_alloc_qp("/dev/hisi_zip-0", NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(mentions("cfg"));
}

TEST(a_configuration_that_no_device_has)
{
	struct hisi_qp_cfg cfg = good;

	cfg.sqe_size = 0;
	EXPECT_EQ(EINVAL, alloc_error("/dev/hisi_zip-0", cfg));
	cfg.sqe_size = 129;
	EXPECT_EQ(EINVAL, alloc_error("/dev/hisi_zip-0", cfg));
	EXPECT_TRUE(mentions("129"));
	cfg = good;
	cfg.op_type = 2;
	EXPECT_EQ(EINVAL, alloc_error("/dev/hisi_zip-0", cfg));
	EXPECT_TRUE(mentions("op_type"));
	cfg = good;
	cfg.mode = (enum hisi_qm_mode)7;
	EXPECT_EQ(EINVAL, alloc_error("/dev/hisi_zip-0", cfg));
	EXPECT_TRUE(mentions("mode"));
}

TEST(paths_that_are_no_device)
{
	EXPECT_EQ(ENOENT, alloc_error("/dev/hisi_zip-999", good));
	EXPECT_EQ(ENODEV, alloc_error("/dev/null", good));
	EXPECT_TRUE(mentions("/dev/null"));
}

static void never(void *para, void *rsp)
{
}

TEST(handles_that_are_none)
{
	static const handle_t bad[] = { 0, 1, 0x0200000000000001ull, ~0ull };
	struct hisi_qm_async_data data = { .callback = never };
	char sqe[128];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EINVAL, hisi_qm_send(bad[i], sqe, 1));
		EXPECT_EQ(-EINVAL, hisi_qm_recv(bad[i], sqe, 1));
		EXPECT_EQ(-EINVAL, hisi_qm_send_async(bad[i], sqe, &data));
		EXPECT_EQ(-EINVAL, hisi_qm_poll_async_qp(bad[i], 1));
		hisi_qm_free_qp(bad[i]);
		EXPECT_TRUE(mentions("queue pair"));
		EXPECT_EQ(-EINVAL, hisi_qm_destroy_sglpool(bad[i]));
		EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(bad[i], sqe));
		errno = 0;
		EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(bad[i], NULL));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_TRUE(mentions("SGL pool"));
	}
}

TEST_HARNESS_MAIN
