// SPDX-License-Identifier: Apache-2.0
/* Stopping a queue that another thread closes at the same time, because its device would not stop. */

#include "kselftest_harness.h"
#include "request/core.h"
#include "turn.h"

struct wd_engine wd_engine;

void wd_sleeper_wait(struct wd_queue *q)
{
}

bool wd_sleeper_enter(struct wd_queue *q)
{
	(void)q;
	return true;
}

void wd_sleeper_leave(struct wd_queue *q)
{
}

void wd_pollers_wake(struct wd_queue *q)
{
}

void wd_cq_broke(struct wd_queue *q, int err)
{
}

void wd_cq_unwatch(struct wd_queue *q)
{
}

void wd_cq_tell(struct wd_queue *q)
{
}

void wd_recent_forget(void)
{
}

void wd_bells_done(void)
{
}

static int touched;

static int closed_stop(struct wd_queue *q)
{
	touched++;
	return 0;
}

static int closed_pull(struct wd_queue *q, unsigned int max)
{
	touched++;
	return 0;
}

static void *stop_late(void *q)
{
	wd_queue_stop(q);
	return NULL;
}

static void *find_broken(void *q)
{
	wd_queue_broken(q);
	return NULL;
}

/* How often the thread used the driver of a queue that was closed, and perhaps reopened, before the thread's turn. */
static int touches_of(void *(*thread)(void *), bool reopened)
{
	struct wd_slot slots[4] = { [2] = { .state = WD_SLOT_SYNC, .deadline = 1 } };
	struct wd_queue q = {
		.pub.depth = 4, .pub.slots = slots, .drv.stop = closed_stop, .drv.pull = closed_pull, .failed = -EIO,
	};
	pthread_t t;

	touched = 0;
	wd_drain_lock(&q);
	if (pthread_create(&t, NULL, thread, &q))
		return -1;
	while (!atomic_load(&q.state))
		turn_over();
	q.settled = !reopened;
	if (reopened)
		atomic_store(&q.state, 0);
	wd_drain_unlock(&q);
	pthread_join(t, NULL);
	return touched;
}

TEST(a_deadline_leaves_a_queue_alone_that_was_closed)
{
	EXPECT_EQ(0, touches_of(stop_late, false));
	EXPECT_EQ(0, touches_of(stop_late, true));
}

TEST(a_failure_leaves_a_queue_alone_that_was_closed)
{
	EXPECT_EQ(0, touches_of(find_broken, false));
	EXPECT_EQ(0, touches_of(find_broken, true));
}

/* The thread's turn comes when the queue is open again: the reason was that of the opening before. */
TEST(a_queue_that_is_open_again_is_not_stopped)
{
	struct wd_slot slots[4] = { [1] = { .state = WD_SLOT_SYNC }, [2] = { .state = WD_SLOT_FREE, .deadline = 1 } };
	struct wd_queue q = {
		.pub.depth = 4, .pub.slots = slots, .drv.stop = closed_stop, .drv.pull = closed_pull, .submitted = 1,
	};

	touched = 0;
	wd_queue_broken(&q);
	wd_queue_stop(&q);
	EXPECT_EQ(0, touched);
	EXPECT_EQ(0, atomic_load(&q.state));
	EXPECT_EQ(WD_SLOT_SYNC, atomic_load(&slots[1].state));
}

/* A completion that is on the ring and not yet noticed. */
static int last_pull(struct wd_queue *q, unsigned int max)
{
	struct wd_slot *slot = &q->pub.slots[1];

	if (!max)
		return 0;
	((struct wd_msg *)slot->owner)->status = 0;
	wd_slot_free(q, slot);
	return 1;
}

static void nothing_to_abort(struct wd_queue *q, unsigned int index)
{
}

TEST(what_finished_before_a_failure_was_found_did_finish)
{
	struct wd_msg msg = { .status = 1 };
	struct wd_slot slots[4] = { [1] = { .owner = &msg, .state = WD_SLOT_SYNC } };
	struct wd_queue q = {
		.pub.depth = 4, .pub.slots = slots, .submitted = 1, .failed = -EIO,
		.drv.stop = closed_stop, .drv.pull = last_pull, .drv.abort = nothing_to_abort,
	};

	wd_queue_broken(&q);
	EXPECT_EQ(0, msg.status);
	EXPECT_EQ(0, wd_queue_in_flight(&q));
	EXPECT_EQ(-EIO, atomic_load(&q.state));
}

TEST_HARNESS_MAIN
