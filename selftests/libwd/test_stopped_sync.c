// SPDX-License-Identifier: Apache-2.0
/*
 * Synchronous requests whose context is stopped time and again: in the end the software path computes them, if allowed.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "need_device.h"
#include "on_device.h"

#define LEN		256
#define REDO		5	/* stops that use up a request's tries */
#define SOON_MS		20

struct victim {
	pthread_t thread;
	handle_t h;
	int ret;
	int path;
	int reason;
	unsigned char dst[2 * LEN];
	size_t len;
	atomic_bool over;
};

static unsigned char src[LEN];

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static unsigned long long dropped(void)
{
	return emulated_count(EMULATED_DEVICE, "drop");
}

static handle_t session(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg_of_devices(), .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = flags,
	};

	return alloc_on_device(&setup);
}

static void *wait_for_result(void *p)
{
	struct victim *v = p;
	struct wd_comp_arg arg = { .src = src, .src_len = LEN, .dst = v->dst, .dst_len = &v->len };

	v->len = sizeof(v->dst);
	v->ret = wd_compress(v->h, &arg);
	v->path = arg.path;
	v->reason = arg.path_reason;
	v->over = true;
	return NULL;
}

/* Another request on the context: its deadline stops it. */
static int neighbour(handle_t h)
{
	unsigned char dst[2 * LEN];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = LEN, .dst = dst, .dst_len = &len, .timeout_ms = 1 };

	return wd_compress(h, &arg);
}

/* Does the device hold this many requests by now? */
static bool soon(struct victim *v, unsigned long long nr)
{
	int i;

	for (i = 0; i < SOON_MS && dropped() < nr && !v->over; i++)
		poll(NULL, 0, 1);
	return dropped() >= nr;
}

/*
 * A request that the device never answers, with neighbours that stop its context until it ends. Returns the least
 * number of stops.
 */
static unsigned int stopped_until_its_end(struct victim *v, handle_t h)
{
	unsigned long long before = dropped();
	unsigned int stops = 0;
	bool there;

	v->over = false;
	if (pthread_create(&v->thread, NULL, wait_for_result, v))
		abort();
	while (!v->over && dropped() == before)
		poll(NULL, 0, 1);
	there = !v->over;
	while (!v->over) {
		before = dropped();
		if (neighbour(h) == -ETIMEDOUT && there)
			stops++;
		/* One of the two is the neighbour, the other is the repeated request. */
		there = soon(v, before + 2);
	}
	pthread_join(v->thread, NULL);
	return stops;
}

FIXTURE(stopped) {
	struct victim v;
	handle_t h;
};

FIXTURE_SETUP(stopped)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which has faults");
	self->h = session(WD_SESS_PATH_HW);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, control("fault drop=1/1"));
}

FIXTURE_TEARDOWN(stopped)
{
	EXPECT_EQ(0, control("fault drop=0"));
	EXPECT_EQ(0, wd_comp_free_sess(self->v.h));
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

/* Being kept from a context that another thread opens also uses up a try: so go on until all tries are used. */
TEST_F(stopped, one_that_is_stopped_too_often_is_done_on_this_cpu)
{
	unsigned int stops;

	self->v.h = session(0);
	ASSERT_NE(0, self->v.h);
	do {
		stops = stopped_until_its_end(&self->v, self->h);
		ASSERT_EQ(0, self->v.ret);
		ASSERT_EQ(WD_PATH_SOFT, self->v.path);
		ASSERT_EQ(WD_REASON_GONE, self->v.reason);
	} while (stops < REDO);
}

TEST_F(stopped, one_for_devices_only_ends)
{
	self->v.h = session(WD_SESS_PATH_HW);
	ASSERT_NE(0, self->v.h);
	EXPECT_LT(0, stopped_until_its_end(&self->v, self->h));
	EXPECT_EQ(-EIO, self->v.ret);
	EXPECT_EQ(0, self->v.len);
}
