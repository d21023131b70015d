/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are about to sleep, and look once more before; and threads that change what they look at, and wake them.
 * The changing side is frequent and pays a load, once it has found nobody many times in a row. Then the next sleeper
 * pays a system call, and the ones after it none, because the changing side looks for them.
 */
#ifndef WD_WATCH_H
#define WD_WATCH_H

#include "base/lock.h"

struct wd_watch {
	_Atomic __u32 nr;	/* threads that sleep, or are about to */
	_Atomic bool ignored;	/* the changing side doesn't look at nr */
	_Atomic __u32 vain;	/* how often it has found 0 */
};

/* In a fork's child, which has no other thread. */
static inline void wd_watch_reset(struct wd_watch *w)
{
	atomic_store(&w->nr, 0);
	atomic_store(&w->ignored, false);
	atomic_store(&w->vain, 0);
}

/* --- the side that sleeps: enter all that it watches, settle, look, sleep, leave --- */

/* Returns what wd_watch_settle() has to know, which may be that of several. */
static inline bool wd_watch_enter(struct wd_watch *w)
{
	atomic_fetch_add(&w->nr, 1);
	atomic_store_explicit(&w->vain, 0, memory_order_relaxed);
	return atomic_exchange(&w->ignored, false);
}

/* A change that this thread doesn't see by a look afterwards makes the other side call wd_watch_is_on(). */
static inline void wd_watch_settle(bool news)
{
	if (news)
		wd_barrier_heavy();
	else
		atomic_thread_fence(memory_order_seq_cst);
}

static inline void wd_watch_leave(struct wd_watch *w)
{
	atomic_fetch_sub(&w->nr, 1);
}

/* --- the side that changes something --- */

/* Whether some thread sleeps, and has to be woken. */
bool wd_watch_is_on(struct wd_watch *w);

/* After the change: whether wd_watch_is_on() has to be called. */
static inline bool wd_watch_heeds(const struct wd_watch *w)
{
	atomic_signal_fence(memory_order_seq_cst);
	return unlikely(!atomic_load_explicit(&w->ignored, memory_order_relaxed));
}

static inline bool wd_watch_due(struct wd_watch *w)
{
	return wd_watch_heeds(w) && wd_watch_is_on(w);
}

#endif
