// SPDX-License-Identifier: Apache-2.0
/* A slow device while the process stops using devices: no thread waits for the device unless it needs it. */
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <wd_user.h>

#include "hooked_ioctl.h"
#include "in_child.h"
#include "kselftest_harness.h"
#include "on_device.h"
#include "sectioned.h"
#include "tsan_fork.h"

static atomic_bool slow, stopping, go_on;

static int before_ioctl(int fd, unsigned long cmd)
{
	(void)fd;
	if (cmd == UACCE_CMD_PUT_Q && slow) {
		stopping = true;
		while (!go_on)
			poll(NULL, 0, 1);
	}
	return 0;
}

static handle_t session(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static int child_can_work(void *unused)
{
	(void)unused;
	return used_path(session(WD_SESS_PATH_SOFT)) == WD_PATH_SOFT ? 0 : 1;
}

static void *stop(void *ret)
{
	*(int *)ret = wd_user_stop();
	return NULL;
}

FIXTURE(stopping) {
	pthread_t thread;
	int ret;
};

FIXTURE_SETUP(stopping)
{
	ASSERT_EQ(0, wd_user_start("PAIR"));
	/* The slot's context: it stays open without a session. */
	ASSERT_EQ(WD_PATH_SIM, used_path(session(WD_SESS_PATH_HW)));
	slow = true;
	self->ret = 1;
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, stop, &self->ret));
	while (!stopping)
		poll(NULL, 0, 1);
}

/* Nothing in the test waited for the device, which is slow until here. */
FIXTURE_TEARDOWN(stopping)
{
	EXPECT_EQ(1, self->ret);
	go_on = true;
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->ret);
}

TEST_F(stopping, sessions_on_this_cpu_are_made_meanwhile)
{
	EXPECT_EQ(WD_PATH_SOFT, used_path(session(WD_SESS_PATH_SOFT)));
	EXPECT_EQ(WD_PATH_SOFT, used_path(session(0)));
}

TEST_F(stopping, sessions_on_devices_are_refused_meanwhile)
{
	EXPECT_EQ(-ESHUTDOWN, used_path(session(WD_SESS_PATH_HW)));
}

TEST_F(stopping, fork_goes_on_meanwhile)
{
	EXPECT_EQ(0, in_child(child_can_work, NULL));
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
