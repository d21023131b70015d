// SPDX-License-Identifier: Apache-2.0
/* Threads that share a completion queue: who gets what, who sleeps on the descriptor, who frees it all. */
#include <pthread.h>

#include "cq_test.h"
#include "turn.h"

#define MANY	3000

struct work {
	handle_t cq, h;
	struct job *jobs;
	int n;
	atomic_int left;
	atomic_int bad;
};

static void *submit_all(void *p)
{
	struct work *w = p;
	int i, ret;

	for (i = 0; i < w->n; ) {
		ret = wd_comp_async(w->h, &w->jobs[i].arg, NULL);
		if (ret == -EBUSY)
			ret = wd_comp_wait(w->h, WAIT_MS);
		else if (!ret)
			i++;
		if (ret) {
			atomic_fetch_add(&w->bad, 1);
			break;
		}
	}
	return NULL;
}

static void count(struct work *w, const struct wd_wc *wc, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (wc[i].status || wc[i].wr_id >= (__u64)w->n || atomic_fetch_add(&w->jobs[wc[i].wr_id].seen, 1))
			atomic_fetch_add(&w->bad, 1);
	atomic_fetch_sub(&w->left, n);
}

static void *poll_some(void *p)
{
	struct work *w = p;
	struct wd_wc wc[7];
	int ret;

	while (atomic_load(&w->left) > 0 && !atomic_load(&w->bad)) {
		ret = wd_poll_cq(w->cq, 7, wc);
		if (ret < 0)
			atomic_fetch_add(&w->bad, 1);
		else if (ret)
			count(w, wc, ret);
		else
			turn_over();
	}
	return NULL;
}

TEST_F_TIMEOUT(cq, two_threads_that_poll_get_each_completion_once, 120)
{
	struct work w = { .cq = self->cq, .h = self->h, .jobs = jobs_new(MANY), .n = MANY, .left = MANY };
	pthread_t t[3];
	int i;

	ASSERT_EQ(0, pthread_create(&t[0], NULL, submit_all, &w));
	ASSERT_EQ(0, pthread_create(&t[1], NULL, poll_some, &w));
	ASSERT_EQ(0, pthread_create(&t[2], NULL, poll_some, &w));
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(0, atomic_load(&w.bad));
	EXPECT_EQ(0, atomic_load(&w.left));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, atomic_load(&w.jobs[i].seen) && job_right(&w.jobs[i], WD_ZLIB));
	}
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	free(w.jobs);
}

/* As in the manual: poll until the queue is empty, arm, poll once more, sleep. */
static void *sleep_and_poll(void *p)
{
	struct work *w = p;
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = wd_cq_fd(w->cq), ret = 0;
	bool armed = false;
	struct wd_wc wc[7];

	if (fd < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		atomic_fetch_add(&w->bad, 1);
	while (atomic_load(&w->left) > 0 && !atomic_load(&w->bad)) {
		ret = wd_poll_cq(w->cq, 7, wc);
		if (ret > 0)
			count(w, wc, ret);
		else if (!ret && !armed)
			ret = wd_cq_arm(w->cq);
		else if (!ret && !epoll_wait(ep, &ev, 1, WAIT_MS))
			ret = -ETIME;
		if (ret < 0)
			atomic_fetch_add(&w->bad, 1);
		armed = !ret && !armed;
	}
	close(ep);
	return NULL;
}

TEST_F_TIMEOUT(cq, whoever_sleeps_on_the_descriptor_misses_nothing, 120)
{
	struct work w = { .cq = self->cq, .h = self->h, .jobs = jobs_new(MANY), .n = MANY, .left = MANY };
	pthread_t t[2];
	int i;

	ASSERT_EQ(0, pthread_create(&t[0], NULL, sleep_and_poll, &w));
	ASSERT_EQ(0, pthread_create(&t[1], NULL, submit_all, &w));
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(0, atomic_load(&w.bad)) TH_LOG("%d left", atomic_load(&w.left));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, atomic_load(&w.jobs[i].seen) && job_right(&w.jobs[i], WD_ZLIB));
	}
	free(w.jobs);
}

#define SPURIOUS	100	/* far more events than a completion causes */

/*
 * Does the descriptor of an armed, empty queue stay quiet? The event of a completion may come after the completion was
 * taken off its ring, and makes the descriptor readable until the queue is armed again.
 */
static bool quiet(handle_t cq, int ep, struct wd_wc *wc)
{
	int i;

	for (i = 0; i < SPURIOUS; i++) {
		if (wd_cq_arm(cq) || wd_poll_cq(cq, 1, wc))
			return false;
		if (!readable(ep, 0))
			return true;
	}
	return false;
}

TEST_F(cq, the_descriptor_is_one_and_says_when_to_poll)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = wd_cq_fd(self->cq), i;
	struct job *jobs = jobs_new(3);

	ASSERT_LE(0, fd);
	EXPECT_EQ(fd, wd_cq_fd(self->cq));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	EXPECT_FALSE(readable(ep, 0));
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(quiet(self->cq, ep, self->wc));
		ASSERT_EQ(0, wd_comp_async(self->h, &jobs[i].arg, NULL));
		EXPECT_TRUE(readable(ep, WAIT_MS));
		ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
		EXPECT_EQ(i, self->wc[0].wr_id);
	}
	close(ep);
	free(jobs);
}

TEST_F(cq, what_was_there_before_arming_makes_the_descriptor_readable)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct job *jobs = jobs_new(2);

	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, wd_cq_fd(self->cq), &ev));
	ASSERT_EQ(0, wd_cq_arm(self->cq));
	EXPECT_TRUE(readable(ep, WAIT_MS));
	EXPECT_EQ(1, poll_n(self->cq, 1, self->wc));
	close(ep);
	free(jobs);
}

struct sleeper {
	handle_t cq;
	pthread_t t;
	atomic_bool asleep;
	bool woken;
};

static void *sleep_once(void *p)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct sleeper *s = p;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct wd_wc wc;

	epoll_ctl(ep, EPOLL_CTL_ADD, wd_cq_fd(s->cq), &ev);
	wd_cq_arm(s->cq);
	if (!wd_poll_cq(s->cq, 1, &wc)) {
		atomic_store(&s->asleep, true);
		s->woken = readable(ep, WAIT_MS);
	}
	close(ep);
	return NULL;
}

TEST_F_TIMEOUT(cq, a_sleeper_wakes_when_another_thread_takes_what_it_waits_for, 120)
{
	struct job *job = jobs_new(1);
	int i;

	for (i = 0; i < 50; i++) {
		struct sleeper s = { .cq = self->cq };

		ASSERT_EQ(0, pthread_create(&s.t, NULL, sleep_once, &s));
		while (!atomic_load(&s.asleep))
			turn_over();
		job->len = sizeof(job->dst);
		ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
		ASSERT_EQ(1, poll_n(self->cq, 1, self->wc));
		pthread_join(s.t, NULL);
		ASSERT_EQ(true, s.woken);
	}
	free(job);
}

/* A thread that submits, and another that frees everything with the last completion. */
struct last {
	handle_t cq, h;
	struct job *jobs;
	pthread_barrier_t begin;
	int wrong;
};

#define LAST_ROUNDS	400
#define LAST_JOBS	4

static void *submit_and_leave(void *arg)
{
	struct last *l = arg;
	int round, i;

	for (round = 0; round < LAST_ROUNDS; round++) {
		handle_t h;

		pthread_barrier_wait(&l->begin);
		h = l->h;
		for (i = 0; i < LAST_JOBS; i++) {
			l->jobs[i].len = sizeof(l->jobs[i].dst);
			l->wrong += wd_comp_async(h, &l->jobs[i].arg, NULL) != 0;
		}
		/* From here on, this thread must not touch the session or the queue. */
		pthread_barrier_wait(&l->begin);
	}
	return NULL;
}

TEST(the_last_completion_may_free_session_and_queue)
{
	struct last l = { .jobs = jobs_new(LAST_JOBS) };
	struct wd_wc wc[LAST_JOBS];
	pthread_t thread;
	int round;

	pthread_barrier_init(&l.begin, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, submit_and_leave, &l));
	for (round = 0; round < LAST_ROUNDS; round++) {
		l.cq = wd_cq_create(LAST_JOBS);
		l.h = sess_on_cq(l.cq, WD_DIR_COMPRESS, WD_ASYNC);
		ASSERT_NE(0, l.h) TH_LOG("%s", detail(0));
		/* A submit accesses more of the queue while the queue is armed. */
		if (round % 2) {
			ASSERT_LE(0, wd_cq_fd(l.cq));
			ASSERT_EQ(0, wd_cq_arm(l.cq));
		}
		pthread_barrier_wait(&l.begin);
		ASSERT_EQ(LAST_JOBS, poll_n(l.cq, LAST_JOBS, wc));
		EXPECT_EQ(0, wd_comp_free_sess(l.h));
		EXPECT_EQ(0, wd_cq_destroy(l.cq));
		pthread_barrier_wait(&l.begin);
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, l.wrong);
	pthread_barrier_destroy(&l.begin);
	free(l.jobs);
}

TEST_HARNESS_MAIN
