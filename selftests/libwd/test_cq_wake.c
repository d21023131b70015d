// SPDX-License-Identifier: Apache-2.0
/*
 * Sleeping on a completion queue's descriptor while its device is held, and released exactly where a wake-up could be
 * missed; deadlines, resets and removal meanwhile.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <wd_cq.h>
#include <wd_user.h>

#include "before_arming.h"
#include "need_device.h"
#include "request/cq.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN	200
#define ROUNDS	100
#define LONGER_S	1

FIXTURE(cq_wake) {
	handle_t cq, h;
	int ep;
	unsigned char src[LEN], dst[4][2 * LEN];
	size_t len[4];
	struct wd_comp_arg arg[4];
	struct wd_wc wc[4];
	unsigned int by_time;	/* wake-ups that only the timer can have caused */
};

FIXTURE_VARIANT(cq_wake) {
	const char *poll;
	unsigned int spun;	/* completions consumed before, without a sleep */
};

FIXTURE_VARIANT_ADD(cq_wake, events) { .poll = "mainline-poll off", .spun = 0 };
FIXTURE_VARIANT_ADD(cq_wake, mainline_poll) { .poll = "mainline-poll on", .spun = 0 };
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/*
 * Positions in the ring at which mainline's own head, if nothing moves it, expects the other phase. To get there takes
 * minutes under a sanitizer, which finds nothing new there.
 */
FIXTURE_VARIANT_ADD(cq_wake, events_after_1536) { .poll = "mainline-poll off", .spun = 1536 };
FIXTURE_VARIANT_ADD(cq_wake, mainline_poll_after_1536) { .poll = "mainline-poll on", .spun = 1536 };
FIXTURE_VARIANT_ADD(cq_wake, mainline_poll_after_3584) { .poll = "mainline-poll on", .spun = 3584 };
#endif

static bool long_slices, arming;

/*
 * The completion queue's timer, at whose end the library looks without an event. Where the test means no deadline, the
 * timer is set later than busy CPUs take for a request: then it ends first only if the wake-up was lost.
 */
int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	union { void *p; __typeof__(&timerfd_settime) f; } u = { .p = dlsym(RTLD_NEXT, "timerfd_settime") };
	struct itimerspec later = *when;

	if (long_slices && (when->it_value.tv_sec || when->it_value.tv_nsec))
		later.it_value.tv_sec += LONGER_S;
	return u.f(fd, flags, &later, old);
}

/* wd_cq_arm() calls it first. */
int pthread_setcancelstate(int state, int *old)
{
	union { void *p; __typeof__(&pthread_setcancelstate) f; } u = {
		.p = dlsym(RTLD_NEXT, "pthread_setcancelstate")
	};

	if (arming && state == PTHREAD_CANCEL_DISABLE)
		between_look_and_arming();
	return u.f(state, old);
}

static int arm(handle_t cq)
{
	int ret;

	arming = true;
	ret = wd_cq_arm(cq);
	arming = false;
	return ret;
}

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static const char *last_failure(void)
{
	static char text[256];

	wd_error_detail(0, text, sizeof(text));
	return text;
}

static int submit(FIXTURE_DATA(cq_wake) *self, unsigned int i, unsigned int timeout_ms)
{
	self->len[i] = sizeof(self->dst[i]);
	self->arg[i] = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst[i], .dst_len = &self->len[i], .wr_id = i,
		.timeout_ms = timeout_ms,
	};
	return wd_comp_async(self->h, &self->arg[i], NULL);
}

/* Returns when the descriptor was readable and something came; 0 if the time was over first. */
static int sleep_and_poll(FIXTURE_DATA(cq_wake) *self, int max)
{
	struct epoll_event ev[4];
	int ret, n, i, timer;

	for (;;) {
		if (arm(self->cq))
			return -1;
		ret = wd_poll_cq(self->cq, max, self->wc);
		if (ret)
			return ret;
		if (epoll_wait(self->ep, ev, 1, WAIT_MS) != 1)
			return 0;
		n = epoll_wait(wd_cq_fd(self->cq), ev, 4, 0);
		for (i = timer = 0; i < n; i++)
			timer += ev[i].data.u64 == WD_CQ_TIMER;
		/* If this thread comes late, the timer may have ended as well. */
		self->by_time += timer && n == timer;
	}
}

/* Waits until the fault has happened: a deadline before it would leave the fault for the next request. */
static void until_fault(const char *what)
{
	while (!emulated_count(EMULATED_DEVICE, what))
		turn_over();
}

static int spin_through(FIXTURE_DATA(cq_wake) *self, unsigned int n)
{
	for (; n; n--) {
		if (submit(self, 0, 0))
			return -1;
		while (!wd_poll_cq(self->cq, 4, self->wc))
			turn_over();
	}
	return 0;
}

static handle_t session_on_cq(handle_t cq)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = WD_DIR_COMPRESS, .flags = WD_SESS_PATH_HW | WD_SESS_CQ, .cq = cq,
	};

	return alloc_on_device(&setup);
}

FIXTURE_SETUP(cq_wake)
{
	struct epoll_event ev = { .events = EPOLLIN };

	self->ep = -1;
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	ASSERT_EQ(0, control(variant->poll));
	self->cq = wd_cq_create(64);
	self->h = session_on_cq(self->cq);
	ASSERT_NE(0, self->h);
	self->ep = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_ADD, wd_cq_fd(self->cq), &ev));
	ASSERT_EQ(0, spin_through(self, variant->spun));
}

FIXTURE_TEARDOWN(cq_wake)
{
	if (self->ep >= 0)
		close(self->ep);
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

/* On a machine that stalls, the timer may end first once; a lost wake-up is lost each time. */
#define EACH_ROUND_WAKES(release) \
	do { \
		unsigned int i; \
		long_slices = true; \
		for (i = 0; i < ROUNDS; i++) { \
			ASSERT_EQ(0, control("hold")); \
			ASSERT_EQ(0, submit(self, 0, 0)); \
			ASSERT_EQ(0, release); \
			ASSERT_EQ(1, sleep_and_poll(self, 4)) TH_LOG("round %u", i); \
			ASSERT_EQ(0, self->wc[0].status); \
		} \
		EXPECT_GT(ROUNDS / 2, self->by_time); \
	} while (0)

TEST_F(cq_wake, a_completion_in_the_sleep_is_noticed)
{
	EACH_ROUND_WAKES(control("release-at sleep"));
}

/* No event reports what has come before: the library must look at the ring after it has asked for one. */
TEST_F(cq_wake, a_completion_while_arming_is_noticed)
{
	EACH_ROUND_WAKES(release_before_arming());
}

TEST_F(cq_wake, what_arming_finds_makes_the_descriptor_readable)
{
	struct epoll_event ev;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, control("hold"));
		ASSERT_EQ(0, submit(self, 0, 0));
		ASSERT_EQ(0, release_before_arming());
		ASSERT_EQ(0, arm(self->cq));
		ASSERT_EQ(1, epoll_wait(self->ep, &ev, 1, 0));
		ASSERT_EQ(1, wd_poll_cq(self->cq, 4, self->wc));
	}
}

/* epoll_ctl() also polls the file. */
TEST_F(cq_wake, a_completion_before_the_descriptor_is_added_is_noticed)
{
	struct epoll_event ev = { .events = EPOLLIN };
	unsigned int i;

	long_slices = true;
	for (i = 0; i < ROUNDS; i++) {
		unsigned long long before = emulated_count(EMULATED_DEVICE, "completions");

		ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_DEL, wd_cq_fd(self->cq), NULL));
		ASSERT_EQ(0, wd_cq_arm(self->cq));
		ASSERT_EQ(0, submit(self, 0, 0));
		while (emulated_count(EMULATED_DEVICE, "completions") == before)
			turn_over();
		ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_ADD, wd_cq_fd(self->cq), &ev));
		ASSERT_EQ(1, sleep_and_poll(self, 4));
	}
	EXPECT_GT(ROUNDS / 2, self->by_time);
}

/* A loop as in programs for verbs: arm, poll until nothing is left, sleep. */
TEST_F(cq_wake, what_comes_after_the_last_poll_wakes_who_polled_after_arming)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_SOFT | WD_SESS_CQ, .cq = self->cq,
	};
	handle_t device = self->h, soft = wd_comp_alloc_sess(&setup, NULL);
	struct epoll_event ev[8];
	bool told = false;
	int n;

	ASSERT_NE(0, soft);
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	ASSERT_EQ(0, submit(self, 0, 0));
	while (!wd_poll_cq(self->cq, 4, self->wc))
		turn_over();
	ASSERT_EQ(0, wd_poll_cq(self->cq, 4, self->wc));
	self->h = soft;
	EXPECT_EQ(0, submit(self, 1, 0));
	self->h = device;
	n = epoll_wait(wd_cq_fd(self->cq), ev, 8, 0);
	while (n-- > 0)
		told |= ev[n].data.u64 == WD_CQ_SIGNAL;
	EXPECT_TRUE(told);
	EXPECT_EQ(1, wd_poll_cq(self->cq, 4, self->wc));
	EXPECT_EQ(0, wd_comp_free_sess(soft));
}

TEST_F(cq_wake, a_deadline_wakes_and_ends_as_a_completion)
{
	ASSERT_EQ(0, control("fault drop=1"));
	ASSERT_EQ(0, submit(self, 3, 30));
	until_fault("drop");
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(3, self->wc[0].wr_id);
	EXPECT_EQ(-ETIMEDOUT, self->wc[0].status);
	EXPECT_EQ(0, self->wc[0].consumed);
	/* The context is opened again, and belongs to the descriptor again. */
	ASSERT_EQ(0, submit(self, 1, 0)) TH_LOG("%s", last_failure());
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(1, self->wc[0].wr_id);
}

TEST_F(cq_wake, what_a_deadline_interrupts_is_done_again_and_delivered_once)
{
	int got = 0, ret, i, status[2] = { 1, 1 };

	ASSERT_EQ(0, control("fault drop=1"));
	ASSERT_EQ(0, submit(self, 0, 30));
	until_fault("drop");
	ASSERT_EQ(0, control("fault delay=1:10s"));
	ASSERT_EQ(0, submit(self, 1, 0));
	while (got < 2) {
		ret = sleep_and_poll(self, 4);
		ASSERT_LT(0, ret);
		for (i = 0; i < ret; i++, got++)
			status[self->wc[i].wr_id] = self->wc[i].status;
	}
	EXPECT_EQ(2, got);
	EXPECT_EQ(-ETIMEDOUT, status[0]);
	EXPECT_EQ(0, status[1]);
	EXPECT_EQ(0, wd_poll_cq(self->cq, 4, self->wc));
}

TEST_F(cq_wake, a_reset_wakes_ends_or_redoes_what_was_in_flight_and_is_an_event)
{
	struct wd_async_event ev;
	int got = 0, ret, status[2] = { 1, 1 };

	ASSERT_EQ(0, control("hold"));
	/* The source may be overwritten already: the request can't be repeated. */
	self->len[0] = sizeof(self->dst[0]);
	self->arg[0] = (struct wd_comp_arg){
		.src = self->dst[0], .src_len = LEN, .dst = self->dst[0], .dst_len = &self->len[0],
	};
	ASSERT_EQ(0, wd_comp_async(self->h, &self->arg[0], NULL));
	ASSERT_EQ(0, submit(self, 1, 0));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	ASSERT_EQ(0, control("reset"));
	ASSERT_EQ(0, control("release"));
	while (got < 2) {
		ret = sleep_and_poll(self, 1);
		ASSERT_EQ(1, ret);
		status[self->wc[0].wr_id] = self->wc[0].status;
		got++;
	}
	EXPECT_EQ(-EIO, status[0]);
	EXPECT_EQ(0, status[1]);
	ASSERT_EQ(0, wd_get_async_event(self->cq, &ev));
	EXPECT_EQ(WD_EVENT_CQ_ERR, ev.event);
	EXPECT_EQ(-EIO, ev.err);
	EXPECT_EQ(self->wc[0].ctx, ev.ctx);
	EXPECT_EQ(self->cq, ev.cq);
	EXPECT_EQ(-EAGAIN, wd_get_async_event(self->cq, &ev));
	ASSERT_EQ(0, submit(self, 2, 0));
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(ev.ctx, self->wc[0].ctx);
}

/* Only closing all contexts on the device stops it: queues that were idle get an event as well. */
TEST_F(cq_wake, a_device_that_does_not_stop_is_an_event_for_each_queue_on_it)
{
	struct wd_async_event mine, theirs;
	struct epoll_event ready;
	handle_t other, h;

	/* On another context than the first queue's. */
	ASSERT_EQ(0, wd_user_ctxs("1+2"));
	other = wd_cq_create(4);
	h = session_on_cq(other);
	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_cq_arm(other));
	ASSERT_EQ(0, wd_poll_cq(other, 4, self->wc));
	ASSERT_EQ(0, epoll_wait(wd_cq_fd(other), &ready, 1, 0));
	ASSERT_EQ(0, control("fault stuck=1"));
	ASSERT_EQ(0, submit(self, 0, 30));
	until_fault("stuck");
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(-ETIMEDOUT, self->wc[0].status);
	ASSERT_EQ(0, wd_get_async_event(self->cq, &mine));
	EXPECT_EQ(WD_EVENT_CQ_ERR, mine.event);
	EXPECT_EQ(-EIO, mine.err);
	EXPECT_EQ(self->wc[0].ctx, mine.ctx);
	EXPECT_EQ(1, epoll_wait(wd_cq_fd(other), &ready, 1, WAIT_MS));
	ASSERT_EQ(0, wd_get_async_event(other, &theirs));
	EXPECT_EQ(WD_EVENT_CQ_ERR, theirs.event);
	EXPECT_EQ(-EIO, theirs.err);
	EXPECT_EQ(other, theirs.cq);
	EXPECT_NE(mine.ctx, theirs.ctx);
	/* One event each, and both contexts are opened again. */
	EXPECT_EQ(-EAGAIN, wd_get_async_event(self->cq, &mine));
	EXPECT_EQ(-EAGAIN, wd_get_async_event(other, &theirs));
	ASSERT_EQ(0, submit(self, 1, 0)) TH_LOG("%s", last_failure());
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(mine.ctx, self->wc[0].ctx);
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_cq_destroy(other));
}

TEST_F(cq_wake, removal_wakes_an_idle_queue_and_is_an_event)
{
	struct wd_async_event ev;
	struct epoll_event ready;

	ASSERT_EQ(0, submit(self, 0, 0));
	ASSERT_EQ(1, sleep_and_poll(self, 4));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	ASSERT_EQ(0, wd_poll_cq(self->cq, 4, self->wc));
	ASSERT_EQ(0, control("remove"));
	EXPECT_EQ(1, epoll_wait(self->ep, &ready, 1, WAIT_MS));
	EXPECT_EQ(0, wd_poll_cq(self->cq, 4, self->wc));
	ASSERT_EQ(0, wd_get_async_event(self->cq, &ev));
	EXPECT_EQ(-ENODEV, ev.err);
	/* Reported once: the descriptor is quiet from now on. */
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	EXPECT_EQ(0, epoll_wait(self->ep, &ready, 1, 0));
	EXPECT_EQ(0, control("return"));
}

TEST_F(cq_wake, removal_ends_what_was_in_flight)
{
	ASSERT_EQ(0, control("hold"));
	ASSERT_EQ(0, submit(self, 2, 0));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	ASSERT_EQ(0, control("remove"));
	EXPECT_EQ(1, sleep_and_poll(self, 4));
	EXPECT_EQ(-ENODEV, self->wc[0].status);
	EXPECT_EQ(2, self->wc[0].wr_id);
	EXPECT_EQ(0, control("return"));
	EXPECT_EQ(0, control("release"));
}
