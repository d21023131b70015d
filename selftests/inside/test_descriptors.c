// SPDX-License-Identifier: Apache-2.0
/* Processes that change their root folder, or close every descriptor and use the numbers for files of their own. */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <wd_cq.h>

#include "works.h"
#include "kselftest_harness.h"

#define FILES		1000
#define CANT		99	/* the child can't be made what the test needs */
#define CHILD_S		60
#define FIRST		3

/* The search for leaks needs /proc, which these children don't have; without it, destructors run as well. */
#ifdef __SANITIZE_ADDRESS__
#define LEAVE	_exit
#else
#define LEAVE	exit
#endif

/* The child's exit status, or 100 plus the number of a signal. */
static int in_child(int (*f)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_S);
		LEAVE(f());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* One request that only a device may serve. */
static int on_device(void)
{
	static const unsigned char iv[16];
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, nist_key, sizeof(nist_key), WD_SESS_PATH_HW);
	unsigned char out[16], again[16];
	int ret = h ? cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, nist_plain, 16, out) : -errno;

	if (!ret)
		ret = cipher_do(h, WD_CIPHER_DECRYPTION, iv, 16, out, 16, again);
	if (h)
		wd_cipher_free_sess(h);
	return ret ? ret : same(again, nist_plain, 16);
}

/* Returns the number of the work that failed, from 1; 0: all are right. */
static int all_works(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < WORKS; i++) {
		ret = works[i].run();
		if (ret) {
			fprintf(stderr, "# %s: %d, %s\n", works[i].name, ret, detail(0));
			return (int)i + 1;
		}
	}
	return 0;
}

/* --- chroot() --- */

/* A folder that nobody has to make, and that has neither /dev nor /sys. */
static int root_change(void)
{
	return (geteuid() && unshare(CLONE_NEWUSER)) || chroot("/proc/self/fdinfo") || chdir("/") ||
	       !access("/sys", F_OK) ? -1 : 0;
}

static int first_use_in_another_root(void)
{
	if (root_change())
		return CANT;
	return on_device() ? 1 : all_works() ? 2 : 0;
}

static int use_before_and_after(void)
{
	if (on_device())
		return 1;
	if (root_change())
		return CANT;
	return on_device() ? 2 : all_works() ? 3 : 0;
}

static int child_in_another_root(void)
{
	int ret;

	if (root_change())
		return CANT;
	ret = in_child(all_works);
	return ret ? ret : in_child(on_device);
}

/* --- all descriptors closed --- */

struct mine {
	int fd;
	struct stat st;
};

static struct mine mine[FILES];

static int files_open(void)
{
	struct rlimit limit;
	unsigned int i;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -1;
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_max < 2 * FILES || setrlimit(RLIMIT_NOFILE, &limit))
		return -1;
	closefrom(FIRST);
	for (i = 0; i < FILES; i++) {
		char path[] = "/tmp/wd-file-XXXXXX";

		mine[i].fd = mkstemp(path);
		if (mine[i].fd < 0 || unlink(path) || write(mine[i].fd, "mine", 4) != 4 ||
		    lseek(mine[i].fd, 0, SEEK_SET) || fstat(mine[i].fd, &mine[i].st))
			return -1;
	}
	return 0;
}

/* How many files were closed, replaced, written to, or read. */
static int files_touched(void)
{
	unsigned int i, n = 0;
	struct stat st;
	char text[8];

	for (i = 0; i < FILES; i++)
		n += fstat(mine[i].fd, &st) || st.st_ino != mine[i].st.st_ino || st.st_size != 4 ||
		     lseek(mine[i].fd, 0, SEEK_CUR) || pread(mine[i].fd, text, sizeof(text), 0) != 4 ||
		     memcmp(text, "mine", 4);
	return (int)n;
}

static int closed_before_the_first_use(void)
{
	if (files_open())
		return CANT;
	return all_works() ? 1 : files_touched() ? 2 : 0;
}

static int closed_after_use(void)
{
	int ret;

	if (all_works() || on_device())
		return 1;
	if (files_open())
		return CANT;
	ret = all_works();
	return ret ? 2 : files_touched() ? 3 : 0;
}

/* The child of a process that did it. */
static int closed_then_forked(void)
{
	int ret;

	if (all_works())
		return 1;
	if (files_open())
		return CANT;
	ret = in_child(all_works);
	return ret ? 2 : files_touched() ? 3 : 0;
}

/* Sessions that had contexts go on, and are freed afterwards. */
static int closed_under_a_session(void)
{
	static const unsigned char iv[16];
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, nist_key, sizeof(nist_key), 0);
	unsigned char out[16], again[16];
	int ret = h ? cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, nist_plain, 16, out) : -errno, i;

	if (ret)
		return 1;
	if (files_open())
		return CANT;
	for (i = 0; !ret && i < 100; i++)
		ret = cipher_do(h, WD_CIPHER_DECRYPTION, iv, 16, out, 16, again);
	if (ret || same(again, nist_plain, 16))
		return 2;
	if (files_touched())
		return 3;
	return wd_cipher_free_sess(h) || files_touched() ? 4 : 0;
}

static void counted(struct wd_digest_arg *arg, void *param)
{
	(void)arg;
	atomic_fetch_add((_Atomic unsigned int *)param, 1);
}

/* Poll threads and completion queues have descriptors, which are written to. */
static int closed_under_pollers(void)
{
	static _Atomic unsigned int done;
	unsigned char md[8][32];
	size_t len[8];
	struct wd_digest_arg arg[8];
	handle_t h, cq = wd_cq_create(16);
	unsigned int i;

	if (!cq || wd_cq_fd(cq) < 0 || wd_start_pollers("1"))
		return CANT;
	h = digest_open(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, WD_ASYNC, WD_FLAT_BUF, 0, 0);
	if (!h)
		return 1;
	if (files_open())
		return CANT;
	for (i = 0; i < 8; i++) {
		len[i] = sizeof(md[i]);
		arg[i] = (struct wd_digest_arg){
			.src = "abc", .src_len = 3, .dst = md[i], .dst_len = &len[i], .cb = counted, .cb_param = &done
		};
		if (wd_digest_async(h, &arg[i], NULL))
			return 2;
	}
	for (i = 0; i < 1000 && atomic_load(&done) < 8; i++)
		poll(NULL, 0, 1);
	wd_cq_destroy(cq);
	return files_touched() ? 3 : 0;
}

#define CHILD(f) do { \
	int status_ = in_child(f); \
	\
	if (status_ == CANT) \
		SKIP(return, "not allowed here"); \
	EXPECT_EQ(0, status_); \
} while (0)

TEST(after_chroot_the_first_use_finds_devices)
{
	CHILD(first_use_in_another_root);
}

TEST(after_chroot_a_later_use_finds_devices)
{
	CHILD(use_before_and_after);
}

TEST(after_chroot_and_fork_a_child_finds_devices)
{
	CHILD(child_in_another_root);
}

TEST(all_descriptors_closed_before_the_first_use)
{
	CHILD(closed_before_the_first_use);
}

TEST(all_descriptors_closed_after_a_use)
{
	CHILD(closed_after_use);
}

TEST(all_descriptors_closed_before_a_fork)
{
	CHILD(closed_then_forked);
}

TEST(all_descriptors_closed_under_a_session)
{
	CHILD(closed_under_a_session);
}

TEST(all_descriptors_closed_under_poll_threads)
{
	CHILD(closed_under_pollers);
}

TEST_HARNESS_MAIN
