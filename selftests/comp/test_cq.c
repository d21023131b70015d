// SPDX-License-Identifier: Apache-2.0
/* Completion queues: delivery, credits, ownership of contexts, fork. */
#include <sys/wait.h>

#include "cq_test.h"

TEST_F(cq, a_completion_says_whose_it_is_and_what_became_of_it)
{
	struct job *job = jobs_new(1);
	struct wd_ctx_info info;

	job->arg.wr_id = 0x123456789abcull;
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->h));
	memset(self->wc, 0xff, sizeof(self->wc));
	ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(0x123456789abcull, self->wc[0].wr_id);
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(WD_WC_COMPRESS, self->wc[0].opcode);
	EXPECT_EQ(job->len, self->wc[0].byte_len);
	EXPECT_EQ(SRC, self->wc[0].consumed);
	EXPECT_EQ(0, self->wc[0].flags);
	EXPECT_EQ(0, self->wc[0].reserved);
	EXPECT_EQ(self->h, self->wc[0].sess);
	EXPECT_EQ(expected_path("zlib"), self->wc[0].path);
	ASSERT_EQ(0, wd_ctx_info(self->wc[0].ctx, &info));
	EXPECT_EQ(info.path, self->wc[0].path);
	/* The argument struct says the same. */
	EXPECT_EQ(1, job_right(job, WD_ZLIB));
	EXPECT_EQ(WD_COMP_OK, job->arg.status);
	EXPECT_EQ(SRC, job->arg.consumed);
	EXPECT_EQ(self->wc[0].path, job->arg.path);
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	free(job);
}

TEST_F(cq, sessions_of_all_directions_may_share_one)
{
	handle_t d = sess_on_cq(self->cq, WD_DIR_DECOMPRESS, WD_ASYNC);
	struct job *jobs = jobs_new(3);

	ASSERT_NE(0, d);
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
	jobs[1].arg.src = jobs[0].dst;
	jobs[1].arg.src_len = jobs[0].len;
	ASSERT_EQ(0, wd_comp_async(d, &jobs[1].arg, NULL));
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[2].arg, NULL));
	ASSERT_EQ(2, poll_n(self->cq, 2, self->wc));
	EXPECT_EQ(WD_WC_COMPRESS + WD_WC_DECOMPRESS, self->wc[0].opcode + self->wc[1].opcode);
	EXPECT_EQ(0, memcmp(jobs[0].src, jobs[1].dst, SRC));
	EXPECT_EQ(0, wd_comp_free_sess(d));
	free(jobs);
}

TEST_F(cq, a_failed_completion_has_five_valid_members_and_no_more)
{
	struct job *job = jobs_new(1);

	job->arg.wr_id = 77;
	job->len = 20;
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
	memset(self->wc, 0xff, sizeof(self->wc));
	ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(77, self->wc[0].wr_id);
	EXPECT_EQ(self->h, self->wc[0].sess);
	EXPECT_EQ(-ENOSPC, self->wc[0].status);
	EXPECT_EQ(0, self->wc[0].opcode);
	EXPECT_EQ(0, self->wc[0].byte_len);
	EXPECT_EQ(0, self->wc[0].consumed);
	EXPECT_EQ(0, self->wc[0].path);
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, job->arg.status);
	EXPECT_EQ(0, job->len);
	free(job);
}

TEST_F(cq, a_submission_beyond_the_depth_is_EBUSY_until_one_is_polled)
{
	struct job *jobs = jobs_new(DEPTH + 1);
	int i;

	for (i = 0; i < DEPTH; i++) {
		ASSERT_EQ(0, wd_comp_async(self->h, &jobs[i].arg, NULL)) TH_LOG("%d: %s", i, detail(self->h));
	}
	EXPECT_EQ(-EBUSY, wd_comp_async(self->h, &jobs[DEPTH].arg, NULL));
	EXPECT_EQ(-ETIME, wd_comp_wait(self->h, 1));
	ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
	EXPECT_EQ(0, wd_comp_async(self->h, &jobs[DEPTH].arg, NULL));
	EXPECT_EQ(-EBUSY, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(DEPTH, poll_n(self->cq, DEPTH, self->wc));
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	free(jobs);
}

TEST_F(cq, a_burst_takes_as_many_as_there_are_credits)
{
	struct job *jobs = jobs_new(2 * DEPTH);
	struct wd_comp_arg *args[2 * DEPTH];
	int i;

	for (i = 0; i < 2 * DEPTH; i++)
		args[i] = &jobs[i].arg;
	EXPECT_EQ(DEPTH, wd_comp_async_burst(self->h, args, 2 * DEPTH, NULL));
	EXPECT_EQ(0, wd_comp_async_burst(self->h, args + DEPTH, DEPTH, NULL));
	ASSERT_EQ(DEPTH, poll_n(self->cq, DEPTH, self->wc));
	EXPECT_EQ(DEPTH, wd_comp_async_burst(self->h, args + DEPTH, DEPTH, NULL));
	ASSERT_EQ(DEPTH, poll_n(self->cq, DEPTH, self->wc));
	for (i = 0; i < 2 * DEPTH; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB));
	}
	free(jobs);
}

TEST_F(cq, a_refused_request_keeps_no_credit)
{
	struct job *job = jobs_new(1);
	int i;

	job->len = 1;
	for (i = 0; i < 2 * DEPTH; i++) {
		ASSERT_EQ(-ENOSPC, wd_comp_async(self->h, &job->arg, NULL));
	}
	job->len = sizeof(job->dst);
	EXPECT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
	EXPECT_EQ(1, poll_n(self->cq, 1, self->wc));
	free(job);
}

TEST_F(cq, it_can_not_be_destroyed_while_a_session_names_it)
{
	handle_t other = sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_ASYNC);

	ASSERT_NE(0, other);
	EXPECT_EQ(-EBUSY, wd_cq_destroy(self->cq));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	EXPECT_EQ(-EBUSY, wd_cq_destroy(self->cq));
	EXPECT_EQ(0, wd_poll_cq(self->cq, 1, self->wc));
	EXPECT_EQ(0, wd_comp_free_sess(other));
	EXPECT_EQ(0, wd_cq_destroy(self->cq));
	EXPECT_EQ(-EINVAL, wd_cq_destroy(self->cq));
	self->h = 0;
	self->cq = 0;
}

static int contexts(void)
{
	struct wd_ctx_info info;
	int n = 0;

	while (!wd_ctx_info(n, &info))
		n++;
	return n;
}

TEST_F(cq, its_contexts_places_serve_the_next_one)
{
	struct job *job = jobs_new(1);
	int before, i;

	before = contexts();
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
		ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
		ASSERT_EQ(1, job_right(job, WD_ZLIB));
		job->len = sizeof(job->dst);
		ASSERT_EQ(0, wd_comp_free_sess(self->h));
		ASSERT_EQ(0, wd_cq_destroy(self->cq));
		self->cq = wd_cq_create(DEPTH);
		self->h = sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_ASYNC);
		ASSERT_NE(0, self->h);
		ASSERT_EQ(before, contexts());
	}
	free(job);
}

static atomic_int called;

static void on_done(struct wd_comp_arg *arg, void *param)
{
	atomic_fetch_add(&called, 1);
}

TEST_F(cq, its_contexts_serve_nothing_else)
{
	handle_t other = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	wd_ctx_set_t *own = wd_ctx_set_alloc(), *others = wd_ctx_set_alloc();
	struct job *jobs = jobs_new(2);
	int i;

	ASSERT_TRUE(other && own && others);
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->h, own));
	ASSERT_EQ(0, wd_ctx_set_from_sess(other, others));
	for (i = 0; i < contexts(); i++)
		EXPECT_FALSE(wd_ctx_set_test(own, i) == 1 && wd_ctx_set_test(others, i) == 1);
	jobs[1].arg.cb = on_done;
	EXPECT_EQ(-EINVAL, wd_comp_async(other, &jobs[1].arg, own));
	EXPECT_EQ(-EINVAL, wd_comp_async(self->h, &jobs[0].arg, others));
	EXPECT_EQ(-EINVAL, wd_comp_poll(1, 0, own));
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, own));
	EXPECT_EQ(0, wd_comp_poll(1, WAIT_MS, NULL));
	ASSERT_EQ(0, wd_comp_async(other, &jobs[1].arg, NULL));
	EXPECT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(0, self->wc[0].wr_id);
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	EXPECT_EQ(0, atomic_load(&called));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, atomic_load(&called));
	wd_ctx_set_free(own);
	wd_ctx_set_free(others);
	EXPECT_EQ(0, wd_comp_free_sess(other));
	free(jobs);
}

TEST_F(cq, two_sessions_of_two_queues_do_not_meet)
{
	handle_t cq = wd_cq_create(DEPTH), h = sess_on_cq(cq, WD_DIR_COMPRESS, WD_ASYNC);
	struct job *jobs = jobs_new(2);

	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(0, wd_comp_async(h, &jobs[1].arg, NULL));
	ASSERT_EQ(1, poll_n(cq, 1, self->wc));
	EXPECT_EQ(1, self->wc[0].wr_id);
	ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(0, self->wc[0].wr_id);
	EXPECT_EQ(0, wd_poll_cq(cq, DEPTH, self->wc));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_cq_destroy(cq));
	free(jobs);
}

/* --- bad input --- */

TEST(a_depth_out_of_range_is_EINVAL)
{
	errno = 0;
	EXPECT_EQ(0, wd_cq_create(0));
	EXPECT_EQ(EINVAL, errno);
	errno = 0;
	EXPECT_EQ(0, wd_cq_create(WD_CQ_DEPTH_MAX + 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(detail(0), "depth 65537")) TH_LOG("%s", detail(0));
}

static int all_refuse(handle_t cq, int err)
{
	struct wd_async_event ev;
	struct wd_wc wc;

	return wd_poll_cq(cq, 1, &wc) == err && wd_cq_fd(cq) == err && wd_cq_arm(cq) == err &&
	       wd_get_async_event(cq, &ev) == err;
}

TEST(a_handle_of_no_queue_is_EINVAL_everywhere)
{
	handle_t cq = wd_cq_create(1), h = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);

	EXPECT_EQ(1, all_refuse(0, -EINVAL));
	EXPECT_EQ(1, all_refuse(h, -EINVAL));
	EXPECT_EQ(-EINVAL, wd_cq_destroy(h));
	EXPECT_EQ(0, wd_cq_destroy(cq));
	EXPECT_EQ(1, all_refuse(cq, -EINVAL));
	EXPECT_NE(NULL, strstr(detail(0), "a completion queue")) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, sess_on_cq(cq, WD_DIR_COMPRESS, WD_ASYNC));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, sess_on_cq(h, WD_DIR_COMPRESS, WD_ASYNC));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, sess_on_cq(0, WD_DIR_COMPRESS, WD_ASYNC));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(cq, bad_arguments_are_EINVAL_and_said)
{
	struct job *job = jobs_new(1);
	handle_t h;

	EXPECT_EQ(-EINVAL, wd_poll_cq(self->cq, 0, self->wc));
	EXPECT_EQ(-EINVAL, wd_poll_cq(self->cq, -1, self->wc));
	EXPECT_NE(NULL, strstr(detail(self->cq), "num_entries"));
	EXPECT_EQ(-EINVAL, wd_poll_cq(self->cq, 1, NULL));
	EXPECT_EQ(-EINVAL, wd_get_async_event(self->cq, NULL));
	EXPECT_EQ(0, sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_SYNC));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(detail(0), "synchronous"));
	job->arg.cb = on_done;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->h, &job->arg, NULL));
	EXPECT_NE(NULL, strstr(detail(self->h), "arg->cb")) TH_LOG("%s", detail(self->h));
	/* Refused sessions don't keep the queue in use. */
	h = self->h;
	self->h = 0;
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_cq_destroy(self->cq));
	self->cq = 0;
	free(job);
}

TEST_F(cq, there_is_no_event_while_all_is_well)
{
	struct wd_async_event ev;

	EXPECT_EQ(-EAGAIN, wd_get_async_event(self->cq, &ev));
}

/* --- fork --- */

static int use_inherited(FIXTURE_DATA(cq) *self, struct job *job)
{
	if (!all_refuse(self->cq, -ESTALE))
		return 1;
	if (wd_comp_async(self->h, &job->arg, NULL) != -ESTALE || wd_comp_wait(self->h, 1) != -ESTALE)
		return 2;
	if (sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_ASYNC) || errno != ESTALE)
		return 3;
	/* The queue goes before its session: the more dangerous order. */
	if (wd_cq_destroy(self->cq) || wd_comp_async(self->h, &job->arg, NULL) != -ESTALE || wd_comp_free_sess(self->h))
		return 4;
	return all_refuse(self->cq, -EINVAL) && wd_comp_free_sess(self->h) == -EINVAL ? 0 : 5;
}

static int use_own(struct job *job)
{
	handle_t cq = wd_cq_create(DEPTH), h = sess_on_cq(cq, WD_DIR_COMPRESS, WD_ASYNC);
	struct wd_wc wc;

	job->len = sizeof(job->dst);
	if (wd_cq_fd(cq) < 0 || wd_comp_async(h, &job->arg, NULL) || poll_n(cq, 1, &wc) != 1 || wc.status)
		return 6;
	return wd_comp_free_sess(h) || wd_cq_destroy(cq) ? 7 : 0;
}

TEST_F(cq, a_child_may_only_free_what_it_inherited_and_use_its_own)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), status;
	struct job *jobs = jobs_new(2);
	pid_t pid;

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, wd_cq_fd(self->cq), &ev));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	pid = fork();
	if (!pid) {
		status = use_inherited(self, &jobs[1]);
		_exit(status ? status : use_own(&jobs[1]));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(readable(ep, WAIT_MS));
	EXPECT_EQ(1, poll_n(self->cq, 1, self->wc));
	EXPECT_EQ(1, job_right(&jobs[0], WD_ZLIB));
	close(ep);
	free(jobs);
}

TEST_HARNESS_MAIN
