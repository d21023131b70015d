// SPDX-License-Identifier: Apache-2.0
/* Compression: preparing the class, whole buffers, asynchronous requests, sessions that end with requests in flight. */
#include <lz4.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <zlib.h>

#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "emulated.h"
#include "in_child.h"
#include "kselftest_harness.h"
#include "turn.h"

#define BYTES	20000u
#define MANY	3000

static unsigned char plain[BYTES], room[2 * BYTES], back[BYTES];

static handle_t session(int alg, int dir)
{
	struct wd_comp_sess_setup setup;

	/* What callers leave undefined must not be read. */
	memset(&setup, 0xa5, sizeof(setup));
	setup.alg_type = alg;
	setup.op_type = dir;
	setup.comp_lv = dir == WD_DIR_COMPRESS ? WD_COMP_L1 : 77;
	setup.win_sz = dir == WD_DIR_COMPRESS ? WD_COMP_WS_32K : 77;
	setup.sched_param = NULL;
	return wd_comp_alloc_sess(&setup);
}

static struct wd_comp_req request(int dir, const void *src, __u32 len, void *dst, __u32 dst_len)
{
	struct wd_comp_req req;

	memset(&req, 0xa5, sizeof(req));
	req.op_type = dir;
	req.data_fmt = WD_FLAT_BUF;
	req.src = (void *)src;
	req.src_len = len;
	req.dst = dst;
	req.dst_len = dst_len;
	req.cb = NULL;
	return req;
}

/* windowBits of zlib's for each algorithm. */
static int unpack(int alg, const void *src, __u32 len, void *dst, size_t room_len)
{
	z_stream z = { .next_in = (void *)src, .avail_in = len, .next_out = dst, .avail_out = (uInt)room_len };
	int bits = alg == WD_DEFLATE ? -15 : alg == WD_ZLIB ? 15 : 31, ret = -1;

	if (inflateInit2(&z, bits) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END)
		ret = (int)z.total_out;
	inflateEnd(&z);
	return ret;
}

FIXTURE(comp) { int hw; };
FIXTURE_SETUP(comp)
{
	fill_text(plain, BYTES, 1);
	self->hw = have_device("zlib");
	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
}

FIXTURE_TEARDOWN(comp)
{
	wd_comp_uninit2();
}

TEST_F(comp, whole)
{
	for (int alg = WD_DEFLATE; alg <= WD_GZIP; alg++) {
		handle_t out = session(alg, WD_DIR_COMPRESS), in = session(alg, WD_DIR_DECOMPRESS);
		struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
		__u32 packed;

		ASSERT_NE(0, out);
		ASSERT_NE(0, in);
		ASSERT_EQ(0, wd_do_comp_sync(out, &req));
		EXPECT_EQ(0, req.status);
		EXPECT_EQ(BYTES, req.src_len);
		EXPECT_LT(req.dst_len, BYTES);
		packed = req.dst_len;
		ASSERT_EQ(BYTES, unpack(alg, room, packed, back, BYTES));
		EXPECT_EQ(0, memcmp(plain, back, BYTES));
		memset(back, 0, BYTES);
		req = request(WD_DIR_DECOMPRESS, room, packed, back, BYTES);
		ASSERT_EQ(0, wd_do_comp_sync(in, &req));
		EXPECT_EQ(0, req.status);
		EXPECT_EQ(BYTES, req.dst_len);
		EXPECT_EQ(0, memcmp(plain, back, BYTES));
		/* A session takes the other direction, too. */
		req = request(WD_DIR_DECOMPRESS, room, packed, back, BYTES);
		EXPECT_EQ(0, wd_do_comp_sync2(out, &req));
		wd_comp_free_sess(out);
		wd_comp_free_sess(in);
	}
	wd_comp_free_sess(0);
}

TEST_F(comp, lists)
{
	struct wd_datalist src[3], dst[2];
	handle_t out = session(WD_ZLIB, WD_DIR_COMPRESS);
	struct wd_comp_req req;

	ASSERT_NE(0, out);
	memset(src, 0xa5, sizeof(src));
	memset(dst, 0xa5, sizeof(dst));
	for (int i = 0; i < 3; i++) {
		src[i].data = plain + i * 7000;
		src[i].len = i < 2 ? 7000 : BYTES - 14000;
		src[i].next = i < 2 ? &src[i + 1] : NULL;
	}
	dst[0].data = room;
	dst[0].len = 100;
	dst[0].next = &dst[1];
	dst[1].data = room + 100;
	dst[1].len = sizeof(room) - 100;
	dst[1].next = NULL;
	req = request(WD_DIR_COMPRESS, src, BYTES, dst, sizeof(room));
	req.data_fmt = WD_SGL_BUF;
	ASSERT_EQ(0, wd_do_comp_sync(out, &req));
	EXPECT_EQ(BYTES, unpack(WD_ZLIB, room, req.dst_len, back, BYTES));
	EXPECT_EQ(0, memcmp(plain, back, BYTES));
	/* A list without an end. */
	src[2].next = &src[0];
	req = request(WD_DIR_COMPRESS, src, BYTES, dst, sizeof(room));
	req.data_fmt = WD_SGL_BUF;
	EXPECT_EQ(-WD_ENOMEM, wd_do_comp_sync(out, &req));
	wd_comp_free_sess(out);
}

/* Bare blocks, judged by liblz4. */
TEST_F(comp, lz4)
{
	handle_t h = session(WD_LZ4, WD_DIR_COMPRESS);
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
	struct wd_datalist list = { .data = plain, .len = BYTES };

	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_do_comp_sync(h, &req));
	EXPECT_LT(req.dst_len, BYTES);
	ASSERT_EQ((int)BYTES, LZ4_decompress_safe((char *)room, (char *)back, (int)req.dst_len, BYTES));
	EXPECT_EQ(0, memcmp(plain, back, BYTES));
	memset(back, 0, BYTES);
	req = request(WD_DIR_DECOMPRESS, room, req.dst_len, back, BYTES);
	ASSERT_EQ(0, wd_do_comp_sync(h, &req));
	EXPECT_EQ(BYTES, req.dst_len);
	EXPECT_EQ(0, memcmp(plain, back, BYTES));
	/* There are no lists of them, and no streams. */
	req = request(WD_DIR_COMPRESS, &list, BYTES, &list, BYTES);
	req.data_fmt = WD_SGL_BUF;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(h, &req));
	req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(h, &req));
	wd_comp_free_sess(h);
}

TEST_F(comp, refused)
{
	handle_t out = session(WD_ZLIB, WD_DIR_COMPRESS);
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, 0, room, 100);
	struct wd_comp_sess_setup setup = { .alg_type = WD_ZLIB, .comp_lv = WD_COMP_L15 + 1 };

	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(out, &req));
	req = request(WD_DIR_COMPRESS, plain, 10, room, 100);
	req.cb = (wd_alg_comp_cb_t *)abort;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(out, &req));
	req.cb_param = NULL;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_async(out, &req));
	req.cb = NULL;
	req.cb_param = &req;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_async(out, &req));
	req = request(7, plain, 10, room, 100);
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(out, &req));
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(0, &req));
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_sync(out, NULL));
	req = request(WD_DIR_COMPRESS, plain, BYTES, room, 16);
	EXPECT_EQ(-WD_OUT_EPARA, wd_do_comp_sync(out, &req));
	EXPECT_EQ(WD_OUT_EPARA, req.status);
	req = request(WD_DIR_DECOMPRESS, plain, BYTES, room, sizeof(room));
	EXPECT_EQ(-WD_IN_EPARA, wd_do_comp_sync(out, &req));
	EXPECT_EQ(WD_IN_EPARA, req.status);
	wd_comp_free_sess(out);
	EXPECT_EQ(0, wd_comp_alloc_sess(&setup));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, wd_comp_alloc_sess(NULL));
	EXPECT_EQ(0, session(WD_LZ77_ZSTD, WD_DIR_COMPRESS));
	EXPECT_EQ(EINVAL, errno);
	/* Level and window 0: the default, as QEMU asks for. */
	setup.comp_lv = 0;
	out = wd_comp_alloc_sess(&setup);
	EXPECT_NE(0, out);
	wd_comp_free_sess(out);
}

struct job {
	struct wd_comp_req *req;	/* the copy */
	unsigned char out[256];
	__u32 status, src_len, dst_len;
	int calls;
	int before;			/* a callback freed a session */
};

static struct job jobs[MANY];

static void *heard(struct wd_comp_req *req, void *param)
{
	struct job *job = param;

	job->req = req;
	job->calls++;
	job->status = req->status;
	job->src_len = req->src_len;
	job->dst_len = req->dst_len;
	return NULL;
}

static int submit(handle_t h, struct job *job, unsigned int i)
{
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain + i % 1000, 100 + i % 50, job->out, sizeof(job->out));
	int ret;

	req.cb = heard;
	req.cb_param = job;
	/* The request is the caller's again at once. */
	ret = wd_do_comp_async(h, &req);
	memset(&req, 0x5a, sizeof(req));
	return ret;
}

static bool job_right(const struct job *job, unsigned int i)
{
	return job->calls == 1 && !job->status && job->src_len == 100 + i % 50 &&
		unpack(WD_ZLIB, job->out, job->dst_len, back, BYTES) == (int)job->src_len &&
		!memcmp(back, plain + i % 1000, job->src_len);
}

/* More than any queue holds, with no poll between: a full queue must empty without the caller's help. */
TEST_F(comp, async)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	__u32 count = 7;

	ASSERT_NE(0, h);
	memset(jobs, 0, sizeof(jobs));
	for (int i = 0; i < MANY; i++) {
		int ret;

		while ((ret = submit(h, &jobs[i], i)) == -WD_EBUSY)
			;
		ASSERT_EQ(0, ret);
	}
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, jobs[i].calls);
	ASSERT_EQ(0, wd_comp_poll(1, &count));
	EXPECT_EQ(8, count);
	ASSERT_EQ(0, wd_comp_poll(MANY - 1, &count));
	EXPECT_EQ(MANY + 7, count);
	for (int i = 0; i < MANY; i++)
		ASSERT_TRUE(job_right(&jobs[i], i));
	/* Nothing is in flight. */
	EXPECT_EQ(0, wd_comp_poll(1, &count));
	EXPECT_EQ(MANY + 7, count);
	EXPECT_EQ(-WD_EAGAIN, wd_comp_poll_ctx(0, 1, &count));
	EXPECT_EQ(0, count);
	EXPECT_EQ(-WD_EINVAL, wd_comp_poll_ctx(0, 0, &count));
	EXPECT_EQ(-WD_EINVAL, wd_comp_poll_ctx(0, 1, NULL));
	EXPECT_EQ(-WD_EINVAL, wd_comp_poll(1, NULL));
	wd_comp_free_sess(h);
}

TEST_F(comp, poll_ctx)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	__u32 count, sum = 0;

	memset(jobs, 0, sizeof(jobs));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, submit(h, &jobs[i], i));
	while (sum < 3) {
		int ret = wd_comp_poll_ctx(0, 64, &count);

		/* Fewer than expected, and counted all the same. */
		ASSERT_EQ(-WD_EAGAIN, ret);
		sum += count;
	}
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(job_right(&jobs[i], i));
	wd_comp_free_sess(h);
}

/* The session ends without a callback, and another's results come. */
TEST_F(comp, freed)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS), other = session(WD_ZLIB, WD_DIR_COMPRESS);
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	for (int i = 0; i < 40; i++)
		ASSERT_EQ(0, submit(i % 2 ? other : h, &jobs[i], i));
	wd_comp_free_sess(h);
	ASSERT_EQ(0, wd_comp_poll(40, &count));
	EXPECT_EQ(20, count);
	for (int i = 0; i < 40; i++)
		EXPECT_EQ(i % 2, jobs[i].calls);
	wd_comp_free_sess(other);
}

/* A callback that does something, and hears of other results afterwards. */
struct act {
	handle_t frees;
	unsigned int polls;		/* inside of each other */
	bool exits;			/* the thread */
	int calls;
};

static int submit_act(handle_t h, struct act *act);

static void *acts(struct wd_comp_req *req, void *param)
{
	struct act *act = param;
	__u32 count = 0;

	act->calls++;
	if (req->status || req->dst_len < 10)
		act->calls += 1000;
	if (act->frees) {
		wd_comp_free_sess(act->frees);
		for (int i = 0; i < MANY; i++)
			jobs[i].before = jobs[i].calls;
	}
	act->frees = 0;
	if (act->polls) {
		handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);

		act->polls--;
		if (submit_act(h, act) || wd_comp_poll(1, &count) || count != 1)
			act->calls += 1000;
		wd_comp_free_sess(h);
	}
	if (act->exits)
		pthread_exit(param);
	return NULL;
}

static int submit_act(handle_t h, struct act *act)
{
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, 100, room + act->polls * 200, 200);

	req.cb = acts;
	req.cb_param = act;
	return wd_do_comp_async(h, &req);
}

/* Later requests of the freed session end unheard, and those of the other session don't. */
static bool ends_unheard(handle_t freed, handle_t other, handle_t by)
{
	struct act act = { .frees = freed };
	bool good = true;
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	good = !submit_act(by, &act);
	for (int i = 0; i < 40; i++)
		good = good && !submit(i % 2 ? other : freed, &jobs[i], i);
	good = good && !wd_comp_poll(100, &count) && act.calls == 1;
	for (int i = 0; i < 40; i++) {
		count -= jobs[i].calls;
		good = good && jobs[i].calls == (i % 2 ? 1 : jobs[i].before);
	}
	return good && count == 1;
}

TEST_F(comp, freed_in_callback)
{
	handle_t one = session(WD_ZLIB, WD_DIR_COMPRESS), two = session(WD_ZLIB, WD_DIR_COMPRESS),
		 three = session(WD_ZLIB, WD_DIR_COMPRESS);

	/* Its own session, and another. */
	EXPECT_TRUE(ends_unheard(one, two, one));
	EXPECT_TRUE(ends_unheard(two, three, three));
	wd_comp_free_sess(three);
}

/* Deeper than polls of ours may be. */
TEST_F(comp, polls_in_callbacks)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	struct act act = { .polls = 20 };
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	ASSERT_EQ(0, submit_act(h, &act));
	ASSERT_EQ(0, wd_comp_poll(1, &count));
	EXPECT_EQ(1, count);
	EXPECT_EQ(21, act.calls);
	wd_comp_free_sess(h);
}

static void *submits_and_exits(void *p)
{
	handle_t h = *(handle_t *)p;
	struct act act = { .exits = true };
	__u32 count = 0;

	if (submit_act(h, &act))
		return p;
	for (int i = 0; i < 70; i++)
		if (submit(h, &jobs[i], i))
			return p;
	wd_comp_poll(100, &count);
	return p;
}

/* A callback ends its thread: what that had submitted is for others, whose own requests use its memory again. */
TEST_F(comp, thread_ends_in_callback)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	pthread_t thread;

	for (int round = 0; round < 3; round++) {
		__u32 count = 0;
		void *ret;

		memset(jobs, 0, sizeof(jobs));
		ASSERT_EQ(0, pthread_create(&thread, NULL, submits_and_exits, &h));
		ASSERT_EQ(0, pthread_join(thread, &ret));
		EXPECT_NE((void *)&h, ret);
		for (int i = 70; i < 200; i++)
			ASSERT_EQ(0, submit(h, &jobs[i], i));
		EXPECT_EQ(0, wd_comp_poll(1000, &count));
		for (int i = 0; i < 200; i++)
			EXPECT_TRUE(job_right(&jobs[i], i));
	}
	wd_comp_free_sess(h);
}

/* QEMU ends the class at the end of each channel. */
TEST_F(comp, uninit)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS), sync = session(WD_ZLIB, WD_DIR_COMPRESS);
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, submit(h, &jobs[i], i));
	wd_comp_uninit2();
	EXPECT_EQ(0, session(WD_ZLIB, WD_DIR_COMPRESS));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, wd_do_comp_sync(sync, &req));
	EXPECT_EQ(0, wd_comp_poll(10, &count));
	EXPECT_EQ(10, count);
	for (int i = 0; i < 10; i++)
		EXPECT_TRUE(job_right(&jobs[i], i));
	wd_comp_free_sess(h);
	wd_comp_free_sess(sync);
	EXPECT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_INSTR));
	h = session(WD_ZLIB, WD_DIR_COMPRESS);
	EXPECT_NE(0, h);
	wd_comp_free_sess(h);
}

static int child(void *p)
{
	handle_t h = *(handle_t *)p;
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
	__u32 count = 0;

	/* The parent's requests are the parent's; its session works, and the class has to be prepared. */
	if (wd_do_comp_sync(h, &req) || unpack(WD_ZLIB, room, req.dst_len, back, BYTES) != (int)BYTES)
		return 1;
	if (session(WD_ZLIB, WD_DIR_COMPRESS))
		return 2;
	if (wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX))
		return 3;
	if (wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX) != -WD_EEXIST)
		return 4;
	memset(jobs, 0, sizeof(jobs));
	if (submit(h, &jobs[0], 0) || wd_comp_poll(2, &count) || count != 1 || !job_right(&jobs[0], 0))
		return 5;
	wd_comp_free_sess(h);
	wd_comp_uninit2();
	return 0;
}

TEST_F(comp, fork)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, submit(h, &jobs[i], i));
	EXPECT_EQ(0, in_child(child, &h));
	EXPECT_EQ(0, wd_comp_poll(10, &count));
	EXPECT_EQ(10, count);
	EXPECT_EQ(-WD_EEXIST, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
	wd_comp_free_sess(h);
}

/* Always has requests in flight, until it is killed. */
static void keep_busy(int told)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	__u32 count = 0;
	int ret = 0;

	for (unsigned int i = 0; !ret; i++) {
		while ((ret = submit(h, &jobs[i % 100], i)) == -WD_EBUSY)
			;
		/* The first ones are only submitted. */
		if (i == 100 && write(told, "", 1) != 1)
			break;
		if (i > 100 && !ret)
			ret = wd_comp_poll(1, &count);
	}
	_exit(1);
}

/* The emulator's devices are each process' own, and die with it. */
static int contexts(void)
{
	struct uacce_dev *dev = emulated() ? NULL : wd_get_accel_dev("zlib");
	int nr = dev ? wd_get_avail_ctx(dev) : 0;

	free(dev);
	return nr;
}

/* What it had is for others, whose sessions go on. */
TEST_F(comp, killed)
{
	handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
	struct wd_comp_req req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
	int before, told[2], status;

	ASSERT_EQ(0, pipe(told));
	ASSERT_EQ(0, wd_do_comp_sync(h, &req));
	before = contexts();
	for (unsigned int round = 0; round < 5; round++) {
		pid_t pid = fork();
		char c;

		if (!pid) {
			if (!wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX))
				keep_busy(told[1]);
			_exit(2);
		}
		ASSERT_EQ(1, read(told[0], &c, 1));
		usleep(round * 1000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		for (int i = 0; i < 300 && contexts() != before; i++)
			usleep(10000);
		EXPECT_EQ(before, contexts());
		req = request(WD_DIR_COMPRESS, plain, BYTES, room, sizeof(room));
		EXPECT_EQ(0, wd_do_comp_sync(h, &req));
		EXPECT_EQ(BYTES, unpack(WD_ZLIB, room, req.dst_len, back, BYTES));
		EXPECT_EQ(0, in_child(child, &h));
	}
	close(told[0]);
	close(told[1]);
	wd_comp_free_sess(h);
}

static void *over(struct wd_comp_req *req, void *param)
{
	(void)req;
	atomic_store((atomic_int *)param, 1);
	return NULL;
}

/* As many as Ceph has threads, with a session for each object. Any thread's poll may run the callback. */
static void *thread(void *p)
{
	unsigned int seed = (unsigned int)(uintptr_t)p;
	unsigned char out[4096], in[1024], text[1024];
	__u32 count = 0;

	fill_text(text, sizeof(text), seed);
	for (int i = 0; i < 40; i++) {
		handle_t h = session(WD_ZLIB, WD_DIR_COMPRESS);
		struct wd_comp_req req = request(WD_DIR_COMPRESS, text, sizeof(text), out, sizeof(out));
		atomic_int ended = 0;

		if (!h || wd_do_comp_sync(h, &req) ||
		    unpack(WD_ZLIB, out, req.dst_len, in, sizeof(in)) != (int)sizeof(in) || memcmp(in, text, 1024))
			return p;
		req = request(WD_DIR_COMPRESS, text, 200, out, sizeof(out));
		req.cb = over;
		req.cb_param = &ended;
		if (wd_do_comp_async(h, &req))
			return p;
		for (; !atomic_load(&ended); turn_over())
			wd_comp_poll(1, &count);
		wd_comp_free_sess(h);
	}
	return NULL;
}

TEST_F(comp, threads)
{
	pthread_t threads[4];
	void *ret;

	for (uintptr_t i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread, (void *)(i + 1)));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		EXPECT_EQ(NULL, ret);
	}
}

TEST(init)
{
	struct wd_ctx ctxs[2] = { { 0 } };
	struct wd_ctx_config config = { .ctx_num = 0, .ctxs = ctxs };
	struct wd_ctx_nums nums[2] = { { 4, 0 }, { 4, 2 } };
	struct wd_ctx_params params = { .op_type_num = 2, .ctx_set_num = nums };
	struct wd_sched *sched = wd_sched_rr_alloc(SCHED_POLICY_RR, 2, 1, wd_comp_poll_ctx);
	struct uacce_dev *dev = wd_get_accel_dev("zlib");
	handle_t h;

	fill_text(plain, BYTES, 1);
	ASSERT_NE(NULL, sched);
	EXPECT_EQ(0, session(WD_ZLIB, WD_DIR_COMPRESS));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init(NULL, sched));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init(&config, sched));
	config.ctx_num = 2;
	EXPECT_EQ(-WD_EINVAL, wd_comp_init(&config, sched));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init2("rsa", SCHED_POLICY_RR, TASK_MIX));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init2("lz77_zstd", SCHED_POLICY_RR, TASK_MIX));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init2(NULL, SCHED_POLICY_RR, TASK_MIX));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init2("zlib", SCHED_POLICY_BUTT, TASK_MIX));
	EXPECT_EQ(-WD_EINVAL, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MAX_TYPE));
	EXPECT_EQ(dev ? 0 : -WD_ENODEV, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_HW));
	if (dev) {
		EXPECT_EQ(-WD_EEXIST, wd_comp_init2("gzip", SCHED_POLICY_RR, TASK_HW));
		h = session(WD_ZLIB, WD_DIR_COMPRESS);
		EXPECT_NE(0, h);
		wd_comp_free_sess(h);
		wd_comp_uninit2();
		/* The program's own contexts, as Ceph does. */
		for (int i = 0; i < 2; i++)
			ctxs[i] = (struct wd_ctx){ .ctx = wd_request_ctx(dev), .op_type = (__u8)i };
		EXPECT_EQ(0, wd_comp_init(&config, sched));
		EXPECT_EQ(-WD_EEXIST, wd_comp_init(&config, sched));
		memset(&config, 0, sizeof(config));
		h = session(WD_ZLIB, WD_DIR_COMPRESS);
		EXPECT_NE(0, h);
		wd_comp_free_sess(h);
		EXPECT_EQ(-WD_EINVAL, wd_comp_poll_ctx(2, 1, &(__u32){ 0 }));
		wd_comp_uninit();
		for (int i = 0; i < 2; i++)
			wd_release_ctx(ctxs[i].ctx);
	}
	EXPECT_EQ(0, wd_comp_init2_("zlib", SCHED_POLICY_NONE, TASK_MIX, &params));
	wd_comp_uninit2();
	wd_comp_uninit2();
	wd_sched_rr_release(sched);
	free(dev);
}

TEST_HARNESS_MAIN
