// SPDX-License-Identifier: Apache-2.0
/* Asynchronous requests: callbacks, the calls allowed in callbacks, errors, sets, the limits of a poll. */
#include <pthread.h>
#include <time.h>

#include "async_test.h"
#include "in_child.h"

TEST_F(async, a_callback_runs_in_poll_and_not_before)
{
	struct job *job = jobs_new(1);

	memset(job->dst, GUARD, sizeof(job->dst));
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, atomic_load(&ran));
	EXPECT_EQ(1, wd_in_flight(NULL));
	/* The software path computes nothing at submit. */
	if (self->path == WD_PATH_SOFT)
		EXPECT_EQ(GUARD, job->dst[0]);
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, atomic_load(&ran));
	EXPECT_EQ(self->path, job->arg.path);
	EXPECT_EQ(1, job_right(job, WD_ZLIB));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, WAIT_MS, NULL));
	free(job);
}

TEST_F(async, a_session_with_requests_in_flight_is_not_freed)
{
	struct job *job = jobs_new(1);

	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->h));
	EXPECT_EQ(1, !!strstr(detail(self->h), "requests of the session in flight: 1")) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_until(1));
	EXPECT_EQ(1, job_right(job, WD_ZLIB));
	free(job);
}

TEST_F(async, poll_says_0_when_nothing_is_in_flight_and_never_waits_then)
{
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	EXPECT_EQ(0, wd_comp_poll(1000, WAIT_MS, NULL));
}

TEST_F(async, poll_stops_at_count)
{
	struct job *jobs = jobs_new(10);
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, wd_comp_async(self->h, &jobs[i].arg, NULL)) TH_LOG("%s", detail(self->h));
	}
	EXPECT_EQ(3, wd_comp_poll(3, WAIT_MS, NULL));
	EXPECT_EQ(3, atomic_load(&ran));
	EXPECT_EQ(7, wd_in_flight(NULL));
	EXPECT_EQ(7, wd_comp_poll(100, WAIT_MS, NULL));
	EXPECT_EQ(10, atomic_load(&ran));
	free(jobs);
}

/* Some requests take the fast path for submit and completion, some only for submit, and some for neither. */
enum mix {
	MIX_PLAIN,
	MIX_TIMEOUT,		/* a deadline that is far away */
	MIX_TINY,		/* less room than a device needs, but enough */
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
		/* dst begins at the end of the source. */
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
		ASSERT_EQ(0, wd_comp_async(i / 3 % 2 ? other : self->h, &jobs[i].arg, NULL))
			TH_LOG("%s", detail(self->h));
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

/* The session of the callbacks below, and what their calls returned. */
static struct {
	handle_t h;
	struct job *next;
	int freed, submitted, polled;
} inside;

static void on_reenter(struct wd_comp_arg *arg, void *param)
{
	on_done(arg, param);
	inside.freed = wd_comp_free_sess(inside.h);
	inside.submitted = wd_comp_async(inside.h, &inside.next->arg, NULL);
	inside.polled = wd_comp_poll(1, 0, NULL);
}

TEST_F(async, a_callback_may_submit_and_poll_but_not_free_its_session)
{
	struct job *jobs = jobs_new(2);

	inside.h = self->h;
	inside.next = &jobs[1];
	jobs[0].arg.cb = on_reenter;
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, poll_until(2));
	EXPECT_EQ(-EDEADLK, inside.freed);
	EXPECT_EQ(0, inside.submitted);
	EXPECT_LE(0, inside.polled);
	EXPECT_EQ(0, atomic_load(&failed));
	EXPECT_EQ(1, job_right(&jobs[1], WD_ZLIB));
	free(jobs);
}

#define DEPTH	8	/* polls of a thread at once */
#define DEEP	40

static struct {
	int depth, deepest, refused, sum;
} nest;

/* Polls in the callback until that is refused. */
static void on_nested(struct wd_comp_arg *arg, void *param)
{
	int ret;

	on_done(arg, param);
	nest.depth++;
	if (nest.depth > nest.deepest)
		nest.deepest = nest.depth;
	ret = wd_comp_poll(1, WAIT_MS, NULL);
	if (ret > 0)
		nest.sum += ret;
	if (ret == -EDEADLK && wd_comp_poll_wait(1, WAIT_MS, NULL) == -EDEADLK)
		nest.refused++;
	nest.depth--;
}

TEST_F(async, polls_nest_to_a_limit_and_the_outer_ones_deliver_what_is_refused)
{
	struct job *jobs = jobs_new(DEEP);
	int i, ret;

	memset(&nest, 0, sizeof(nest));
	for (i = 0; i < DEEP; i++) {
		jobs[i].arg.cb = on_nested;
		ASSERT_EQ(0, wd_comp_async(self->h, &jobs[i].arg, NULL)) TH_LOG("%s", detail(self->h));
	}
	while (atomic_load(&ran) < DEEP) {
		ret = wd_comp_poll(DEEP, WAIT_MS, NULL);
		ASSERT_LT(0, ret);
		nest.sum += ret;
	}
	EXPECT_EQ(DEPTH, nest.deepest);
	EXPECT_LT(0, nest.refused);
	EXPECT_EQ(DEEP, nest.sum);
	EXPECT_EQ(DEEP, atomic_load(&ran));
	EXPECT_EQ(0, atomic_load(&failed));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	free(jobs);
}

#define ROUNDS	3000

static void on_chain(struct wd_comp_arg *arg, void *param)
{
	struct job *job = param;

	if (arg->status || wd_comp_free_sess(inside.h) != -EDEADLK)
		atomic_fetch_add(&failed, 1);
	if (atomic_fetch_add(&ran, 1) < ROUNDS - 1) {
		job->len = sizeof(job->dst);
		inside.submitted |= wd_comp_async(inside.h, arg, NULL);
	}
}

TEST_F_TIMEOUT(async, arg_may_be_used_again_inside_its_callback, 120)
{
	struct job *job = jobs_new(1);
	int n = 0;

	inside.h = self->h;
	inside.submitted = 0;
	job->arg.cb = on_chain;
	ASSERT_EQ(0, wd_comp_async(self->h, &job->arg, NULL)) TH_LOG("%s", detail(self->h));
	while (n < ROUNDS) {
		int ret = wd_comp_poll(ROUNDS - n, WAIT_MS, NULL);

		ASSERT_LT(0, ret);
		n += ret;
	}
	EXPECT_EQ(ROUNDS, n);
	EXPECT_EQ(ROUNDS, atomic_load(&ran));
	EXPECT_EQ(0, inside.submitted);
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
	struct job *jobs = jobs_new(3);
	handle_t d = sess_new(WD_DEFLATE_RAW, WD_DIR_DECOMPRESS, WD_ASYNC),
		 g = sess_new(WD_GZIP, WD_DIR_DECOMPRESS, WD_ASYNC);
	long packed;
	int i;

	ASSERT_TRUE(d && g);
	for (i = 0; i < 3; i++)
		jobs[i].arg.cb = on_error;
	jobs[0].len = 20;
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, last_status);
	EXPECT_EQ(0, last_len);
	memset(jobs[1].src, 0xff, sizeof(jobs[1].src));
	ASSERT_EQ(0, wd_comp_async(d, &jobs[1].arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(WD_DATA_ERR, last_status);
	EXPECT_EQ(0, last_len);
	/* A wrong checksum, which is found only at the end. */
	packed = z_compress(WD_GZIP, jobs[0].src, sizeof(jobs[0].src), jobs[2].src, sizeof(jobs[2].src));
	ASSERT_LT(8, packed);
	jobs[2].src[packed - 5] ^= 1;
	jobs[2].arg.src_len = packed;
	ASSERT_EQ(0, wd_comp_async(g, &jobs[2].arg, NULL));
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(WD_DATA_ERR, last_status);
	EXPECT_EQ(0, last_len);
	EXPECT_EQ(0, wd_comp_free_sess(d));
	EXPECT_EQ(0, wd_comp_free_sess(g));
	free(jobs);
}

/* Damage in the header may be found at submit; then the submit fails and no callback runs. */
TEST_F(async, bad_data_is_told_once_at_submit_or_in_the_callback)
{
	handle_t g = sess_new(WD_GZIP, WD_DIR_DECOMPRESS, WD_ASYNC);
	struct job *job = jobs_new(1);
	int ret;

	ASSERT_NE(0, g);
	job->arg.cb = on_error;
	ret = wd_comp_async(g, &job->arg, NULL);
	EXPECT_TRUE(!ret || ret == -EBADMSG) TH_LOG("%d", ret);
	EXPECT_EQ(!ret, wd_in_flight(NULL));
	EXPECT_EQ(0, poll_until(!ret));
	EXPECT_EQ(!ret, atomic_load(&ran));
	if (!ret)
		EXPECT_EQ(WD_DATA_ERR, last_status);
	EXPECT_EQ(0, wd_comp_free_sess(g));
	free(job);
}

static void *free_when_idle(void *h)
{
	while (wd_comp_free_sess(*(handle_t *)h) == -EBUSY)
		;
	return NULL;
}

/* A failure is an access to freed memory, which the sanitizers find. */
TEST_F_TIMEOUT(async, a_session_lasts_until_its_last_callback_starts, 120)
{
	unsigned char junk[100] = { 0x78, 0x9c, 0xff }, out[100];
	int i;

	for (i = 0; i < 2000; i++) {
		handle_t h = sess_new(WD_ZLIB, WD_DIR_DECOMPRESS, WD_ASYNC);
		struct job job = { .len = sizeof(out) };
		pthread_t t;

		job.arg = (struct wd_comp_arg){
			.src = junk, .src_len = sizeof(junk), .dst = out, .dst_len = &job.len, .cb = on_done,
			.cb_param = &job,
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

/* Two threads poll for one request, which one of them computes. How much CPU time did each thread need? */
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
 * A thread that spins needs as much CPU time as the thread that computes. A thread that sleeps needs some for each
 * check, and in a virtual machine more than expected: a check passes a barrier, which waits for the CPU that
 * computes, and the host may have descheduled that CPU; time that the host takes from a thread during a check is
 * charged to the thread, too. So the limit is half, and one of several rounds has to keep it.
 */
TEST_F_TIMEOUT(async, a_poller_sleeps_while_another_computes_what_is_late, 120)
{
	handle_t h = sess_flags(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF, 12, WD_COMP_WS_32K, WD_SESS_PATH_SOFT);
	double waited = 1, computed = 0;
	struct job job = { .len = 0 };
	void *src = malloc(2 * MIB);
	int round;

	ASSERT_NE(0, h);
	job.arg = (struct wd_comp_arg){
		.src = src, .src_len = 2 * MIB, .dst = malloc(3 * MIB), .dst_len = &job.len,
		.cb = on_done, .cb_param = &job, .timeout_ms = 1,
	};
	fill_text(src, 2 * MIB, 1);
	for (round = 0; round < 5 && waited >= computed / 2 + 0.02; round++)
		two_poll(_metadata, h, &job, &waited, &computed);
	EXPECT_GT(computed / 2 + 0.02, waited) TH_LOG("%f s of CPU to wait, %f s to compute", waited, computed);
	free(src);
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

TEST_F(async, a_set_of_the_session_works)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	struct job *jobs = jobs_new(2);
	struct wd_ctx_info info;
	int i, found = 0;

	ASSERT_NE(NULL, set);
	ASSERT_EQ(0, wd_comp_async(self->h, &jobs[0].arg, NULL)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, poll_until(1));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->h, set));
	for (i = 0; i < set->len * 8; i++) {
		if (wd_ctx_set_test(set, i) != 1)
			continue;
		EXPECT_EQ(0, wd_ctx_info(i, &info));
		EXPECT_STRNE("", info.dev_name);
		found += info.path == self->path;
	}
	EXPECT_LT(0, found);
	EXPECT_EQ(0, wd_comp_async(self->h, &jobs[1].arg, set));
	EXPECT_EQ(1, wd_in_flight(set));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, set));
	EXPECT_EQ(1, job_right(&jobs[1], WD_ZLIB));
	wd_ctx_set_free(set);
	free(jobs);
}

struct inherited {
	handle_t h;
	wd_ctx_set_t *set;
	struct job *job;
};

static int use_set(void *p)
{
	struct inherited *i = p;

	return wd_comp_poll(1, 10, i->set) == -ESTALE && wd_comp_async(i->h, &i->job->arg, i->set) == -ESTALE &&
	       wd_comp_wait_set(i->set, 10) == -ESTALE && wd_comp_wakeup_set(i->set) == -ESTALE &&
	       wd_in_flight(i->set) == -ESTALE && wd_ctx_set_from_sess(i->h, i->set) == -ESTALE ? 0 : 1;
}

TEST_F(async, sets_of_the_parent_are_ESTALE)
{
	struct inherited i = { .h = self->h, .set = wd_ctx_set_alloc(), .job = jobs_new(1) };

	ASSERT_NE(NULL, i.set);
	ASSERT_EQ(0, wd_ctx_set_from_sess(i.h, i.set));
	EXPECT_EQ(0, in_child(use_set, &i));
	wd_ctx_set_free(i.set);
	free(i.job);
}

TEST_HARNESS_MAIN
