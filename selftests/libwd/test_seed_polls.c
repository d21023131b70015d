// SPDX-License-Identifier: Apache-2.0
/*
 * The programs POLL-1 to POLL-3 of the original interface, with their loops as they are there. They stand for programs
 * that were written for it: what a poll returns decides whether such a program waits or ends.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "session.h"
#include "wait_ms.h"

#define NUMS		64	/* fits into a queue: these programs lose the request of an -EBUSY */
#define LEN		500
#define HELD_POLLS	3
#define SLICE_MS	20

struct job {
	struct wd_comp_arg arg;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
};

static atomic_int ran;
static bool held;
static unsigned int naps;

/* The programs call it after each poll without a result. The held device is released after some of them. */
int usleep(useconds_t us)
{
	if (held && ++naps == HELD_POLLS) {
		held = emulated_control(EMULATED_DEVICE, "release");
		return poll(NULL, 0, SLICE_MS);
	}
	/* On a busy machine a released device takes longer than the programs' twenty polls. */
	return poll(NULL, 0, naps >= HELD_POLLS ? 1000 : (int)(us + 999) / 1000);
}

static int poll_1(handle_t h_sess, struct job *input, int nums, unsigned int timeout)
{
	int i, ret, async_cached;

	/* poll all packets on single context */
	for (i = 0, async_cached = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, NULL);
		if (ret == -EBUSY) {
			ret = wd_comp_poll(async_cached, timeout, NULL);
			if (ret < 0)
				return ret;
			async_cached = 0;
		} else if (ret < 0) {
			/* error case */
			return ret;
		} else if (ret == 0) {
			async_cached++;
		}
	}
	if (async_cached) {
		ret = wd_comp_poll(async_cached, timeout, NULL);
		if (ret < 0)
			return ret;
	}
	return 0;
}

#define POLL_MAX		20

static void send_async_usr_2(handle_t h_sess, struct job *input, int nums)
{
	int i, ret;

	for (i = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, NULL);
		if (ret == -EBUSY) {
			wd_comp_wait(h_sess, UINT_MAX);
		}
	}
}

static int poll_usr_2(handle_t h_sess, int nums, unsigned int timeout)
{
	int retry, ret, left;

	retry = 0;
	left = nums;

	while ((left) && (retry < POLL_MAX)) {
		ret = wd_comp_poll(left, timeout, NULL);
		if (ret > 0) {
			left = left - ret;
			retry = 0;
			wd_comp_wakeup(h_sess);
		} else if (ret == 0) {
			/* Can't poll any packet. */
			usleep(10);
			ret = -EFAULT;
			retry++;
		} else if (ret == -ETIME) {
			/* Timeout */
			usleep(10);
			retry++;
		} else {
			break;
		}
	}
	if ((retry == POLL_MAX) && ((ret < 0) && (ret != -ETIME))) {
		printf("Failed to poll any packet from sess.\n");
		return ret;
	}
	return nums;
}

static void send_async_usr_3(handle_t h_sess, struct job *input, int nums, wd_ctx_set_t *set)
{
	int i, ret;

	for (i = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, set);
		if (ret == -EBUSY) {
			wd_comp_wait(h_sess, UINT_MAX);
		}
	}
}

static int poll_usr_3(int nums, unsigned int timeout, wd_ctx_set_t *set_c)
{
	int retry = 0, ret = 0;
	int left = nums;

	while ((left) && (retry < POLL_MAX)) {
		ret = wd_comp_poll(left, timeout, set_c);
		if (ret > 0) {
			left = left - ret;
			retry = 0;
			wd_comp_wakeup_set(set_c);
		} else if (ret == 0) {
			/* Can't poll any packet. */
			usleep(10);
			ret = -EFAULT;
			retry++;
		} else if (ret == -ETIME) {
			/* Timeout */
			usleep(10);
			retry++;
		} else {
			break;
		}
	}
	if ((retry == POLL_MAX) && ((ret < 0) && (ret != -ETIME))) {
		printf("Failed to poll any packet from sess.\n");
		return ret;
	}
	return nums;
}

static void callback(struct wd_comp_arg *arg, void *param)
{
	(void)param;
	atomic_fetch_add(&ran, !arg->status);
}

static struct job *jobs_new(int n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	int i;

	for (i = 0; jobs && i < n; i++) {
		jobs[i].len = sizeof(jobs[i].dst);
		jobs[i].arg = (struct wd_comp_arg){
			.src = jobs[i].src, .src_len = LEN, .dst = jobs[i].dst, .dst_len = &jobs[i].len, .cb = callback,
		};
	}
	return jobs;
}

FIXTURE(seed) {
	handle_t a, b;
	struct job *jobs;
};

FIXTURE_VARIANT(seed) {
	bool held;
};

FIXTURE_VARIANT_ADD(seed, ready) { .held = false };
FIXTURE_VARIANT_ADD(seed, held) { .held = true };

static handle_t session(bool on_device)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
	};

	return on_device ? session_on_device(true, true) : wd_comp_alloc_sess(&setup, NULL);
}

FIXTURE_SETUP(seed)
{
	if (variant->held && !emulated())
		SKIP(return, "needs an emulated device, which can be held");
	self->jobs = jobs_new(2 * NUMS);
	self->a = session(variant->held);
	self->b = session(variant->held);
	ASSERT_TRUE(self->jobs && self->a && self->b) TH_LOG("%s", detail(0));
	if (variant->held)
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	held = variant->held;
}

FIXTURE_TEARDOWN(seed)
{
	if (!self->jobs)
		return;
	if (held)
		emulated_control(EMULATED_DEVICE, "release");
	while (wd_in_flight(NULL) && wd_comp_poll(2 * NUMS, WAIT_MS, NULL) > 0)
		;
	EXPECT_EQ(0, wd_comp_free_sess(self->a));
	EXPECT_EQ(0, wd_comp_free_sess(self->b));
	free(self->jobs);
}

/* After a setup that skips, the harness runs the test: it has no jobs then. */
TEST_F(seed, poll_1)
{
	if (!self->jobs)
		return;
	if (variant->held) {
		ASSERT_EQ(-ETIME, poll_1(self->a, self->jobs, NUMS, SLICE_MS));
		return;
	}
	EXPECT_EQ(0, poll_1(self->a, self->jobs, NUMS, WAIT_MS));
	EXPECT_EQ(NUMS, ran);
}

TEST_F(seed, poll_2)
{
	if (!self->jobs)
		return;
	send_async_usr_2(self->a, self->jobs, NUMS);
	EXPECT_EQ(NUMS, poll_usr_2(self->a, NUMS, SLICE_MS));
	EXPECT_EQ(NUMS, ran);
	EXPECT_FALSE(held);
}

TEST_F(seed, poll_3)
{
	wd_ctx_set_t *set_a = wd_ctx_set_alloc(), *set_b = wd_ctx_set_alloc(), *set_c = wd_ctx_set_alloc();

	if (!self->jobs)
		return;
	ASSERT_TRUE(set_a && set_b && set_c);
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->a, set_a));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->b, set_b));
	ASSERT_EQ(0, wd_ctx_set_or(set_c, set_a));
	ASSERT_EQ(0, wd_ctx_set_or(set_c, set_b));
	send_async_usr_3(self->a, self->jobs, NUMS, set_a);
	send_async_usr_3(self->b, self->jobs + NUMS, NUMS, set_b);
	EXPECT_EQ(2 * NUMS, poll_usr_3(2 * NUMS, SLICE_MS, set_c));
	EXPECT_EQ(2 * NUMS, ran);
	EXPECT_FALSE(held);
	wd_ctx_set_free(set_a);
	wd_ctx_set_free(set_b);
	wd_ctx_set_free(set_c);
}

/* A request past its deadline is another matter: its poll succeeds, and its status says so. */
TEST_F(seed, a_late_request_is_no_late_poll)
{
	if (!self->jobs || !variant->held)
		return;
	self->jobs[0].arg.timeout_ms = 1;
	ASSERT_EQ(0, wd_comp_async(self->a, &self->jobs[0].arg, NULL));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(-ETIMEDOUT, self->jobs[0].arg.status);
	EXPECT_EQ(0, ran);
}

TEST_HARNESS_MAIN
