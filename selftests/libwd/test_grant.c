// SPDX-License-Identifier: Apache-2.0
/* The contexts that sessions get from a slot's grants. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <wd_cq.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "sectioned.h"
#include "tsan_fork.h"
#include "turn.h"

#define LEN	1000
#define ROUNDS	200
#define CTXS	64

static unsigned char plain[LEN], packed[2 * LEN];
static size_t packed_len;

static int start(const char *name)
{
	int ret;

	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	ret = wd_user_start(name);
	unsetenv("WD_ATTACH_TIMEOUT");
	return ret;
}

static handle_t session(int op, int dir, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = op, .dir_type = dir, .comp_lv = dir == WD_DIR_COMPRESS,
		.win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static handle_t hw(int op, int dir)
{
	return session(op, dir, WD_SESS_PATH_HW);
}

static int compress(handle_t sess)
{
	unsigned char dst[2 * LEN];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = plain, .src_len = LEN, .dst = dst, .dst_len = &len };
	int ret = wd_compress(sess, &arg);

	if (!ret && !packed_len) {
		memcpy(packed, dst, len);
		packed_len = len;
	}
	return ret;
}

static int decompress(handle_t sess)
{
	unsigned char dst[LEN];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = packed, .src_len = packed_len, .dst = dst, .dst_len = &len };
	int ret = wd_decompress(sess, &arg);

	return ret ? ret : len == LEN && !memcmp(dst, plain, LEN) ? 0 : -EBADMSG;
}

/* Data to decompress, made by the software path. */
static void pack(void)
{
	handle_t soft = session(WD_SYNC, WD_DIR_COMPRESS, WD_SESS_PATH_SOFT);

	if (compress(soft) || wd_comp_free_sess(soft))
		abort();
}

/* Counts the open contexts with these properties; -1 matches any. */
static unsigned int open_ctxs(int qc_type, int async, const char *dev)
{
	struct wd_ctx_info info;
	unsigned int n = 0, i;

	for (i = 0; !wd_ctx_info(i, &info); i++)
		n += !info.state && info.path != WD_PATH_SOFT && (qc_type < 0 || info.qc_type == qc_type) &&
		     (async < 0 || info.async == async) && (!dev || !strcmp(info.dev_name, dev));
	return n;
}

static void count_one(struct wd_comp_arg *arg, void *param)
{
	atomic_fetch_add((_Atomic int *)param, arg->status == 0);
}

TEST(grants_name_devices_nodes_and_counts)
{
	struct wd_user_grant g;
	struct wd_user_info info;

	ASSERT_EQ(0, start("NODES"));
	ASSERT_EQ(0, wd_user_info(&info));
	EXPECT_EQ(2, info.nr_grants);
	ASSERT_EQ(0, wd_user_grant(0, &g));
	EXPECT_STREQ("hisi_zip-0", g.dev_name);
	EXPECT_EQ(0, g.numa_node);
	EXPECT_EQ(1, g.sync_ctxs);
	EXPECT_EQ(1, g.async_ctxs);
	ASSERT_EQ(0, wd_user_grant(1, &g));
	EXPECT_STREQ("hisi_zip-1", g.dev_name);
	EXPECT_EQ(1, g.numa_node);
	EXPECT_EQ(2, g.sync_ctxs);
	EXPECT_EQ(3, g.async_ctxs);
	EXPECT_EQ(-ENOENT, wd_user_grant(2, &g));
}

TEST(the_sections_priority_and_extras_are_told)
{
	struct wd_user_info info;

	ASSERT_EQ(0, start("EXTRA"));
	ASSERT_EQ(0, wd_user_info(&info));
	EXPECT_EQ(5, info.queue_priority);
	EXPECT_EQ(1, info.max_extra_ctxs);
	EXPECT_EQ(0, info.inherited);
}

TEST(a_slot_of_one_device_has_nothing_of_the_others)
{
	struct wd_user_info info;
	struct wd_user_grant g;
	handle_t sess;
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};

	ASSERT_EQ(0, start("LIMIT"));
	ASSERT_EQ(0, wd_user_info(&info));
	ASSERT_EQ(1, info.nr_grants);
	ASSERT_EQ(0, wd_user_grant(0, &g));
	sess = hw(WD_SYNC, WD_DIR_COMPRESS);
	EXPECT_EQ(0, compress(sess));
	EXPECT_EQ(1, open_ctxs(-1, -1, g.dev_name));
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
	wd_dev_mask_set(mask, !strcmp(g.dev_name, "hisi_zip-0"));
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&setup, mask));
	EXPECT_EQ(EACCES, errno);
	wd_dev_mask_free(mask);
}

TEST(sessions_open_what_can_be_spared)
{
	struct wd_user_grant g;
	unsigned int i;

	pack();
	ASSERT_EQ(0, start("FOUR"));
	EXPECT_EQ(0, open_ctxs(-1, -1, NULL));
	for (i = 1; i <= 6; i++) {
		EXPECT_EQ(0, compress(hw(WD_SYNC, WD_DIR_COMPRESS)));
		/* The last context is left for decompression. */
		EXPECT_EQ(i < 3 ? i : 3, open_ctxs(0, 0, "hisi_zip-0"));
	}
	EXPECT_EQ(0, decompress(hw(WD_SYNC, WD_DIR_DECOMPRESS)));
	EXPECT_EQ(0, decompress(hw(WD_SYNC, WD_DIR_DECOMPRESS)));
	EXPECT_EQ(3, open_ctxs(0, 0, NULL));
	EXPECT_EQ(1, open_ctxs(1, 0, NULL));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_COMPRESS));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_DECOMPRESS));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_DECOMPRESS));
	EXPECT_EQ(1, open_ctxs(0, 1, NULL));
	EXPECT_EQ(1, open_ctxs(1, 1, NULL));
	ASSERT_EQ(0, wd_user_grant(0, &g));
	EXPECT_EQ(4, g.sync_open);
	EXPECT_EQ(2, g.async_open);
}

TEST(one_context_serves_both_modes)
{
	unsigned char dst[2 * LEN];
	size_t len = sizeof(dst);
	_Atomic int done = 0;
	struct wd_comp_arg arg = {
		.src = plain, .src_len = LEN, .dst = dst, .dst_len = &len, .cb = count_one, .cb_param = (void *)&done,
	};
	handle_t sync, async;

	ASSERT_EQ(0, start("ONE"));
	sync = hw(WD_SYNC, WD_DIR_COMPRESS);
	async = hw(WD_ASYNC, WD_DIR_COMPRESS);
	ASSERT_NE(0, sync);
	ASSERT_NE(0, async);
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
	EXPECT_EQ(0, wd_comp_async(async, &arg, NULL));
	EXPECT_EQ(0, compress(sync));
	EXPECT_EQ(1, wd_comp_poll(1, 60000, NULL));
	EXPECT_EQ(1, done);
}

TEST(a_synchronous_session_lives_on_an_asynchronous_grant)
{
	ASSERT_EQ(0, start("ASYNC"));
	EXPECT_EQ(0, compress(hw(WD_SYNC, WD_DIR_COMPRESS)));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_COMPRESS));
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
}

TEST(modes_borrow_each_others_share)
{
	pack();
	ASSERT_EQ(0, start("BOTH"));
	EXPECT_EQ(0, compress(hw(WD_SYNC, WD_DIR_COMPRESS)));
	EXPECT_EQ(0, decompress(hw(WD_SYNC, WD_DIR_DECOMPRESS)));
	EXPECT_EQ(2, open_ctxs(-1, 0, NULL));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_COMPRESS));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_DECOMPRESS));
	EXPECT_EQ(2, open_ctxs(-1, -1, NULL));
}

TEST(queue_types_take_turns_on_one_context)
{
	struct wd_ctx_info info;
	handle_t c, d;
	int i;

	pack();
	ASSERT_EQ(0, start("ONE"));
	c = hw(WD_SYNC, WD_DIR_COMPRESS);
	ASSERT_EQ(0, compress(c));
	d = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	ASSERT_NE(0, d);
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, decompress(d));
		EXPECT_EQ(1, open_ctxs(1, -1, NULL));
		EXPECT_EQ(0, compress(c));
		EXPECT_EQ(1, open_ctxs(0, -1, NULL));
		EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
	}
	/* Two numbers were used for contexts, of which one is closed. */
	EXPECT_EQ(-ENOENT, wd_ctx_info(2, &info));
}

static bool both_types(handle_t *c, handle_t *d)
{
	*c = hw(WD_SYNC, WD_DIR_COMPRESS);
	*d = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	return *c && *d;
}

TEST(an_extra_context_serves_what_no_grant_is_left_for)
{
	struct wd_user_grant g;
	handle_t c, d;
	int i;

	pack();
	ASSERT_EQ(0, start("EXTRA"));
	ASSERT_TRUE(both_types(&c, &d));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, compress(c));
		EXPECT_EQ(0, decompress(d));
		EXPECT_EQ(1, open_ctxs(0, -1, "hisi_zip-0"));
		EXPECT_EQ(1, open_ctxs(1, -1, "hisi_zip-0"));
	}
	ASSERT_EQ(0, wd_user_grant(0, &g));
	EXPECT_EQ(1, g.sync_ctxs);
	EXPECT_EQ(2, g.sync_open);
	/* There is a context, and extra ones aren't meant for spreading load: sessions share it. */
	EXPECT_NE(0, hw(WD_SYNC, WD_DIR_COMPRESS));
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_COMPRESS));
	EXPECT_EQ(2, open_ctxs(-1, -1, NULL));
}

/* A process outside of sections that holds all free queues of the device until the pipe is closed. */
static pid_t pool_emptied(int *end)
{
	int ready[2], hold[2];
	pid_t pid;
	char c = 0;

	if (pipe(ready) || pipe(hold))
		abort();
	pid = fork();
	if (!pid) {
		close(hold[1]);
		while (open("/dev/hisi_zip-0", O_RDWR) >= 0)
			;
		_exit(errno != EBUSY || write(ready[1], &c, 1) != 1 || read(hold[0], &c, 1) < 0);
	}
	close(hold[0]);
	if (read(ready[0], &c, 1) != 1)
		abort();
	*end = hold[1];
	return pid;
}

TEST(without_a_free_extra_context_queue_types_take_turns)
{
	handle_t c, d;
	int end, i;
	pid_t pid;

	pack();
	pid = pool_emptied(&end);
	ASSERT_EQ(0, start("EXTRA"));
	ASSERT_TRUE(both_types(&c, &d));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, decompress(d));
		EXPECT_EQ(0, compress(c));
		EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
	}
	close(end);
	waitpid(pid, NULL, 0);
}

/* Waits longer than a refused extra context is remembered, so that each turn asks the pool again. */
TEST(queue_types_take_turns_also_when_the_pool_refuses_again)
{
	handle_t c, d;
	int end, i;
	pid_t pid;

	pack();
	pid = pool_emptied(&end);
	ASSERT_EQ(0, start("EXTRA"));
	ASSERT_TRUE(both_types(&c, &d));
	for (i = 0; i < 3; i++) {
		poll(NULL, 0, 150);
		EXPECT_EQ(0, decompress(d));
		poll(NULL, 0, 150);
		EXPECT_EQ(0, compress(c));
	}
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
	close(end);
	waitpid(pid, NULL, 0);
}

static handle_t work[2];

static void *worker(void *arg)
{
	int *bad = arg, i;

	for (i = 0; i < ROUNDS; i++)
		*bad += compress(work[0]) != 0;
	return NULL;
}

/* Returns how many of the requests on both sessions were refused. */
static int both_busy(void)
{
	int bad = 0, failed = 0, i;
	pthread_t thread;

	if (pthread_create(&thread, NULL, worker, &bad))
		abort();
	for (i = 0; i < ROUNDS; i++)
		failed += decompress(work[1]) != 0;
	pthread_join(thread, NULL);
	return bad + failed;
}

TEST(queue_types_take_turns_while_both_are_busy)
{
	int refused = 2 * ROUNDS, i;

	pack();
	ASSERT_EQ(0, start("ONE"));
	work[0] = hw(WD_SYNC, WD_DIR_COMPRESS);
	work[1] = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	ASSERT_NE(0, work[1]);
	/*
	 * Each thread waits at most a tenth of a second for the other. On a busy machine many may take longer, but not
	 * each time.
	 */
	for (i = 0; i < 20 && refused >= ROUNDS / 10; i++)
		refused = both_busy();
	EXPECT_LT(refused, ROUNDS / 10);
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
}

TEST(a_context_with_work_in_it_is_not_taken_away)
{
	unsigned char dst[2 * LEN];
	size_t len = sizeof(dst);
	_Atomic int done = 0;
	struct wd_comp_arg arg = {
		.src = plain, .src_len = LEN, .dst = dst, .dst_len = &len, .cb = count_one, .cb_param = (void *)&done,
	};
	handle_t c, soft;

	pack();
	ASSERT_EQ(0, start("ONE"));
	c = hw(WD_ASYNC, WD_DIR_COMPRESS);
	ASSERT_EQ(0, wd_comp_async(c, &arg, NULL));
	errno = 0;
	EXPECT_EQ(0, hw(WD_SYNC, WD_DIR_DECOMPRESS));
	EXPECT_EQ(EDQUOT, errno);
	soft = session(WD_SYNC, WD_DIR_DECOMPRESS, 0);
	EXPECT_EQ(0, decompress(soft));
	EXPECT_EQ(1, wd_comp_poll(1, 60000, NULL));
	EXPECT_EQ(1, done);
	EXPECT_EQ(0, decompress(hw(WD_SYNC, WD_DIR_DECOMPRESS)));
	len = sizeof(dst);
	EXPECT_EQ(0, wd_comp_async(c, &arg, NULL));
	EXPECT_EQ(1, wd_comp_poll(1, 60000, NULL));
	EXPECT_EQ(2, done);
}

TEST(a_request_that_no_context_is_left_for_is_told)
{
	unsigned char dst[2 * LEN];
	size_t len = sizeof(dst);
	_Atomic int done = 0;
	struct wd_comp_arg arg = {
		.src = plain, .src_len = LEN, .dst = dst, .dst_len = &len, .cb = count_one, .cb_param = (void *)&done,
	};
	handle_t c, d, soft;

	pack();
	ASSERT_EQ(0, start("ONE"));
	d = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	soft = session(WD_SYNC, WD_DIR_DECOMPRESS, 0);
	c = hw(WD_ASYNC, WD_DIR_COMPRESS);
	ASSERT_NE(0, c);
	ASSERT_EQ(0, wd_comp_async(c, &arg, NULL));
	EXPECT_EQ(-EDQUOT, decompress(d));
	EXPECT_EQ(0, decompress(soft));
	EXPECT_EQ(1, wd_comp_poll(1, 60000, NULL));
	EXPECT_EQ(0, decompress(d));
}

/* The library waits a tenth of a second, in which a poll thread may not get a CPU. */
static int decompress_in_the_end(handle_t sess)
{
	int ret, tries = 0;

	while ((ret = decompress(sess)) == -EDQUOT && tries++ < 1000)
		turn_over();
	return ret;
}

/* The poll thread may be about to notice that the context is closed, and until then it can't be opened. */
static int async_in_the_end(handle_t sess, struct wd_comp_arg *arg)
{
	int ret, tries = 0;

	while ((ret = wd_comp_async(sess, arg, NULL)) == -EDQUOT && tries++ < 1000)
		poll(NULL, 0, 1);
	return ret;
}

TEST(poll_threads_let_go_of_a_context_that_is_wanted)
{
	handle_t c, d;
	int i;

	pack();
	ASSERT_EQ(0, start("ONE"));
	ASSERT_EQ(0, wd_start_pollers("2"));
	c = hw(WD_ASYNC, WD_DIR_COMPRESS);
	d = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	ASSERT_NE(0, c);
	for (i = 0; i < 50; i++) {
		unsigned char dst[2 * LEN];
		size_t len = sizeof(dst);
		_Atomic int done = 0;
		struct wd_comp_arg arg = {
			.src = plain, .src_len = LEN, .dst = dst, .dst_len = &len, .cb = count_one,
			.cb_param = (void *)&done,
		};

		ASSERT_EQ(0, decompress_in_the_end(d));
		ASSERT_EQ(0, async_in_the_end(c, &arg));
		while (!done)
			turn_over();
	}
	EXPECT_EQ(0, wd_stop_pollers());
}

TEST(a_completion_queue_has_contexts_of_its_own)
{
	handle_t cq = wd_cq_create(16), plainly, queued, other;
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW | WD_SESS_CQ, .cq = cq,
	};

	ASSERT_EQ(0, start("BOTH"));
	plainly = hw(WD_ASYNC, WD_DIR_COMPRESS);
	queued = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_NE(0, plainly);
	ASSERT_NE(0, queued);
	EXPECT_EQ(2, open_ctxs(0, 1, NULL));
	other = hw(WD_SYNC, WD_DIR_DECOMPRESS);
	EXPECT_NE(0, other);
	EXPECT_EQ(2, open_ctxs(-1, -1, NULL));
	EXPECT_EQ(0, wd_comp_free_sess(queued));
	EXPECT_EQ(0, wd_cq_destroy(cq));
	wd_comp_free_sess(plainly);
	wd_comp_free_sess(other);
	EXPECT_EQ(0, wd_user_stop());
	EXPECT_EQ(0, open_ctxs(-1, -1, NULL));
}

TEST(the_near_devices_contexts_come_first)
{
	unsigned int cpu, node;

	if (getcpu(&cpu, &node) || node)
		SKIP(return, "not on node 0");
	pack();
	ASSERT_EQ(0, start("NODES"));
	EXPECT_EQ(0, compress(hw(WD_SYNC, WD_DIR_COMPRESS)));
	EXPECT_EQ(1, open_ctxs(-1, -1, "hisi_zip-0"));
	EXPECT_EQ(0, open_ctxs(-1, -1, "hisi_zip-1"));
	/* The other type takes the other share on the near device. */
	EXPECT_EQ(0, decompress(hw(WD_SYNC, WD_DIR_DECOMPRESS)));
	EXPECT_EQ(2, open_ctxs(-1, -1, "hisi_zip-0"));
	/* The near device has no share left: the far one is used. */
	EXPECT_NE(0, hw(WD_ASYNC, WD_DIR_COMPRESS));
	EXPECT_EQ(1, open_ctxs(0, 1, "hisi_zip-1"));
}

TEST(outside_sections_the_near_device_is_used)
{
	unsigned int cpu, node;
	int i;

	if (getcpu(&cpu, &node) || node)
		SKIP(return, "not on node 0");
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, compress(hw(WD_SYNC, WD_DIR_COMPRESS)));
	EXPECT_EQ(1, open_ctxs(-1, -1, "hisi_zip-0"));
	EXPECT_EQ(1, open_ctxs(-1, -1, NULL));
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
