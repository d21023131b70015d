// SPDX-License-Identifier: Apache-2.0
/* Sessions that are allocated while there are no descriptors or queues, and how they recover. */
#include <fcntl.h>
#include <stdlib.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "need_device.h"
#include "on_device.h"

#define LEN	600
#define ROOM	1200
#define LOOKS	3000	/* of 10 ms each: only a session that never finds its device needs so many */
#define FILES	256
#define QUEUES	256

static unsigned char src[LEN], dst[ROOM];
static size_t dst_len;
static int file[FILES], files;

static void files_take(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	limit.rlim_cur = FILES;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		abort();
	while (files < FILES && (file[files] = open("/dev/null", O_RDONLY)) >= 0)
		files++;
}

static void files_give(void)
{
	while (files)
		close(file[--files]);
}

static handle_t session(bool async, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	*(int *)param = 1;
}

static struct wd_comp_arg argument(void)
{
	dst_len = ROOM;
	return (struct wd_comp_arg){ .src = src, .src_len = LEN, .dst = dst, .dst_len = &dst_len };
}

/* The path of a request, or -errno. */
static int path_of(handle_t sess, int *reason)
{
	struct wd_comp_arg arg = argument();
	int ret = wd_compress(sess, &arg);

	*reason = arg.path_reason;
	return ret ? ret : arg.path;
}

static int async_path_of(handle_t sess, int *reason)
{
	struct wd_comp_arg arg = argument();
	int done = 0, ret;

	arg.cb = on_done;
	arg.cb_param = &done;
	ret = wd_comp_async(sess, &arg, NULL);
	while (!ret && !done)
		wd_comp_poll(1, 1000, NULL);
	*reason = arg.path_reason;
	return ret ? ret : arg.path;
}

static int path_in_the_end(handle_t sess, int (*path)(handle_t sess, int *reason))
{
	int looks = 0, now, reason;

	while ((now = path(sess, &reason)) == WD_PATH_SOFT && looks++ < LOOKS)
		poll(NULL, 0, 10);
	return now;
}

TEST(without_descriptors_nobody_says_that_there_is_no_device)
{
	handle_t sess;
	int err;

	files_take();
	errno = 0;
	sess = session(false, WD_SESS_PATH_HW);
	err = errno;
	files_give();
	EXPECT_EQ(0, sess);
	EXPECT_EQ(EMFILE, err);
	EXPECT_NE(0, session(false, WD_SESS_PATH_HW));
}

TEST(nor_does_a_list_of_devices)
{
	struct uacce_dev_list *list;
	int err;

	files_take();
	errno = 0;
	list = wd_list_accels(NULL);
	err = errno;
	files_give();
	EXPECT_EQ(NULL, list);
	EXPECT_EQ(EMFILE, err);
}

TEST(a_session_that_had_no_descriptors_finds_its_device_later)
{
	int reason, path;
	handle_t sess;

	files_take();
	sess = session(false, 0);
	path = sess ? path_of(sess, &reason) : 0;
	files_give();
	ASSERT_NE(0, sess);
	EXPECT_EQ(WD_PATH_SOFT, path);
	EXPECT_EQ(WD_REASON_NO_ACCESS, reason);
	EXPECT_EQ(WD_PATH_SIM, path_in_the_end(sess, path_of));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST(so_does_an_asynchronous_one)
{
	handle_t sess;

	files_take();
	sess = session(true, 0);
	files_give();
	ASSERT_NE(0, sess);
	EXPECT_EQ(WD_PATH_SIM, path_in_the_end(sess, async_path_of));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST(a_session_that_found_no_queue_gets_one_when_one_is_free)
{
	struct uacce_dev_list *list = wd_list_accels("deflate"), *l;
	handle_t held[QUEUES], sess;
	int nr = 0, reason;

	for (l = list; l; l = l->next)
		while (nr < QUEUES && (held[nr] = wd_request_ctx(l->info->dev_root)))
			nr++;
	wd_free_list_accels(list);
	ASSERT_GT(QUEUES, nr);
	sess = session(false, 0);
	ASSERT_NE(0, sess);
	EXPECT_EQ(WD_PATH_SOFT, path_of(sess, &reason));
	EXPECT_EQ(WD_REASON_NO_QUEUE, reason);
	while (nr)
		wd_release_ctx(held[--nr]);
	EXPECT_EQ(WD_PATH_SIM, path_in_the_end(sess, path_of));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}
