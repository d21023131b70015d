// SPDX-License-Identifier: Apache-2.0
/* Completion queues: delivery, credits, ownership of contexts, the descriptor, fork. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <wd_cq.h>

#include "comp_test.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define MANY	3000
#define DEPTH	256
#define SRC	600
struct job {
	struct wd_comp_arg arg;
	unsigned char src[SRC], dst[SRC + 300];
	size_t len;
	atomic_int seen;
};

static struct job *jobs_new(int n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	int i;

	for (i = 0; i < n; i++) {
		fill_text(jobs[i].src, SRC, i);
		jobs[i].len = sizeof(jobs[i].dst);
		jobs[i].arg = (struct wd_comp_arg){
			.src = jobs[i].src, .src_len = SRC - i % 500, .dst = jobs[i].dst, .dst_len = &jobs[i].len,
			.wr_id = i,
		};
	}
	return jobs;
}

static int job_right(struct job *job, int alg)
{
	unsigned char back[SRC];

	return z_decompress(alg, job->dst, job->len, back, sizeof(back), 15) == (long)job->arg.src_len &&
	       !memcmp(back, job->src, job->arg.src_len);
}

static handle_t sess_on_cq(handle_t cq, int dir, int op)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = op, .dir_type = dir, .comp_lv = 6, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_CQ, .cq = cq,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

FIXTURE(cq) {
	handle_t cq, h;
	struct wd_wc wc[DEPTH];
};

FIXTURE_SETUP(cq)
{
	self->cq = wd_cq_create(DEPTH);
	ASSERT_NE(0, self->cq);
	self->h = sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cq)
{
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

/* Polls the queue until n completions have come; returns how many came. */
static int poll_n(handle_t cq, int n, struct wd_wc *wc)
{
	int got = 0, ret;

	while (got < n) {
		ret = wd_poll_cq(cq, n - got, wc + got);
		if (ret < 0)
			return ret;
		if (!ret)
			sched_yield();
		got += ret;
	}
	return got;
}

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
	EXPECT_EQ(-ETIMEDOUT, wd_comp_wait(self->h, 1));
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

/* --- threads --- */

struct work {
	handle_t cq, h;
	struct job *jobs;
	int n;
	atomic_int left;
	atomic_int bad;
};

static void *submit_all(void *p)
{
	struct work *w = p;
	int i, ret;

	for (i = 0; i < w->n; ) {
		ret = wd_comp_async(w->h, &w->jobs[i].arg, NULL);
		if (ret == -EBUSY)
			ret = wd_comp_wait(w->h, WAIT_MS);
		else if (!ret)
			i++;
		if (ret) {
			atomic_fetch_add(&w->bad, 1);
			break;
		}
	}
	return NULL;
}

static void count(struct work *w, const struct wd_wc *wc, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (wc[i].status || wc[i].wr_id >= (__u64)w->n || atomic_fetch_add(&w->jobs[wc[i].wr_id].seen, 1))
			atomic_fetch_add(&w->bad, 1);
	atomic_fetch_sub(&w->left, n);
}

static void *poll_some(void *p)
{
	struct work *w = p;
	struct wd_wc wc[7];
	int ret;

	while (atomic_load(&w->left) > 0 && !atomic_load(&w->bad)) {
		ret = wd_poll_cq(w->cq, 7, wc);
		if (ret < 0)
			atomic_fetch_add(&w->bad, 1);
		else if (ret)
			count(w, wc, ret);
		else
			sched_yield();
	}
	return NULL;
}

TEST_F_TIMEOUT(cq, two_threads_that_poll_get_each_completion_once, 120)
{
	struct work w = { .cq = self->cq, .h = self->h, .jobs = jobs_new(MANY), .n = MANY, .left = MANY };
	pthread_t t[3];
	int i;

	ASSERT_EQ(0, pthread_create(&t[0], NULL, submit_all, &w));
	ASSERT_EQ(0, pthread_create(&t[1], NULL, poll_some, &w));
	ASSERT_EQ(0, pthread_create(&t[2], NULL, poll_some, &w));
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(0, atomic_load(&w.bad));
	EXPECT_EQ(0, atomic_load(&w.left));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, atomic_load(&w.jobs[i].seen) && job_right(&w.jobs[i], WD_ZLIB));
	}
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	free(w.jobs);
}

/* As in the manual: poll until the queue is empty, arm, poll once more, sleep. */
static void *sleep_and_poll(void *p)
{
	struct work *w = p;
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = wd_cq_fd(w->cq), ret = 0;
	bool armed = false;
	struct wd_wc wc[7];

	if (fd < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		atomic_fetch_add(&w->bad, 1);
	while (atomic_load(&w->left) > 0 && !atomic_load(&w->bad)) {
		ret = wd_poll_cq(w->cq, 7, wc);
		if (ret > 0)
			count(w, wc, ret);
		else if (!ret && !armed)
			ret = wd_cq_arm(w->cq);
		else if (!ret && !epoll_wait(ep, &ev, 1, WAIT_MS))
			ret = -ETIMEDOUT;
		if (ret < 0)
			atomic_fetch_add(&w->bad, 1);
		armed = !ret && !armed;
	}
	close(ep);
	return NULL;
}

TEST_F_TIMEOUT(cq, whoever_sleeps_on_the_descriptor_misses_nothing, 120)
{
	struct work w = { .cq = self->cq, .h = self->h, .jobs = jobs_new(MANY), .n = MANY, .left = MANY };
	pthread_t t[2];
	int i;

	ASSERT_EQ(0, pthread_create(&t[0], NULL, sleep_and_poll, &w));
	ASSERT_EQ(0, pthread_create(&t[1], NULL, submit_all, &w));
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(0, atomic_load(&w.bad)) TH_LOG("%d left", atomic_load(&w.left));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, atomic_load(&w.jobs[i].seen) && job_right(&w.jobs[i], WD_ZLIB));
	}
	free(w.jobs);
}

static bool readable(int ep, int ms)
{
	struct epoll_event ev;

	return epoll_wait(ep, &ev, 1, ms) == 1;
}

#define SPURIOUS	100	/* far more events than a completion causes */

/*
 * Does the descriptor of an armed, empty queue stay quiet? The event of a completion may come after the completion was
 * taken off its ring, and makes the descriptor readable until the queue is armed again.
 */
static bool quiet(handle_t cq, int ep, struct wd_wc *wc)
{
	int i;

	for (i = 0; i < SPURIOUS; i++) {
		if (wd_cq_arm(cq) || wd_poll_cq(cq, 1, wc))
			return false;
		if (!readable(ep, 0))
			return true;
	}
	return false;
}

TEST_F(cq, the_descriptor_is_one_and_says_when_to_poll)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = wd_cq_fd(self->cq), i;
	struct job *jobs = jobs_new(3);

	ASSERT_LE(0, fd);
	EXPECT_EQ(fd, wd_cq_fd(self->cq));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	EXPECT_FALSE(readable(ep, 0));
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(quiet(self->cq, ep, self->wc));
		ASSERT_EQ(0, wd_comp_async(self->h, &jobs[i].arg, NULL));
		EXPECT_TRUE(readable(ep, WAIT_MS));
		ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
		EXPECT_EQ(i, self->wc[0].wr_id);
	}
	close(ep);
	free(jobs);
}

TEST_F(cq, what_was_there_before_arming_makes_the_descriptor_readable)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct job *jobs = jobs_new(2);

	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, wd_cq_fd(self->cq), &ev));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	EXPECT_TRUE(readable(ep, WAIT_MS));
	EXPECT_EQ(1, poll_n(self->cq, 1, self->wc));
	close(ep);
	free(jobs);
}

struct sleeper {
	handle_t cq;
	pthread_t t;
	atomic_bool asleep;
	bool woken;
};

static void *sleep_once(void *p)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct sleeper *s = p;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct wd_wc wc;

	epoll_ctl(ep, EPOLL_CTL_ADD, wd_cq_fd(s->cq), &ev);
	wd_cq_arm(s->cq);
	if (!wd_poll_cq(s->cq, 1, &wc)) {
		atomic_store(&s->asleep, true);
		s->woken = readable(ep, WAIT_MS);
	}
	close(ep);
	return NULL;
}

TEST_F_TIMEOUT(cq, a_sleeper_wakes_when_another_thread_takes_what_it_waits_for, 120)
{
	struct job *job = jobs_new(1);
	int i;

	for (i = 0; i < 50; i++) {
		struct sleeper s = { .cq = self->cq };

		ASSERT_EQ(0, pthread_create(&s.t, NULL, sleep_once, &s));
		while (!atomic_load(&s.asleep))
			sched_yield();
		job->len = sizeof(job->dst);
		ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
		ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
		pthread_join(s.t, NULL);
		ASSERT_EQ(true, s.woken);
	}
	free(job);
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

/* A thread that submits, and another that frees everything with the last completion. */
struct last {
	handle_t cq, h;
	struct job *jobs;
	pthread_barrier_t begin;
	int wrong;
};

#define LAST_ROUNDS	400
#define LAST_JOBS	4

static void *submit_and_leave(void *arg)
{
	struct last *l = arg;
	int round, i;

	for (round = 0; round < LAST_ROUNDS; round++) {
		handle_t h;

		pthread_barrier_wait(&l->begin);
		h = l->h;
		for (i = 0; i < LAST_JOBS; i++) {
			l->jobs[i].len = sizeof(l->jobs[i].dst);
			l->wrong += wd_comp_async(h, &l->jobs[i].arg, NULL) != 0;
		}
		/* From here on, this thread must not touch the session or the queue. */
		pthread_barrier_wait(&l->begin);
	}
	return NULL;
}

TEST(the_last_completion_may_free_session_and_queue)
{
	struct last l = { .jobs = jobs_new(LAST_JOBS) };
	struct wd_wc wc[LAST_JOBS];
	pthread_t thread;
	int round;

	pthread_barrier_init(&l.begin, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, submit_and_leave, &l));
	for (round = 0; round < LAST_ROUNDS; round++) {
		l.cq = wd_cq_create(LAST_JOBS);
		l.h = sess_on_cq(l.cq, WD_DIR_COMPRESS, WD_ASYNC);
		ASSERT_NE(0, l.h) TH_LOG("%s", detail(0));
		/* A submit accesses more of the queue while the queue is armed. */
		if (round % 2) {
			ASSERT_LE(0, wd_cq_fd(l.cq));
			ASSERT_EQ(0, wd_cq_arm(l.cq));
		}
		pthread_barrier_wait(&l.begin);
		ASSERT_EQ(LAST_JOBS, poll_n(l.cq, LAST_JOBS, wc));
		EXPECT_EQ(0, wd_comp_free_sess(l.h));
		EXPECT_EQ(0, wd_cq_destroy(l.cq));
		pthread_barrier_wait(&l.begin);
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, l.wrong);
	pthread_barrier_destroy(&l.begin);
	free(l.jobs);
}

TEST_HARNESS_MAIN
