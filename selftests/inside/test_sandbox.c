// SPDX-License-Identifier: Apache-2.0
/* The software path in a sandbox that ends the process at a system call that it doesn't expect. */
#include <signal.h>
#include <sys/wait.h>

#include "sandbox.h"
#include "works.h"
#include "kselftest_harness.h"

#define NO_SANDBOX	99
#define MANY		300	/* uses of the same memory after which the library looks at it again */

static unsigned int total;

static void digest_done(struct wd_digest_arg *arg, void *param)
{
	(void)param;
	total += !arg->status && arg->path == WD_PATH_SOFT;
}

/* An asynchronous request is computed by the thread that polls. */
static int work_async(void)
{
	handle_t h = digest_open(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, WD_ASYNC, WD_FLAT_BUF, 0, 0);
	unsigned char md[32];
	size_t n = sizeof(md);
	struct wd_digest_arg arg = { .src = "abc", .src_len = 3, .dst = md, .dst_len = &n, .cb = digest_done };
	int ret = h ? wd_digest_async(h, &arg, NULL) : -errno;

	total = 0;
	if (!ret)
		ret = wd_digest_poll(1, 0, NULL) == 1 ? 0 : -EIO;
	/* Nothing is left to wait for: the thread sleeps until its time is over. */
	if (!ret)
		ret = wd_digest_poll_wait(1, 1, NULL) <= 0 ? 0 : -EIO;
	if (h)
		wd_digest_free_sess(h);
	return ret ? ret : total == 1 ? 0 : -EIO;
}

/* Returns the number of the work that failed, from 1; 0: all are right. */
static int all_works(void)
{
	unsigned int i;

	for (i = 0; i < WORKS; i++)
		if (works[i].run())
			return (int)i + 1;
	for (i = 0; i < MANY; i++)
		if (work_async())
			return (int)WORKS + 1;
	return 0;
}

/* exit() runs the destructors of the libraries as well. */
static void first_inside(void)
{
	if (sandbox_enter())
		_exit(NO_SANDBOX);
	exit(all_works());
}

static void used_before(void)
{
	int failed = all_works();

	if (failed)
		_exit(failed);
	first_inside();
}

/* Sessions that were opened outside, and one request before. */
static void session_from_outside(void)
{
	static const unsigned char iv[16];
	handle_t cbc = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, nist_key, sizeof(nist_key), 0);
	unsigned char out[16], again[16], *far = NULL;
	int ret = cbc ? cipher_do(cbc, WD_CIPHER_ENCRYPTION, iv, 16, nist_plain, 16, out) : -errno;
	unsigned int i;

	/* Memory that wasn't used before: the library can't remember it. */
	far = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ret || far == MAP_FAILED || sandbox_enter())
		_exit(NO_SANDBOX);
	for (i = 0; !ret && i < 1000; i++) {
		memcpy(far + 1024 * i, out, 16);
		ret = cipher_do(cbc, WD_CIPHER_DECRYPTION, iv, 16, far + 1024 * i, 16, again);
	}
	wd_cipher_free_sess(cbc);
	exit(ret || same(again, nist_plain, 16) ? 1 : 0);
}

static void calls_msync(void)
{
	if (sandbox_enter())
		_exit(NO_SANDBOX);
	msync(0, 0, MS_ASYNC);
	_exit(0);
}

/* The status of a child that ran f. */
static int in_child(void (*f)(void))
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		f();
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

static bool no_sandbox(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == NO_SANDBOX;
}

FIXTURE(sandbox) { };

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED	1
#else
#define SANITIZED	0
#endif

FIXTURE_SETUP(sandbox)
{
	if (SANITIZED)
		SKIP(return, "a sanitizer makes system calls of its own");
	unsetenv("WD_PATH");
	if (no_sandbox(in_child(calls_msync)))
		SKIP(return, "this kernel refuses seccomp filters");
	if (expected_path("digest") != WD_PATH_SOFT)
		SKIP(return, "there are devices");
}

FIXTURE_TEARDOWN(sandbox)
{
}

/* Else the other tests would prove nothing. */
TEST_F(sandbox, it_ends_a_process_at_another_call)
{
	int status = in_child(calls_msync);

	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

static const char *name_of(int status)
{
	int i = WIFEXITED(status) ? WEXITSTATUS(status) - 1 : -1;

	return i >= 0 && i < (int)WORKS ? works[i].name : i == (int)WORKS ? "asynchronous" : "";
}

TEST_F(sandbox, the_first_use_is_inside)
{
	int status = in_child(first_inside);

	EXPECT_EQ(0, status) TH_LOG("%s", name_of(status));
}

TEST_F(sandbox, it_is_entered_after_the_first_use)
{
	int status = in_child(used_before);

	EXPECT_EQ(0, status) TH_LOG("%s", name_of(status));
}

TEST_F(sandbox, sessions_from_outside_go_on)
{
	EXPECT_EQ(0, in_child(session_from_outside));
}

TEST_HARNESS_MAIN
