// SPDX-License-Identifier: Apache-2.0
/* Contexts on a device: life cycle, wrong orders, sharing, fork. */
#include <errno.h>
#include <fcntl.h>
#include <misc/uacce/hisi_qm.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wd.h>
#include "kselftest_harness.h"

FIXTURE(ctx) {
	struct uacce_dev_list *list;
	const char *node;
	handle_t h;
	int avail;
};

FIXTURE_SETUP(ctx)
{
	self->list = wd_list_accels("zlib");
	ASSERT_NE(NULL, self->list);
	self->node = self->list->info->dev_root;
	self->avail = wd_ctx_get_avail_ctx(self->node);
	self->h = wd_request_ctx(self->node);
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(ctx)
{
	wd_release_ctx(self->h);
	EXPECT_EQ(self->avail, wd_ctx_get_avail_ctx(self->node));
	wd_free_list_accels(self->list);
}

TEST_F(ctx, an_open_context_takes_one_queue)
{
	EXPECT_EQ(self->avail - 1, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(ctx, api_is_the_device_s)
{
	EXPECT_STREQ(self->list->info->api, wd_ctx_get_api(self->h));
}

TEST_F(ctx, priv_is_kept)
{
	int here;

	EXPECT_EQ(NULL, wd_ctx_get_priv(self->h));
	wd_ctx_set_priv(self->h, &here);
	EXPECT_EQ(&here, wd_ctx_get_priv(self->h));
}

struct call {
	int (*run)(handle_t h);
	handle_t h;
	bool returned;
};

static void *cancelled_call(void *arg)
{
	struct call *call = arg;

	pthread_cancel(pthread_self());
	call->returned = !call->run(call->h);
	pthread_testcancel();
	return NULL;
}

/* Runs it in a thread that was cancelled before; true if the call came to its end. */
static bool ends_though_cancelled(int (*run)(handle_t h), handle_t h)
{
	struct call call = { .run = run, .h = h };
	void *end = NULL;
	pthread_t t;

	if (pthread_create(&t, NULL, cancelled_call, &call))
		return false;
	pthread_join(t, &end);
	return end == PTHREAD_CANCELED && call.returned;
}

TEST_F(ctx, a_stop_is_not_cancelled_half_way)
{
	EXPECT_TRUE(ends_though_cancelled(wd_ctx_stop, self->h));
	EXPECT_EQ(self->avail, wd_ctx_get_avail_ctx(self->node));
	EXPECT_EQ(-ESHUTDOWN, wd_ctx_start(self->h));
}

static int release(handle_t h)
{
	wd_release_ctx(h);
	return 0;
}

TEST_F(ctx, nor_is_a_release)
{
	handle_t h = wd_request_ctx(self->node);

	ASSERT_NE(0, h);
	EXPECT_TRUE(ends_though_cancelled(release, h));
	EXPECT_EQ(self->avail - 1, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(ctx, it_starts_once_and_stops_once)
{
	char text[128];

	EXPECT_EQ(0, wd_ctx_start(self->h));
	EXPECT_EQ(-EINVAL, wd_ctx_start(self->h));
	EXPECT_LT(0, wd_error_detail(self->h, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "started already"));
	EXPECT_EQ(0, wd_ctx_stop(self->h));
	EXPECT_EQ(-ESHUTDOWN, wd_ctx_stop(self->h));
	EXPECT_EQ(-ESHUTDOWN, wd_ctx_start(self->h));
}

TEST_F(ctx, stop_gives_the_queue_back_and_the_handle_lives_on)
{
	struct hisi_qp_ctx arg = { 0 };
	int here;

	wd_ctx_set_priv(self->h, &here);
	ASSERT_NE(NULL, wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS));
	ASSERT_EQ(0, wd_ctx_start(self->h));
	EXPECT_EQ(0, wd_ctx_stop(self->h));
	EXPECT_EQ(self->avail, wd_ctx_get_avail_ctx(self->node));
	EXPECT_EQ(&here, wd_ctx_get_priv(self->h));
	EXPECT_STREQ(self->list->info->api, wd_ctx_get_api(self->h));
	EXPECT_EQ(-ESHUTDOWN, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_QM_SET_QP_CTX, &arg));
	EXPECT_EQ(NULL, wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS));
	EXPECT_EQ(ESHUTDOWN, errno);
	wd_drv_unmap_qfr(self->h, UACCE_QFRT_DUS);
}

TEST_F(ctx, stop_works_before_start)
{
	EXPECT_EQ(0, wd_ctx_stop(self->h));
	EXPECT_EQ(self->avail, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(ctx, regions_are_mapped_once_and_can_be_mapped_again)
{
	unsigned char *dus = wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS);
	unsigned long size = self->list->info->qfrs_offs[UACCE_QFRT_DUS];

	ASSERT_NE(NULL, dus);
	EXPECT_EQ(dus, wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS));
	dus[0] = 1;
	EXPECT_EQ(0, dus[size - 1]);
	if (self->list->info->mediated) {
		/* Only the kernel rings. */
		EXPECT_EQ(NULL, wd_drv_mmap_qfr(self->h, UACCE_QFRT_MMIO));
		EXPECT_EQ(EPERM, errno);
	} else {
		ASSERT_NE(NULL, wd_drv_mmap_qfr(self->h, UACCE_QFRT_MMIO));
	}
	wd_drv_unmap_qfr(self->h, UACCE_QFRT_DUS);
	wd_drv_unmap_qfr(self->h, UACCE_QFRT_DUS);
	if (!wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS)) {
		/* Mainline never lets a region be mapped again. */
		EXPECT_EQ(EEXIST, errno);
	}
}

TEST_F(ctx, regions_that_it_does_not_have_are_refused)
{
	EXPECT_EQ(NULL, wd_drv_mmap_qfr(self->h, (enum uacce_qfrt)2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, wd_drv_mmap_qfr(self->h, (enum uacce_qfrt)-1));
	EXPECT_EQ(EINVAL, errno);
	wd_drv_unmap_qfr(self->h, (enum uacce_qfrt)-1);
}

TEST_F(ctx, driver_commands_reach_the_driver)
{
	struct hisi_qp_info info = { 0 };
	struct hisi_qp_ctx arg = { .qc_type = 9 };

	EXPECT_EQ(0, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_QM_SET_QP_INFO, &info));
	EXPECT_EQ(128, info.sqe_size);
	EXPECT_EQ(-EINVAL, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_QM_SET_QP_CTX, &arg));
	EXPECT_EQ(-EFAULT, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_QM_SET_QP_CTX, NULL));
	EXPECT_EQ(-EINVAL, wd_ctx_set_io_cmd(self->h, 0x12345, NULL));
}

TEST_F(ctx, start_and_stop_have_their_own_functions)
{
	EXPECT_EQ(-EINVAL, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_START_Q, NULL));
	EXPECT_EQ(-EINVAL, wd_ctx_set_io_cmd(self->h, (int)UACCE_CMD_PUT_Q, NULL));
	EXPECT_EQ(0, wd_ctx_start(self->h));
}

TEST_F(ctx, it_lives_until_the_last_reference)
{
	EXPECT_EQ(0, wd_ctx_ref(self->h));
	wd_release_ctx(self->h);
	EXPECT_EQ(0, wd_ctx_start(self->h));
	EXPECT_EQ(self->avail - 1, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(ctx, a_released_context_is_stale)
{
	handle_t h = wd_request_ctx(self->node);
	char text[128];

	ASSERT_NE(0, h);
	wd_release_ctx(h);
	EXPECT_EQ(-EINVAL, wd_ctx_start(h));
	EXPECT_EQ(-EINVAL, wd_ctx_ref(h));
	wd_release_ctx(h);
	EXPECT_LT(0, wd_error_detail(0, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "freed, or never valid"));
	EXPECT_EQ(-EINVAL, wd_error_detail(h, text, sizeof(text)));
	EXPECT_EQ(0, wd_ctx_start(self->h));
}

TEST_F(ctx, when_all_queues_are_taken_the_next_is_refused)
{
	handle_t more[4096];
	char text[128];
	int n = 0;

	if (self->avail > (int)(sizeof(more) / sizeof(more[0])))
		SKIP(return, "more queues than this test counts");
	while (n < self->avail && (more[n] = wd_request_ctx(self->node)))
		n++;
	EXPECT_EQ(EBUSY, errno);
	EXPECT_LT(0, wd_error_detail(0, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "no queue is free"));
	EXPECT_EQ(self->avail - 1, n);
	EXPECT_EQ(0, wd_ctx_get_avail_ctx(self->node));
	while (n--)
		wd_release_ctx(more[n]);
	EXPECT_EQ(self->avail - 1, wd_ctx_get_avail_ctx(self->node));
}

/* Emulated devices live in a process: a child has other devices, with their own counts. */
static int is_emulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "libuacce-emu");
}

static int child_refused(handle_t h, const char *node, int avail)
{
	handle_t own;

	if (wd_ctx_start(h) != -ESTALE || wd_ctx_ref(h) != -ESTALE || wd_ctx_stop(h) != -ESTALE)
		return 1;
	if (wd_drv_mmap_qfr(h, UACCE_QFRT_MMIO) || errno != ESTALE)
		return 2;
	wd_release_ctx(h);
	if (wd_ctx_start(h) != -EINVAL)
		return 3;
	own = wd_request_ctx(node);
	if (!own || wd_ctx_start(own))
		return 4;
	wd_release_ctx(own);
	return is_emulated() || wd_ctx_get_avail_ctx(node) == avail ? 0 : 5;
}

TEST_F(ctx, a_child_can_not_use_it_and_has_its_own)
{
	int status;
	pid_t pid;

	ASSERT_NE(NULL, wd_drv_mmap_qfr(self->h, UACCE_QFRT_DUS));
	pid = fork();
	if (!pid)
		_exit(child_refused(self->h, self->node, self->avail - 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wd_ctx_start(self->h));
	if (!is_emulated())
		EXPECT_EQ(self->avail - 1, wd_ctx_get_avail_ctx(self->node));
}

static void *open_and_close(void *arg)
{
	long bad = 0;
	int i;

	for (i = 0; i < 20; i++) {
		handle_t h = wd_request_ctx(arg);

		bad += !h || !wd_drv_mmap_qfr(h, UACCE_QFRT_DUS) || wd_ctx_start(h);
		wd_release_ctx(h);
	}
	return (void *)bad;
}

TEST_F(ctx, threads_open_and_close_at_the_same_time)
{
	pthread_t threads[4];
	void *bad;
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_and_close, (void *)self->node));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
}

#include "need_device.h"
