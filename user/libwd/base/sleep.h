/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word in memory or on files, and the clock that deadlines are measured with. errno is left alone. */
#ifndef WD_SLEEP_H
#define WD_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <linux/types.h>

struct pollfd;

/* Nanoseconds of the monotonic clock; a deadline of 0 is none. */
__u64 wd_now_ns(void);
/* Of a request: 0 and UINT_MAX are none. */
__u64 wd_deadline(__u32 timeout_ms);
/* Of a wait: 0 is now, UINT_MAX for ever. */
__u64 wd_wait_end(__u32 timeout_ms);

/* Returns on any wake-up, also a spurious one, and at the time given (0: none). */
void wd_futex_wait(_Atomic __u32 *word, __u32 value, __u64 until);
void wd_futex_wake(_Atomic __u32 *word, int nr);

/* poll() until an absolute time; not a cancellation point. Whether a signal's handler has ended it. */
bool wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end);

#endif
