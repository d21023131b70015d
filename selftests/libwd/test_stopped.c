// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests whose context is stopped: they wait for another context, or end, and no poller sleeps for them.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wd_cq.h>

#include "need_device.h"
#include "on_device.h"
#include "turn.h"

#define MANY	500
#define LEN	256

static atomic_uint naps;

/* The library sleeps with ppoll(). */
int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	union { void *p; __typeof__(&ppoll) f; } u = { .p = dlsym(RTLD_NEXT, "ppoll") };

	naps++;
	return u.f(pfd, n, timeout, mask);
}

FIXTURE(stopped) {
	handle_t cq, h;
	unsigned char src[LEN], dst[MANY][2 * LEN];
	size_t len[MANY];
	struct wd_comp_arg arg[MANY];
	struct wd_wc wc[MANY];
	int ended[MANY];
	int status[MANY];
	unsigned int over;
};

FIXTURE_VARIANT(stopped) {
	bool cq;
};

FIXTURE_VARIANT_ADD(stopped, callbacks) { .cq = false };
FIXTURE_VARIANT_ADD(stopped, completion_queue) { .cq = true };

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static void note(FIXTURE_DATA(stopped) *self, unsigned int i, int status)
{
	self->ended[i]++;
	self->status[i] = status;
	self->over++;
}

static void cb(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(stopped) *self = param;

	note(self, (unsigned int)(arg - self->arg), arg->status);
}

static int submit(FIXTURE_DATA(stopped) *self, unsigned int i, unsigned int timeout_ms)
{
	self->len[i] = sizeof(self->dst[i]);
	self->arg[i] = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst[i], .dst_len = &self->len[i], .wr_id = i,
		.timeout_ms = timeout_ms, .cb = self->cq ? NULL : cb, .cb_param = self->cq ? NULL : self,
	};
	return wd_comp_async(self->h, &self->arg[i], NULL);
}

/* Polls as a program does between other work. */
static int look(FIXTURE_DATA(stopped) *self, unsigned int timeout_ms)
{
	int n, i;

	if (!self->cq)
		return wd_comp_poll(MANY, timeout_ms, NULL);
	n = wd_poll_cq(self->cq, MANY, self->wc);
	for (i = 0; i < n; i++)
		note(self, (unsigned int)self->wc[i].wr_id, self->wc[i].status);
	return n;
}

static void look_until(FIXTURE_DATA(stopped) *self, unsigned int over)
{
	while (self->over < over) {
		look(self, 20);
		turn_over();
	}
}

static unsigned int ended_with(FIXTURE_DATA(stopped) *self, int status)
{
	unsigned int i, nr = 0;

	for (i = 0; i < MANY; i++)
		nr += self->status[i] == status;
	return nr;
}

static handle_t session(FIXTURE_DATA(stopped) *self, bool may_soft)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg_of_devices(), .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = (may_soft ? 0 : WD_SESS_PATH_HW) | (self->cq ? WD_SESS_CQ : 0),
	};

	if (self->cq)
		setup.cq = self->cq;
	return alloc_on_device(&setup);
}

FIXTURE_SETUP(stopped)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	ASSERT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
	self->cq = variant->cq ? wd_cq_create(MANY) : 0;
	self->h = session(self, false);
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(stopped)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		EXPECT_GE(1, self->ended[i]) TH_LOG("request %u", i);
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

#define SUBMIT_AND_LOSE_THE_DEVICE(nr, timeout_ms) \
	do { \
		unsigned int i_; \
		ASSERT_EQ(0, control("hold")); \
		for (i_ = 0; i_ < (nr); i_++) \
			ASSERT_EQ(0, submit(self, i_, timeout_ms)); \
		ASSERT_EQ(0, emulated_attribute(0, "isolate", "1\n")); \
		ASSERT_EQ(0, control("reset")); \
		ASSERT_EQ(0, control("release")); \
	} while (0)

TEST_F(stopped, who_does_not_want_to_wait_does_not_sleep)
{
	SUBMIT_AND_LOSE_THE_DEVICE(MANY, 0);
	naps = 0;
	look(self, 0);
	look(self, 0);
	EXPECT_EQ(0, naps);
	look_until(self, MANY);
}

TEST_F(stopped, all_end_when_no_context_comes_back)
{
	SUBMIT_AND_LOSE_THE_DEVICE(MANY, 0);
	look_until(self, MANY);
	EXPECT_EQ(MANY, ended_with(self, -EIO));
	EXPECT_EQ(0, look(self, 0));
	EXPECT_EQ(0, wd_in_flight(NULL));
}

TEST_F(stopped, those_that_wait_are_in_flight)
{
	SUBMIT_AND_LOSE_THE_DEVICE(MANY, 0);
	look(self, 0);
	EXPECT_EQ(MANY, wd_in_flight(NULL) + self->over);
	EXPECT_EQ(self->over < MANY ? -EBUSY : 0, wd_comp_free_sess(self->h));
	if (self->over == MANY)
		self->h = 0;
	look_until(self, MANY);
}

TEST_F(stopped, a_deadline_ends_the_wait)
{
	SUBMIT_AND_LOSE_THE_DEVICE(MANY, 50);
	look_until(self, MANY);
	EXPECT_EQ(MANY, ended_with(self, -ETIMEDOUT));
}

/*
 * A context has a tenth of a second to come back. A machine may stall for that long, but not each time; if it
 * needs that long for all requests, later rounds have fewer.
 */
TEST_F(stopped, those_that_wait_go_to_the_context_that_comes_back)
{
	unsigned int round, nr = MANY, good = 0, early, i;
	long long begun;
	bool in_time;

	for (round = 0; round < 50 && good < nr; round++) {
		nr = MANY >> round / 10;
		self->over = 0;
		memset(self->ended, 0, sizeof(self->ended));
		for (i = 0; i < MANY; i++)
			self->status[i] = 1;
		SUBMIT_AND_LOSE_THE_DEVICE(nr, 0);
		begun = now_ms();
		look(self, 0);
		early = self->over;
		ASSERT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
		in_time = now_ms() - begun < 100;
		look_until(self, nr);
		good = ended_with(self, 0);
		if (in_time) {
			EXPECT_EQ(0, early);
			EXPECT_EQ(nr, good);
		}
		/* The next round needs the context. */
		self->over = 0;
		memset(self->ended, 0, sizeof(self->ended));
		while (submit(self, 0, 0))
			turn_over();
		look_until(self, 1);
	}
	EXPECT_EQ(nr, good);
}

/* Each neighbour's deadline stops the context that both share. */
TEST_F(stopped, one_that_is_stopped_too_often_is_done_on_this_cpu)
{
	unsigned int i;

	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	self->h = session(self, true);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, control("fault drop=1/1"));
	ASSERT_EQ(0, submit(self, 0, 0));
	for (i = 1; !self->over; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, submit(self, i, 1));
		do {
			look(self, 20);
			turn_over();
		} while (!self->ended[i]);
		EXPECT_EQ(-ETIMEDOUT, self->status[i]);
		self->over -= !self->ended[0];
	}
	ASSERT_EQ(0, control("fault drop=0"));
	EXPECT_EQ(1, self->ended[0]);
	EXPECT_EQ(0, self->status[0]);
	/* More often than a request may be repeated. */
	EXPECT_LT(3, i);
}

