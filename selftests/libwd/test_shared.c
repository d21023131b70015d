// SPDX-License-Identifier: Apache-2.0
/* One context serves both modes: a synchronous call doesn't wait for callbacks that only its own thread would run. */
#include <stdlib.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "sectioned.h"
#include "wait_ms.h"

#define LEN	512
#define MANY	2000
#define SYNCS	1500	/* more than the ring has entries */

FIXTURE(shared) {
	handle_t async, sync;
	unsigned char src[LEN], dst[MANY][2 * LEN], mine[2 * LEN];
	size_t len[MANY];
	struct wd_comp_arg arg[MANY];
	int ended[MANY];
	unsigned int over;
	unsigned int taken;
	unsigned int room;
};

static void cb(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(shared) *self = param;

	self->ended[arg - self->arg]++;
	self->over++;
}

static handle_t session(bool async, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static int submit(FIXTURE_DATA(shared) *self, unsigned int i)
{
	self->len[i] = sizeof(self->dst[i]);
	self->arg[i] = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst[i], .dst_len = &self->len[i], .cb = cb,
		.cb_param = self,
	};
	return wd_comp_async(self->async, &self->arg[i], NULL);
}

/* Fills the context; returns the error that refused the next request. */
static int fill(FIXTURE_DATA(shared) *self)
{
	int ret = 0;

	while (self->taken < MANY && !ret) {
		ret = submit(self, self->taken);
		self->taken += !ret;
	}
	return ret;
}

static int compress(FIXTURE_DATA(shared) *self, size_t *len, __u16 *path)
{
	struct wd_comp_arg arg = { .src = self->src, .src_len = LEN, .dst = self->mine, .dst_len = len };
	int ret;

	*len = sizeof(self->mine);
	ret = wd_compress(self->sync, &arg);
	*path = arg.path;
	return ret;
}

FIXTURE_SETUP(shared)
{
	unsigned int i;

	/* The previous test's slot becomes free when wd-emulate has seen its process end. */
	setenv("WD_ATTACH_TIMEOUT", "300000", 1);
	ASSERT_EQ(0, wd_user_start("ASYNC"));
	self->async = session(true, WD_SESS_PATH_HW);
	ASSERT_NE(0, self->async);
	self->sync = session(false, WD_SESS_PATH_HW);
	ASSERT_NE(0, self->sync);
	for (i = 0; i < LEN; i++)
		self->src[i] = (unsigned char)(i * i >> 3);
	ASSERT_EQ(-EBUSY, fill(self));
	self->room = self->taken;
}

FIXTURE_TEARDOWN(shared)
{
	size_t len;
	__u16 path;
	unsigned int i;

	EXPECT_EQ(0, compress(self, &len, &path));
	while (self->over < self->taken) {
		ASSERT_LE(0, wd_comp_poll(MANY, WAIT_MS, NULL));
	}
	for (i = 0; i < self->taken; i++) {
		ASSERT_EQ(1, self->ended[i]);
		ASSERT_EQ(0, self->arg[i].status);
		ASSERT_EQ(len, self->len[i]);
		ASSERT_EQ(0, memcmp(self->dst[i], self->mine, len));
	}
	EXPECT_EQ(0, wd_in_flight(NULL));
	/* All of the room is free again. */
	self->taken = 0;
	EXPECT_EQ(-EBUSY, fill(self));
	EXPECT_EQ(self->room, self->taken);
	self->over = 0;
	while (self->over < self->taken) {
		ASSERT_LE(0, wd_comp_poll(MANY, WAIT_MS, NULL));
	}
	EXPECT_EQ(0, wd_comp_free_sess(self->async));
	EXPECT_EQ(0, wd_comp_free_sess(self->sync));
}

TEST_F(shared, a_synchronous_call_does_not_wait_for_a_poll)
{
	size_t len;
	__u16 path;

	EXPECT_EQ(0, compress(self, &len, &path));
	EXPECT_EQ(WD_PATH_SIM, path);
	EXPECT_EQ(0, self->over);
	EXPECT_EQ(self->taken, (unsigned int)wd_in_flight(NULL));
}

TEST_F(shared, nor_do_more_of_them_than_the_ring_has_places)
{
	size_t len;
	__u16 path;
	unsigned int i;

	for (i = 0; i < SYNCS; i++) {
		ASSERT_EQ(0, compress(self, &len, &path)) TH_LOG("call %u", i);
	}
	EXPECT_EQ(0, self->over);
}

/* Requests that have left the ring still count when the next is submitted: memory stays bounded. */
TEST_F(shared, room_for_asynchronous_requests_comes_from_polls_only)
{
	unsigned int taken = self->taken;
	size_t len;
	__u16 path;

	EXPECT_EQ(0, compress(self, &len, &path));
	EXPECT_EQ(-EBUSY, fill(self));
	EXPECT_EQ(taken, self->taken);
	EXPECT_EQ(-ETIME, wd_comp_wait(self->async, 1));
	EXPECT_EQ(10, wd_comp_poll(10, WAIT_MS, NULL));
	EXPECT_EQ(0, wd_comp_wait(self->async, WAIT_MS));
	EXPECT_EQ(-EBUSY, fill(self));
	EXPECT_LE(taken + 10, self->taken);
}

TEST_F(shared, a_stream_on_the_context_goes_on)
{
	handle_t h = session(false, WD_SESS_PATH_HW);
	size_t in = LEN, len = sizeof(self->mine);
	struct wd_comp_strm strm = { .src = self->src, .src_len = &in, .dst = self->mine, .dst_len = &len, .last = 1 };

	ASSERT_NE(0, h);
	EXPECT_EQ(1, wd_strm_compress(h, &strm)) TH_LOG("status %d", strm.status);
	EXPECT_EQ(WD_PATH_SIM, strm.path);
	EXPECT_EQ(LEN, in);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
