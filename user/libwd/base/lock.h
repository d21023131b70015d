/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that is unlocked by a plain store, and the pair of barriers that makes this
 * safe: a thread that waits pays with a system call, so that others pay nothing
 * (membarrier(2); where it is refused, both sides pay with a fence, and waiters for
 * a lock check again periodically).
 */
#ifndef WD_LOCK_H
#define WD_LOCK_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <linux/types.h>
#include "base/likely.h"
#include "base/sleep.h"

/* Between two reads of a word that another CPU writes. */
static inline void wd_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

extern _Atomic bool wd_barrier_asymmetric;

/* Call before using anything here, and again in a fork's child. */
void wd_barrier_init(void);

/*
 * The waiter's side of a pair: between announcing the wait and the last check. A system call, after which the other
 * side needs only a compiler barrier between a store that a waiter may sleep for and the check for a waiter.
 */
void wd_barrier_heavy(void);

struct wd_lock {
	_Atomic __u32 held;
	_Atomic __u32 waiters;
};

void wd_lock_slow(struct wd_lock *lock);

static inline void wd_lock(struct wd_lock *lock)
{
	if (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		wd_lock_slow(lock);
}

static inline bool wd_trylock(struct wd_lock *lock)
{
	return !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void wd_unlock(struct wd_lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&lock->waiters, memory_order_relaxed)))
		wd_futex_wake(&lock->held, 1);
}

#endif
