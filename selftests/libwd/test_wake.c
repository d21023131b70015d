// SPDX-License-Identifier: Apache-2.0
/*
 * Forced lost wake-ups: the device is held, and released exactly where a wake-up could be missed. A library that misses
 * it sleeps until its slice is over, which the emulator counts.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

#include "before_arming.h"
#include "mediated.h"
#include "need_device.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN	200
#define ROUNDS	100

FIXTURE(wake) {
	handle_t sync, async;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
	unsigned int done;
	struct wd_comp_arg arg;
};

FIXTURE_VARIANT(wake) {
	const char *poll;
	unsigned int spun;	/* completions consumed before, without a sleep */
	unsigned int burst;	/* and behind those, completions that are all there before the first is consumed */
};

FIXTURE_VARIANT_ADD(wake, events) { .poll = "mainline-poll off", .spun = 0 };
FIXTURE_VARIANT_ADD(wake, mainline_poll) { .poll = "mainline-poll on", .spun = 0 };
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/*
 * Positions in the ring at which mainline's own head, if nothing moves it, expects the other phase. To get there takes
 * minutes under a sanitizer, which finds nothing new there.
 */
FIXTURE_VARIANT_ADD(wake, events_after_1536) { .poll = "mainline-poll off", .spun = 1536 };
FIXTURE_VARIANT_ADD(wake, events_after_3584) { .poll = "mainline-poll off", .spun = 3584 };
FIXTURE_VARIANT_ADD(wake, mainline_poll_after_1536) { .poll = "mainline-poll on", .spun = 1536 };
FIXTURE_VARIANT_ADD(wake, mainline_poll_after_3584) { .poll = "mainline-poll on", .spun = 3584 };
/* Together more than a ring, of which mainline's head has not moved since the first. */
FIXTURE_VARIANT_ADD(wake, mainline_poll_after_a_burst) { .poll = "mainline-poll on", .spun = 767, .burst = 700 };
#endif

/* A thread asks for its file's flags before it arms, to sleep on no file of the program. */
int fcntl(int fd, int cmd, ...)
{
	union { void *p; __typeof__(&fcntl) f; } u = { .p = dlsym(RTLD_NEXT, "fcntl") };
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	if (cmd == F_GETFL)
		between_look_and_arming();
	return u.f(fd, cmd, arg);
}

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static unsigned long long count(const char *what)
{
	return emulated_count(EMULATED_DEVICE, what);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(wake) *self = param;

	if (!arg->status)
		self->done++;
}

static struct wd_comp_arg *request(FIXTURE_DATA(wake) *self)
{
	self->len = sizeof(self->dst);
	self->arg = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst, .dst_len = &self->len, .cb = on_done,
		.cb_param = self,
	};
	return &self->arg;
}

/* Requests on both contexts whose completions are taken without sleeping. */
static int spin_through(FIXTURE_DATA(wake) *self, unsigned int n)
{
	int ret;

	for (; n; n--) {
		if (wd_comp_async(self->async, request(self), NULL))
			return -1;
		while (!(ret = wd_comp_poll(1, 0, NULL)))
			turn_over();
		if (ret != 1)
			return -1;
	}
	return 0;
}

static int burst_through(FIXTURE_DATA(wake) *self, unsigned int n)
{
	struct {
		struct wd_comp_arg arg;
		size_t len;
	} *many = calloc(n + 1, sizeof(*many));
	unsigned long long before = count("completions");
	int ret = many ? 0 : -1;
	unsigned int i;

	for (i = 0; i < n && !ret; i++) {
		many[i].arg = *request(self);
		many[i].arg.dst_len = &many[i].len;
		many[i].len = self->len;
		ret = wd_comp_async(self->async, &many[i].arg, NULL);
	}
	while (!ret && count("completions") < before + n)
		turn_over();
	for (self->done = 0; self->done < n && ret >= 0; )
		ret = wd_comp_poll(n, 0, NULL);
	free(many);
	return ret < 0 ? ret : 0;
}

FIXTURE_SETUP(wake)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	ASSERT_EQ(0, control(variant->poll));
	self->async = session_on_device(true, true);
	ASSERT_NE(0, self->async);
	ASSERT_EQ(0, spin_through(self, variant->spun));
	/* Where the kernel takes requests only when it is called, there is no burst. */
	ASSERT_EQ(0, burst_through(self, devices_mediated("zlib") ? 0 : variant->burst));
	self->done = 0;
}

FIXTURE_TEARDOWN(wake)
{
	if (self->async)
		EXPECT_EQ(0, wd_comp_free_sess(self->async));
	if (self->sync)
		EXPECT_EQ(0, wd_comp_free_sess(self->sync));
}

#define EACH_ROUND_WAKES(release, call) \
	do { \
		unsigned long long timeouts = count("timeouts"); \
		unsigned int i; \
		for (i = 0; i < ROUNDS; i++) { \
			ASSERT_EQ(0, control("hold")); \
			ASSERT_EQ(0, release); \
			call; \
			ASSERT_EQ(timeouts, count("timeouts")) TH_LOG("round %u: slept until the time was over", i); \
		} \
	} while (0)

#define IN_THE_SLEEP	control("release-at sleep")

#define ASYNCHRONOUS() \
	do { \
		ASSERT_EQ(0, wd_comp_async(self->async, request(self), NULL)); \
		ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL)) TH_LOG("round %u", i); \
		ASSERT_EQ(i + 1, self->done); \
	} while (0)

/* The kernel-head rule: a completion during the sleep must be where the kernel looks. */
TEST_F(wake, a_completion_in_the_sleep_is_noticed)
{
	EACH_ROUND_WAKES(IN_THE_SLEEP, ASYNCHRONOUS());
}

/* The arm race: the completion comes after the last drain, and before the device is asked for an event. */
TEST_F(wake, a_completion_between_the_last_look_and_the_sleep_is_noticed)
{
	EACH_ROUND_WAKES(release_before_arming(), ASYNCHRONOUS());
}

TEST_F(wake, a_synchronous_sleeper_notices_as_well)
{
	self->sync = session_on_device(false, true);
	ASSERT_NE(0, self->sync);
	EACH_ROUND_WAKES(IN_THE_SLEEP, ASSERT_EQ(0, wd_compress(self->sync, request(self))));
	EACH_ROUND_WAKES(release_before_arming(), ASSERT_EQ(0, wd_compress(self->sync, request(self))));
}

/* Arming rings the same doorbell as submitting, before the held device has seen the submission. */
TEST_F(wake, an_arm_over_the_unseen_submission_loses_nothing)
{
	unsigned long long before = count("sq_recovered");

	if (devices_mediated("zlib"))
		SKIP(return, "the kernel rings, in an order in which no doorbell is lost");
	EACH_ROUND_WAKES(IN_THE_SLEEP, ASYNCHRONOUS());
	EXPECT_EQ(before + ROUNDS, count("sq_recovered"));
}
