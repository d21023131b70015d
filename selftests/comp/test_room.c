// SPDX-License-Identifier: Apache-2.0
/* A queue's room: requests until the queue is full, bursts, threads that wait for room and threads that make room. */
#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "async_test.h"

static atomic_int senders;

static void check_all(struct __test_metadata *_metadata, struct job *jobs, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB)) TH_LOG("request %d", i);
	}
}

TEST_F_TIMEOUT(async, poll_1_one_thread_submits_and_polls, 120)
{
	struct job *jobs = jobs_new(MANY);
	int i, ret, cached = 0;

	for (i = 0; i < MANY; ) {
		ret = wd_comp_async(self->h, &jobs[i].arg, NULL);
		if (ret == -EBUSY) {
			ret = wd_comp_poll(cached, WAIT_MS, NULL);
			ASSERT_LT(0, ret);
			cached -= ret;
			continue;
		}
		ASSERT_EQ(0, ret) TH_LOG("%s", detail(self->h));
		cached++;
		i++;
	}
	while (cached) {
		ret = wd_comp_poll(cached, WAIT_MS, NULL);
		ASSERT_LT(0, ret);
		cached -= ret;
	}
	EXPECT_EQ(MANY, atomic_load(&ran));
	EXPECT_EQ(0, atomic_load(&failed));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(self->path, jobs[0].arg.path);
	check_all(_metadata, jobs, MANY);
	free(jobs);
}

struct sender {
	handle_t h;
	struct job *jobs;
	int n;
	wd_ctx_set_t *set;
	bool polls;		/* makes room itself */
	int ret;
};

static int wait_for_room(struct sender *s)
{
	int ret;

	if (!s->polls)
		return s->set ? wd_comp_wait_set(s->set, WAIT_MS) : wd_comp_wait(s->h, WAIT_MS);
	ret = wd_comp_poll(1, WAIT_MS, NULL);
	/* -ETIME: others took what was there. */
	return ret == -ETIME || ret > 0 ? 0 : ret;
}

static void *send_all(void *p)
{
	struct sender *s = p;
	int i, ret;

	for (i = 0; i < s->n; ) {
		ret = wd_comp_async(s->h, &s->jobs[i].arg, s->set);
		if (ret == -EBUSY)
			ret = wait_for_room(s);
		else if (!ret)
			i++;
		if (ret) {
			s->ret = ret;
			break;
		}
	}
	atomic_fetch_sub(&senders, 1);
	return NULL;
}

/* Polls until n callbacks have run, and wakes the senders. */
static int poll_all(int n, wd_ctx_set_t *set, handle_t h)
{
	while (n) {
		bool more = atomic_load(&senders);
		int ret = wd_comp_poll(n, 1000, set);

		if (ret < 0 && ret != -ETIME)
			return ret;
		if (ret <= 0) {
			struct timespec ts = { .tv_nsec = 100000 };

			/* Nothing is in flight: the senders have not submitted yet, or callbacks are lost. */
			if (!ret && !more)
				return -ELOOP;
			nanosleep(&ts, NULL);
			continue;
		}
		n -= ret;
		if (set)
			wd_comp_wakeup_set(set);
		else
			wd_comp_wakeup(h);
	}
	return 0;
}

#define SENDERS	4

/* With one sender and with more. */
TEST_F_TIMEOUT(async, threads_that_wait_for_room_are_woken_by_the_one_that_polls, 120)
{
	struct sender s[SENDERS];
	pthread_t t[SENDERS];
	int i, n;

	for (n = 1; n <= SENDERS; n += SENDERS - 1) {
		struct job *jobs = jobs_new(MANY);

		atomic_store(&senders, n);
		for (i = 0; i < n; i++) {
			s[i] = (struct sender){ .h = self->h, .jobs = jobs + i * (MANY / n), .n = MANY / n };
			ASSERT_EQ(0, pthread_create(&t[i], NULL, send_all, &s[i]));
		}
		EXPECT_EQ(0, poll_all(MANY, NULL, self->h));
		for (i = 0; i < n; i++) {
			pthread_join(t[i], NULL);
			EXPECT_EQ(0, s[i].ret);
		}
		EXPECT_EQ(MANY, atomic_load(&ran));
		check_all(_metadata, jobs, MANY);
		free(jobs);
	}
}

TEST_F_TIMEOUT(async, poll_3_two_senders_with_sets_and_one_poller_of_both, 120)
{
	handle_t d = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	struct job *jobs = jobs_new(2 * MANY);
	struct sender a = { .h = self->h, .jobs = jobs, .n = MANY, .set = wd_ctx_set_alloc() };
	struct sender b = { .h = d, .jobs = jobs + MANY, .n = MANY, .set = wd_ctx_set_alloc() };
	wd_ctx_set_t *both = wd_ctx_set_alloc();
	pthread_t ta, tb;

	ASSERT_TRUE(a.set && b.set && both && d);
	ASSERT_EQ(0, wd_ctx_set_from_sess(a.h, a.set));
	ASSERT_EQ(0, wd_ctx_set_from_sess(b.h, b.set));
	ASSERT_EQ(0, wd_ctx_set_or(both, a.set));
	ASSERT_EQ(0, wd_ctx_set_or(both, b.set));
	atomic_store(&senders, 2);
	ASSERT_EQ(0, pthread_create(&ta, NULL, send_all, &a));
	ASSERT_EQ(0, pthread_create(&tb, NULL, send_all, &b));
	EXPECT_EQ(0, poll_all(2 * MANY, both, 0));
	pthread_join(ta, NULL);
	pthread_join(tb, NULL);
	EXPECT_EQ(0, a.ret);
	EXPECT_EQ(0, b.ret);
	EXPECT_EQ(2 * MANY, atomic_load(&ran));
	EXPECT_EQ(0, atomic_load(&failed));
	check_all(_metadata, jobs, 2 * MANY);
	wd_ctx_set_free(a.set);
	wd_ctx_set_free(b.set);
	wd_ctx_set_free(both);
	EXPECT_EQ(0, wd_comp_free_sess(d));
	free(jobs);
}

TEST_F_TIMEOUT(async, a_burst_takes_what_there_is_room_for, 120)
{
	struct job *jobs = jobs_new(MANY);
	struct wd_comp_arg *args[MANY];
	int i, ret, sent = 0;

	for (i = 0; i < MANY; i++)
		args[i] = &jobs[i].arg;
	/* A short burst is taken whole, a long one in part. */
	ASSERT_EQ(32, wd_comp_async_burst(self->h, args, 32, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(32, wd_in_flight(NULL));
	ret = wd_comp_async_burst(self->h, args + 32, MANY - 32, NULL);
	ASSERT_LT(0, ret) TH_LOG("%d %s", ret, detail(self->h));
	EXPECT_GT(MANY - 32, ret);
	sent = 32 + ret;
	EXPECT_EQ(sent, wd_in_flight(NULL));
	/* No request leaves the queue without a poll. */
	if (self->path == WD_PATH_SOFT)
		EXPECT_EQ(0, wd_comp_async_burst(self->h, args + sent, MANY - sent, NULL));
	while (atomic_load(&ran) < MANY) {
		ret = wd_comp_poll(100, WAIT_MS, NULL);
		ASSERT_LT(0, ret);
		ret = wd_comp_async_burst(self->h, args + sent, MANY - sent < 50 ? MANY - sent : 50, NULL);
		ASSERT_LE(0, ret);
		sent += ret;
	}
	EXPECT_EQ(0, atomic_load(&failed));
	check_all(_metadata, jobs, MANY);
	free(jobs);
}

TEST_F(async, a_burst_stops_at_the_first_bad_one)
{
	struct job *jobs = jobs_new(3);
	struct wd_comp_arg *args[] = { &jobs[0].arg, &jobs[1].arg, &jobs[2].arg };

	jobs[1].arg.flags = 2;
	EXPECT_EQ(1, wd_comp_async_burst(self->h, args, 3, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->h, args + 1, 2, NULL));
	jobs[1].arg.flags = 0;
	jobs[1].arg.src = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->h, args + 1, 2, NULL));
	EXPECT_EQ(1, wd_comp_poll(5, WAIT_MS, NULL));
	EXPECT_EQ(1, job_right(&jobs[0], WD_ZLIB));
	EXPECT_EQ(0, jobs[2].calls);
	free(jobs);
}

/* Submits until a request is refused; returns how many were accepted. */
static int fill_up(handle_t h, struct job *jobs, int *ret)
{
	int sent = 0;

	while (sent < MANY && !(*ret = wd_comp_async(h, &jobs[sent].arg, NULL)))
		sent++;
	return sent;
}

TEST_F(async, full_is_ebusy_and_nothing_of_that_request_was_taken)
{
	struct job *jobs = jobs_new(MANY);
	int sent, ret;

	sent = fill_up(self->h, jobs, &ret);
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(sent, wd_in_flight(NULL));
	EXPECT_EQ(0, poll_until(sent));
	EXPECT_EQ(0, jobs[sent].calls);
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[sent].arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_until(sent + 1));
	check_all(_metadata, jobs, sent + 1);
	free(jobs);
}

/* Polls until all callbacks have run, or the submitting threads have stopped. */
static void *poll_meanwhile(void *p)
{
	struct timespec nap = { .tv_nsec = 100000 };
	const atomic_int *wanted = p;
	int ret = 0;

	/* -ETIME: others took what was there. */
	while (atomic_load(&ran) < atomic_load(wanted) && (ret >= 0 || ret == -ETIME)) {
		ret = wd_comp_poll(16, 100, NULL);
		if (!ret)
			nanosleep(&nap, NULL);
	}
	return NULL;
}

TEST_F_TIMEOUT(async, any_number_of_threads_may_poll, 120)
{
	struct job *jobs = jobs_new(MANY);
	struct sender s = { .h = self->h, .jobs = jobs, .n = MANY, .polls = true };
	atomic_int wanted = MANY;
	pthread_t t[4];
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, poll_meanwhile, &wanted));
	}
	send_all(&s);
	EXPECT_EQ(0, s.ret);
	if (s.ret)
		atomic_store(&wanted, 0);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(MANY, atomic_load(&ran));
	check_all(_metadata, jobs, MANY);
	free(jobs);
}

TEST_F(async, wait_returns_at_once_when_there_is_room)
{
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
}

TEST_F_TIMEOUT(async, wait_gives_up_at_its_time_when_nobody_polls, 60)
{
	struct job *jobs = jobs_new(MANY);
	int sent, ret;

	sent = fill_up(self->h, jobs, &ret);
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(-ETIME, wd_comp_wait(self->h, 20));
	/* A wake-up between the -EBUSY and the wait counts. */
	ASSERT_EQ(-EBUSY, wd_comp_async(self->h, &jobs[sent].arg, NULL));
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
	/* So does room that became free between them. */
	ASSERT_EQ(-EBUSY, wd_comp_async(self->h, &jobs[sent].arg, NULL));
	EXPECT_EQ(0, poll_until(sent));
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
	free(jobs);
}

TEST_F_TIMEOUT(async, a_time_of_0_is_now_and_of_UINT_MAX_for_ever, 60)
{
	struct job *jobs = jobs_new(MANY);
	int sent, ret;

	/* There is room. */
	EXPECT_EQ(0, wd_comp_wait(self->h, 0));
	sent = fill_up(self->h, jobs, &ret);
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(-ETIME, wd_comp_wait(self->h, 0));
	EXPECT_EQ(sent, wd_comp_poll((__u32)sent, UINT_MAX, NULL));
	EXPECT_EQ(0, wd_comp_wait(self->h, UINT_MAX));
	EXPECT_EQ(0, wd_comp_poll(1, UINT_MAX, NULL));
	free(jobs);
}

TEST_HARNESS_MAIN
