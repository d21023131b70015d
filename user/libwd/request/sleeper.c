// SPDX-License-Identifier: Apache-2.0
/* The sleeper's role: one thread per queue sleeps on its file, or keeps other threads from sleeping on it. */
#include "request/pollers.h"

bool wd_sleeper_enter(struct wd_queue *q)
{
	return !atomic_exchange(&q->sleeper, 1);
}

void wd_sleeper_wait(struct wd_queue *q)
{
	atomic_fetch_add(&q->sleeper_wanted, 1);
	while (!wd_sleeper_enter(q))
		wd_futex_wait(&q->sleeper, 1, 0);
	atomic_fetch_sub(&q->sleeper_wanted, 1);
}

void wd_sleeper_leave(struct wd_queue *q)
{
	atomic_store(&q->sleeper, 0);
	if (atomic_load(&q->sleeper_wanted))
		wd_futex_wake(&q->sleeper, INT_MAX);
	/* A thread that watches the queue could not take the role until now. */
	wd_pollers_due(q);
}

/* As the sleeper: requests an event; false: there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q)
{
	bool quiet = false;

	wd_drain_lock(q);
	if (!atomic_load(&q->state)) {
		q->drv.arm(q);
		quiet = !q->drv.ready(q);
	}
	wd_drain_unlock(q);
	return quiet;
}
