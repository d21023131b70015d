/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library's own that run callbacks: what the rest of the core tells them. */
#ifndef WD_POLLERS_H
#define WD_POLLERS_H

#include "request/core.h"

/* As WD_POLL_THREADS asks, once in a process. 0, or -errno, recorded. */
int wd_pollers_begin(void);
/* Contexts were added, or opened again. */
void wd_pollers_changed(void);
/* Somebody who sleeps and looks after the queue is to look at it now. */
void wd_pollers_wake(struct wd_queue *q);

/* There is something to do on the queue that no event of its file tells; after it is visible. */
static inline void wd_pollers_due(struct wd_queue *q)
{
	wd_barrier_light();
	if (__builtin_expect(atomic_load_explicit(&q->watchers, memory_order_relaxed), 0))
		wd_pollers_wake(q);
}

/* Asynchronous requests are about to come to the queue. */
static inline void wd_pollers_adopt(struct wd_queue *q)
{
	if (__builtin_expect(!atomic_load_explicit(&q->delivers, memory_order_relaxed), 0)) {
		atomic_store(&q->delivers, true);
		wd_pollers_changed();
	}
}

#endif
