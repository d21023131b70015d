// SPDX-License-Identifier: Apache-2.0
/* Counters of contexts and sessions, on all devices that exist and on the software path. */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "turn.h"
#include "wait_ms.h"
#include "tsan_fork.h"

#define LEN	1000
#define ROOM	2000
#define THREADS	4
#define EACH	200

static unsigned char src[LEN];
static unsigned int ended;
static struct wd_sess_stats seen;

static handle_t session(int mode, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = mode, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static handle_t on_devices(int mode)
{
	return session(mode, WD_SESS_PATH_HW);
}

/* One request; returns what it produced, or the error. */
static long compress(handle_t sess, size_t room)
{
	unsigned char dst[ROOM];
	size_t len = room;
	struct wd_comp_arg arg = { .src = src, .src_len = LEN, .dst = dst, .dst_len = &len };
	int ret = wd_compress(sess, &arg);

	return ret ? ret : (long)len;
}

/* The path that a session's requests take here. */
static unsigned int path_of(handle_t sess)
{
	int caps = wd_comp_sess_caps(sess);

	return caps & WD_CAP_HW ? WD_PATH_HW : caps & WD_CAP_SIM ? WD_PATH_SIM : WD_PATH_SOFT;
}

static struct wd_counts counts_of(handle_t sess)
{
	struct wd_sess_stats st;

	memset(&st, 0xff, sizeof(st));
	if (wd_sess_stats(sess, &st))
		abort();
	return st.path[path_of(sess)];
}

TEST(a_session_begins_with_zeroes)
{
	static const struct wd_sess_stats zero;
	handle_t sess = session(WD_SYNC, 0);
	struct wd_sess_stats st;

	memset(&st, 0xff, sizeof(st));
	ASSERT_EQ(0, wd_sess_stats(sess, &st));
	EXPECT_EQ(0, memcmp(&zero, &st, sizeof(st)));
	wd_comp_free_sess(sess);
}

TEST(what_went_well_counts_with_its_bytes)
{
	handle_t sess = session(WD_SYNC, 0);
	struct wd_counts c;
	long n = compress(sess, ROOM);

	ASSERT_LT(0, n);
	ASSERT_EQ(n, compress(sess, ROOM));
	c = counts_of(sess);
	EXPECT_EQ(2, c.submitted);
	EXPECT_EQ(2, c.completed);
	EXPECT_EQ(0, c.errors);
	EXPECT_EQ(2 * LEN, c.bytes_in);
	EXPECT_EQ(2 * n, c.bytes_out);
	wd_comp_free_sess(sess);
}

TEST(this_CPU_has_counts_of_its_own)
{
	handle_t sess = session(WD_SYNC, WD_SESS_PATH_SOFT);
	struct wd_sess_stats st;
	int i;

	ASSERT_LT(0, compress(sess, ROOM));
	ASSERT_EQ(0, wd_sess_stats(sess, &st));
	EXPECT_EQ(1, st.path[WD_PATH_SOFT].completed);
	EXPECT_EQ(LEN, st.path[WD_PATH_SOFT].bytes_in);
	for (i = 0; i < 8; i++)
		if (i != WD_PATH_SOFT)
			EXPECT_EQ(0, st.path[i].completed);
	wd_comp_free_sess(sess);
}

TEST(an_error_counts_without_bytes)
{
	handle_t sess = session(WD_SYNC, WD_SESS_PATH_SOFT);
	struct wd_counts c;

	ASSERT_EQ(-ENOSPC, compress(sess, 3));
	c = counts_of(sess);
	EXPECT_EQ(1, c.completed);
	EXPECT_EQ(1, c.errors);
	EXPECT_EQ(0, c.bytes_in);
	EXPECT_EQ(0, c.bytes_out);
	wd_comp_free_sess(sess);
}

TEST(calls_of_a_stream_count)
{
	handle_t sess = session(WD_SYNC, WD_SESS_PATH_SOFT);
	unsigned char dst[ROOM];
	size_t in = LEN, out = ROOM;
	struct wd_comp_strm strm = { .src = src, .src_len = &in, .dst = dst, .dst_len = &out, .last = 1 };
	struct wd_counts c;

	ASSERT_EQ(1, wd_strm_compress(sess, &strm));
	c = counts_of(sess);
	EXPECT_EQ(1, c.completed);
	EXPECT_EQ(LEN, c.bytes_in);
	EXPECT_EQ(out, c.bytes_out);
	wd_comp_free_sess(sess);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	ended++;
	wd_sess_stats(*(handle_t *)param, &seen);
}

struct flight {
	struct wd_comp_arg arg;
	unsigned char dst[ROOM];
	size_t len;
};

static struct wd_comp_arg *flight_of(struct flight *f, handle_t *sess)
{
	f->len = ROOM;
	f->arg = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = f->dst, .dst_len = &f->len, .cb = on_done, .cb_param = sess,
	};
	return &f->arg;
}

TEST(what_is_in_flight_is_submitted_and_not_completed)
{
	handle_t sess = session(WD_ASYNC, 0);
	unsigned int path = path_of(sess);
	struct flight f[3];
	struct wd_counts c;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, wd_comp_async(sess, flight_of(&f[i], &sess), NULL));
	}
	c = counts_of(sess);
	EXPECT_EQ(3, c.submitted);
	EXPECT_EQ(0, c.completed);
	while (ended < 3) {
		ASSERT_LE(0, wd_comp_poll(1, WAIT_MS, NULL));
	}
	EXPECT_EQ(3, seen.path[path].completed);
	EXPECT_EQ(3 * LEN, seen.path[path].bytes_in);
	wd_comp_free_sess(sess);
}

TEST(sessions_of_one_context_are_counted_apart_in_a_row)
{
	handle_t sess[] = { session(WD_ASYNC, 0), session(WD_ASYNC, 0) };
	static const int whose[] = { 0, 0, 1, 0, 1, 1, 1, 0, 1 };
	struct flight f[9];
	struct wd_counts c;
	int i, n[2] = { 0 };

	for (i = 0; i < 9; i++) {
		ASSERT_EQ(0, wd_comp_async(sess[whose[i]], flight_of(&f[i], &sess[whose[i]]), NULL));
		n[whose[i]]++;
	}
	while (ended < 9) {
		ASSERT_LE(0, wd_comp_poll(9, WAIT_MS, NULL));
	}
	for (i = 0; i < 2; i++) {
		c = counts_of(sess[i]);
		EXPECT_EQ(n[i], c.submitted);
		EXPECT_EQ(n[i], c.completed);
		EXPECT_EQ(n[i] * LEN, c.bytes_in);
		EXPECT_EQ(n[i] * f[0].len, c.bytes_out);
		EXPECT_EQ(0, wd_comp_free_sess(sess[i]));
	}
}

static void *work(void *sess)
{
	int i;

	for (i = 0; i < EACH; i++)
		compress(*(handle_t *)sess, ROOM);
	return NULL;
}

TEST(no_count_is_lost_among_threads)
{
	handle_t sess = session(WD_SYNC, 0);
	pthread_t t[THREADS];
	struct wd_counts c;
	int i;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, work, &sess));
	}
	do {
		c = counts_of(sess);
		EXPECT_LE(c.completed, c.submitted);
		/* On the software path each thread counts separately, so a sum isn't from a single moment. */
		if (path_of(sess) != WD_PATH_SOFT)
			EXPECT_EQ(c.bytes_in, c.completed * LEN);
	} while (c.completed < EACH);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	c = counts_of(sess);
	EXPECT_EQ(THREADS * EACH, c.submitted);
	EXPECT_EQ(THREADS * EACH, c.completed);
	EXPECT_EQ(THREADS * EACH * LEN, c.bytes_in);
	wd_comp_free_sess(sess);
}

/* The context with number i, and its counters. */
static __u64 completed_on_all(void)
{
	struct wd_ctx_stats st;
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; !wd_ctx_stats(i, &st); i++)
		sum += st.all.completed;
	return sum;
}

TEST(a_context_counts_for_all_its_sessions)
{
	handle_t a = on_devices(WD_SYNC), b;
	struct wd_ctx_stats st;
	struct wd_ctx_info info;

	if (!a)
		SKIP(return, "no device");
	b = on_devices(WD_SYNC);
	ASSERT_LT(0, compress(a, ROOM));
	ASSERT_LT(0, compress(b, ROOM));
	EXPECT_EQ(2, completed_on_all());
	wd_comp_free_sess(a);
	wd_comp_free_sess(b);
	EXPECT_EQ(2, completed_on_all());
	ASSERT_EQ(0, wd_ctx_stats(0, &st));
	ASSERT_EQ(0, wd_ctx_info(0, &info));
	EXPECT_EQ(info.path, st.path);
	EXPECT_EQ(0, st.in_flight);
	EXPECT_EQ(st.all.completed, st.all.submitted);
	EXPECT_EQ(st.all.completed * LEN, st.all.bytes_in);
}

TEST(asynchronous_requests_on_this_CPU_go_through_a_context)
{
	handle_t sess = session(WD_ASYNC, WD_SESS_PATH_SOFT);
	struct wd_ctx_stats st;
	struct flight f;

	ASSERT_EQ(0, wd_comp_async(sess, flight_of(&f, &sess), NULL));
	ASSERT_EQ(0, wd_ctx_stats(0, &st));
	EXPECT_EQ(WD_PATH_SOFT, st.path);
	EXPECT_EQ(1, st.in_flight);
	EXPECT_EQ(1, st.all.submitted);
	EXPECT_EQ(0, st.all.completed);
	ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	ASSERT_EQ(0, wd_ctx_stats(0, &st));
	EXPECT_EQ(0, st.in_flight);
	EXPECT_EQ(1, st.all.completed);
	wd_comp_free_sess(sess);
}

TEST(counts_outlive_the_contexts_that_they_were_made_on)
{
	handle_t sess = session(WD_SYNC, 0);
	unsigned int path = path_of(sess), i;
	struct wd_sess_stats st;

	if (!emulated())
		SKIP(return, "no device that could be removed");
	for (i = 0; i < 12; i++) {
		ASSERT_LT(0, compress(sess, ROOM));
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "remove"));
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "return"));
		/* Requests fail until the library has noticed the context's end and found the device again. */
		do {
			ASSERT_LT(0, compress(sess, ROOM));
		} while (path_of(sess) != path);
	}
	ASSERT_EQ(0, wd_sess_stats(sess, &st));
	EXPECT_LE(12, st.path[path].completed - st.path[path].errors);
	EXPECT_EQ((st.path[path].completed - st.path[path].errors) * LEN, st.path[path].bytes_in);
	EXPECT_EQ(st.path[WD_PATH_SOFT].completed * LEN, st.path[WD_PATH_SOFT].bytes_in);
	EXPECT_EQ(st.path[path].completed, st.path[path].submitted);
	wd_comp_free_sess(sess);
}

TEST(a_child_begins_with_zeroes)
{
	handle_t sess = session(WD_SYNC, 0);
	struct wd_ctx_stats ctx;
	int status;
	pid_t pid;

	ASSERT_LT(0, compress(sess, ROOM));
	pid = fork();
	if (!pid) {
		struct wd_counts c = counts_of(sess);
		int bad = c.submitted || c.completed;
		int inherited = wd_ctx_stats(0, &ctx);

		/* The child may have reused the context's number. */
		bad |= (inherited ? inherited != -ESTALE && inherited != -ENOENT : ctx.all.submitted != 0) << 1;
		bad |= (compress(sess, ROOM) < 0) << 2;
		c = counts_of(sess);
		bad |= (c.completed != 1) << 3;
		_exit(bad);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, counts_of(sess).completed);
	wd_comp_free_sess(sess);
}

TEST(what_is_not_there_is_refused)
{
	struct wd_sess_stats st;
	struct wd_ctx_stats ctx;
	handle_t sess = session(WD_SYNC, 0);

	EXPECT_EQ(-EINVAL, wd_sess_stats(0, &st));
	EXPECT_EQ(-EINVAL, wd_sess_stats(sess, NULL));
	EXPECT_EQ(-EINVAL, wd_ctx_stats(0, NULL));
	EXPECT_EQ(-ENOENT, wd_ctx_stats(100000, &ctx));
	wd_comp_free_sess(sess);
	EXPECT_EQ(-EINVAL, wd_sess_stats(sess, &st));
}

TEST(a_session_without_a_state_takes_a_kilobyte_at_most)
{
	handle_t sess[64];
	size_t before;
	int i;

	/* Sessions' contexts exist before the counting starts. */
	for (i = 0; i < 64; i++) {
		ASSERT_NE(0, sess[i] = session(WD_SYNC, 0));
	}
	for (i = 0; i < 64; i++)
		wd_comp_free_sess(sess[i]);
	before = mallinfo2().uordblks;
	for (i = 0; i < 64; i++) {
		ASSERT_NE(0, sess[i] = session(WD_SYNC, 0));
	}
	TH_LOG("%zu bytes a session", (mallinfo2().uordblks - before) / 64);
	EXPECT_LE((mallinfo2().uordblks - before) / 64, 1024);
	for (i = 0; i < 64; i++)
		wd_comp_free_sess(sess[i]);
}

/* --- while a context is being stopped --- */

struct late {
	handle_t h;
	atomic_bool begun;
	atomic_bool over;
};

/*
 * Its deadline passes on a device that doesn't stop: the waiting thread stops the context, which takes about a second.
 */
static void *request_late(void *arg)
{
	static unsigned char src[600], dst[1200];
	struct late *l = arg;
	size_t len = sizeof(dst);
	struct wd_comp_arg a = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len, .timeout_ms = 20 };

	wd_compress(l->h, &a);
	l->over = true;
	return NULL;
}

static void *read_counters(void *arg)
{
	struct late *l = arg;
	struct wd_sess_stats st;

	l->begun = true;
	wd_sess_stats(l->h, &st);
	l->over = true;
	return NULL;
}

static void being_stopped(const struct late *late)
{
	struct wd_ctx_info info;
	bool stopping = false;
	int i;

	while (!stopping && !late->over) {
		for (i = 0; !wd_ctx_info(i, &info); i++)
			stopping |= info.state == -EIO;
		turn_over();
	}
}

/* Could a thread fork and allocate a session while one thread stopped the context and another read counters? */
static bool others_go_on(void)
{
	struct late late = { .h = session_on_device(false, true) }, reader = { .h = late.h };
	pthread_t t[2];
	bool went_on;
	handle_t h;
	pid_t pid;

	emulated_control(EMULATED_DEVICE, "fault stuck=1");
	pthread_create(&t[0], NULL, request_late, &late);
	being_stopped(&late);
	pthread_create(&t[1], NULL, read_counters, &reader);
	while (!reader.begun)
		turn_over();
	poll(NULL, 0, 20);
	pid = fork();
	if (!pid)
		_exit(0);
	/* No device: the mailbox of a stuck device is busy for as long as the stop takes. */
	h = session(WD_SYNC, WD_SESS_PATH_SOFT);
	went_on = !late.over && !reader.over;
	waitpid(pid, NULL, 0);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	emulated_control(EMULATED_DEVICE, "fault stuck=0");
	wd_comp_free_sess(late.h);
	if (h)
		wd_comp_free_sess(h);
	return went_on;
}

TEST(reading_counters_of_a_context_that_is_being_stopped_holds_up_neither_fork_nor_sessions)
{
	unsigned int round;
	bool went_on = false;

	if (!emulated())
		SKIP(return, "needs an emulated device, which gets stuck");
	/* A machine that stalls for the second that the stop takes doesn't do so each time. */
	for (round = 0; round < 10 && !went_on; round++)
		went_on = others_go_on();
	EXPECT_TRUE(went_on);
}

TEST_HARNESS_MAIN
