// SPDX-License-Identifier: Apache-2.0
/* When the library closes queues: with the last session, with their device, after forks. */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wd_cq.h>
#include <wd_user.h>

#include "need_device.h"
#include "on_device.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN		600
#define ROOM		1200
#define FLAPS		12
#define MANY		33
#define GENERATIONS	4
#define CLOSE_MS	300	/* a close waits this long for a thread that sleeps on the queue */
#define ROUNDS		20

static unsigned char src[LEN];

static int free_queues(void)
{
	struct uacce_dev_list *list = wd_list_accels("deflate"), *l;
	int nr = -1;

	for (l = list; l; l = l->next)
		if (!strcmp(l->info->name, EMULATED_DEVICE))
			nr = l->info->avail;
	wd_free_list_accels(list);
	return nr;
}

static int numbers(void)
{
	struct wd_ctx_info info;
	int n = 0;

	while (!wd_ctx_info((unsigned int)n, &info))
		n++;
	return n;
}

static int state_of(unsigned int i)
{
	struct wd_ctx_info info;

	return wd_ctx_info(i, &info) ? 1 : info.state;
}

/* Descriptors that this process has open, including the folder's own. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int compress(handle_t sess)
{
	static unsigned char dst[ROOM];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };

	return wd_compress(sess, &arg);
}

struct flight {
	struct wd_comp_arg arg;
	unsigned char dst[ROOM];
	size_t len;
	_Atomic int done;
	int status;
};

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct flight *f = param;

	f->status = arg->status;
	f->done++;
}

static int submit(handle_t sess, struct flight *f, wd_alg_comp_cb_t *cb)
{
	memset(f, 0, sizeof(*f));
	f->len = ROOM;
	f->arg = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = f->dst, .dst_len = &f->len, .cb = cb, .cb_param = f,
	};
	return wd_comp_async(sess, &f->arg, NULL);
}

static int one_async(handle_t sess)
{
	struct flight f;
	int ret = submit(sess, &f, on_done);

	while (!ret && !f.done)
		if (wd_comp_poll(1, WAIT_MS, NULL) < 0)
			ret = -ETIME;
	return ret ? ret : f.status;
}

TEST(a_session_gives_its_queue_back_when_it_is_freed)
{
	int before = free_queues();
	handle_t sess = session_on_device(false, true);

	ASSERT_EQ(0, compress(sess));
	EXPECT_EQ(before - 1, free_queues());
	ASSERT_EQ(0, wd_comp_free_sess(sess));
	EXPECT_EQ(before, free_queues());
}

TEST(so_does_an_asynchronous_one)
{
	int before = free_queues();
	handle_t sess = session_on_device(true, true);

	ASSERT_EQ(0, one_async(sess));
	EXPECT_EQ(before - 1, free_queues());
	ASSERT_EQ(0, wd_comp_free_sess(sess));
	EXPECT_EQ(before, free_queues());
}

TEST(a_queue_is_kept_for_the_other_session_that_uses_it)
{
	int before = free_queues();
	handle_t a = session_on_device(false, true), b = session_on_device(false, true);

	ASSERT_EQ(0, compress(a));
	ASSERT_EQ(0, wd_comp_free_sess(a));
	EXPECT_EQ(before - 1, free_queues());
	EXPECT_EQ(0, state_of(0));
	ASSERT_EQ(0, compress(b));
	ASSERT_EQ(0, wd_comp_free_sess(b));
	EXPECT_EQ(before, free_queues());
}

/* The context that the next session would use stays, for a second. */
TEST(of_the_queues_of_many_sessions_one_stays_beside_those_in_use)
{
	int before = free_queues(), i;
	handle_t sess[MANY];

	ASSERT_EQ(0, wd_user_ctxs("64+64"));
	for (i = 0; i < MANY; i++) {
		sess[i] = session_on_device(false, true);
		ASSERT_EQ(0, compress(sess[i]));
	}
	EXPECT_EQ(before - MANY, free_queues());
	for (i = 1; i < MANY; i++)
		EXPECT_EQ(0, wd_comp_free_sess(sess[i]));
	EXPECT_LE(before - 2, free_queues());
	ASSERT_EQ(0, wd_comp_free_sess(sess[0]));
	EXPECT_EQ(before, free_queues());
}

TEST(a_number_outlasts_its_sessions)
{
	int i;

	for (i = 0; i < 5; i++) {
		handle_t sess = session_on_device(false, true);

		ASSERT_EQ(0, compress(sess));
		EXPECT_EQ(0, state_of(0));
		ASSERT_EQ(0, wd_comp_free_sess(sess));
		EXPECT_EQ(-EDQUOT, state_of(0));
	}
	EXPECT_EQ(1, numbers());
}

TEST(a_session_that_can_not_be_made_keeps_no_queue)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};
	setenv("WD_POLL_THREADS", "nonsense", 1);
	errno = 0;
	ASSERT_EQ(0, alloc_on_device(&setup));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EDQUOT, state_of(0));
}

TEST(a_completion_queues_context_is_given_back_too)
{
	handle_t cq = wd_cq_create(8), sess;
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW | WD_SESS_CQ, .cq = cq,
	};
	int before = free_queues(), i, n = 0;
	struct flight f;
	struct wd_wc wc;

	ASSERT_LE(0, wd_cq_fd(cq));
	for (i = 0; i < 3; i++) {
		sess = alloc_on_device(&setup);
		ASSERT_NE(0, sess);
		ASSERT_EQ(0, submit(sess, &f, NULL));
		while (!(n = wd_poll_cq(cq, 1, &wc)))
			turn_over();
		EXPECT_EQ(1, n);
		EXPECT_EQ(0, wc.status);
		EXPECT_EQ(before - 1, free_queues());
		ASSERT_EQ(0, wd_comp_free_sess(sess));
		EXPECT_EQ(before, free_queues());
	}
	EXPECT_EQ(1, numbers());
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/*
 * One request on a session that is freed as soon as possible. Returns whether its queue became free; *ms is the time
 * that freeing took.
 */
static bool queue_comes_back(int before, long long *ms)
{
	handle_t sess = session_on_device(true, true);
	long long begun;
	struct flight f;
	int ret;

	*ms = 0;
	if (submit(sess, &f, on_done))
		return false;
	do {
		turn_over();
		begun = now_ms();
		ret = wd_comp_free_sess(sess);
	} while (ret == -EBUSY);
	*ms = now_ms() - begun;
	/* The session can already be freed when its last callback, which uses the request, is about to run. */
	while (!f.done)
		turn_over();
	return !ret && free_queues() == before;
}

/* A poll thread that gets no CPU while a close waits keeps the queue until the next close, but not each time. */
TEST(poll_threads_that_sleep_on_a_queue_let_it_go)
{
	int before = free_queues(), back = 0, round;
	long long ms;

	ASSERT_EQ(0, wd_start_pollers("1"));
	for (round = 0; round < ROUNDS && back < 2; round++) {
		if (queue_comes_back(before, &ms))
			back++;
		else
			EXPECT_LE(CLOSE_MS, ms);
	}
	EXPECT_EQ(2, back);
	EXPECT_EQ(0, wd_stop_pollers());
}

static void *use_and_free(void *arg)
{
	int i;

	for (i = 0; i < 60; i++) {
		handle_t sess = session_on_device(false, i & 1);
		size_t len = ROOM;
		unsigned char dst[ROOM];
		struct wd_comp_arg a = { .src = src, .src_len = LEN, .dst = dst, .dst_len = &len };

		/* Zeroes are not a stream that can be decompressed. */
		if (!sess || (i & 1 ? wd_compress(sess, &a) : wd_decompress(sess, &a) != -EBADMSG))
			*(int *)arg = 1;
		if (sess && wd_comp_free_sess(sess))
			*(int *)arg = 2;
	}
	return NULL;
}

TEST(threads_that_make_and_free_sessions_never_miss_a_queue)
{
	int bad[4] = { 0 }, before = free_queues(), i;
	pthread_t thread[4];

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, use_and_free, &bad[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, bad[i]);
	}
	EXPECT_EQ(before, free_queues());
	EXPECT_EQ(2, numbers());
}

/* --- removal --- */

static int compress_again(handle_t sess)
{
	int ret, looks = 0;

	/* The library looks for devices again at most ten times a second. */
	while ((ret = compress(sess)) && looks++ < 3000)
		poll(NULL, 0, 10);
	return ret;
}

TEST(a_device_that_comes_and_goes_costs_neither_files_nor_numbers)
{
	handle_t sess = session_on_device(false, true), other = session_on_device(false, true);
	int files = 0, used = 0, i;

	if (!emulated())
		SKIP(return, "no emulated device");
	for (i = 0; i < FLAPS; i++) {
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "remove"));
		EXPECT_NE(0, compress(sess));
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "return"));
		ASSERT_EQ(0, compress_again(sess));
		ASSERT_EQ(0, compress_again(other));
		if (i == 2) {
			files = descriptors();
			used = numbers();
		}
	}
	EXPECT_EQ(files, descriptors());
	EXPECT_EQ(used, numbers());
	EXPECT_EQ(0, wd_comp_free_sess(sess));
	EXPECT_EQ(0, wd_comp_free_sess(other));
}

TEST(a_removed_devices_file_is_closed_with_its_last_result)
{
	handle_t async, sync;
	struct flight f;
	int files;

	if (!emulated())
		SKIP(return, "no emulated device");
	files = descriptors();
	async = session_on_device(true, true);
	ASSERT_EQ(0, submit(async, &f, on_done));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "remove"));
	while (!f.done)
		wd_comp_poll(1, 100, NULL);
	EXPECT_EQ(-ENODEV, submit(async, &f, on_done));
	EXPECT_EQ(files, descriptors());
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "return"));
	sync = session_on_device(false, true);
	ASSERT_EQ(0, compress(sync));
	EXPECT_EQ(0, wd_comp_free_sess(sync));
	EXPECT_EQ(0, wd_comp_free_sess(async));
	EXPECT_EQ(files, descriptors());
}

/* --- fork --- */

static handle_t soft, hard;

static int generation(int left)
{
	int had = numbers(), status;
	pid_t pid;

	if (one_async(soft) || compress(hard))
		return 1;
	if (numbers() != had)
		return 2;
	if (!left)
		return 0;
	pid = fork();
	if (!pid)
		_exit(generation(left - 1));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 3;
	/* A child's use of its contexts doesn't affect the parent. */
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : one_async(soft) || compress(hard) ? 4 : 0;
}

TEST(a_chain_of_forks_uses_the_same_numbers)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_SOFT,
	};

	soft = wd_comp_alloc_sess(&setup, NULL);
	hard = session_on_device(false, true);
	ASSERT_EQ(0, one_async(soft));
	ASSERT_EQ(0, compress(hard));
	EXPECT_EQ(2, numbers());
	EXPECT_EQ(0, generation(GENERATIONS));
	EXPECT_EQ(2, numbers());
}
