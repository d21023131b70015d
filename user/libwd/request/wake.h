/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that deliver completions, as seen by the code that wakes them. Private to pollers.c and wake.c. */
#ifndef WD_WAKE_H
#define WD_WAKE_H

#include "request/pollers.h"
#include "request/pollset.h"

struct wd_poller {
	struct wd_poll_group *group;
	unsigned int index;		/* in its group */
	pthread_t thread;
	bool joinable;			/* started, and not joined yet; under pollers.c's control */
	struct wd_fork_file event;
	bool active;			/* under wd_pool.lock, like asleep */
	bool asleep;
};

struct wd_pool {
	struct wd_fork_mutex lock;
	_Atomic __u32 gen;		/* changes with the contexts that any thread serves */
	_Atomic bool stop;
	unsigned int nr;
	struct wd_pollset set;
	struct wd_poller poller[WD_POLLERS_MAX];
	__u32 begun;			/* wd_fork_now() when WD_POLL_THREADS was heeded, or overruled */
};

extern struct wd_pool wd_pool;

/* The group that watches a context, from 1; 0: not yet known. */
extern _Atomic __u8 wd_poll_group_of[WD_ENGINE_QUEUES];

/* wd_pool.lock. */
void wd_pool_lock(void);
void wd_pool_unlock(void);

/* The rest is under it. */
void wd_poller_kick(struct wd_poller *p);
void wd_poller_activate(struct wd_poller *p, bool active);

#endif
