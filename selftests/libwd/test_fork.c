// SPDX-License-Identifier: Apache-2.0
/* What a child notices and what it loses; a parent notices nothing. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/fork.h"
#include "kselftest_harness.h"

static int run_child(int (*body)(void), pid_t (*start)(void))
{
	pid_t pid = start();
	int status;

	if (!pid)
		_exit(body());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* No at-fork handler runs here. */
static pid_t raw_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static struct wd_object object;
static struct wd_fork_file file = { .fd = -1 };
static int file_fd = -1;
static int hooks_run;

static void count_child(void)
{
	hooks_run++;
}

static struct wd_fork_hook counter = { .child = count_child };

static void set_up(void)
{
	file_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	wd_fork_file_add(&file, file_fd);
	wd_handle_new(WD_KIND_CTX, &object);
}

static int child_is_settled(void)
{
	struct wd_object own = { 0 };

	if (!wd_stale(&object))
		return 1;
	if (fcntl(file_fd, F_GETFD) != -1 || wd_fork_file_del(&file) != -1)
		return 2;
	if (wd_handle_get(object.handle, WD_KIND_CTX) != &object)
		return 3;
	if (!wd_handle_new(WD_KIND_CTX, &own) || wd_stale(&own))
		return 4;
	return hooks_run == 1 ? 0 : 5;
}

static int grandchild_is_settled(void)
{
	struct wd_object mine = { 0 };
	int ret;

	wd_handle_new(WD_KIND_CTX, &mine);
	hooks_run = 0;
	ret = run_child(child_is_settled, fork);
	return ret ? ret : wd_stale(&mine);
}

TEST(a_child_finds_its_objects_stale_and_its_files_closed)
{
	set_up();
	wd_fork_hook_add(&counter);
	EXPECT_EQ(0, run_child(child_is_settled, fork));
	EXPECT_FALSE(wd_stale(&object));
	EXPECT_NE(-1, fcntl(file_fd, F_GETFD));
	EXPECT_EQ(0, hooks_run);
	EXPECT_EQ(file_fd, wd_fork_file_del(&file));
}

TEST(a_child_of_a_raw_clone_does_too)
{
	set_up();
	wd_fork_hook_add(&counter);
	EXPECT_EQ(0, run_child(child_is_settled, raw_clone));
	EXPECT_FALSE(wd_stale(&object));
	EXPECT_NE(-1, fcntl(file_fd, F_GETFD));
}

TEST(a_child_of_a_child_does_too)
{
	set_up();
	wd_fork_hook_add(&counter);
	EXPECT_EQ(0, run_child(grandchild_is_settled, fork));
	EXPECT_FALSE(wd_stale(&object));
}

static pthread_mutex_t hook_lock = PTHREAD_MUTEX_INITIALIZER;

static void hook_child(void)
{
	pthread_mutex_init(&hook_lock, NULL);
}

static struct wd_fork_hook locker = { .child = hook_child };
static atomic_bool stop;

static void *use_all_locks(void *arg)
{
	(void)arg;
	while (!stop) {
		struct wd_fork_file f = { .fd = -1 };
		struct wd_object obj = { 0 };

		pthread_mutex_lock(&hook_lock);
		wd_handle_new(WD_KIND_CTX, &obj);
		wd_fork_file_add(&f, dup(file_fd));
		close(wd_fork_file_del(&f));
		wd_handle_free(obj.handle);
		pthread_mutex_unlock(&hook_lock);
	}
	return NULL;
}

static int child_can_lock(void)
{
	struct wd_object obj = { 0 };

	pthread_mutex_lock(&hook_lock);
	wd_handle_new(WD_KIND_CTX, &obj);
	wd_handle_free(obj.handle);
	pthread_mutex_unlock(&hook_lock);
	return 0;
}

TEST(fork_among_busy_threads_leaves_no_lock_taken)
{
	pthread_t thread;
	int i;

	set_up();
	wd_fork_hook_add(&locker);
	ASSERT_EQ(0, pthread_create(&thread, NULL, use_all_locks, NULL));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, run_child(child_can_lock, fork));
	}
	stop = true;
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN
