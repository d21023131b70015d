// SPDX-License-Identifier: Apache-2.0
/* Processes that end while poll threads compute in libcrypto. */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ecc_test.h"
#include "kselftest_harness.h"
#include "tsan_fork.h"
#include "turn.h"

#define IN_FLIGHT	32
#define CHILDREN	20
#define LOOK_MS		20
#define STILL_RUNNING	3
#define EXIT_MS		1000	/* exit() waits at most this long for poll threads: a callback may be stuck */
#define LATE		3	/* children per test that may wait in vain: a thread was off its CPU for that long */

struct flight {
	struct wd_ecc_arg arg;
	unsigned char dst[3 * ECC_MAX];
	size_t len;
	_Atomic bool idle;
};

static struct flight flights[IN_FLIGHT];
static _Atomic unsigned int done;
static handle_t sess;
static _Atomic long long *left_at;	/* ms: time of the child's call of exit(); shared with the child */

static void submit_idle(void);

static void on_done(struct wd_ecc_arg *arg, void *param)
{
	struct flight *f = param;

	(void)arg;
	atomic_fetch_add(&done, 1);
	atomic_store(&f->idle, true);
	submit_idle();
}

/* Makes a new key pair: random numbers and points, nearly all work in libcrypto. */
static int submit(struct flight *f)
{
	f->len = sizeof(f->dst);
	f->arg = (struct wd_ecc_arg){
		.dst = f->dst, .dst_len = &f->len, .op = WD_ECC_KEYGEN, .cb = on_done, .cb_param = f,
	};
	return wd_ecc_async(sess, &f->arg, NULL);
}

/* There is no room while a slow request holds the next slot: a later callback tries again. */
static void submit_idle(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < IN_FLIGHT; i++) {
		if (!atomic_exchange(&flights[i].idle, false))
			continue;
		ret = submit(&flights[i]);
		if (ret == -EBUSY) {
			atomic_store(&flights[i].idle, true);
			return;
		}
		if (ret)
			abort();
	}
}

static void work(void)
{
	unsigned int i;

	sess = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ASYNC, WD_SESS_PATH_SOFT);
	if (!sess)
		_exit(4);
	for (i = 0; i < IN_FLIGHT; i++)
		atomic_store(&flights[i].idle, true);
	submit_idle();
	while (atomic_load(&done) < IN_FLIGHT)
		turn_over();
}

/* Registered before libcrypto's exit handler, so this one runs after it. */
static void look_for_threads(void)
{
	unsigned int before = atomic_load(&done);

	poll(NULL, 0, LOOK_MS);
	if (atomic_load(&done) != before)
		_exit(STILL_RUNNING);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static void leave(void)
{
	atomic_store(left_at, now_ms());
	exit(0);
}

static void threads_first(void)
{
	atexit(look_for_threads);
	if (wd_start_pollers("2"))
		_exit(5);
	work();
	leave();
}

static void threads_of_the_environment(void)
{
	atexit(look_for_threads);
	setenv("WD_POLL_THREADS", "2", 1);
	work();
	leave();
}

static void session_first(void)
{
	handle_t first;

	atexit(look_for_threads);
	first = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ASYNC, WD_SESS_PATH_SOFT);
	if (wd_start_pollers("2") || wd_ecc_free_sess(first))
		_exit(5);
	work();
	leave();
}

/* Returns wait()'s status; late: the child may have left a thread running, as it must with a stuck one. */
static int child(void (*body)(void), bool *late)
{
	long long left;
	int status;
	pid_t pid;

	*late = false;
	atomic_store(left_at, 0);
	pid = fork();
	if (!pid)
		body();
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	left = atomic_load(left_at);
	*late = left && now_ms() - left >= EXIT_MS;
	return status;
}

/* The status of the first child that fails, or 0. A few failures due to a thread that was left running are accepted. */
static int children(void (*body)(void))
{
	int good = 0, bad = 0, status = 0;
	bool late;

	fflush(NULL);
	left_at = mmap(NULL, sizeof(*left_at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (left_at == MAP_FAILED)
		return -1;
	while (good < CHILDREN) {
		status = child(body, &late);
		if (!status)
			good++;
		else if (!late || ++bad > LATE)
			break;
	}
	munmap(left_at, sizeof(*left_at));
	return good < CHILDREN ? status : 0;
}

TEST(poll_threads_end_before_libcrypto_does)
{
	EXPECT_EQ(0, children(threads_first));
}

TEST(poll_threads_that_the_environment_asks_for_do_so_too)
{
	EXPECT_EQ(0, children(threads_of_the_environment));
}

TEST(poll_threads_that_are_started_after_a_session_do_so_too)
{
	EXPECT_EQ(0, children(session_first));
}

TEST_HARNESS_MAIN
