/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word in memory or on files, and the clock for deadlines. errno doesn't change. */
#ifndef WD_SLEEP_H
#define WD_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <linux/types.h>

struct pollfd;

/* Nanoseconds of the monotonic clock; a deadline of 0 means none. */
__u64 wd_now_ns(void);
/* The deadline of a request: 0 and UINT_MAX mean none. */
__u64 wd_deadline(__u32 timeout_ms);
/* The end of a wait: 0 means now, UINT_MAX for ever. */
__u64 wd_wait_end(__u32 timeout_ms);

/* Returns on any wake-up, also a spurious one, and at the given time (0: none). */
void wd_futex_wait(_Atomic __u32 *word, __u32 value, __u64 until);
void wd_futex_wake(_Atomic __u32 *word, int nr);

/* poll() until an absolute time; not a cancellation point. Returns whether a signal handler ended it. */
bool wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end);

#endif
