// SPDX-License-Identifier: Apache-2.0
/* Requests off the ring: those of a row whose callback didn't return come back first, also without memory. */
#include "failing_alloc.h"
#include "../../user/libwd/request/aside.c"
#include "kselftest_harness.h"

#define LIMIT	8

FIXTURE(aside) {
	struct wd_queue q;
	struct wd_lane lane;
	struct wd_session sess;
	struct wd_due due[WD_DUE_MAX];
	char msg[WD_DUE_MAX][WD_MSG_BYTES_MAX];
};

FIXTURE_SETUP(aside)
{
	unsigned int i;

	self->q.lane = &self->lane;
	self->q.limit = LIMIT;
	atomic_store(&self->q.async_limit, LIMIT);
	atomic_store(&self->q.lanes, 1);
	self->lane.q = &self->q;
	/* Every other one has its results in its message. */
	for (i = 0; i < WD_DUE_MAX; i++) {
		self->due[i] = (struct wd_due){ .sess = &self->sess, .req = i % 2 ? &self->msg[i] : NULL };
		memset(self->msg[i], (int)i, sizeof(self->msg[i]));
	}
}

FIXTURE_TEARDOWN(aside)
{
	wd_aside_forget(&self->q);
	EXPECT_EQ(LIMIT, atomic_load(&self->q.async_limit));
	EXPECT_EQ(0, leaks());
}

/* The number of the row's request that comes next; -1: none. */
static int next(struct wd_lane *lane, char msg[][WD_MSG_BYTES_MAX])
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_due due;

	if (!wd_aside_pop(lane, (struct wd_msg *)buf, &due))
		return -1;
	wd_lane_uncount(lane);
	return due.req ? (int)((char (*)[WD_MSG_BYTES_MAX])due.req - msg) : buf[0];
}

TEST_F(aside, what_goes_back_comes_in_its_order_before_what_was_there)
{
	struct wd_aside *a = wd_aside_new();
	int i;

	a->due = self->due[15];
	wd_aside_put(&self->lane, a);
	wd_lane_count(&self->lane);
	wd_aside_back(&self->lane, self->due + 5, self->msg + 5, 3);
	wd_aside_back(&self->lane, self->due + 2, self->msg + 2, 3);
	EXPECT_EQ(7, atomic_load(&self->lane.nr));
	EXPECT_EQ(7, atomic_load(&self->q.ready_nr));
	EXPECT_EQ(LIMIT - 7, atomic_load(&self->q.async_limit));
	for (i = 2; i < 8; i++)
		EXPECT_EQ(i, next(&self->lane, self->msg));
	EXPECT_EQ(15, next(&self->lane, self->msg));
	EXPECT_EQ(-1, next(&self->lane, self->msg));
	EXPECT_EQ(0, atomic_load(&self->q.ready_nr));
	EXPECT_EQ(LIMIT, atomic_load(&self->q.async_limit));
}

/* More than the ring has places. */
TEST_F(aside, a_row_behind_a_full_ring_leaves_no_room)
{
	wd_aside_back(&self->lane, self->due, self->msg, LIMIT + 1);
	EXPECT_GT(0, wd_queue_async_room(&self->q));
	EXPECT_EQ(0, next(&self->lane, self->msg));
	EXPECT_EQ(0, wd_queue_async_room(&self->q));
}

TEST_F(aside, without_memory_nothing_is_lost_and_the_reserve_is_given_back)
{
	unsigned int round, i;

	/* Twice as many as there are spares. */
	for (round = 0; round < 2 * SPARES; round++) {
		i = round % WD_DUE_MAX;
		fail_after = 0;
		has_failed = false;
		wd_aside_back(&self->lane, self->due + i, self->msg + i, 1);
		EXPECT_TRUE(has_failed);
		if (round % WD_DUE_MAX != WD_DUE_MAX - 1)
			continue;
		for (i = WD_DUE_MAX; i--;)
			EXPECT_EQ((int)i, next(&self->lane, self->msg));
	}
	fail_after = -1;
	EXPECT_EQ(-1, next(&self->lane, self->msg));
}

TEST_HARNESS_MAIN
