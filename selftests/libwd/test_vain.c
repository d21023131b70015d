// SPDX-License-Identifier: Apache-2.0
/*
 * A device starts each queue and ends it before its first request: requests without a deadline are tried again for 30
 * s, and then end. The test moves its thread's clock instead of waiting.
 */
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <wd_cq.h>

#define HOOKED_IOCTL_AFTER
#include "hooked_ioctl.h"
#include "need_device.h"
#include "on_device.h"

#define LEN	256
#define TRIES	3		/* openings that a request meets before its time is over */
#define NOT_YET	29		/* seconds */
#define OVER	2
#define MANY	8

static atomic_bool bad;		/* the device ends each queue at once */
static atomic_uint openings;
static _Thread_local time_t skipped;	/* the device's threads wait by the real clock */

static int before_ioctl(int fd, unsigned long cmd)
{
	(void)fd;
	(void)cmd;
	return 0;
}

static void after_ioctl(unsigned long cmd, int ret)
{
	int saved = errno;

	if (cmd != UACCE_CMD_START_Q || ret)
		return;
	openings++;
	if (bad)
		emulated_control(EMULATED_DEVICE, "reset");
	errno = saved;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, id, ts);

	if (!ret && id == CLOCK_MONOTONIC)
		ts->tv_sec += skipped;
	return ret;
}

FIXTURE(vain) {
	handle_t cq, h;
	unsigned char src[LEN], dst[MANY][2 * LEN];
	size_t len[MANY];
	struct wd_comp_arg arg[MANY];
	unsigned int over;
	int status;		/* of the last one */
};

FIXTURE_VARIANT(vain) {
	bool cq;
};

FIXTURE_VARIANT_ADD(vain, callbacks) { .cq = false };
FIXTURE_VARIANT_ADD(vain, completion_queue) { .cq = true };

FIXTURE_SETUP(vain)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW | (variant->cq ? WD_SESS_CQ : 0),
	};

	if (!emulated())
		SKIP(return, "needs an emulated device, which can be reset");
	self->cq = variant->cq ? wd_cq_create(MANY) : 0;
	setup.cq = self->cq;
	self->h = alloc_on_device(&setup);
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(vain)
{
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

static void cb(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(vain) *self = param;

	self->over++;
	self->status = arg->status;
}

static int submit(FIXTURE_DATA(vain) *self, unsigned int i)
{
	self->len[i] = sizeof(self->dst[i]);
	self->arg[i] = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst[i], .dst_len = &self->len[i],
		.cb = self->cq ? NULL : cb, .cb_param = self->cq ? NULL : self,
	};
	return wd_comp_async(self->h, &self->arg[i], NULL);
}

static void look(FIXTURE_DATA(vain) *self)
{
	struct wd_wc wc[MANY];
	int n, i;

	if (!self->cq) {
		wd_comp_poll(MANY, 5, NULL);
		return;
	}
	n = wd_poll_cq(self->cq, MANY, wc);
	for (i = 0; i < n; i++) {
		self->over++;
		self->status = wc[i].status;
	}
	poll(NULL, 0, 1);
}

/* Polls until that many more openings were in vain, or a request is over. */
static void look_for(FIXTURE_DATA(vain) *self, unsigned int more)
{
	unsigned int until = openings + more, over = self->over;

	while (openings < until && self->over == over)
		look(self);
}

/* The device works again before the 30 s are over. */
static void look_until_it_works(FIXTURE_DATA(vain) *self)
{
	look_for(self, TRIES);
	skipped += NOT_YET;
	look_for(self, TRIES);
	bad = false;
	while (!self->over)
		look(self);
}

/* A request in flight, whose device ends all queues from then on. */
#define BEGIN_IN_VAIN(self, i) do {								\
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));				\
	ASSERT_EQ(0, submit(self, i));								\
	bad = true;										\
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));				\
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));				\
} while (0)

TEST_F(vain, a_request_without_a_deadline_ends_after_30_s)
{
	BEGIN_IN_VAIN(self, 0);
	look_for(self, TRIES);
	EXPECT_EQ(0, self->over);
	skipped += NOT_YET;
	look_for(self, TRIES);
	EXPECT_EQ(0, self->over);
	skipped += OVER;
	look_for(self, TRIES);
	EXPECT_EQ(1, self->over);
	EXPECT_EQ(-EIO, self->status);
	/* And so do later ones, without waiting for as long. */
	EXPECT_EQ(-EIO, submit(self, 1));
}

TEST_F(vain, a_device_that_works_again_is_used)
{
	BEGIN_IN_VAIN(self, 0);
	look_until_it_works(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, self->over);
}

TEST_F(vain, a_request_that_was_taken_begins_the_time_anew)
{
	BEGIN_IN_VAIN(self, 0);
	look_until_it_works(self);
	BEGIN_IN_VAIN(self, 1);
	look_for(self, TRIES);
	skipped += OVER;
	look_for(self, TRIES);
	EXPECT_EQ(1, self->over);
	skipped += NOT_YET;
	look_for(self, TRIES);
	EXPECT_EQ(2, self->over);
	EXPECT_EQ(-EIO, self->status);
}

TEST_F(vain, requests_long_after_others_have_their_own_time)
{
	BEGIN_IN_VAIN(self, 0);
	look_for(self, TRIES);
	skipped += NOT_YET;
	look_for(self, 1);
	skipped += OVER;
	while (!self->over)
		look(self);
	skipped += NOT_YET + OVER;
	EXPECT_EQ(-EBUSY, submit(self, 1));
	bad = false;
	while (submit(self, 1) == -EBUSY)
		poll(NULL, 0, 1);
	while (self->over < 2)
		look(self);
	EXPECT_EQ(0, self->status);
}
