// SPDX-License-Identifier: Apache-2.0
/* What a child notices and loses at a fork; a parent notices nothing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
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

/* Runs no at-fork handlers. */
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

/* --- a mutex that a child finds free --- */

static int protected = 1;

static void protected_reset(void);

static struct wd_fork_mutex alone = WD_FORK_MUTEX(alone, NULL);
static struct wd_fork_mutex with_reset = WD_FORK_MUTEX(with_reset, protected_reset);

/* Leaves protected as it is if the mutex isn't free yet. */
static void protected_reset(void)
{
	if (!pthread_mutex_trylock(&with_reset.mutex)) {
		protected = 0;
		pthread_mutex_unlock(&with_reset.mutex);
	}
}

static atomic_bool both_held;

static void *hold_both(void *arg)
{
	(void)arg;
	wd_fork_mutex_lock(&alone);
	wd_fork_mutex_lock(&with_reset);
	both_held = true;
	while (!stop)
		poll(NULL, 0, 1);
	wd_fork_mutex_unlock(&with_reset);
	wd_fork_mutex_unlock(&alone);
	return NULL;
}

static int child_can_lock_both(void)
{
	wd_fork_now();
	if (pthread_mutex_trylock(&alone.mutex) || pthread_mutex_trylock(&with_reset.mutex))
		return 1;
	wd_fork_mutex_unlock(&with_reset);
	wd_fork_mutex_unlock(&alone);
	return protected;
}

FIXTURE(mutex) {
	pthread_t thread;
};

FIXTURE_VARIANT(mutex) {
	pid_t (*start)(void);
};

FIXTURE_VARIANT_ADD(mutex, at_fork) { .start = fork };
/*
 * ThreadSanitizer doesn't notice a raw clone(), and can't tell the new mutex from the one that the lost thread holds.
 */
#ifndef __SANITIZE_THREAD__
FIXTURE_VARIANT_ADD(mutex, at_clone) { .start = raw_clone };
#endif

FIXTURE_SETUP(mutex)
{
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, hold_both, NULL));
	while (!both_held)
		poll(NULL, 0, 1);
}

FIXTURE_TEARDOWN(mutex)
{
}

TEST_F(mutex, that_another_thread_holds_is_free_in_a_child_and_its_data_is_reset)
{
	EXPECT_EQ(0, run_child(child_can_lock_both, variant->start));
	EXPECT_EQ(EBUSY, pthread_mutex_trylock(&alone.mutex));
	EXPECT_EQ(1, protected);
	stop = true;
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, pthread_mutex_trylock(&alone.mutex));
	wd_fork_mutex_unlock(&alone);
}

/* --- an open() that takes long --- */

#define NODE	"/dev/null"

enum where {
	NOWHERE,
	BEFORE,		/* in open(), before the kernel has made a descriptor */
	BEHIND,		/* a descriptor exists, but open() hasn't returned it */
};

static _Thread_local enum where stay_at;
static _Atomic int stays;	/* enum where */
static atomic_bool go_on;

static void stay(enum where at)
{
	if (stay_at != at)
		return;
	stays = at;
	while (!go_on)
		poll(NULL, 0, 1);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;
	int fd;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, int);
		va_end(args);
	}
	stay(BEFORE);
	fd = (int)syscall(SYS_openat, dir, path, flags, mode);
	stay(BEHIND);
	return fd;
}

/* The function that _FORTIFY_SOURCE calls instead of openat(). */
int __openat_2(int dir, const char *path, int flags);
int __openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags);
}

static struct wd_fork_file slow = { .fd = -1 };
static int own[4], nr_before;

static void *open_slowly(void *arg)
{
	stay_at = *(const enum where *)arg;
	wd_fork_file_open(&slow, AT_FDCWD, NODE, O_RDWR);
	return NULL;
}

static int descriptors(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) != -1;
	return nr;
}

static int child_has_its_own_only(void)
{
	unsigned int i;

	wd_fork_now();
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (fcntl(own[i], F_GETFD) == -1)
			return 1;
	return descriptors() == nr_before ? 0 : 2;
}

FIXTURE(opening) {
	pthread_t thread;
};

FIXTURE_VARIANT(opening) {
	enum where where;
	pid_t (*start)(void);
};

FIXTURE_VARIANT_ADD(opening, in_the_kernel_at_fork) { .where = BEFORE, .start = fork };
FIXTURE_VARIANT_ADD(opening, in_the_kernel_at_clone) { .where = BEFORE, .start = raw_clone };
FIXTURE_VARIANT_ADD(opening, about_to_be_told_at_fork) { .where = BEHIND, .start = fork };
FIXTURE_VARIANT_ADD(opening, about_to_be_told_at_clone) { .where = BEHIND, .start = raw_clone };

FIXTURE_SETUP(opening)
{
	/* Descriptors of the program itself, of this device and of another. */
	own[0] = openat(AT_FDCWD, NODE, O_RDWR | O_CLOEXEC);
	own[1] = openat(AT_FDCWD, "/dev/zero", O_RDWR | O_SYNC | O_CLOEXEC);
	own[2] = openat(AT_FDCWD, "/dev/zero", O_RDWR | O_DSYNC | O_CLOEXEC);
	own[3] = openat(AT_FDCWD, NODE, O_RDWR | O_SYNC | O_CLOEXEC);
	ASSERT_NE(-1, own[0]);
	ASSERT_NE(-1, own[3]);
	nr_before = descriptors();
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, open_slowly, (void *)&variant->where));
	while (stays != variant->where)
		poll(NULL, 0, 1);
}

FIXTURE_TEARDOWN(opening)
{
}

/* The thread stays in open() until the child has ended. */
TEST_F(opening, neither_holds_a_fork_up_nor_leaves_a_child_its_descriptor)
{
	EXPECT_EQ(0, run_child(child_has_its_own_only, variant->start));
	go_on = true;
	pthread_join(self->thread, NULL);
	EXPECT_EQ(nr_before + 1, descriptors());
	EXPECT_LE(0, slow.fd);
	EXPECT_EQ(0, run_child(child_has_its_own_only, variant->start));
	EXPECT_EQ(0, close(wd_fork_file_del(&slow)));
	EXPECT_EQ(nr_before, descriptors());
}

TEST(an_open_that_fails_leaves_nothing_to_close)
{
	nr_before = descriptors();
	EXPECT_EQ(-ENOENT, wd_fork_file_open(&slow, AT_FDCWD, "/nonexistent", O_RDWR));
	EXPECT_EQ(-EISDIR, wd_fork_file_open(&slow, AT_FDCWD, "/", O_RDWR));
	EXPECT_EQ(-1, slow.fd);
	EXPECT_EQ(NULL, slow.link);
	EXPECT_EQ(nr_before, descriptors());
}

TEST_HARNESS_MAIN
