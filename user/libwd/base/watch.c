// SPDX-License-Identifier: Apache-2.0
/* The rare side of watch.h. */
#include "base/watch.h"

#define VAIN_MAX	16	/* looks, of a fence each, that cost about as much as a sleeper's barrier */

bool wd_watch_is_on(struct wd_watch *w)
{
	/* Pairs with wd_watch_settle(): this thread sees the sleeper, or the sleeper sees the change. */
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&w->nr))
		return true;
	if (atomic_fetch_add_explicit(&w->vain, 1, memory_order_relaxed) < VAIN_MAX)
		return false;
	atomic_store_explicit(&w->vain, 0, memory_order_relaxed);
	atomic_store(&w->heeded, false);
	if (!atomic_load(&w->nr))
		return false;
	/*
	 * A thread entered before the store and found itself heeded. Others may have changed something since, without a
	 * look: those changes are visible after the barrier, and the thread is woken to see them.
	 */
	atomic_store(&w->heeded, true);
	wd_barrier_heavy();
	return true;
}
