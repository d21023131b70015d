// SPDX-License-Identifier: Apache-2.0
/* Sleeping on a word in memory or on files, and the clock for deadlines. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sleep.h"

#define NS_PER_S	1000000000ull

__u64 wd_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * NS_PER_S + (__u64)ts.tv_nsec;
}

__u64 wd_deadline(__u32 timeout_ms)
{
	return timeout_ms && timeout_ms != UINT_MAX ? wd_now_ns() + timeout_ms * 1000000ull : 0;
}

__u64 wd_wait_end(__u32 timeout_ms)
{
	return timeout_ms == UINT_MAX ? 0 : wd_now_ns() + timeout_ms * 1000000ull;
}

void wd_futex_wait(_Atomic __u32 *word, __u32 value, __u64 until)
{
	struct timespec ts, *limit = NULL;
	int saved = errno;

	if (until) {
		ts.tv_sec = until / NS_PER_S;
		ts.tv_nsec = until % NS_PER_S;
		limit = &ts;
	}
	syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, limit, NULL, FUTEX_BITSET_MATCH_ANY);
	errno = saved;
}

void wd_futex_wake(_Atomic __u32 *word, int nr)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, nr);
	errno = saved;
}

bool wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end)
{
	__u64 now = wd_now_ns();
	struct timespec ts = { 0 };
	int saved = errno, cancel;
	bool signal;

	if (end > now) {
		ts.tv_sec = (end - now) / 1000000000ull;
		ts.tv_nsec = (end - now) % 1000000000ull;
	}
	/* A sleeping thread may hold a role, and must not be cancelled with it. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	signal = ppoll(pfd, n, &ts, NULL) < 0 && errno == EINTR;
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return signal;
}
