/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that is taken and given back by plain stores, and the pair of barriers that makes this
 * safe: a thread that waits pays with a system call, so that others pay nothing
 * (membarrier(2); where it is refused, both sides pay with a fence, and waiters for
 * a lock check again periodically).
 */
#ifndef WD_LOCK_H
#define WD_LOCK_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
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

/*
 * A lock that one thread takes again and again belongs to that thread, which then takes it by plain stores. Another
 * thread takes it by held, ends that, and makes the owner pass a barrier. Only the first owner may become it again:
 * a former one may be anywhere between its look at owner and its store to by_owner.
 */
struct wd_lock {
	_Atomic __u32 held;
	_Atomic __u32 waiters;
	_Atomic(const void *) owner;	/* changes under held */
	_Atomic(const void *) by_owner;	/* the owner, while it has the lock; it alone stores here */
	const void *first;		/* the only thread that may be the owner; under held, like those below */
	const void *last;		/* that took it by held */
	__u32 row;			/* how often in a row */
	__u32 enough;			/* so often makes it the owner; 0: nobody may be */
};

#define WD_LOCK_ENOUGH	64	/* a barrier for the owner costs about as much as so many exchanges */

/* Identifies a running thread. */
static inline const void *wd_thread_self(void)
{
	return __builtin_thread_pointer();
}

static inline void wd_lock_reset(struct wd_lock *lock)
{
	atomic_store(&lock->held, 0);
	atomic_store(&lock->waiters, 0);
	atomic_store(&lock->owner, NULL);
	atomic_store(&lock->by_owner, NULL);
	lock->first = NULL;
	lock->row = 0;
}

/* Its users are in no sandbox, where membarrier(2) would be refused later. */
static inline void wd_lock_may_belong(struct wd_lock *lock)
{
	lock->enough = WD_LOCK_ENOUGH;
}

void wd_lock_slow(struct wd_lock *lock);
bool wd_lock_try_slow(struct wd_lock *lock);
void wd_unlock_held(struct wd_lock *lock);

/* As its owner. What is stored next isn't visible before by_owner (wd_ring_filling()). */
static inline bool wd_lock_own(struct wd_lock *lock, const void *self)
{
	if (unlikely(atomic_load_explicit(&lock->owner, memory_order_relaxed) != self))
		return false;
	atomic_store_explicit(&lock->by_owner, self, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(atomic_load_explicit(&lock->owner, memory_order_relaxed) == self)) {
		atomic_thread_fence(memory_order_release);
		return true;
	}
	atomic_store_explicit(&lock->by_owner, NULL, memory_order_release);
	return false;
}

static inline void wd_lock(struct wd_lock *lock)
{
	if (!wd_lock_own(lock, wd_thread_self()))
		wd_lock_slow(lock);
}

static inline bool wd_trylock(struct wd_lock *lock)
{
	return wd_lock_own(lock, wd_thread_self()) || wd_lock_try_slow(lock);
}

/* Whether some thread has it: a hint. */
static inline bool wd_lock_is_taken(const struct wd_lock *lock)
{
	return atomic_load_explicit(&lock->held, memory_order_relaxed) ||
	       atomic_load_explicit(&lock->by_owner, memory_order_relaxed);
}

static inline void wd_unlock(struct wd_lock *lock)
{
	/* Threads wait for held only; the one that has that looks at by_owner again and again. */
	if (likely(atomic_load_explicit(&lock->by_owner, memory_order_relaxed) == wd_thread_self()))
		atomic_store_explicit(&lock->by_owner, NULL, memory_order_release);
	else
		wd_unlock_held(lock);
}

#endif
