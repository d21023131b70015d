// SPDX-License-Identifier: Apache-2.0
/* Callbacks that leave by a C++ exception, by pthread_exit() or by cancellation. */
#include <pthread.h>

#include "async_test.h"
#include "emulated.h"
#include "throw.h"
#include "turn.h"

#define ROW	5
#define DEPTH	8	/* polls of a thread at once */

#define NONE	(-1)

static int order[3 * ROW], delivered;
static int thrower;		/* the job whose callback doesn't return, or NONE */
static int destroyed;
static struct job *first;

static int number_of(const struct job *job)
{
	return (int)(job - first);
}

static void note(struct wd_comp_arg *arg, void *param)
{
	on_done(arg, param);
	if (delivered < 3 * ROW)
		order[delivered] = number_of(param);
	delivered++;
}

static void cb_throw(struct wd_comp_arg *arg, void *param)
{
	note(arg, param);
	if (number_of(param) == thrower)
		throw_number(thrower, &destroyed);
}

static void cb_exit(struct wd_comp_arg *arg, void *param)
{
	note(arg, param);
	if (number_of(param) == thrower)
		pthread_exit(&destroyed);
}

static unsigned long long completions(void)
{
	return emulated_count("hisi_zip-0", "completions") + emulated_count("hisi_zip-1", "completions");
}

/* Submits n jobs. On emulated devices it returns when all are complete, so that one row has them. */
static int send(handle_t h, struct job *jobs, int n, wd_alg_comp_cb_t *cb)
{
	unsigned long long before = completions();
	int i, ret;

	for (i = 0; i < n; i++) {
		jobs[i].arg.cb = cb;
		ret = wd_comp_async(h, &jobs[i].arg, NULL);
		if (ret)
			return ret;
	}
	while (expected_path("zlib") != WD_PATH_SOFT && emulated() && completions() - before < (unsigned int)n)
		turn_over();
	return 0;
}

static void begin(struct job *jobs, int who)
{
	first = jobs;
	thrower = who;
	delivered = destroyed = 0;
}

/* Each once, in the order of their submission: one context has all of them. */
static bool in_order(int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (order[i] != i)
			return false;
	return delivered == n && !atomic_load(&failed);
}

static bool may_be_cancelled(void)
{
	int state = PTHREAD_CANCEL_DISABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	return state == PTHREAD_CANCEL_ENABLE;
}

static void one_throws(struct __test_metadata *_metadata, handle_t h, int who)
{
	struct job *jobs = jobs_new(ROW);
	int caught = NONE;

	begin(jobs, who);
	ASSERT_EQ(0, send(h, jobs, ROW, cb_throw)) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, poll_and_catch(ROW, WAIT_MS, &caught));
	EXPECT_EQ(who, caught);
	EXPECT_EQ(1, destroyed);
	EXPECT_TRUE(may_be_cancelled());
	EXPECT_EQ(who + 1, delivered);
	EXPECT_EQ(ROW - who - 1, wd_in_flight(NULL));
	if (who < ROW - 1)
		EXPECT_EQ(-EBUSY, wd_comp_free_sess(h));
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	free(jobs);
}

TEST_F(async, what_stands_behind_a_callback_that_throws_comes_with_the_next_poll)
{
	one_throws(_metadata, self->h, 2);
}

TEST_F(async, a_row_s_first_callback_may_throw)
{
	one_throws(_metadata, self->h, 0);
}

TEST_F(async, a_row_s_last_callback_may_throw)
{
	one_throws(_metadata, self->h, ROW - 1);
}

/* Of a row that every callback leaves by an exception, each poll delivers one. */
TEST_F(async, every_callback_may_throw)
{
	struct job *jobs = jobs_new(3 * ROW);
	int i;

	begin(jobs, NONE);
	ASSERT_EQ(0, send(self->h, jobs, 3 * ROW, cb_throw)) TH_LOG("%s", detail(self->h));
	for (i = 0; i < 3 * ROW; i++) {
		int caught = NONE;

		thrower = i;
		EXPECT_EQ(0, poll_and_catch(3 * ROW, WAIT_MS, &caught));
		EXPECT_EQ(i, caught);
	}
	EXPECT_EQ(3 * ROW, destroyed);
	EXPECT_TRUE(in_order(3 * ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	free(jobs);
}

/* Some have their results in the caller's struct when they leave the ring, and some don't. */
TEST_F(async, requests_that_did_not_take_the_fast_path_come_back_with_their_results)
{
	struct job *jobs = jobs_new(ROW);
	int caught = NONE, i;

	begin(jobs, 0);
	for (i = 1; i < ROW; i += 2) {
		jobs[i].arg.timeout_ms = WAIT_MS;
		jobs[i].arg.src_len = 10;
		jobs[i].len = 100;
	}
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_throw)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_and_catch(ROW, WAIT_MS, &caught));
	EXPECT_EQ(0, caught);
	EXPECT_EQ(0, poll_until(ROW));
	for (i = 0; i < ROW; i++)
		EXPECT_EQ(1, job_right(&jobs[i], WD_ZLIB));
	EXPECT_EQ(ROW, delivered);
	EXPECT_EQ(0, wd_in_flight(NULL));
	free(jobs);
}

/* Its count goes down with its last request in a row, and the others' doesn't. */
TEST_F(async, a_session_whose_requests_were_delivered_may_be_freed_after_the_exception)
{
	handle_t other = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	struct job *jobs = jobs_new(2 * ROW);
	int caught = NONE;

	ASSERT_NE(0, other);
	begin(jobs, ROW - 1);
	ASSERT_EQ(0, send(other, jobs, ROW, cb_throw)) TH_LOG("%s", detail(other));
	ASSERT_EQ(0, send(self->h, jobs + ROW, ROW, cb_throw)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_and_catch(2 * ROW, WAIT_MS, &caught));
	EXPECT_EQ(ROW - 1, caught);
	/* They may be on different contexts. */
	while (jobs[0].calls + jobs[1].calls + jobs[2].calls + jobs[3].calls + jobs[4].calls < ROW) {
		ASSERT_LT(0, wd_comp_poll(1, WAIT_MS, NULL));
	}
	EXPECT_EQ(0, wd_comp_free_sess(other));
	EXPECT_EQ(0, poll_until(2 * ROW));
	EXPECT_EQ(0, atomic_load(&failed));
	EXPECT_EQ(0, wd_in_flight(NULL));
	free(jobs);
}

/* --- through polls in callbacks --- */

static int caught_inside, refused;

/* The first polls for the others, of which one throws. */
static void cb_catch(struct wd_comp_arg *arg, void *param)
{
	bool outer = !delivered;

	cb_throw(arg, param);
	if (outer)
		poll_and_catch(ROW, WAIT_MS, &caught_inside);
}

static void cb_pass_on(struct wd_comp_arg *arg, void *param)
{
	bool outer = !delivered;

	cb_throw(arg, param);
	if (outer)
		refused += wd_comp_poll(ROW, WAIT_MS, NULL) == -EDEADLK;
}

TEST_F(async, a_callback_may_catch_what_its_own_poll_throws)
{
	struct job *jobs = jobs_new(ROW);

	begin(jobs, 2);
	caught_inside = NONE;
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_catch)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_EQ(2, caught_inside);
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_TRUE(may_be_cancelled());
	free(jobs);
}

TEST_F(async, an_exception_may_pass_through_several_polls)
{
	struct job *jobs = jobs_new(ROW);
	int caught = NONE;

	begin(jobs, 2);
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_pass_on)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_and_catch(ROW, WAIT_MS, &caught));
	EXPECT_EQ(2, caught);
	EXPECT_EQ(3, delivered);
	EXPECT_EQ(ROW - 3, wd_in_flight(NULL));
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_TRUE(may_be_cancelled());
	free(jobs);
}

TEST_F(async, a_nested_poll_that_an_exception_leaves_does_not_count_any_more)
{
	struct job *jobs = jobs_new(2);
	int i;

	refused = 0;
	for (i = 0; i < 2 * DEPTH; i++) {
		int caught = NONE;

		begin(jobs, 1);
		jobs[0].calls = jobs[1].calls = 0;
		ASSERT_EQ(0, send(self->h, jobs, 2, cb_pass_on)) TH_LOG("%s", detail(self->h));
		EXPECT_EQ(0, poll_and_catch(2, WAIT_MS, &caught));
		EXPECT_EQ(1, caught);
	}
	EXPECT_EQ(0, refused);
	EXPECT_EQ(0, atomic_load(&failed));
	free(jobs);
}

/* --- threads --- */

static void *poller(void *arg)
{
	(void)arg;
	wd_comp_poll(ROW, WAIT_MS, NULL);
	return NULL;
}

static void *poll_in_thread(void)
{
	void *end = NULL;
	pthread_t t;

	if (!pthread_create(&t, NULL, poller, NULL))
		pthread_join(t, &end);
	return end;
}

TEST_F(async, what_a_thread_that_exits_in_a_callback_leaves_comes_in_another_s_poll)
{
	struct job *jobs = jobs_new(ROW);

	begin(jobs, 2);
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_exit)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(&destroyed, poll_in_thread());
	EXPECT_EQ(3, delivered);
	EXPECT_EQ(ROW - 3, wd_in_flight(NULL));
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	free(jobs);
}

static void cb_cancelled(struct wd_comp_arg *arg, void *param)
{
	note(arg, param);
	if (number_of(param) != thrower)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

TEST_F(async, a_callback_that_permits_it_may_be_cancelled)
{
	struct job *jobs = jobs_new(ROW);

	begin(jobs, 1);
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_cancelled)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(PTHREAD_CANCELED, poll_in_thread());
	EXPECT_EQ(2, delivered);
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	free(jobs);
}

TEST_F(async, poll_threads_that_exit_in_a_callback_can_be_stopped)
{
	struct job *jobs = jobs_new(ROW);

	begin(jobs, 0);
	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(0, send(self->h, jobs, ROW, cb_exit)) TH_LOG("%s", detail(self->h));
	while (!atomic_load(&ran))
		turn_over();
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(0, poll_until(ROW));
	EXPECT_TRUE(in_order(ROW));
	EXPECT_EQ(0, wd_in_flight(NULL));
	/* And started again. */
	thrower = NONE;
	ASSERT_EQ(0, wd_start_pollers("1"));
	jobs[0].calls = 0;
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	while (atomic_load(&ran) <= ROW)
		turn_over();
	EXPECT_EQ(0, wd_stop_pollers());
	free(jobs);
}

TEST_HARNESS_MAIN
