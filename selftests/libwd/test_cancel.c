// SPDX-License-Identifier: Apache-2.0
/* Requests that a device has lost are cancelled: each ends once, its buffers are free, and so is its session. */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <wd_cq.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "session.h"
#include "tsan_fork.h"
#include "turn.h"
#include "wait_ms.h"

#define MANY	40
#define LEN	200

struct job {
	struct wd_comp_arg arg;
	size_t len;
	unsigned char *src, *dst;
	atomic_int calls;
	int status;
};

FIXTURE(cancel) {
	handle_t h, cq;
	struct loans loans;
	struct job job[MANY];
	pthread_t thread;
	int ret;
	atomic_bool over;
};

FIXTURE_VARIANT(cancel) {
	bool cq;
	bool soft;
};

FIXTURE_VARIANT_ADD(cancel, callbacks) { .cq = false };
FIXTURE_VARIANT_ADD(cancel, completion_queue) { .cq = true };
FIXTURE_VARIANT_ADD(cancel, software) { .soft = true };

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct job *j = param;

	j->status = arg->status;
	j->calls++;
}

static handle_t session(FIXTURE_DATA(cancel) *self, __u8 op_type, bool soft)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = op_type, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = (soft ? WD_SESS_PATH_SOFT : WD_SESS_PATH_HW) | (op_type && self->cq ? WD_SESS_CQ : 0),
		.cq = op_type ? self->cq : 0,
	};

	return soft ? wd_comp_alloc_sess(&setup, NULL) : alloc_on_device(&setup);
}

/* Buffers of two granules for each request: the device may use them while they are lent. */
FIXTURE_SETUP(cancel)
{
	int i;

	if (variant->cq)
		ASSERT_NE(0, self->cq = wd_cq_create(2 * MANY));
	if (!variant->soft && !emulated())
		SKIP(return, "needs an emulated device, which can lose requests");
	ASSERT_EQ(0, loans_open(&self->loans, 4 * MANY));
	for (i = 0; i < MANY; i++) {
		self->job[i].src = loans_at(&self->loans, 4 * i);
		self->job[i].dst = loans_at(&self->loans, 4 * i + 2);
	}
	self->h = session(self, WD_ASYNC, variant->soft);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cancel)
{
	if (self->loans.base)
		loans_close(&self->loans);
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

static void job_set(FIXTURE_DATA(cancel) *self, struct job *j, bool async)
{
	bool cb = async && !self->cq;

	j->calls = 0;
	j->len = 2 * LOAN_BYTES;
	j->arg = (struct wd_comp_arg){
		.src = j->src, .src_len = LEN, .dst = j->dst, .dst_len = &j->len, .wr_id = (__u64)(j - self->job),
		.cb = cb ? on_done : NULL, .cb_param = cb ? j : NULL,
	};
	lend(&self->loans, j->src, 4);
}

static int submit(FIXTURE_DATA(cancel) *self, handle_t h, struct job *j)
{
	job_set(self, j, true);
	return wd_comp_async(h, &j->arg, NULL);
}

/* Takes what is due. */
static void look(FIXTURE_DATA(cancel) *self)
{
	struct wd_wc wc[MANY];
	int n, i;

	if (!self->cq) {
		wd_comp_poll(MANY, 10, NULL);
		return;
	}
	n = wd_poll_cq(self->cq, MANY, wc);
	for (i = 0; i < n; i++) {
		self->job[wc[i].wr_id].status = wc[i].status;
		self->job[wc[i].wr_id].calls++;
	}
}

static void look_until_over(FIXTURE_DATA(cancel) *self, int first, int end)
{
	int i;

	for (i = first; i < end; i++)
		while (!self->job[i].calls)
			look(self);
}

static void take_back_all(FIXTURE_DATA(cancel) *self)
{
	take_back(&self->loans, self->loans.base, 4 * MANY);
}

TEST_F(cancel, what_a_device_has_lost_ends_and_the_session_goes_on)
{
	int i;

	if (!self->h)
		return;
	if (!variant->soft)
		ASSERT_EQ(0, control("fault drop=1/1"));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, submit(self, self->h, &self->job[i]));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->h));
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	/* No later access: a device that makes one ends the process. */
	if (!variant->soft)
		ASSERT_EQ(0, control("fault drop=0"));
	take_back_all(self);
	look_until_over(self, 0, MANY);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(1, self->job[i].calls);
		EXPECT_EQ(-ECANCELED, self->job[i].status);
		EXPECT_EQ(0, self->job[i].len);
	}
	EXPECT_EQ(0, wd_in_flight(NULL));
	ASSERT_EQ(0, submit(self, self->h, &self->job[0]));
	look_until_over(self, 0, 1);
	EXPECT_EQ(0, self->job[0].status);
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

/* The other session's requests on the same context are repeated. */
TEST_F(cancel, the_requests_of_another_session_end_as_they_would)
{
	handle_t other;
	int i;

	if (!self->h)
		return;
	other = session(self, WD_ASYNC, variant->soft);
	ASSERT_NE(0, other);
	if (!variant->soft)
		ASSERT_EQ(0, control("fault drop=1/1"));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, submit(self, i % 2 ? other : self->h, &self->job[i]));
	if (!variant->soft) {
		while (emulated_count(EMULATED_DEVICE, "drop") < MANY)
			turn_over();
		ASSERT_EQ(0, control("fault drop=0"));
	}
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	look_until_over(self, 0, MANY);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(1, self->job[i].calls);
		EXPECT_EQ(i % 2 ? 0 : -ECANCELED, self->job[i].status);
	}
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	EXPECT_EQ(0, wd_comp_free_sess(other));
}

static void *compress(void *p)
{
	FIXTURE_DATA(cancel) *self = p;

	job_set(self, &self->job[0], false);
	self->ret = wd_compress(self->h, &self->job[0].arg);
	take_back_all(self);
	self->over = true;
	return NULL;
}

TEST_F(cancel, a_synchronous_call_returns)
{
	if (!self->h || variant->soft)
		return;
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	self->h = session(self, WD_SYNC, false);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, control("fault drop=1/1"));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, compress, self));
	while (!wd_in_flight(NULL))
		turn_over();
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(-ECANCELED, self->ret);
	EXPECT_EQ(-ECANCELED, self->job[0].arg.status);
	EXPECT_EQ(0, self->job[0].len);
	EXPECT_STREQ("the request was cancelled: Operation canceled", detail(self->h));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

TEST_F(cancel, nothing_and_no_session_are_harmless)
{
	if (!self->h)
		return;
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	EXPECT_EQ(-EINVAL, wd_sess_cancel(self->h));
	EXPECT_EQ(-EINVAL, wd_sess_cancel(0));
	if (self->cq)
		EXPECT_EQ(-EINVAL, wd_sess_cancel(self->cq));
}

static void *cancel_again(void *p)
{
	FIXTURE_DATA(cancel) *self = p;

	while (!self->over) {
		if (wd_sess_cancel(self->h))
			self->ret = -1;
		poll(NULL, 0, 1);
	}
	return NULL;
}

#define ROUNDS	30

/* A device that resets and loses requests, and a thread that cancels all the time. */
TEST_F_TIMEOUT(cancel, every_request_ends_once_whatever_happens, 120)
{
	int round, i;

	if (!self->h)
		return;
	if (!variant->soft)
		ASSERT_EQ(0, control("fault drop=1/20,reorder=1/5"));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, cancel_again, self));
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < MANY; i++) {
			int ret;

			while ((ret = submit(self, self->h, &self->job[i])) == -EBUSY)
				look(self);
			ASSERT_EQ(0, ret) TH_LOG("%s", detail(self->h));
		}
		if (!variant->soft && round % 8 == 3)
			ASSERT_EQ(0, control("reset"));
		look_until_over(self, 0, MANY);
		take_back_all(self);
		for (i = 0; i < MANY; i++) {
			EXPECT_EQ(1, self->job[i].calls);
			EXPECT_TRUE(!self->job[i].status || self->job[i].status == -ECANCELED ||
				    self->job[i].status == -EIO) TH_LOG("%d", self->job[i].status);
		}
	}
	self->over = true;
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->ret);
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

TEST_HARNESS_MAIN
