// SPDX-License-Identifier: Apache-2.0
/* Going to sleep on a context while another thread takes the completion: wait.c and poll.c with a fake device. */
#include <poll.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "request/core.h"

struct wd_engine wd_engine;
WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

/* The message that another thread completes while arming waits for the drain lock. */
static struct wd_msg *done_meanwhile;
static struct wd_queue *ready_meanwhile;
static unsigned int naps;

int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	naps++;
	/* Ends a sleep that nothing else would end, so that a failing test goes on. */
	if (done_meanwhile)
		atomic_store(&done_meanwhile->state, WD_MSG_DONE);
	return 0;
}

static void arm(struct wd_queue *q)
{
	if (done_meanwhile)
		atomic_store(&done_meanwhile->state, WD_MSG_DONE);
	if (ready_meanwhile)
		atomic_store(&ready_meanwhile->ready_nr, 1);
}

static bool never_ready(struct wd_queue *q)
{
	return false;
}

static int pull_none(struct wd_queue *q, unsigned int max)
{
	return 0;
}

static void disarm(struct wd_queue *q)
{
}

static struct wd_class cls = { .name = "test" };

static struct wd_queue queue_sleepy(void)
{
	return (struct wd_queue){
		.cls = &cls, .submitted = 1, .drv.arm = arm, .drv.ready = never_ready, .drv.pull = pull_none,
		.drv.disarm = disarm, .async = true, .delivers = true, .limit = 4,
	};
}

/* --- stubs of other files' functions --- */

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

int wd_ctx_set_check(const wd_ctx_set_t *set)
{
	return 0;
}

unsigned int wd_deliver(struct wd_queue *q, unsigned int max)
{
	unsigned int n = atomic_exchange(&q->ready_nr, 0);

	wd_count(&q->async_over, n);
	return n;
}

unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max)
{
	return 0;
}

bool wd_soft_waits(struct wd_queue *q)
{
	return false;
}

unsigned int wd_deliver_outer(unsigned int max)
{
	return 0;
}

FIXTURE(going_to_sleep) {
	struct wd_queue q;
};

FIXTURE_SETUP(going_to_sleep)
{
	setenv("WD_WAIT", "sleep", 1);
	self->q = queue_sleepy();
	wd_engine.queue[0] = &self->q;
	atomic_store(&wd_engine.nr, 1);
}

FIXTURE_TEARDOWN(going_to_sleep)
{
}

TEST_F(going_to_sleep, a_request_that_is_done_when_the_sleeper_has_armed_is_not_slept_for)
{
	struct wd_msg msg = { 0 };

	done_meanwhile = &msg;
	EXPECT_EQ(0, wd_queue_wait(&self->q, &msg, 100));
	EXPECT_EQ(0, naps);
}

TEST_F(going_to_sleep, a_callback_that_is_due_when_all_are_armed_is_not_slept_for)
{
	atomic_store(&self->q.async_submitted, 1);
	ready_meanwhile = &self->q;
	EXPECT_EQ(1, wd_class_poll(&cls, 1, 10000, NULL));
	EXPECT_EQ(0, naps);
}

TEST_HARNESS_MAIN
