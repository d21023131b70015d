// SPDX-License-Identifier: Apache-2.0
/* Sleeping on a word in memory, and the clock that deadlines are measured with. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"

#define NS_PER_S	1000000000ull

__u64 wd_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * NS_PER_S + (__u64)ts.tv_nsec;
}

__u64 wd_deadline(__u32 timeout_ms)
{
	return timeout_ms ? wd_now_ns() + timeout_ms * 1000000ull : 0;
}

/* Returns on any wake-up, also a spurious one, and at the time given (0: none). errno is left alone. */
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
