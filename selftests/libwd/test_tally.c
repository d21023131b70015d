// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of counts: one is in the session, others are added when a second context ends a request, or shared if memory is
 * short.
 */
#include <pthread.h>
#include "failing_alloc.h"
#include "../../user/libwd/request/tally.c"
#include "kselftest_harness.h"

#define QUEUES	(WD_SESS_QUEUES + 2)
#define EACH	1000

static struct wd_session sess;
static struct wd_queue queue[QUEUES];

FIXTURE(tally)
{
};

FIXTURE_SETUP(tally)
{
	int i;

	for (i = 0; i < QUEUES; i++)
		queue[i].pub.path = WD_PATH_HW;
}

FIXTURE_TEARDOWN(tally)
{
	free(sess.more);
	EXPECT_EQ(0, leaks());
}

static void count_on(struct wd_queue *q)
{
	wd_tally_add(q, &sess, 10, 1, 1);
}

static __u64 in_shared(void)
{
	return sess.shared[WD_PATH_HW - WD_PATH_HW].good;
}

static __u64 in_rows(void)
{
	struct wd_row *row;
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; (row = wd_tally_row(&sess, i)); i++)
		sum += row->tally.good;
	return sum;
}

TEST_F(tally, one_context_needs_no_more_memory)
{
	count_on(&queue[0]);
	count_on(&queue[0]);
	EXPECT_EQ(NULL, sess.more);
	EXPECT_EQ(2, sess.row.tally.good);
	EXPECT_EQ(20, sess.row.tally.in);
	EXPECT_EQ(2, sess.row.tally.out);
	EXPECT_EQ(0, in_shared());
}

TEST_F(tally, each_of_eight_contexts_has_a_row_and_the_others_share)
{
	int i;

	for (i = 0; i < QUEUES; i++)
		count_on(&queue[i]);
	for (i = 0; i < QUEUES; i++)
		count_on(&queue[i]);
	EXPECT_EQ(2 * WD_SESS_QUEUES, in_rows());
	EXPECT_EQ(2 * (QUEUES - WD_SESS_QUEUES), in_shared());
	for (i = 0; i < QUEUES; i++)
		EXPECT_EQ(2, queue[i].tally.good);
}

TEST_F(tally, without_memory_for_rows_nothing_is_lost)
{
	count_on(&queue[0]);
	fail_after = 0;
	count_on(&queue[1]);
	EXPECT_TRUE(has_failed);
	EXPECT_EQ(1, in_rows());
	EXPECT_EQ(1, in_shared());
	count_on(&queue[1]);
	EXPECT_EQ(2, in_rows());
	EXPECT_EQ(1, in_shared());
}

TEST_F(tally, a_row_whose_context_is_gone_is_the_next_ones)
{
	count_on(&queue[0]);
	count_on(&queue[1]);
	queue[1].state = -ENODEV;
	queue[1].settled = true;
	wd_tally_fold(&sess);
	EXPECT_EQ(1, in_shared());
	count_on(&queue[2]);
	EXPECT_EQ(&queue[2], wd_tally_row(&sess, 1)->q);
	EXPECT_EQ(1, wd_tally_row(&sess, 1)->tally.good);
}

TEST_F(tally, a_child_forgets_all_rows)
{
	count_on(&queue[0]);
	count_on(&queue[1]);
	wd_tally_forget(&sess);
	EXPECT_EQ(0, in_rows());
	EXPECT_EQ(NULL, wd_tally_row(&sess, 1)->q);
}

static void *drain(void *q)
{
	int i;

	for (i = 0; i < EACH; i++)
		count_on(q);
	return NULL;
}

TEST_F(tally, contexts_may_look_for_their_first_rows_at_the_same_time)
{
	pthread_t t[QUEUES];
	int i;

	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, drain, &queue[i]));
	for (i = 0; i < QUEUES; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(QUEUES * EACH, in_rows() + in_shared());
	/* One request of each context may end before another thread has made the context's row. */
	EXPECT_GE(WD_SESS_QUEUES * EACH, in_rows());
	EXPECT_LE(WD_SESS_QUEUES * (EACH - 1), in_rows());
}

/* --- on the software path --- */

static __u64 on_cpu(void)
{
	return sess.shared[WD_PATH_SOFT - WD_PATH_HW].good;
}

static void *compute(void *arg)
{
	int i;

	for (i = 0; i < EACH; i++)
		wd_session_count_soft(arg, 0, 10, 1);
	return NULL;
}

TEST_F(tally, the_first_thread_on_this_CPU_has_counts_of_its_own)
{
	wd_session_count_soft(&sess, 0, 10, 1);
	wd_session_count_soft(&sess, 0, 10, 1);
	EXPECT_EQ(2, sess.own.tally.good);
	EXPECT_EQ(20, sess.own.tally.in);
	EXPECT_EQ(2, sess.own.tally.out);
	EXPECT_EQ(0, on_cpu());
}

TEST_F(tally, errors_on_this_CPU_are_shared_and_have_no_bytes)
{
	wd_session_count_soft(&sess, -EIO, 10, 1);
	EXPECT_EQ(1, sess.shared[WD_PATH_SOFT - WD_PATH_HW].errors);
	EXPECT_EQ(0, sess.shared[WD_PATH_SOFT - WD_PATH_HW].in + sess.own.tally.in);
}

TEST_F(tally, another_thread_shares)
{
	pthread_t t;

	wd_session_count_soft(&sess, 0, 10, 1);
	ASSERT_EQ(0, pthread_create(&t, NULL, compute, &sess));
	pthread_join(t, NULL);
	EXPECT_EQ(1, sess.own.tally.good);
	EXPECT_EQ(EACH, on_cpu());
}

TEST_F(tally, threads_that_begin_at_the_same_time_lose_nothing)
{
	pthread_t t[QUEUES];
	int i;

	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, compute, &sess));
	for (i = 0; i < QUEUES; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(QUEUES * EACH, sess.own.tally.good + on_cpu());
	EXPECT_EQ(QUEUES * EACH * 10, sess.own.tally.in + sess.shared[WD_PATH_SOFT - WD_PATH_HW].in);
}

TEST_F(tally, a_child_forgets_whose_counts_they_were)
{
	wd_session_count_soft(&sess, 0, 10, 1);
	wd_tally_forget(&sess);
	EXPECT_EQ(NULL, sess.own.thread);
	EXPECT_EQ(0, sess.own.tally.good);
}

TEST_HARNESS_MAIN
