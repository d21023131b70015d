// SPDX-License-Identifier: Apache-2.0
/* A slow device while the process stops using devices: no thread waits for the device unless it needs it. */
#include <dlfcn.h>
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "on_device.h"
#include "sectioned.h"

#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif

static atomic_bool slow, stopping, go_on;

int ioctl(int fd, unsigned long cmd, ...)
{
	union { void *p; __typeof__(&ioctl) f; } u = { .p = dlsym(RTLD_NEXT, "ioctl") };
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	if (cmd == UACCE_CMD_PUT_Q && slow) {
		stopping = true;
		while (!go_on)
			poll(NULL, 0, 1);
	}
	return u.f(fd, cmd, arg);
}

static handle_t session(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

/* The path of a request, or -errno. */
static int path_of(handle_t sess)
{
	static unsigned char src[1000], dst[2000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };
	int ret = sess ? wd_compress(sess, &arg) : -errno;

	if (sess)
		wd_comp_free_sess(sess);
	return ret ? ret : arg.path;
}

static int child_can_work(void)
{
	return path_of(session(WD_SESS_PATH_SOFT)) == WD_PATH_SOFT ? 0 : 1;
}

static int in_child(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(body());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
	ASSERT_EQ(WD_PATH_SIM, path_of(session(WD_SESS_PATH_HW)));
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
	EXPECT_EQ(WD_PATH_SOFT, path_of(session(WD_SESS_PATH_SOFT)));
	EXPECT_EQ(WD_PATH_SOFT, path_of(session(0)));
}

TEST_F(stopping, sessions_on_devices_are_refused_meanwhile)
{
	EXPECT_EQ(-ESHUTDOWN, path_of(session(WD_SESS_PATH_HW)));
}

TEST_F(stopping, fork_goes_on_meanwhile)
{
	EXPECT_EQ(0, in_child(child_can_work));
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
