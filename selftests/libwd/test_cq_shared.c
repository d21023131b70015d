// SPDX-License-Identifier: Apache-2.0
/* Completion queues that share one hardware queue: each gets its own completions, and each sleeper wakes. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <wd_comp.h>
#include <wd_cq.h>
#include <wd_user.h>

#include "need_device.h"
#include "emulated.h"
#include "harness_long.h"
#include "session.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN	500
#define QUEUES	8
#define EACH	300

struct job {
	struct wd_comp_arg arg;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
};

/* A completion queue with a session, on the first device. */
struct user {
	handle_t cq, h;
	struct job job;
	struct wd_wc wc[4];
};

static int user_begin(struct user *u)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW | WD_SESS_CQ,
	};

	wd_dev_mask_set(mask, 0);
	u->cq = setup.cq = wd_cq_create(EACH);
	u->h = wd_comp_alloc_sess(&setup, mask);
	wd_dev_mask_free(mask);
	return u->h ? 0 : -errno;
}

static int user_end(struct user *u)
{
	int ret = u->h ? wd_comp_free_sess(u->h) : 0;

	return ret ? ret : wd_cq_destroy(u->cq);
}

static int submit_job(struct user *u, struct job *job, unsigned int wr_id)
{
	job->len = sizeof(job->dst);
	job->arg = (struct wd_comp_arg){
		.src = job->src, .src_len = LEN, .dst = job->dst, .dst_len = &job->len, .wr_id = wr_id,
	};
	return wd_comp_async(u->h, &job->arg, NULL);
}

static int submit(struct user *u, unsigned int wr_id)
{
	return submit_job(u, &u->job, wr_id);
}

/* Polls n completions; all of them fit into the queue's four entries. Returns how many came. */
static int poll_n(struct user *u, int n)
{
	int got = 0, ret;

	while (got < n) {
		ret = wd_poll_cq(u->cq, n - got, u->wc + got);
		if (ret < 0)
			return ret;
		got += ret;
		turn_over();
	}
	return got;
}

static bool readable(struct user *u, int ms)
{
	struct pollfd pfd = { .fd = wd_cq_fd(u->cq), .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

static unsigned int contexts(void)
{
	struct wd_ctx_info info;
	unsigned int i, nr = 0;

	for (i = 0; !wd_ctx_info(i, &info); i++)
		nr += !info.state && info.path != WD_PATH_SOFT;
	return nr;
}

static unsigned long long completions(void)
{
	return emulated_count(EMULATED_DEVICE, "completions");
}

static void until_more_than(unsigned long long n)
{
	while (completions() <= n)
		poll(NULL, 0, 1);
}

FIXTURE(cq_shared) {
	struct user a, b;
};

FIXTURE_SETUP(cq_shared)
{
	ASSERT_EQ(0, user_begin(&self->a)) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, user_begin(&self->b)) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cq_shared)
{
	EXPECT_EQ(0, user_end(&self->a));
	EXPECT_EQ(0, user_end(&self->b));
}

TEST(many_completion_queues_need_one_hardware_queue)
{
	const char *node = "/dev/" EMULATED_DEVICE;
	struct user *u = calloc(QUEUES, sizeof(*u));
	int before, i;

	before = wd_ctx_get_avail_ctx(node);
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, user_begin(&u[i])) TH_LOG("%s", detail(0));
	}
	EXPECT_EQ(before - 1, wd_ctx_get_avail_ctx(node));
	EXPECT_EQ(1, contexts());
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(0, user_end(&u[i]));
	EXPECT_EQ(before, wd_ctx_get_avail_ctx(node));
	free(u);
}

TEST(there_are_as_many_as_the_process_asks_for)
{
	struct user *u = calloc(4, sizeof(*u));
	int i;

	ASSERT_EQ(0, wd_user_ctxs("1+3"));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, user_begin(&u[i])) TH_LOG("%s", detail(0));
	}
	EXPECT_EQ(3, contexts());
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, user_end(&u[i]));
	free(u);
}

TEST_F(cq_shared, each_gets_its_own_completions)
{
	ASSERT_EQ(0, submit(&self->a, 1));
	ASSERT_EQ(0, submit(&self->b, 2));
	ASSERT_EQ(1, poll_n(&self->b, 1));
	EXPECT_EQ(2, self->b.wc[0].wr_id);
	EXPECT_EQ(self->b.h, self->b.wc[0].sess);
	ASSERT_EQ(1, poll_n(&self->a, 1));
	EXPECT_EQ(1, self->a.wc[0].wr_id);
	EXPECT_EQ(self->a.h, self->a.wc[0].sess);
	EXPECT_EQ(self->a.wc[0].ctx, self->b.wc[0].ctx);
	EXPECT_EQ(0, wd_poll_cq(self->a.cq, 4, self->a.wc));
	EXPECT_EQ(0, wd_poll_cq(self->b.cq, 4, self->b.wc));
}

TEST_F(cq_shared, what_one_poll_takes_off_the_ring_waits_for_the_others)
{
	unsigned long long before = completions();

	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_EQ(0, submit(&self->b, 2));
	until_more_than(before);
	ASSERT_EQ(0, wd_poll_cq(self->a.cq, 4, self->a.wc));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->b.h));
	ASSERT_EQ(1, wd_poll_cq(self->b.cq, 4, self->b.wc));
	EXPECT_EQ(2, self->b.wc[0].wr_id);
}

TEST_F(cq_shared, a_sleeper_wakes_for_what_another_queues_thread_takes_in)
{
	unsigned long long before = completions();

	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	ASSERT_EQ(0, submit(&self->b, 2));
	ASSERT_EQ(0, wd_cq_arm(self->b.cq));
	ASSERT_EQ(0, wd_poll_cq(self->b.cq, 4, self->b.wc));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
	/* A's look at its descriptor consumes the event; its poll consumes the completion. */
	ASSERT_EQ(0, wd_cq_arm(self->a.cq));
	readable(&self->a, 0);
	until_more_than(before);
	readable(&self->a, 0);
	EXPECT_EQ(0, wd_poll_cq(self->a.cq, 4, self->a.wc));
	EXPECT_TRUE(readable(&self->b, WAIT_MS));
	EXPECT_EQ(1, wd_poll_cq(self->b.cq, 4, self->b.wc));
}

TEST_F(cq_shared, a_sleeper_wakes_by_itself_when_another_takes_the_event_and_does_not_poll)
{
	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_EQ(0, wd_cq_arm(self->a.cq));
	ASSERT_EQ(0, submit(&self->b, 2));
	while (!readable(&self->a, WAIT_MS))
		;
	ASSERT_EQ(0, wd_cq_arm(self->b.cq));
	EXPECT_TRUE(readable(&self->b, WAIT_MS));
	EXPECT_EQ(1, poll_n(&self->b, 1));
}

TEST_F(cq_shared, a_reset_is_an_event_for_each_of_them_once)
{
	struct wd_async_event ev;
	struct user *u[2] = { &self->a, &self->b };
	int i;

	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	ASSERT_EQ(0, submit(&self->a, 1));
	ASSERT_EQ(0, submit(&self->b, 2));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, poll_n(u[i], 1));
		EXPECT_EQ(i + 1, u[i]->wc[0].wr_id);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, wd_get_async_event(u[i]->cq, &ev));
		EXPECT_EQ(WD_EVENT_CQ_ERR, ev.event);
		EXPECT_EQ(u[i]->cq, ev.cq);
		EXPECT_EQ(u[i]->wc[0].ctx, ev.ctx);
		EXPECT_EQ(-EAGAIN, wd_get_async_event(u[i]->cq, &ev));
	}
}

TEST_F(cq_shared, the_others_go_on_when_one_is_destroyed)
{
	struct user c = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, user_begin(&c)) TH_LOG("%s", detail(0));
		ASSERT_EQ(0, submit(&self->a, 1));
		ASSERT_EQ(0, submit(&c, 3));
		ASSERT_EQ(1, poll_n(&c, 1));
		EXPECT_EQ(3, c.wc[0].wr_id);
		ASSERT_EQ(0, user_end(&c));
		ASSERT_EQ(1, poll_n(&self->a, 1));
		EXPECT_EQ(1, self->a.wc[0].wr_id);
	}
	EXPECT_EQ(1, contexts());
}

TEST_F(cq_shared, a_set_of_one_is_for_its_own_sessions_also_where_another_shares_the_context)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();

	ASSERT_EQ(0, wd_ctx_set_from_sess(self->a.h, set));
	self->b.job.len = sizeof(self->b.job.dst);
	ASSERT_EQ(0, submit(&self->b, 2));
	ASSERT_EQ(1, poll_n(&self->b, 1));
	self->b.job.len = sizeof(self->b.job.dst);
	ASSERT_EQ(0, wd_comp_async(self->b.h, &self->b.job.arg, set));
	ASSERT_EQ(1, poll_n(&self->b, 1));
	EXPECT_EQ(0, wd_poll_cq(self->a.cq, 4, self->a.wc));
	wd_ctx_set_free(set);
}

TEST_F(cq_shared, a_pointer_of_the_users_is_kept)
{
	EXPECT_EQ(NULL, wd_cq_get_priv(self->a.cq));
	EXPECT_EQ(0, wd_cq_set_priv(self->a.cq, self));
	EXPECT_EQ(self, wd_cq_get_priv(self->a.cq));
	EXPECT_EQ(NULL, wd_cq_get_priv(self->b.cq));
	EXPECT_EQ(-EINVAL, wd_cq_set_priv(self->a.h, self));
	errno = 0;
	EXPECT_EQ(NULL, wd_cq_get_priv(self->a.h));
	EXPECT_EQ(EINVAL, errno);
}

/* --- a thread for each queue: all threads submit, sleep and poll at once --- */

struct loop {
	struct user user;
	struct job job[EACH];
	pthread_t thread;
	int seen[EACH];
	int bad;
};

static int loop_take(struct loop *l)
{
	struct wd_wc wc[4];
	int ret = wd_poll_cq(l->user.cq, 4, wc), i;

	for (i = 0; i < ret; i++)
		l->bad += wc[i].status || wc[i].sess != l->user.h || wc[i].wr_id >= EACH || l->seen[wc[i].wr_id]++;
	return ret;
}

static void *loop_run(void *arg)
{
	struct loop *l = arg;
	int sent = 0, got = 0, ret;

	while (got < EACH && !l->bad) {
		if (sent < EACH && sent - got < 1 + sent % 7) {
			ret = submit_job(&l->user, &l->job[sent], sent);
			sent += !ret;
			l->bad += ret && ret != -EBUSY;
			continue;
		}
		ret = wd_cq_arm(l->user.cq);
		if (!ret)
			ret = loop_take(l);
		if (!ret)
			l->bad += !readable(&l->user, WAIT_MS);
		l->bad += ret < 0;
		got += ret > 0 ? ret : 0;
	}
	return NULL;
}

TEST(loops_with_a_queue_each_lose_nothing_and_meet_nobody)
{
	struct loop *loop = calloc(QUEUES, sizeof(*loop));
	int i, k;

	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, user_begin(&loop[i].user)) TH_LOG("%s", detail(0));
	}
	EXPECT_EQ(1, contexts());
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, pthread_create(&loop[i].thread, NULL, loop_run, &loop[i]));
	}
	for (i = 0; i < QUEUES; i++) {
		pthread_join(loop[i].thread, NULL);
		EXPECT_EQ(0, loop[i].bad);
		for (k = 0; k < EACH; k++)
			EXPECT_EQ(1, loop[i].seen[k]);
		EXPECT_EQ(0, user_end(&loop[i].user));
	}
	free(loop);
}
