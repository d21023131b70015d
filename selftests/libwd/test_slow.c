// SPDX-License-Identifier: Apache-2.0
/* A slow device while one thread's session opens a context: no thread waits for the device unless it needs it. */
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <wd_user.h>

#include "hooked_ioctl.h"
#include "in_child.h"
#include "kselftest_harness.h"
#include "on_device.h"

#define SECTIONED_FILE "[TWO]\nNodes = 0=1+0 1=1+0\n"
#include "sectioned.h"
#include "tsan_fork.h"

/* This thread's command that doesn't return before go_on. */
static _Thread_local unsigned long slow;
static atomic_bool stays, go_on;

static int before_ioctl(int fd, unsigned long cmd)
{
	(void)fd;
	if (cmd == slow) {
		stays = true;
		while (!go_on)
			poll(NULL, 0, 1);
	}
	return 0;
}

static handle_t session(__u32 flags, __u8 dir, const char *dev)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .dir_type = dir,
		.flags = flags,
	};
	struct uacce_dev_list *list = wd_list_accels("zlib"), *l;
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	handle_t h = 0;

	for (l = list; dev && l; l = l->next)
		if (!strcmp(l->info->name, dev) && !wd_dev_mask_set(mask, l->info->node_id))
			h = wd_comp_alloc_sess(&setup, mask);
	if (!dev)
		h = wd_comp_alloc_sess(&setup, NULL);
	wd_free_list_accels(list);
	wd_dev_mask_free(mask);
	return h;
}

static int soft_works(void *unused)
{
	(void)unused;
	return used_path(session(WD_SESS_PATH_SOFT, WD_DIR_COMPRESS, NULL));
}

struct slow_thread {
	pthread_t thread;
	bool joined;
	unsigned long cmd;
	__u8 dir;
	handle_t sess;
	int err;
};

static void *open_slowly(void *arg)
{
	struct slow_thread *t = arg;

	slow = t->cmd;
	t->sess = session(WD_SESS_PATH_HW, t->dir, "hisi_zip-0");
	t->err = t->sess ? 0 : errno;
	slow = 0;
	return NULL;
}

static void *share_it(void *path)
{
	*(int *)path = used_path(session(WD_SESS_PATH_HW, WD_DIR_COMPRESS, "hisi_zip-0"));
	return NULL;
}

static void begin(struct slow_thread *t, unsigned long cmd, __u8 dir)
{
	t->cmd = cmd;
	t->dir = dir;
	pthread_create(&t->thread, NULL, open_slowly, t);
	while (!stays)
		poll(NULL, 0, 1);
}

static void join(struct slow_thread *t)
{
	if (!t->joined)
		pthread_join(t->thread, NULL);
	t->joined = true;
}

/* Nothing in the test waited for the device, which is slow until here. */
static int end(struct slow_thread *t)
{
	go_on = true;
	join(t);
	if (t->sess)
		wd_comp_free_sess(t->sess);
	return t->err;
}

static unsigned int contexts_open(void)
{
	struct wd_ctx_info info;
	unsigned int i, nr = 0;

	for (i = 0; !wd_ctx_info(i, &info); i++)
		nr += info.path != WD_PATH_SOFT && !info.state;
	return nr;
}

FIXTURE(opening) {
	struct slow_thread slow;
	handle_t near;
};

FIXTURE_SETUP(opening)
{
	self->near = session(WD_SESS_PATH_HW, WD_DIR_DECOMPRESS, "hisi_zip-1");
	ASSERT_NE(0, self->near);
	begin(&self->slow, UACCE_CMD_START_Q, WD_DIR_COMPRESS);
}

FIXTURE_TEARDOWN(opening)
{
	EXPECT_EQ(0, end(&self->slow));
	wd_comp_free_sess(self->near);
}

TEST_F(opening, sessions_on_this_cpu_are_made_meanwhile)
{
	EXPECT_EQ(WD_PATH_SOFT, soft_works(NULL));
}

TEST_F(opening, fork_goes_on_meanwhile)
{
	EXPECT_EQ(WD_PATH_SOFT, in_child(soft_works, NULL));
}

TEST_F(opening, other_devices_are_opened_meanwhile)
{
	EXPECT_EQ(WD_PATH_SIM, used_path(session(WD_SESS_PATH_HW, WD_DIR_COMPRESS, "hisi_zip-1")));
}

TEST_F(opening, open_contexts_of_other_devices_are_shared_meanwhile)
{
	handle_t h = session(WD_SESS_PATH_HW, WD_DIR_DECOMPRESS, "hisi_zip-1");

	EXPECT_NE(0, h);
	EXPECT_EQ(1, contexts_open());
	wd_comp_free_sess(h);
}

TEST_F(opening, the_process_does_not_stop_using_devices)
{
	EXPECT_EQ(-EBUSY, wd_user_stop());
}

TEST_F(opening, whose_place_it_takes_waits_and_shares_it)
{
	pthread_t thread;
	int path = 0;

	ASSERT_EQ(0, pthread_create(&thread, NULL, share_it, &path));
	poll(NULL, 0, 10);
	EXPECT_EQ(0, path);
	go_on = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(WD_PATH_SIM, path);
	join(&self->slow);
	EXPECT_EQ(2, contexts_open());
}

/* The place of an idle context is taken, and the context doesn't stop. */
FIXTURE(exchanging) {
	struct slow_thread slow;
	handle_t near;
};

FIXTURE_SETUP(exchanging)
{
	ASSERT_EQ(0, wd_user_start("TWO"));
	ASSERT_EQ(WD_PATH_SIM, used_path(session(WD_SESS_PATH_HW, WD_DIR_COMPRESS, "hisi_zip-0")));
	self->near = session(WD_SESS_PATH_HW, WD_DIR_COMPRESS, "hisi_zip-1");
	ASSERT_NE(0, self->near);
	begin(&self->slow, UACCE_CMD_PUT_Q, WD_DIR_DECOMPRESS);
}

FIXTURE_TEARDOWN(exchanging)
{
	EXPECT_EQ(0, end(&self->slow));
	wd_comp_free_sess(self->near);
}

TEST_F(exchanging, sessions_on_this_cpu_are_made_meanwhile)
{
	EXPECT_EQ(WD_PATH_SOFT, soft_works(NULL));
}

TEST_F(exchanging, fork_goes_on_meanwhile)
{
	EXPECT_EQ(WD_PATH_SOFT, in_child(soft_works, NULL));
}

TEST_F(exchanging, open_contexts_of_other_devices_are_shared_meanwhile)
{
	EXPECT_EQ(WD_PATH_SIM, used_path(session(WD_SESS_PATH_HW, WD_DIR_COMPRESS, NULL)));
}

TEST_F(exchanging, others_for_the_same_device_wait_and_take_its_place_in_turn)
{
	pthread_t thread;
	int path = 0;

	ASSERT_EQ(0, pthread_create(&thread, NULL, share_it, &path));
	poll(NULL, 0, 10);
	EXPECT_EQ(0, path);
	go_on = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(WD_PATH_SIM, path);
}

/* --- a context that another thread stops --- */

static atomic_int ended;

static void count(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	(void)param;
	ended++;
}

struct request {
	struct wd_comp_arg arg;
	unsigned char dst[2000];
	size_t len;
};

static int submit(handle_t h, struct request *r, unsigned int timeout_ms)
{
	static const unsigned char src[1000];

	r->len = sizeof(r->dst);
	r->arg = (struct wd_comp_arg){
		.src = src, .src_len = sizeof(src), .dst = r->dst, .dst_len = &r->len, .timeout_ms = timeout_ms,
		.cb = count,
	};
	return wd_comp_async(h, &r->arg, NULL);
}

static void *poll_slowly(void *arg)
{
	(void)arg;
	slow = UACCE_CMD_PUT_Q;
	while (ended < 2)
		wd_comp_poll(1, 10, NULL);
	slow = 0;
	return NULL;
}

TEST(a_context_that_another_thread_stops_is_busy_for_asynchronous_requests)
{
	handle_t h = session_on_device(true, true);
	struct request late, refused;
	pthread_t thread;
	int ret;

	ASSERT_NE(0, h);
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	ASSERT_EQ(0, submit(h, &late, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, poll_slowly, NULL));
	while (!stays)
		poll(NULL, 0, 1);
	EXPECT_EQ(-EBUSY, submit(h, &refused, 0));
	EXPECT_EQ(0, wd_comp_wait(h, 10000));
	EXPECT_EQ(-EBUSY, submit(h, &refused, 0));
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
	go_on = true;
	while ((ret = submit(h, &refused, 0)) == -EBUSY)
		EXPECT_EQ(0, wd_comp_wait(h, 10000));
	EXPECT_EQ(0, ret);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
