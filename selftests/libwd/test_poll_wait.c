// SPDX-License-Identifier: Apache-2.0
/* A thread that sleeps until there are callbacks to run, also while nothing is in flight. */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "session.h"
#include "tsan_fork.h"
#include "wait_ms.h"

#define LEN		500
#define ROUNDS		20
#define LONG_NAP_NS	50000000ll

static atomic_uint naps;		/* long sleeps that have begun */
static _Thread_local bool is_waiter;

/* The library sleeps with ppoll(). A long sleep never ends by time: only a wake-up ends it, or the test hangs. */
int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	union { void *p; __typeof__(&ppoll) f; } u = { .p = dlsym(RTLD_NEXT, "ppoll") };
	bool nap = is_waiter && timeout && timeout->tv_sec * 1000000000ll + timeout->tv_nsec >= LONG_NAP_NS;

	naps += nap;
	return u.f(pfd, n, nap ? NULL : timeout, mask);
}

struct job {
	struct wd_comp_arg arg;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
	atomic_bool over;
};

FIXTURE(poll_wait) {
	handle_t h;
	struct job job;
	pthread_t thread;
	atomic_bool stop;
	atomic_int ran, woken, failed;
};

FIXTURE_VARIANT(poll_wait) {
	__u32 path;
};

FIXTURE_VARIANT_ADD(poll_wait, device) { .path = WD_SESS_PATH_HW };
FIXTURE_VARIANT_ADD(poll_wait, software) { .path = WD_SESS_PATH_SOFT };

static void on_done(struct wd_comp_arg *arg, void *param)
{
	atomic_store(&((struct job *)param)->over, true);
}

static int submit(handle_t h, struct job *j)
{
	atomic_store(&j->over, false);
	j->len = sizeof(j->dst);
	j->arg = (struct wd_comp_arg){
		.src = j->src, .src_len = LEN, .dst = j->dst, .dst_len = &j->len, .cb = on_done, .cb_param = j,
	};
	return wd_comp_async(h, &j->arg, NULL);
}

static handle_t session(__u32 path)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = path,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static void *wait_always(void *arg)
{
	FIXTURE_DATA(poll_wait) *self = arg;

	is_waiter = true;
	while (!self->stop) {
		int ret = wd_comp_poll_wait(8, UINT_MAX, NULL);

		if (ret > 0)
			self->ran += ret;
		else if (!ret)
			self->woken++;
		else
			self->failed = ret;
	}
	return NULL;
}

/* Waits until the thread is in a later sleep than these. */
static void until_asleep(unsigned int before)
{
	while (naps == before)
		poll(NULL, 0, 1);
}

FIXTURE_SETUP(poll_wait)
{
	self->h = session(variant->path);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(poll_wait)
{
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

TEST_F(poll_wait, ends_at_its_time_with_nothing_in_flight)
{
	EXPECT_EQ(-ETIME, wd_comp_poll_wait(1, 0, NULL));
	EXPECT_EQ(-ETIME, wd_comp_poll_wait(1, 20, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_poll_wait(0, 20, NULL));
}

TEST_F(poll_wait, returns_with_the_first_callbacks)
{
	ASSERT_EQ(0, submit(self->h, &self->job));
	EXPECT_EQ(1, wd_comp_poll_wait(8, WAIT_MS, NULL));
	EXPECT_TRUE(self->job.over);
}

TEST_F(poll_wait, sleeps_until_a_request_comes)
{
	int i;

	ASSERT_EQ(0, pthread_create(&self->thread, NULL, wait_always, self));
	for (i = 0; i < ROUNDS; i++) {
		unsigned int before = naps;

		ASSERT_EQ(0, submit(self->h, &self->job));
		while (self->ran <= i)
			poll(NULL, 0, 1);
		EXPECT_TRUE(self->job.over);
		/* The first few sleeps in a row are short. */
		until_asleep(before);
	}
	self->stop = true;
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(ROUNDS, self->ran);
	EXPECT_EQ(0, self->failed);
}

TEST_F(poll_wait, is_woken_once_by_each_wake_up)
{
	int i;

	ASSERT_EQ(0, pthread_create(&self->thread, NULL, wait_always, self));
	for (i = 0; i < ROUNDS; i++) {
		unsigned int before = naps;

		EXPECT_EQ(0, wd_comp_wakeup(self->h));
		while (self->woken <= i)
			poll(NULL, 0, 1);
		until_asleep(before);
	}
	self->stop = true;
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(ROUNDS + 1, self->woken);
	EXPECT_EQ(0, self->ran);
}

TEST_F(poll_wait, does_not_miss_a_wake_up_before_it)
{
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	EXPECT_EQ(0, wd_comp_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(-ETIME, wd_comp_poll_wait(1, 0, NULL));
}

/* Its contexts are opened while the thread sleeps. */
TEST_F(poll_wait, sees_a_session_that_comes_later)
{
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	self->h = 0;
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, wait_always, self));
	until_asleep(0);
	self->h = session(variant->path);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, submit(self->h, &self->job));
	while (!self->ran)
		poll(NULL, 0, 1);
	self->stop = true;
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	pthread_join(self->thread, NULL);
}

TEST_HARNESS_MAIN
