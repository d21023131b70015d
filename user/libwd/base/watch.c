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
	/* Without membarrier(2) a sleeper couldn't make others look again. */
	if (atomic_fetch_add_explicit(&w->vain, 1, memory_order_relaxed) < VAIN_MAX ||
	    !atomic_load_explicit(&wd_barrier_asymmetric, memory_order_relaxed))
		return false;
	atomic_store_explicit(&w->vain, 0, memory_order_relaxed);
	atomic_store(&w->ignored, true);
	if (!atomic_load(&w->nr))
		return false;
	/*
	 * A thread entered before the store and didn't find itself ignored. Others may have changed something since,
	 * without a look: those changes are visible after the barrier, and the thread is woken to see them.
	 */
	atomic_store(&w->ignored, false);
	wd_barrier_heavy();
	return true;
}
