/* SPDX-License-Identifier: Apache-2.0 */
/* The library's own threads, which run callbacks: the interface for the rest of the core. */
#ifndef WD_POLLERS_H
#define WD_POLLERS_H

#include "base/likely.h"
#include "request/core.h"

/* Start threads as WD_POLL_THREADS says, once in a process. 0, or -errno, recorded. */
int wd_pollers_begin(void);
/* Contexts were added or reopened. */
void wd_pollers_changed(void);
/* Wake a sleeping thread that watches the queue. */
void wd_pollers_wake(struct wd_queue *q);

/* The queue has work that no event of its file reports. Called after the work is visible. */
static inline void wd_pollers_due(struct wd_queue *q)
{
	if (wd_watch_due(&q->watch))
		wd_pollers_wake(q);
}

/* Asynchronous requests are about to be submitted to the queue. */
static inline void wd_pollers_adopt(struct wd_queue *q)
{
	if (unlikely(!atomic_load_explicit(&q->delivers, memory_order_relaxed))) {
		atomic_store(&q->delivers, true);
		wd_pollers_changed();
	}
}

#endif
