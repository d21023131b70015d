// SPDX-License-Identifier: Apache-2.0
/* A thread that is cancelled leaves neither a lock nor a stream behind. */
#include <pthread.h>
#include <stdatomic.h>
#include <wd_cq.h>

#include "comp_test.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

struct call {
	int (*run)(struct call *c);
	handle_t h;
	struct wd_comp_arg *arg;
	int ret;
	bool returned;
};

static void *cancelled_thread(void *p)
{
	struct call *c = p;

	pthread_cancel(pthread_self());
	c->ret = c->run(c);
	c->returned = true;
	pthread_testcancel();
	return NULL;
}

/* Makes the call in a thread that is cancelled at its first cancellation point. */
static void *call_cancelled(struct call *c)
{
	void *end = NULL;
	pthread_t t;

	c->returned = false;
	if (!pthread_create(&t, NULL, cancelled_thread, c))
		pthread_join(t, &end);
	return end;
}

static int alloc_session(struct call *c)
{
	c->h = sess_new(WD_GZIP, WD_DIR_DECOMPRESS, WD_SYNC);
	return c->h ? 0 : -errno;
}

static int step_stream(struct call *c)
{
	size_t in = c->arg->src_len, out = *c->arg->dst_len;
	struct wd_comp_strm strm = {
		.src = c->arg->src, .src_len = &in, .dst = c->arg->dst, .dst_len = &out, .last = 1,
	};

	return wd_strm_decompress(c->h, &strm);
}

static int submit(struct call *c)
{
	return wd_comp_async(c->h, c->arg, NULL);
}

static atomic_int ran;

static void on_done(struct wd_comp_arg *arg, void *param)
{
	atomic_fetch_add(&ran, 1);
}

FIXTURE(cancel) {
	unsigned char plain[3000], packed[4000], back[3000];
	size_t len;
	struct wd_comp_arg arg;
};

FIXTURE_SETUP(cancel)
{
	long n;

	fill_text(self->plain, sizeof(self->plain), 1);
	n = z_compress(WD_GZIP, self->plain, sizeof(self->plain), self->packed, sizeof(self->packed));
	ASSERT_LT(0, n);
	self->len = sizeof(self->back);
	self->arg = (struct wd_comp_arg){
		.src = self->packed, .src_len = n, .dst = self->back, .dst_len = &self->len, .cb = on_done,
	};
}

FIXTURE_TEARDOWN(cancel)
{
}

TEST_F(cancel, a_session_is_made_to_the_end)
{
	struct call c = { .run = alloc_session };

	EXPECT_EQ(PTHREAD_CANCELED, call_cancelled(&c));
	EXPECT_EQ(true, c.returned);
	EXPECT_NE(0, c.h);
	EXPECT_EQ(0, wd_comp_free_sess(c.h));
}

TEST_F(cancel, a_stream_is_left_in_order)
{
	struct call c = { .run = step_stream, .arg = &self->arg };

	c.h = sess_new(WD_GZIP, WD_DIR_DECOMPRESS, WD_SYNC);
	ASSERT_NE(0, c.h);
	EXPECT_EQ(PTHREAD_CANCELED, call_cancelled(&c));
	EXPECT_EQ(true, c.returned);
	EXPECT_EQ(1, c.ret);
	EXPECT_EQ(1, step_stream(&c)) TH_LOG("%s", detail(c.h));
	EXPECT_EQ(0, wd_comp_free_sess(c.h));
}

TEST_F(cancel, a_request_is_submitted_or_not_but_never_half)
{
	struct call c = { .run = submit, .arg = &self->arg };

	c.h = sess_new(WD_GZIP, WD_DIR_DECOMPRESS, WD_ASYNC);
	ASSERT_NE(0, c.h);
	EXPECT_EQ(PTHREAD_CANCELED, call_cancelled(&c));
	EXPECT_EQ(true, c.returned);
	EXPECT_EQ(0, c.ret);
	EXPECT_EQ(c.returned, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(c.returned, atomic_load(&ran));
	EXPECT_EQ(0, wd_comp_free_sess(c.h));
}

/* The submit makes the descriptor readable. */
TEST_F(cancel, a_submit_to_an_armed_queue_leaves_it_to_others)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP, .op_type = WD_ASYNC, .dir_type = WD_DIR_DECOMPRESS, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_CQ | WD_SESS_PATH_SOFT, .cq = wd_cq_create(4),
	};
	struct call c = { .run = submit, .arg = &self->arg };
	struct wd_wc wc;

	ASSERT_NE(0, setup.cq);
	c.h = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_NE(0, c.h);
	ASSERT_LE(0, wd_cq_fd(setup.cq));
	ASSERT_EQ(0, wd_cq_arm(setup.cq));
	self->arg.cb = NULL;
	EXPECT_EQ(PTHREAD_CANCELED, call_cancelled(&c));
	EXPECT_EQ(true, c.returned);
	EXPECT_EQ(0, c.ret);
	EXPECT_EQ(0, wd_cq_arm(setup.cq));
	EXPECT_EQ(1, wd_poll_cq(setup.cq, 1, &wc));
	EXPECT_EQ(0, wd_comp_free_sess(c.h));
	EXPECT_EQ(0, wd_cq_destroy(setup.cq));
}

TEST_HARNESS_MAIN
