// SPDX-License-Identifier: Apache-2.0
/* Asynchronous requests: callbacks, bursts, a full queue, waiting and waking, sets. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "comp_test.h"
#include "kselftest_harness.h"

#define MANY 3000
#define WAIT_MS 300000	/* only a hang takes so long */

static atomic_int ran, failed, path_seen, senders;

struct job {
	struct wd_comp_arg arg;
	unsigned char src[600], dst[900];
	size_t len;
	int calls;
};

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct job *job = param;

	job->calls++;
	if (arg->status != WD_COMP_OK || job->calls != 1 || arg != &job->arg)
		atomic_fetch_add(&failed, 1);
	atomic_store(&path_seen, arg->path);
	atomic_fetch_add(&ran, 1);
}

static struct job *jobs_new(int n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	int i;

	for (i = 0; i < n; i++) {
		fill_text(jobs[i].src, sizeof(jobs[i].src), i);
		jobs[i].len = sizeof(jobs[i].dst);
		jobs[i].arg = (struct wd_comp_arg){
			.src = jobs[i].src, .src_len = sizeof(jobs[i].src) - i % 500, .dst = jobs[i].dst,
			.dst_len = &jobs[i].len, .cb = on_done, .cb_param = &jobs[i],
		};
	}
	atomic_store(&ran, 0);
	atomic_store(&failed, 0);
	return jobs;
}

static int job_right(struct job *job, int alg)
{
	unsigned char back[600];

	return job->calls == 1 &&
	       z_decompress(alg, job->dst, job->len, back, sizeof(back), 15) == (long)job->arg.src_len &&
	       !memcmp(back, job->src, job->arg.src_len);
}

FIXTURE(async) {
	handle_t h;
	int path;
};

FIXTURE_SETUP(async)
{
	self->path = expected_path();
	self->h = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(async)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

TEST_F(async, a_callback_runs_in_poll_and_not_before)
{
	struct job *job = jobs_new(1);

	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, atomic_load(&ran));
	EXPECT_EQ(1, wd_in_flight(NULL));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->h));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, atomic_load(&ran));
	EXPECT_EQ(self->path, job->arg.path);
	EXPECT_EQ(1, job_right(job, WD_ZLIB));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, WAIT_MS, NULL));
	free(job);
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
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB)) TH_LOG("request %d", i);
	}
	free(jobs);
}

struct sender {
	handle_t h;
	struct job *jobs;
	int n;
	wd_ctx_set_t *set;
	int ret;
};

static void *send_all(void *p)
{
	struct sender *s = p;
	int i, ret;

	for (i = 0; i < s->n; ) {
		ret = wd_comp_async(s->h, &s->jobs[i].arg, s->set);
		if (ret == -EBUSY)
			ret = s->set ? wd_comp_wait_set(s->set, WAIT_MS) : wd_comp_wait(s->h, WAIT_MS);
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

/* As the seed's poll_usr(): until n callbacks have run, waking the senders. */
static int poll_all(int n, wd_ctx_set_t *set, handle_t h)
{
	while (n) {
		bool more = atomic_load(&senders);
		int ret = wd_comp_poll(n, 1000, set);

		if (ret < 0 && ret != -ETIME)
			return ret;
		if (ret <= 0) {
			struct timespec ts = { .tv_nsec = 100000 };

			/* Nothing in flight: the senders have not come so far yet, or callbacks are lost. */
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

TEST_F_TIMEOUT(async, poll_2_a_sender_sleeps_on_a_full_queue_and_loses_nothing, 120)
{
	struct job *jobs = jobs_new(MANY);
	struct sender s = { .h = self->h, .jobs = jobs, .n = MANY };
	pthread_t t;
	int i;

	atomic_store(&senders, 1);
	ASSERT_EQ(0, pthread_create(&t, NULL, send_all, &s));
	EXPECT_EQ(0, poll_all(MANY, NULL, self->h));
	pthread_join(t, NULL);
	EXPECT_EQ(0, s.ret);
	EXPECT_EQ(MANY, atomic_load(&ran));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB));
	}
	free(jobs);
}

TEST_F_TIMEOUT(async, poll_3_two_senders_with_sets_and_one_poller_of_both, 120)
{
	handle_t d = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	struct job *jobs = jobs_new(2 * MANY);
	struct sender a = { .h = self->h, .jobs = jobs, .n = MANY, .set = wd_ctx_set_alloc() };
	struct sender b = { .h = d, .jobs = jobs + MANY, .n = MANY, .set = wd_ctx_set_alloc() };
	wd_ctx_set_t *both = wd_ctx_set_alloc();
	pthread_t ta, tb;
	int i;

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
	for (i = 0; i < 2 * MANY; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB));
	}
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
	ret = wd_comp_async_burst(self->h, args, MANY, NULL);
	ASSERT_LT(32, ret) TH_LOG("%d %s", ret, detail(self->h));
	EXPECT_GT(MANY, ret);
	sent = ret;
	EXPECT_EQ(ret, wd_in_flight(NULL));
	/* Nothing is taken off a queue by itself. */
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
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, job_right(&jobs[i], WD_ZLIB));
	}
	free(jobs);
}

TEST_F(async, a_burst_stops_at_the_first_bad_one)
{
	struct job *jobs = jobs_new(3);
	struct wd_comp_arg *args[] = { &jobs[0].arg, &jobs[1].arg, &jobs[2].arg };

	jobs[1].arg.flags = 1;
	EXPECT_EQ(1, wd_comp_async_burst(self->h, args, 3, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->h, args + 1, 2, NULL));
	EXPECT_EQ(1, wd_comp_poll(5, WAIT_MS, NULL));
	EXPECT_EQ(1, job_right(&jobs[0], WD_ZLIB));
	free(jobs);
}

/* Some take the fast path to a device and back, some only there, and some neither. */
enum mix {
	MIX_PLAIN,
	MIX_TIMEOUT,		/* a deadline that is far away */
	MIX_TINY,		/* less room than a device wants, and enough */
	MIX_OVERLAP,
	MIX_NOISE,		/* not smaller than its source */
	MIX_NO_ROOM,
	MIX_KINDS,
};

static void job_mix(struct job *job, enum mix kind)
{
	switch (kind) {
	case MIX_TIMEOUT:
		job->arg.timeout_ms = WAIT_MS;
		break;
	case MIX_TINY:
		job->arg.src_len = 10;
		job->len = 100;
		break;
	case MIX_OVERLAP:
		/* Behind all that is read. */
		job->arg.dst = job->src + 590;
		job->arg.src_len = 590;
		job->len += 10;
		break;
	case MIX_NOISE:
	case MIX_NO_ROOM:
		fill_noise(job->src, sizeof(job->src), 1);
		job->arg.src_len = sizeof(job->src);
		if (kind == MIX_NO_ROOM)
			job->len = 300;
		break;
	default:
		break;
	}
}

static void on_mixed(struct wd_comp_arg *arg, void *param)
{
	struct job *job = param;

	(void)arg;
	job->calls++;
	atomic_fetch_add(&ran, 1);
}

static int mixed_right(struct job *job, enum mix kind, int alg)
{
	unsigned char back[600];

	if (job->calls != 1)
		return 0;
	if (kind == MIX_NO_ROOM)
		return job->arg.status == WD_COMP_OUT_NOSPACE && !job->len && !job->arg.consumed;
	return job->arg.status == WD_COMP_OK && job->arg.consumed == job->arg.src_len &&
	       z_decompress(alg, job->arg.dst, job->len, back, sizeof(back), 15) == (long)job->arg.src_len &&
	       (kind == MIX_OVERLAP || !memcmp(back, job->src, job->arg.src_len));
}

TEST_F_TIMEOUT(async, what_goes_different_ways_ends_in_one_row, 120)
{
	handle_t other = sess_new(WD_GZIP, WD_DIR_COMPRESS, WD_ASYNC);
	int i, n = 40 * MIX_KINDS;
	struct job *jobs = jobs_new(n);

	ASSERT_NE(0, other);
	for (i = 0; i < n; i++) {
		job_mix(&jobs[i], i % MIX_KINDS);
		jobs[i].arg.cb = on_mixed;
		ASSERT_EQ(0, wd_comp_async(i / 3 % 2 ? other : self->h, &jobs[i].arg, NULL)) TH_LOG("%s", detail(self->h));
		if (i % 32 == 31)
			ASSERT_LE(0, wd_comp_poll(20, 0, NULL));
	}
	while (atomic_load(&ran) < n) {
		ASSERT_LT(0, wd_comp_poll(n, WAIT_MS, NULL));
	}
	for (i = 0; i < n; i++)
		EXPECT_EQ(1, mixed_right(&jobs[i], i % MIX_KINDS, i / 3 % 2 ? WD_GZIP : WD_ZLIB))
			TH_LOG("%d: status %d, %zu bytes", i % MIX_KINDS, jobs[i].arg.status, jobs[i].len);
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_free_sess(other));
	free(jobs);
}

static atomic_int chained;
static handle_t chain_sess;

static void on_chain(struct wd_comp_arg *arg, void *param)
{
	struct job *job = param;

	if (arg->status)
		atomic_fetch_add(&failed, 1);
	if (wd_comp_free_sess(chain_sess) != -EDEADLK)
		atomic_fetch_add(&failed, 1);
	if (atomic_fetch_add(&chained, 1) < 20) {
		job->len = sizeof(job->dst);
		if (wd_comp_async(chain_sess, arg, NULL))
			atomic_fetch_add(&failed, 1);
	}
}

TEST_F(async, a_callback_may_submit_again_and_not_free_its_session)
{
	struct job *job = jobs_new(1);
	int n = 0;

	chain_sess = self->h;
	job->arg.cb = on_chain;
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
	while (n < 21) {
		int ret = wd_comp_poll(21 - n, WAIT_MS, NULL);

		ASSERT_LT(0, ret);
		n += ret;
	}
	EXPECT_EQ(21, atomic_load(&chained));
	EXPECT_EQ(0, atomic_load(&failed));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	free(job);
}

static int last_status;
static size_t last_len;

static void on_error(struct wd_comp_arg *arg, void *param)
{
	(void)param;
	last_status = arg->status;
	last_len = *arg->dst_len;
	atomic_fetch_add(&ran, 1);
}

TEST_F(async, errors_come_by_callback)
{
	struct job *job = jobs_new(1);
	handle_t d = sess_new(WD_DEFLATE_RAW, WD_DIR_DECOMPRESS, WD_ASYNC);

	ASSERT_NE(0, d);
	job->arg.cb = on_error;
	job->len = 20;
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, last_status);
	EXPECT_EQ(0, last_len);
	memset(job->src, 0xff, sizeof(job->src));
	job->len = sizeof(job->dst);
	ASSERT_EQ(0, wd_comp_async(d, &job->arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(WD_DATA_ERR, last_status);
	EXPECT_EQ(0, last_len);
	EXPECT_EQ(0, wd_comp_free_sess(d));
	free(job);
}

static void *free_when_idle(void *h)
{
	while (wd_comp_free_sess(*(handle_t *)h) == -EBUSY)
		;
	return NULL;
}

/* What goes wrong is a look at freed memory: the sanitizers' to see. */
TEST_F_TIMEOUT(async, a_session_lasts_until_its_last_callback_starts, 120)
{
	unsigned char junk[100] = { 0x78, 0x9c, 0xff }, out[100];
	int i;

	for (i = 0; i < 2000; i++) {
		handle_t h = sess_new(WD_ZLIB, WD_DIR_DECOMPRESS, WD_ASYNC);
		struct job job = { .len = sizeof(out) };
		pthread_t t;

		job.arg = (struct wd_comp_arg){
			.src = junk, .src_len = sizeof(junk), .dst = out, .dst_len = &job.len, .cb = on_done, .cb_param = &job,
		};
		ASSERT_EQ(0, wd_comp_async(h, &job.arg, NULL));
		ASSERT_EQ(0, pthread_create(&t, NULL, free_when_idle, &h));
		ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
		ASSERT_EQ(0, pthread_join(t, NULL));
		ASSERT_EQ(WD_DATA_ERR, job.arg.status);
	}
}

struct poller {
	pthread_t t;
	int ret;
	double cpu;
};

static void *poll_once(void *p)
{
	struct poller *poller = p;
	struct timespec ts;

	poller->ret = wd_comp_poll(1, WAIT_MS, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	poller->cpu = ts.tv_sec + ts.tv_nsec / 1e9;
	return NULL;
}

/* Two threads poll for one request that is computed. How much CPU did each of them need? */
static void two_poll(struct __test_metadata *_metadata, handle_t h, struct job *job, double *waited, double *computed)
{
	struct poller p[2] = { 0 };
	int i;

	job->calls = 0;
	job->len = 3 * MIB;
	ASSERT_EQ(0, wd_comp_async(h, &job->arg, NULL));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&p[i].t, NULL, poll_once, &p[i]));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(p[i].t, NULL));
	}
	ASSERT_EQ(1, p[0].ret + p[1].ret);
	i = p[0].ret ? 1 : 0;
	*waited = p[i].cpu;
	*computed = p[!i].cpu;
}

/*
 * Who spins needs as much as who computes. Who sleeps needs some for each look, and in a virtual machine more than it seems:
 * a look passes a barrier, which waits for the CPU that computes, and the host may have taken that away; what it takes from
 * a thread in the middle of a look counts as the thread's, too. So half is the limit, which one of several rounds has to keep.
 */
TEST_F_TIMEOUT(async, a_poller_sleeps_while_another_computes_what_is_late, 120)
{
	handle_t h = sess_flags(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF, 12, WD_COMP_WS_32K, WD_SESS_PATH_SOFT);
	double waited = 1, computed = 0;
	struct job job = { .len = 0 };
	int round;

	ASSERT_NE(0, h);
	job.arg = (struct wd_comp_arg){
		.src = malloc(2 * MIB), .src_len = 2 * MIB, .dst = malloc(3 * MIB), .dst_len = &job.len,
		.cb = on_done, .cb_param = &job, .timeout_ms = 1,
	};
	fill_text(job.arg.src, 2 * MIB, 1);
	for (round = 0; round < 5 && waited >= computed / 2 + 0.02; round++)
		two_poll(_metadata, h, &job, &waited, &computed);
	EXPECT_GT(computed / 2 + 0.02, waited) TH_LOG("%f s of CPU to wait, %f s to compute", waited, computed);
	free(job.arg.src);
	free(job.arg.dst);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(async, an_empty_source_makes_an_empty_stream)
{
	struct job *job = jobs_new(1);

	job->arg.src_len = 0;
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, job_right(job, WD_ZLIB));
	free(job);
}

TEST_F(async, wait_returns_at_once_when_there_is_room)
{
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
}

TEST_F_TIMEOUT(async, wait_gives_up_at_its_time_when_nobody_polls, 60)
{
	struct job *jobs = jobs_new(MANY);
	int sent = 0, ret;

	while (!(ret = wd_comp_async(self->h, &jobs[sent].arg, NULL)))
		sent++;
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(-ETIMEDOUT, wd_comp_wait(self->h, 20));
	/* A wake-up between the -EBUSY and the wait counts. */
	ASSERT_EQ(-EBUSY, wd_comp_async(self->h, &jobs[sent].arg, NULL));
	EXPECT_EQ(0, wd_comp_wakeup(self->h));
	EXPECT_EQ(0, wd_comp_wait(self->h, WAIT_MS));
	while (atomic_load(&ran) < sent) {
		ASSERT_LT(0, wd_comp_poll(sent, WAIT_MS, NULL));
	}
	free(jobs);
}

TEST_HARNESS_MAIN
