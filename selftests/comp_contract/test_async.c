// SPDX-License-Identifier: Apache-2.0
/* The contract of asynchronous requests: submit, burst, poll, callbacks, waiting, sets, threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contract.h"

#define BLOCK 3000
#define ROOM (BLOCK + 600)
#define MANY 5000
#define POLL_MS 300000

struct request {
	struct wd_comp_arg arg;
	size_t out_len;
	unsigned char out[ROOM];
	_Atomic int done;
};

static unsigned char plain[BLOCK];
static _Atomic int callbacks;

static void count_done(struct wd_comp_arg *arg, void *param)
{
	struct request *r = param;

	(void)arg;
	r->done++;
	callbacks++;
}

static void prepare(struct request *r)
{
	memset(&r->arg, 0, sizeof(r->arg));
	r->out_len = ROOM;
	r->done = 0;
	r->arg.src = plain;
	r->arg.src_len = BLOCK;
	r->arg.dst = r->out;
	r->arg.dst_len = &r->out_len;
	r->arg.cb = count_done;
	r->arg.cb_param = r;
}

static bool is_right(const struct request *r)
{
	unsigned char back[BLOCK + 1];

	return r->done == 1 && r->arg.status == WD_COMP_OK && r->arg.consumed == BLOCK &&
	       judge_inflate(WD_ZLIB, r->out, r->out_len, back, sizeof(back), NULL) == BLOCK &&
	       !memcmp(back, plain, BLOCK);
}

FIXTURE(async) {
	struct request *r;
	handle_t sess;
};

FIXTURE_SETUP(async)
{
	fill_text(plain, BLOCK, 2);
	callbacks = 0;
	self->r = calloc(MANY, sizeof(*self->r));
	ASSERT_NE(NULL, self->r);
	self->sess = sess_of(WD_ZLIB, WD_ASYNC, WD_DIR_COMPRESS);
	ASSERT_NE(0, self->sess);
}

FIXTURE_TEARDOWN(async)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->sess));
	free(self->r);
}

/* Submits all, making room by polling. Return: 0 or the error. */
static int submit_all(handle_t sess, struct request *r, int n)
{
	int i = 0, ret;

	while (i < n) {
		if (!r[i].arg.cb)
			prepare(&r[i]);
		ret = wd_comp_async(sess, &r[i].arg, NULL);
		if (!ret) {
			i++;
			continue;
		}
		if (ret != -EBUSY)
			return ret;
		ret = wd_comp_poll(1, POLL_MS, NULL);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int drain(int wanted)
{
	int ret = 1;

	while (callbacks < wanted && ret > 0)
		ret = wd_comp_poll(wanted - callbacks, POLL_MS, NULL);
	return ret < 0 ? ret : callbacks - wanted;
}

TEST_F(async, every_request_is_called_back_once_and_right)
{
	int i;

	ASSERT_EQ(0, submit_all(self->sess, self->r, MANY));
	ASSERT_EQ(0, drain(MANY));
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	for (i = 0; i < MANY; i++) {
		ASSERT_TRUE(is_right(&self->r[i])) TH_LOG("request %d: done %d status %d", i, self->r[i].done, self->r[i].arg.status);
	}
	EXPECT_EQ(path_expected(), self->r[0].arg.path);
	EXPECT_EQ(0, wd_in_flight(NULL));
}

TEST_F(async, poll_says_0_when_nothing_is_in_flight_and_never_waits_then)
{
	EXPECT_EQ(0, wd_comp_poll(1, 0, NULL));
	EXPECT_EQ(0, wd_comp_poll(1000, 60000, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_poll(0, 0, NULL));
}

TEST_F(async, poll_stops_at_count)
{
	int i;

	for (i = 0; i < 10; i++) {
		prepare(&self->r[i]);
		ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[i].arg, NULL));
	}
	EXPECT_EQ(3, wd_comp_poll(3, POLL_MS, NULL));
	EXPECT_EQ(3, callbacks);
	EXPECT_EQ(7, wd_in_flight(NULL));
	EXPECT_EQ(7, wd_comp_poll(100, POLL_MS, NULL));
	EXPECT_EQ(10, callbacks);
}

TEST_F(async, no_callback_runs_outside_poll_and_soft_computes_nothing_at_submit)
{
	prepare(&self->r[0]);
	memset(self->r[0].out, GUARD, ROOM);
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	EXPECT_EQ(0, callbacks);
	if (path_expected() == WD_PATH_SOFT)
		EXPECT_EQ(GUARD, self->r[0].out[0]);
	EXPECT_EQ(0, drain(1));
	EXPECT_TRUE(is_right(&self->r[0]));
}

TEST_F(async, full_is_ebusy_and_nothing_of_that_request_was_taken)
{
	int i, ret = 0;

	for (i = 0; i < MANY; i++) {
		prepare(&self->r[i]);
		ret = wd_comp_async(self->sess, &self->r[i].arg, NULL);
		if (ret)
			break;
	}
	ASSERT_EQ(-EBUSY, ret);
	EXPECT_EQ(i, wd_in_flight(NULL));
	EXPECT_EQ(0, drain(i));
	EXPECT_EQ(0, self->r[i].done);
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[i].arg, NULL));
	EXPECT_EQ(0, drain(i + 1));
}

TEST_F(async, a_session_with_requests_in_flight_is_not_freed)
{
	prepare(&self->r[0]);
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	EXPECT_EQ(-EBUSY, wd_comp_free_sess(self->sess));
	EXPECT_EQ(0, drain(1));
	EXPECT_TRUE(is_right(&self->r[0]));
}

static handle_t own;
static int own_free_result, own_submit_result, own_poll_result;
static struct request *own_next;

static void reenter(struct wd_comp_arg *arg, void *param)
{
	count_done(arg, param);
	own_free_result = wd_comp_free_sess(own);
	prepare(own_next);
	own_submit_result = wd_comp_async(own, &own_next->arg, NULL);
	own_poll_result = wd_comp_poll(1, 0, NULL);
}

TEST_F(async, a_callback_may_submit_and_poll_but_not_free_its_session)
{
	own = self->sess;
	own_next = &self->r[1];
	prepare(&self->r[0]);
	self->r[0].arg.cb = reenter;
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	EXPECT_EQ(0, drain(2));
	EXPECT_EQ(-EDEADLK, own_free_result);
	EXPECT_EQ(0, own_submit_result);
	EXPECT_GE(own_poll_result, 0);
	EXPECT_TRUE(is_right(&self->r[1]));
}

static void reuse(struct wd_comp_arg *arg, void *param)
{
	int *left = param;

	callbacks++;
	if (--*left) {
		*arg->dst_len = ROOM;
		own_submit_result |= wd_comp_async(own, arg, NULL);
	}
}

TEST_F(async, arg_may_be_used_again_inside_its_callback)
{
	int left = 3000;

	own = self->sess;
	own_submit_result = 0;
	prepare(&self->r[0]);
	self->r[0].arg.cb = reuse;
	self->r[0].arg.cb_param = &left;
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	EXPECT_EQ(0, drain(3000));
	EXPECT_EQ(0, own_submit_result);
	EXPECT_EQ(0, left);
}

TEST_F(async, bad_requests_are_refused_at_submit)
{
	struct wd_comp_arg arg;
	size_t len = ROOM;

	prepare(&self->r[0]);
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, NULL, NULL));
	arg = self->r[0].arg;
	arg.src = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &arg, NULL));
	arg = self->r[0].arg;
	arg.dst = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &arg, NULL));
	arg = self->r[0].arg;
	arg.dst_len = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &arg, NULL));
	arg = self->r[0].arg;
	arg.cb = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &arg, NULL));
	arg = self->r[0].arg;
	arg.flags = 1u << 31;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &arg, NULL));
	arg = self->r[0].arg;
	arg.src_len = (8u << 20) + 1;
	arg.dst_len = &len;
	EXPECT_EQ(-EFBIG, wd_comp_async(self->sess, &arg, NULL));
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_EQ(0, callbacks);
}

/* Damage in the header may be seen at once; then nothing is taken and no callback comes. */
TEST_F(async, bad_data_is_told_once_at_submit_or_in_the_callback)
{
	handle_t sess = sess_of(WD_GZIP, WD_ASYNC, WD_DIR_DECOMPRESS);
	struct request *r = self->r;
	int ret;

	prepare(r);
	ret = wd_comp_async(sess, &r->arg, NULL);
	EXPECT_TRUE(!ret || ret == -EBADMSG) TH_LOG("%d", ret);
	EXPECT_EQ(!ret, wd_in_flight(NULL));
	EXPECT_EQ(0, drain(!ret));
	EXPECT_EQ(!ret, r->done);
	if (!ret)
		EXPECT_EQ(WD_DATA_ERR, r->arg.status);
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST_F(async, an_error_comes_with_the_callback_and_dst_len_0)
{
	handle_t sess = sess_of(WD_GZIP, WD_ASYNC, WD_DIR_DECOMPRESS);
	static unsigned char packed[BLOCK * 2];
	size_t len = judge_deflate(WD_GZIP, plain, BLOCK, packed, sizeof(packed));
	struct request *r = self->r;

	packed[len - 5] ^= 1;
	prepare(&r[0]);
	r[0].arg.src = packed;
	r[0].arg.src_len = len;
	prepare(&r[1]);
	r[1].out_len = 100;
	ASSERT_EQ(0, wd_comp_async(sess, &r[0].arg, NULL));
	ASSERT_EQ(0, wd_comp_async(self->sess, &r[1].arg, NULL));
	EXPECT_EQ(0, drain(2));
	EXPECT_EQ(WD_DATA_ERR, r[0].arg.status);
	EXPECT_EQ(0, r[0].out_len);
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, r[1].arg.status);
	EXPECT_EQ(0, r[1].out_len);
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST_F(async, a_burst_says_how_many_it_took_and_takes_the_first)
{
	struct wd_comp_arg *args[MANY];
	int i, n, taken = 0;

	for (i = 0; i < MANY; i++) {
		prepare(&self->r[i]);
		args[i] = &self->r[i].arg;
	}
	EXPECT_EQ(0, wd_comp_async_burst(self->sess, args, 0, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->sess, args, -1, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->sess, NULL, 1, NULL));
	EXPECT_EQ(32, wd_comp_async_burst(self->sess, args, 32, NULL));
	EXPECT_EQ(32, wd_in_flight(NULL));
	taken = 32;
	while (taken < MANY) {
		n = MANY - taken < 64 ? MANY - taken : 64;
		n = wd_comp_async_burst(self->sess, args + taken, n, NULL);
		ASSERT_GE(n, 0);
		taken += n;
		if (!n)
			ASSERT_GT(wd_comp_poll(1, POLL_MS, NULL), 0);
	}
	EXPECT_EQ(0, drain(MANY));
	for (i = 0; i < MANY; i++) {
		ASSERT_TRUE(is_right(&self->r[i])) TH_LOG("request %d", i);
	}
}

TEST_F(async, a_burst_stops_at_a_bad_request)
{
	struct wd_comp_arg *args[3];
	int i;

	for (i = 0; i < 3; i++) {
		prepare(&self->r[i]);
		args[i] = &self->r[i].arg;
	}
	self->r[1].arg.src = NULL;
	EXPECT_EQ(1, wd_comp_async_burst(self->sess, args, 3, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->sess, args + 1, 2, NULL));
	EXPECT_EQ(0, drain(1));
	EXPECT_EQ(0, self->r[2].done);
}

TEST_F(async, a_set_of_the_session_works_and_a_bad_one_is_einval)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc(), fake;
	struct wd_ctx_info info;
	int i, found = 0;

	ASSERT_NE(NULL, set);
	memset(&fake, 0, sizeof(fake));
	prepare(&self->r[0]);
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	ASSERT_EQ(0, drain(1));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->sess, set));
	for (i = 0; i < set->len * 8; i++) {
		if (wd_ctx_set_test(set, i) != 1)
			continue;
		EXPECT_EQ(0, wd_ctx_info(i, &info));
		EXPECT_STRNE("", info.dev_name);
		found += info.path == path_expected();
	}
	EXPECT_GT(found, 0);
	prepare(&self->r[1]);
	EXPECT_EQ(0, wd_comp_async(self->sess, &self->r[1].arg, set));
	EXPECT_EQ(1, wd_in_flight(set));
	EXPECT_EQ(1, wd_comp_poll(1, POLL_MS, set));
	EXPECT_EQ(-EINVAL, wd_comp_poll(1, 0, &fake));
	EXPECT_EQ(-EINVAL, wd_comp_async(self->sess, &self->r[1].arg, &fake));
	EXPECT_EQ(-EINVAL, wd_in_flight(&fake));
	EXPECT_EQ(-ENOENT, wd_ctx_info(1000000, &info));
	EXPECT_EQ(-EINVAL, wd_ctx_info(0, NULL));
	wd_ctx_set_free(set);
}

struct submitter {
	pthread_t thread;
	handle_t sess;
	struct request *r;
	int count;
	_Atomic int result;	/* the thread that polls looks at it meanwhile */
};

/* Never polls: room is made by another thread, as in the seed's second example, but nothing is lost at -EBUSY. */
static void *submit_and_wait(void *param)
{
	struct submitter *s = param;
	int i = 0, ret;

	while (i < s->count && !s->result) {
		prepare(&s->r[i]);
		ret = wd_comp_async(s->sess, &s->r[i].arg, NULL);
		if (!ret)
			i++;
		else if (ret == -EBUSY)
			s->result = wd_comp_wait(s->sess, POLL_MS);
		else
			s->result = ret;
	}
	return NULL;
}

TEST_F(async, threads_that_wait_for_room_are_woken_by_the_one_that_polls)
{
	struct submitter s[4];
	int i, ret;

	memset(s, 0, sizeof(s));
	for (i = 0; i < 4; i++) {
		s[i].sess = self->sess;
		s[i].r = self->r + i * (MANY / 4);
		s[i].count = MANY / 4;
		ASSERT_EQ(0, pthread_create(&s[i].thread, NULL, submit_and_wait, &s[i]));
	}
	while (callbacks < MANY) {
		ret = wd_comp_poll(64, POLL_MS, NULL);
		ASSERT_GE(ret, 0);
		if (ret > 0)
			ASSERT_EQ(0, wd_comp_wakeup(self->sess));
		if (!ret && (s[0].result | s[1].result | s[2].result | s[3].result))
			break;
	}
	for (i = 0; i < 4; i++) {
		pthread_join(s[i].thread, NULL);
		EXPECT_EQ(0, s[i].result);
	}
	for (i = 0; i < MANY; i++) {
		ASSERT_TRUE(is_right(&self->r[i])) TH_LOG("request %d", i);
	}
}

TEST_F(async, a_wait_without_room_ends_at_its_time)
{
	int i, ret = 0;

	for (i = 0; i < MANY && !ret; i++) {
		prepare(&self->r[i]);
		ret = wd_comp_async(self->sess, &self->r[i].arg, NULL);
	}
	ASSERT_EQ(-EBUSY, ret);
	i--;
	ret = wd_comp_wait(self->sess, 30);
	/* Nobody polls; a device may still have finished, but room comes only with a poll. */
	EXPECT_EQ(-ETIMEDOUT, ret);
	EXPECT_EQ(0, drain(i));
	EXPECT_EQ(0, wd_comp_wait(self->sess, 30)) TH_LOG("room came after the -EBUSY");
}

static void *poll_until(void *param)
{
	const int *wanted = param;
	int ret = 0;

	/* -ETIME: others took what was there. */
	while (callbacks < *wanted && (ret >= 0 || ret == -ETIME))
		ret = wd_comp_poll(16, 100, NULL);
	return NULL;
}

TEST_F(async, any_number_of_threads_may_poll)
{
	int i, wanted = MANY;
	pthread_t t[4];

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, poll_until, &wanted));
	}
	EXPECT_EQ(0, submit_all(self->sess, self->r, MANY));
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(MANY, callbacks);
	for (i = 0; i < MANY; i++) {
		ASSERT_TRUE(is_right(&self->r[i])) TH_LOG("request %d", i);
	}
}

struct mixed {
	pthread_t thread;
	handle_t sess;
	int seed, failed;
};

static void *compress_many(void *param)
{
	unsigned char *in = malloc(40000), *out = malloc(41000), *back = malloc(40000);
	struct mixed *m = param;
	int i;

	for (i = 0; i < 200; i++) {
		size_t len = 1 + (m->seed * 7919 + i * 104729) % 40000, n = 41000;
		struct wd_comp_arg arg = { .src = in, .src_len = len, .dst = out, .dst_len = &n };

		fill_text(in, len, m->seed + i);
		if (wd_compress(m->sess, &arg) || judge_inflate(WD_GZIP, out, n, back, 40000, NULL) != (long)len ||
		    memcmp(in, back, len))
			m->failed++;
	}
	free(back);
	free(out);
	free(in);
	return NULL;
}

TEST_F(async, threads_share_a_synchronous_session_while_requests_are_in_flight)
{
	handle_t sync = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct mixed m[8];
	int i;

	memset(m, 0, sizeof(m));
	for (i = 0; i < 8; i++) {
		m[i].sess = sync;
		m[i].seed = i * 1000;
		ASSERT_EQ(0, pthread_create(&m[i].thread, NULL, compress_many, &m[i]));
	}
	EXPECT_EQ(0, submit_all(self->sess, self->r, 1000));
	EXPECT_EQ(0, drain(1000));
	for (i = 0; i < 8; i++) {
		pthread_join(m[i].thread, NULL);
		EXPECT_EQ(0, m[i].failed);
	}
	EXPECT_EQ(0, wd_comp_free_sess(sync));
}

TEST_F(async, callbacks_of_the_parent_never_run_in_the_child)
{
	int status, ret;
	pid_t pid;

#ifdef __SANITIZE_THREAD__
	SKIP(return, "ThreadSanitizer lets no child of a threaded process start threads, and the emulator needs some");
#endif
	prepare(&self->r[0]);
	ASSERT_EQ(0, wd_comp_async(self->sess, &self->r[0].arg, NULL));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		ret = wd_comp_poll(1, 200, NULL);
		if (ret > 0 || callbacks)
			_exit(1);
		/* The session goes on with the child's own contexts. */
		prepare(&self->r[1]);
		if (wd_comp_async(self->sess, &self->r[1].arg, NULL))
			_exit(2);
		if (wd_comp_poll(1, POLL_MS, NULL) != 1 || !is_right(&self->r[1]) || self->r[0].done)
			_exit(3);
		_exit(wd_comp_free_sess(self->sess) ? 4 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("exit %d", WEXITSTATUS(status));
	EXPECT_EQ(0, drain(1));
	EXPECT_TRUE(is_right(&self->r[0]));
}

TEST_F(async, a_set_made_before_a_fork_is_estale_in_the_child)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	int status;
	pid_t pid;

	ASSERT_NE(NULL, set);
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->sess, set));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(wd_comp_poll(1, 0, set) != -ESTALE ? 1 : wd_in_flight(set) != -ESTALE ? 2 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	wd_ctx_set_free(set);
}

TEST_HARNESS_MAIN
