// SPDX-License-Identifier: Apache-2.0
/*
 * The buffer rule: when a call returns or a callback starts, with whatever code, the device is done with the buffers.
 * The device is slow while it executes a request; it is checked: an access to a returned buffer kills the program.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "need_device.h"
#include "on_device.h"
#include "hw/qm_hw.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN		500
#define ROOM		(3 * LOAN_BYTES)
#define GRANULES	8	/* source, destination, and spare granules that nothing may touch */
#define TWICE_ROUND	2100	/* requests, in rings of 1,024 */
#define LATE_MS		500	/* a deadline that comes after the device has seen the request, on most machines */
#define FAULT_MS	150	/* how long the device stays inside a request */
#define LONGER		200	/* times longer, if the test comes too late: only a hang takes longer */

FIXTURE(buffers) {
	struct loans loans;
	handle_t sess;
	bool async;
};

FIXTURE_VARIANT(buffers) {
	bool async;
};

FIXTURE_VARIANT_ADD(buffers, synchronous) { .async = false };
FIXTURE_VARIANT_ADD(buffers, asynchronous) { .async = true };

struct one {
	pthread_t thread;
	FIXTURE_DATA(buffers) *self;
	unsigned char *src, *dst;
	unsigned int timeout_ms;
	size_t len;
	int ret;
	unsigned long long running;	/* requests in the device when the call returned */
	struct wd_comp_arg arg;
	atomic_bool over;
};

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static unsigned long long count(const char *what)
{
	return emulated_count(EMULATED_DEVICE, what);
}

FIXTURE_SETUP(buffers)
{
	int i;

	if (!emulated())
		SKIP(return, "needs an emulated device, which tells what it touches");
	ASSERT_EQ(0, loans_open(&self->loans, 4 * GRANULES));
	for (i = 0; i < 4 * (int)(GRANULES * LOAN_BYTES); i++)
		self->loans.base[i] = (unsigned char)(i * 7 >> 3);
	self->async = variant->async;
	self->sess = session_on_device(self->async, true);
	ASSERT_NE(0, self->sess);
}

FIXTURE_TEARDOWN(buffers)
{
	/* Late accesses of the device would happen now. */
	while (count("running"))
		turn_over();
	EXPECT_EQ(0, wd_comp_free_sess(self->sess));
	loans_close(&self->loans);
}

static void came_back(struct one *o, int ret)
{
	take_back(&o->self->loans, o->src, GRANULES);
	o->running = count("running");
	o->ret = ret;
	atomic_store(&o->over, true);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	came_back(param, status_errno(arg->status));
}

static void *one_run(void *param)
{
	struct one *o = param;
	int ret;

	o->arg = (struct wd_comp_arg){
		.src = o->src, .src_len = LEN, .dst = o->dst, .dst_len = &o->len, .timeout_ms = o->timeout_ms,
		.cb_param = o,
	};
	lend(&o->self->loans, o->src, 2);
	lend(&o->self->loans, o->dst, 3);
	if (!o->self->async) {
		came_back(o, wd_compress(o->self->sess, &o->arg));
		return NULL;
	}
	o->arg.cb = on_done;
	ret = wd_comp_async(o->self->sess, &o->arg, NULL);
	if (ret)
		came_back(o, ret);
	while (!atomic_load(&o->over))
		wd_comp_poll(1, WAIT_MS, NULL);
	return NULL;
}

/* The destination begins this many granules behind the source, which has two. */
static void one_start_to(struct one *o, FIXTURE_DATA(buffers) *self, unsigned int place, unsigned int timeout_ms,
			 unsigned int behind)
{
	memset((void *)o, 0, sizeof(*o));
	o->self = self;
	o->src = loans_at(&self->loans, place * GRANULES);
	o->dst = o->src + behind * LOAN_BYTES;
	o->len = ROOM;
	o->timeout_ms = timeout_ms;
	if (pthread_create(&o->thread, NULL, one_run, o))
		abort();
}

static void one_start(struct one *o, FIXTURE_DATA(buffers) *self, unsigned int place, unsigned int timeout_ms)
{
	one_start_to(o, self, place, timeout_ms, 2);
}

static int one_wait(struct one *o)
{
	pthread_join(o->thread, NULL);
	return o->ret;
}

static int one(FIXTURE_DATA(buffers) *self, unsigned int timeout_ms)
{
	struct one o;

	one_start(&o, self, 0, timeout_ms);
	return one_wait(&o);
}

/* This many accesses of the device to a buffer take this long each. */
static int page_faults(unsigned int nr, unsigned int ms)
{
	char fault[64];

	snprintf(fault, sizeof(fault), "fault page-fault=%u:%ums", nr, ms);
	return control(fault);
}

/* Submits a request; returns when the device is inside it: at its first access to a buffer, which takes this long. */
static void one_start_running(struct one *o, FIXTURE_DATA(buffers) *self, unsigned int behind, unsigned int ms)
{
	unsigned long long before = count("page-fault");

	if (page_faults(1, ms))
		abort();
	one_start_to(o, self, 0, 0, behind);
	while (count("page-fault") == before)
		turn_over();
}

/* A disturbance that came too late for its request ends the context under the next requests. */
static void device_back(FIXTURE_DATA(buffers) *self)
{
	while (one(self, 0))
		turn_over();
}

TEST_F(buffers, after_success)
{
	EXPECT_EQ(0, one(self, 0));
}

TEST_F(buffers, after_a_failure_of_the_device)
{
	ASSERT_EQ(0, control("fault fail=1:4"));
	EXPECT_EQ(-EIO, one(self, 0));
	EXPECT_EQ(0, one(self, 0));
}

/* Twice round the ring, so that second completions are pending while slots are reused. */
TEST_F(buffers, after_a_completion_that_comes_twice)
{
	size_t len = 0;
	char fault[32];
	unsigned int i;

	snprintf(fault, sizeof(fault), "fault duplicate=%u", TWICE_ROUND);
	ASSERT_EQ(0, control(fault));
	for (i = 0; i < TWICE_ROUND; i++) {
		struct one o = {
			.self = self, .src = loans_at(&self->loans, 0), .dst = loans_at(&self->loans, 2), .len = ROOM,
		};

		one_run(&o);
		ASSERT_EQ(0, o.ret);
		len = len ? len : o.len;
		ASSERT_LT(0, o.len);
		ASSERT_EQ(len, o.len) TH_LOG("request %u", i);
	}
	/* After lost CQ doorbells a ring looks full for a moment, and has no room for a second completion. */
	EXPECT_GE(TWICE_ROUND, count("duplicate"));
	EXPECT_LE(TWICE_ROUND - TWICE_ROUND / 100, count("duplicate"));
}

TEST_F(buffers, after_too_little_room)
{
	struct one o = { 0 };

	ASSERT_EQ(0, control("fault page-fault=4:20ms"));
	one_start(&o, self, 0, 0);
	EXPECT_EQ(0, one_wait(&o));
	ASSERT_EQ(0, control("fault page-fault=4:20ms"));
	o.len = 8;
	atomic_store(&o.over, false);
	one_run(&o);
	EXPECT_EQ(-ENOSPC, o.ret);
}

/* If this thread got no CPU for that long, the request ends first, which is no failure: retry with a slower device. */
TEST_F(buffers, after_a_deadline_in_the_middle)
{
	unsigned int ms = FAULT_MS;
	struct one o = { 0 };

	for (; !o.ret && ms < LONGER * FAULT_MS; ms *= 2) {
		ASSERT_EQ(0, page_faults(1, ms));
		one_start(&o, self, 0, 20);
		one_wait(&o);
		EXPECT_EQ(0, o.running);
	}
	EXPECT_EQ(-ETIMEDOUT, o.ret);
	EXPECT_EQ(0, one(self, 0));
}

TEST_F(buffers, after_a_deadline_on_a_lost_completion)
{
	unsigned int ms = LATE_MS;

	for (; !count("drop") && ms < LONGER * LATE_MS; ms *= 2) {
		ASSERT_EQ(0, control("fault drop=1"));
		ASSERT_EQ(-ETIMEDOUT, one(self, ms));
	}
	EXPECT_EQ(1, count("drop"));
	/* The context was stopped, and is usable again. */
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	EXPECT_EQ(0, one(self, 0));
}

TEST_F(buffers, of_neighbours_after_a_deadline)
{
	unsigned int ms = FAULT_MS;
	struct one o[3] = { { 0 } };
	int i;

	for (; !o[0].ret && ms < LONGER * FAULT_MS; ms *= 2) {
		ASSERT_EQ(0, page_faults(3, ms));
		one_start(&o[0], self, 0, 20);
		one_start(&o[1], self, 1, 0);
		one_start(&o[2], self, 2, 0);
		for (i = 0; i < 3; i++) {
			one_wait(&o[i]);
			EXPECT_TRUE(!o[i].ret || o[i].ret == -ETIMEDOUT || o[i].ret == -EIO)
				TH_LOG("%d: %d", i, o[i].ret);
		}
	}
	EXPECT_EQ(-ETIMEDOUT, o[0].ret);
}

TEST_F(buffers, after_a_reset_in_the_middle_it_is_done_again)
{
	struct one o;

	one_start_running(&o, self, 2, FAULT_MS);
	ASSERT_EQ(0, control("reset"));
	EXPECT_EQ(0, one_wait(&o));
	EXPECT_EQ(0, o.running);
	EXPECT_EQ(0, one(self, 0));
}

/* Half of the source may be overwritten already. */
TEST_F(buffers, after_a_reset_what_overlaps_is_not_done_again)
{
	unsigned int ms = FAULT_MS;
	struct one o = { 0 };

	for (; !o.ret && ms < LONGER * FAULT_MS; ms *= 2) {
		device_back(self);
		one_start_running(&o, self, 1, ms);
		ASSERT_EQ(0, control("reset"));
		one_wait(&o);
		EXPECT_EQ(0, o.running);
	}
	EXPECT_EQ(-EIO, o.ret);
	EXPECT_EQ(0, one(self, 0));
}

TEST_F(buffers, after_removal_in_the_middle)
{
	unsigned int ms = FAULT_MS;
	struct one o = { 0 };

	for (; !o.ret && ms < LONGER * FAULT_MS; ms *= 2) {
		device_back(self);
		one_start_running(&o, self, 2, ms);
		ASSERT_EQ(0, control("remove"));
		one_wait(&o);
		EXPECT_EQ(0, o.running);
		EXPECT_EQ(-ENODEV, one(self, 0));
		EXPECT_EQ(0, control("return"));
	}
	EXPECT_EQ(-ENODEV, o.ret);
}

TEST_F(buffers, after_a_deadline_on_a_stuck_queue)
{
	unsigned int ms = LATE_MS;

	for (; !count("stuck") && ms < LONGER * LATE_MS; ms *= 2) {
		ASSERT_EQ(0, control("fault stuck=1"));
		ASSERT_EQ(-ETIMEDOUT, one(self, ms));
	}
	EXPECT_EQ(1, count("stuck"));
	EXPECT_EQ(0, one(self, 0));
}

/* The stop itself fails while the device executes the request: only closing the file ends the request. */
TEST_F(buffers, after_a_deadline_with_a_mailbox_that_hangs)
{
	unsigned int ms = 10 * FAULT_MS;
	struct one o = { 0 };

	ASSERT_EQ(0, one(self, 0));
	for (; !o.ret && ms < LONGER * FAULT_MS; ms *= 2) {
		ASSERT_EQ(0, page_faults(1, ms));
		ASSERT_EQ(0, control("fault mailbox=1"));
		one_start(&o, self, 0, 20);
		one_wait(&o);
		EXPECT_EQ(0, o.running);
	}
	EXPECT_EQ(-ETIMEDOUT, o.ret);
	EXPECT_EQ(1, count("mailbox"));
	EXPECT_EQ(0, one(self, 0));
}

/* Sets both stop words in the rings of every open queue, as a kernel does that could not stop them. */
static unsigned int stop_words_set(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	unsigned int n = 0;
	char line[256];

	while (maps && fgets(line, sizeof(line), maps)) {
		char *base;

		if (!strstr(line, "/memfd:uacce") || sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) != 3 ||
		    offset != QM_DB_WINDOW)
			continue;
		base = (char *)start;
		__atomic_store_n((__u32 *)(base + QM_DUS_TX_STOP(end - start)), 1, __ATOMIC_SEQ_CST);
		__atomic_store_n((__u32 *)(base + QM_DUS_RX_STOP(end - start)), 1, __ATOMIC_SEQ_CST);
		n++;
	}
	if (maps)
		fclose(maps);
	return n;
}

/* A request with overlapping buffers isn't repeated: it returns as soon as the library considers the queue stopped. */
TEST_F(buffers, after_stop_words_that_came_too_early)
{
	struct one o;

	one_start_running(&o, self, 1, FAULT_MS);
	ASSERT_NE(0, stop_words_set());
	one_wait(&o);
	EXPECT_TRUE(!o.ret || o.ret == -EIO) TH_LOG("%d", o.ret);
	EXPECT_EQ(0, o.running);
	EXPECT_EQ(0, one(self, 0));
}

/* The thread that finds the queue stopped may sleep on the file that must be closed next. */
TEST_F(buffers, after_stop_words_of_a_queue_that_can_not_be_stopped)
{
	unsigned int ms = 10 * FAULT_MS;
	unsigned long long sleeps;
	bool over = true;
	struct one o;

	ASSERT_EQ(0, one(self, 0));
	for (; over && ms < LONGER * FAULT_MS; ms *= 2) {
		ASSERT_EQ(0, control("fault mailbox=1"));
		sleeps = count("sleeps");
		one_start_running(&o, self, 2, ms);
		while (count("sleeps") < sleeps + 2 && !atomic_load(&o.over))
			turn_over();
		ASSERT_NE(0, stop_words_set());
		/* The stop words came too late. */
		over = atomic_load(&o.over);
		if (over)
			ASSERT_EQ(0, control("fault mailbox=0"));
		EXPECT_EQ(0, one_wait(&o));
		EXPECT_EQ(0, o.running);
		EXPECT_EQ(0, one(self, 0));
	}
	EXPECT_EQ(1, count("mailbox"));
	EXPECT_EQ(0, one(self, 0));
}
