// SPDX-License-Identifier: Apache-2.0
/* Queue pairs on a device: jobs, sent and received in both ways; room, refusals, threads, fork. */
#include <hisi_qm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "turn.h"
#include "zip_job.h"
#include "kselftest_harness.h"

#define LEN		4096
#define ROOM		8192
#define DEADLINE_MS	300000

static const struct hisi_qp_cfg sync_cfg = { .sqe_size = 128, .op_type = ZIP_QC_COMPRESS, .mode = QP_SYNC };
static const struct hisi_qp_cfg async_cfg = { .sqe_size = 128, .op_type = ZIP_QC_COMPRESS, .mode = QP_ASYN };

FIXTURE(qp) {
	struct uacce_dev_list *list;
	const char *node;
	handle_t sync;
	handle_t async;
	int avail;
	unsigned char *src;
	unsigned char *dst;
};

FIXTURE_SETUP(qp)
{
	int i;

	self->list = wd_list_accels("deflate");
	ASSERT_NE(NULL, self->list);
	self->node = self->list->info->dev_root;
	self->avail = wd_ctx_get_avail_ctx(self->node);
	self->sync = hisi_qm_alloc_qp(self->node, &sync_cfg);
	ASSERT_NE(0, self->sync);
	self->async = hisi_qm_alloc_qp(self->node, &async_cfg);
	ASSERT_NE(0, self->async);
	self->src = malloc(LEN);
	self->dst = malloc(ROOM);
	for (i = 0; i < LEN; i++)
		self->src[i] = (unsigned char)("compress me "[i % 12] + i / 997);
}

FIXTURE_TEARDOWN(qp)
{
	hisi_qm_free_qp(self->sync);
	hisi_qm_free_qp(self->async);
	EXPECT_EQ(self->avail, wd_ctx_get_avail_ctx(self->node));
	wd_free_list_accels(self->list);
	free(self->src);
	free(self->dst);
}

static int recv_one(handle_t qp, void *sqe)
{
	long long end = job_now_ms() + DEADLINE_MS;
	int ret;

	while (!(ret = hisi_qm_recv(qp, sqe, 1)) && job_now_ms() < end)
		turn_over();
	return ret;
}

TEST_F(qp, a_job_is_done)
{
	struct zip_sqe sqe;

	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 77);
	ASSERT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	memset(&sqe, 0, sizeof(sqe));
	ASSERT_EQ(1, recv_one(self->sync, &sqe));
	EXPECT_EQ(77, le32toh(sqe.tag_l));
	EXPECT_TRUE(job_right(&sqe, self->src, LEN, self->dst));
	EXPECT_EQ(0, hisi_qm_recv(self->sync, &sqe, 1));
}

TEST_F(qp, an_sgl_is_read_and_written)
{
	struct wd_datalist in[3] = {
		{ self->src, 1000, &in[1] }, { self->src + 1000, 3000, &in[2] }, { self->src + 4000, LEN - 4000, NULL }
	};
	struct wd_datalist out[2] = { { self->dst, 100, &out[1] }, { self->dst + 100, ROOM - 100, NULL } };
	handle_t pool = hisi_qm_create_sglpool(8, 2);
	struct zip_sqe sqe;
	void *from, *to;

	ASSERT_NE(0, pool);
	from = hisi_qm_get_hw_sgl(pool, in);
	to = hisi_qm_get_hw_sgl(pool, out);
	ASSERT_TRUE(from && to);
	job_fill(&sqe, from, LEN, to, ROOM, 1);
	sqe.dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	ASSERT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	ASSERT_EQ(1, recv_one(self->sync, &sqe));
	EXPECT_TRUE(job_right(&sqe, self->src, LEN, self->dst));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, from));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, to));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

/* Several rings' worth of jobs wraps both rings; as many as possible are in flight. */
TEST_F(qp, many_jobs_wrap_the_rings)
{
	enum { JOBS = 5000, MANY = 64 };
	long long end = job_now_ms() + 10 * DEADLINE_MS;
	static struct zip_sqe batch[MANY];
	unsigned char *dst = calloc(JOBS, 64);
	int sent = 0, got = 0, ret, i;

	ASSERT_NE(NULL, dst);
	while (got < JOBS) {
		int n = JOBS - sent < MANY ? JOBS - sent : MANY;

		ASSERT_GT(end, job_now_ms());
		for (i = 0; i < n; i++)
			job_fill(&batch[i], self->src, 32, dst + (size_t)(sent + i) * 64, 64, (uint32_t)(sent + i));
		ret = n ? hisi_qm_send(self->sync, batch, n) : 0;
		if (ret > 0)
			sent += ret;
		else if (ret)
			ASSERT_EQ(-EBUSY, ret);
		ret = hisi_qm_recv(self->sync, batch, MANY);
		ASSERT_LE(0, ret);
		for (i = 0; i < ret; i++, got++) {
			ASSERT_TRUE(job_right(&batch[i], self->src, 32, dst + (size_t)le32toh(batch[i].tag_l) * 64));
		}
		if (!ret)
			turn_over();
	}
	free(dst);
}

TEST_F(qp, a_full_ring_is_busy_and_loses_nothing)
{
	long long end = job_now_ms() + 10 * DEADLINE_MS;
	struct zip_sqe sqe;
	char text[128];
	int sent = 0, got = 0, ret;

	/* Sends until the device, which works meanwhile, falls behind. */
	while (sent < 1000000 && job_now_ms() < end) {
		job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
		ret = hisi_qm_send(self->sync, &sqe, 1);
		if (ret != 1)
			break;
		sent++;
	}
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(1023, sent);
	wd_error_detail(self->sync, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "in flight"));
	while (got < sent && recv_one(self->sync, &sqe) == 1)
		got++;
	EXPECT_EQ(sent, got);
	EXPECT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	EXPECT_EQ(1, recv_one(self->sync, &sqe));
}

struct call {
	int runs;
	unsigned int tag;
	unsigned char para[HISI_QM_PARA_MAX];
	handle_t qp;
	int ret;
};

static struct call seen;

static void remember(void *para, void *rsp)
{
	seen.runs++;
	seen.tag = le32toh(((struct zip_sqe *)rsp)->tag_l);
	memcpy(seen.para, para, sizeof(seen.para));
}

static int poll_until(handle_t qp, const int *runs, int wanted)
{
	long long end = job_now_ms() + DEADLINE_MS;
	int ret = 0;

	while (*runs < wanted && ret >= 0 && job_now_ms() < end) {
		ret = hisi_qm_poll_async_qp(qp, 1);
		if (!ret)
			turn_over();
	}
	return ret;
}

TEST_F(qp, a_callback_gets_a_copy_of_para)
{
	struct hisi_qm_async_data data = { .callback = remember, .len = HISI_QM_PARA_MAX };
	unsigned char para[HISI_QM_PARA_MAX];
	struct zip_sqe sqe;

	memset(para, 0x42, sizeof(para));
	data.para = para;
	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 99);
	ASSERT_EQ(0, hisi_qm_send_async(self->async, &sqe, &data));
	memset(para, 0, sizeof(para));
	EXPECT_EQ(1, poll_until(self->async, &seen.runs, 1));
	EXPECT_EQ(1, seen.runs);
	EXPECT_EQ(99, seen.tag);
	EXPECT_EQ(0x42, seen.para[0]);
	EXPECT_EQ(0x42, seen.para[HISI_QM_PARA_MAX - 1]);
	EXPECT_EQ(0, hisi_qm_poll_async_qp(self->async, 10));
}

static void count(void *para, void *rsp)
{
	(void)rsp;
	++*(int *)para;
}

TEST_F(qp, without_a_length_para_is_the_pointer_itself)
{
	struct hisi_qm_async_data data = { .callback = count };
	struct zip_sqe sqe;
	int runs = 0;

	data.para = &runs;
	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
	ASSERT_EQ(0, hisi_qm_send_async(self->async, &sqe, &data));
	EXPECT_EQ(1, poll_until(self->async, &runs, 1));
	EXPECT_EQ(1, runs);
}

static void send_again(void *para, void *rsp)
{
	struct call *call = *(struct call **)para;
	struct hisi_qm_async_data data = { .callback = send_again, .para = para, .len = sizeof(call) };

	/* Ignored and reported: a callback can't free its own queue pair. */
	hisi_qm_free_qp(call->qp);
	if (++call->runs < 10)
		call->ret |= hisi_qm_send_async(call->qp, rsp, &data);
	else
		call->ret |= hisi_qm_poll_async_qp(call->qp, 1);
}

TEST_F(qp, a_callback_may_send_and_poll_but_not_free)
{
	struct call call = { .qp = self->async }, *para = &call;
	struct hisi_qm_async_data data = { .callback = send_again, .para = &para, .len = sizeof(para) };
	struct zip_sqe sqe;
	char text[128];

	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
	ASSERT_EQ(0, hisi_qm_send_async(self->async, &sqe, &data));
	EXPECT_LE(0, poll_until(self->async, &call.runs, 10));
	EXPECT_EQ(10, call.runs);
	EXPECT_EQ(0, call.ret);
	EXPECT_LT(0, wd_error_detail(self->async, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "callback"));
}

TEST_F(qp, bad_arguments_are_refused)
{
	struct hisi_qm_async_data data = { .callback = remember };
	struct zip_sqe sqe;

	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
	EXPECT_EQ(-EINVAL, hisi_qm_send(self->sync, NULL, 1));
	EXPECT_EQ(-EINVAL, hisi_qm_send(self->sync, &sqe, 0));
	EXPECT_EQ(-EINVAL, hisi_qm_send(self->sync, &sqe, -1));
	EXPECT_EQ(-EINVAL, hisi_qm_recv(self->sync, NULL, 1));
	EXPECT_EQ(-EINVAL, hisi_qm_recv(self->sync, &sqe, 0));
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->async, NULL, &data));
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->async, &sqe, NULL));
	data.len = HISI_QM_PARA_MAX + 1;
	data.para = &sqe;
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->async, &sqe, &data));
	data.len = 1;
	data.para = NULL;
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->async, &sqe, &data));
	data.len = 0;
	data.callback = NULL;
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->async, &sqe, &data));
	EXPECT_EQ(0, hisi_qm_poll_async_qp(self->async, 0));
}

TEST_F(qp, the_other_mode_s_functions_are_refused)
{
	struct hisi_qm_async_data data = { .callback = remember };
	struct zip_sqe sqe;
	char text[128];

	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
	EXPECT_EQ(-EINVAL, hisi_qm_send(self->async, &sqe, 1));
	EXPECT_EQ(-EINVAL, hisi_qm_recv(self->async, &sqe, 1));
	EXPECT_EQ(-EINVAL, hisi_qm_send_async(self->sync, &sqe, &data));
	EXPECT_EQ(-EINVAL, hisi_qm_poll_async_qp(self->sync, 1));
	wd_error_detail(self->sync, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "synchronous"));
	EXPECT_EQ(-EINVAL, wd_ctx_start(self->sync));
}

TEST_F(qp, a_descriptor_size_that_is_not_the_device_s_is_refused)
{
	struct hisi_qp_cfg cfg = sync_cfg;
	char text[128];

	cfg.sqe_size = 64;
	EXPECT_EQ(0, hisi_qm_alloc_qp(self->node, &cfg));
	EXPECT_EQ(EINVAL, errno);
	wd_error_detail(0, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "128 bytes, not 64"));
	EXPECT_EQ(self->avail - 2, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(qp, a_freed_qp_is_stale)
{
	handle_t h = hisi_qm_alloc_qp(self->node, &sync_cfg);
	struct zip_sqe sqe;

	ASSERT_NE(0, h);
	hisi_qm_free_qp(h);
	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 0);
	EXPECT_EQ(-EINVAL, hisi_qm_send(h, &sqe, 1));
	hisi_qm_free_qp(h);
	EXPECT_EQ(self->avail - 2, wd_ctx_get_avail_ctx(self->node));
}

TEST_F(qp, freeing_with_jobs_in_flight_waits_for_the_device)
{
	handle_t h = hisi_qm_alloc_qp(self->node, &sync_cfg);
	static struct zip_sqe sqes[100];
	unsigned char *dst = malloc(100 * ROOM);
	int i;

	ASSERT_NE(0, h);
	for (i = 0; i < 100; i++)
		job_fill(&sqes[i], self->src, LEN, dst + i * ROOM, ROOM, 0);
	EXPECT_EQ(100, hisi_qm_send(h, sqes, 100));
	hisi_qm_free_qp(h);
	/* If the device still wrote, a sanitizer would report a use after free. */
	free(dst);
}

TEST_F(qp, an_unmapped_buffer_fails_its_own_job_only)
{
	struct zip_sqe sqe;

	job_fill(&sqe, (void *)8, LEN, self->dst, ROOM, 1);
	ASSERT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	ASSERT_EQ(1, recv_one(self->sync, &sqe));
	EXPECT_FALSE(job_compressed(&sqe));
	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 2);
	ASSERT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	ASSERT_EQ(1, recv_one(self->sync, &sqe));
	EXPECT_TRUE(job_right(&sqe, self->src, LEN, self->dst));
}

static int child_refused(handle_t sync, handle_t async, const char *node, const unsigned char *src, unsigned char *dst)
{
	struct zip_sqe sqe;
	handle_t own;

	job_fill(&sqe, src, LEN, dst, ROOM, 0);
	if (hisi_qm_send(sync, &sqe, 1) != -ESTALE || hisi_qm_recv(sync, &sqe, 1) != -ESTALE)
		return 1;
	if (hisi_qm_poll_async_qp(async, 1) != -ESTALE)
		return 2;
	hisi_qm_free_qp(sync);
	hisi_qm_free_qp(async);
	own = hisi_qm_alloc_qp(node, &sync_cfg);
	if (!own)
		return 3;
	if (hisi_qm_send(own, &sqe, 1) != 1)
		return 4;
	if (recv_one(own, &sqe) != 1)
		return 5;
	if (!job_right(&sqe, src, LEN, dst))
		return 6;
	hisi_qm_free_qp(own);
	return 0;
}

TEST_F(qp, a_child_can_not_use_it_and_has_its_own)
{
	struct zip_sqe sqe;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(child_refused(self->sync, self->async, self->node, self->src, self->dst));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	job_fill(&sqe, self->src, LEN, self->dst, ROOM, 5);
	ASSERT_EQ(1, hisi_qm_send(self->sync, &sqe, 1));
	ASSERT_EQ(1, recv_one(self->sync, &sqe));
	EXPECT_TRUE(job_right(&sqe, self->src, LEN, self->dst));
}

#ifndef __SANITIZE_ADDRESS__ /* an emulated device's thread may hold the sanitizer's allocator locks at fork() */
TEST_F(qp, jobs_in_flight_over_fork_are_the_parent_s)
{
	static struct zip_sqe sqes[50];
	int status, got;
	pid_t pid;

	for (got = 0; got < 50; got++)
		job_fill(&sqes[got], self->src, LEN, self->dst, ROOM, 5);
	ASSERT_EQ(50, hisi_qm_send(self->sync, sqes, 50));
	pid = fork();
	if (!pid)
		_exit(hisi_qm_recv(self->sync, sqes, 1) == -ESTALE ? 0 : 1);
	for (got = 0; got < 50; got++) {
		ASSERT_EQ(1, recv_one(self->sync, &sqes[0]));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}
#endif

/* --- threads --- */

#define THREADS		4
#define PER_THREAD	300

static handle_t shared;
static atomic_int finished;
static const unsigned char *shared_src;

static void job_finished(void *para, void *rsp)
{
	unsigned char *dst = *(unsigned char **)para;

	if (job_right(rsp, shared_src, 64, dst))
		finished++;
	free(dst);
}

static void *send_and_poll(void *arg)
{
	long long end = job_now_ms() + 4 * DEADLINE_MS;
	int i, ret;

	(void)arg;
	for (i = 0; i < PER_THREAD && job_now_ms() < end;) {
		unsigned char *dst = malloc(128);
		struct hisi_qm_async_data data = { .callback = job_finished, .para = &dst, .len = sizeof(dst) };
		struct zip_sqe sqe;

		job_fill(&sqe, shared_src, 64, dst, 128, 0);
		ret = hisi_qm_send_async(shared, &sqe, &data);
		if (ret)
			free(dst);
		else
			i++;
		hisi_qm_poll_async_qp(shared, 8);
	}
	while (finished < THREADS * PER_THREAD && job_now_ms() < end)
		if (!hisi_qm_poll_async_qp(shared, 8))
			turn_over();
	return NULL;
}

TEST_F(qp, threads_share_a_queue_pair)
{
	pthread_t threads[THREADS];
	int i;

	shared = self->async;
	shared_src = self->src;
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, send_and_poll, NULL));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(THREADS * PER_THREAD, finished);
}

#include "need_device.h"
