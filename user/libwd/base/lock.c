// SPDX-License-Identifier: Apache-2.0
/* The slow paths of lock.h. */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/sandbox.h"

#define LOCK_LOOKS	100
#define OWNER_NAP_NS	10000ull
#define ENOUGH_MAX	1000000
#define UNTOLD_NS	1000000ull	/* without membarrier(2), the unlocking thread may miss a waiter */

_Atomic bool wd_barrier_asymmetric;

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

void wd_barrier_init(void)
{
	int saved = errno;

	atomic_store(&wd_barrier_asymmetric, !wd_sandbox() && !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
	errno = saved;
}

void wd_barrier_heavy(void)
{
	int saved = errno;

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&wd_barrier_asymmetric, memory_order_relaxed)) {
		/* In a sandbox, the other side's fences begin too late for this wait: it ends by its time limit. */
		if (wd_sandbox())
			atomic_store(&wd_barrier_asymmetric, false);
		/* Registers again when the registration was lost, as after some kinds of raw clone(). */
		else if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
			 !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
			membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	}
	errno = saved;
}

static void held_take(struct wd_lock *lock)
{
	int i;

	for (i = 0; i < LOCK_LOOKS; i++) {
		if (!atomic_load_explicit(&lock->held, memory_order_relaxed) &&
		    !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
			return;
		wd_cpu_relax();
	}
	atomic_fetch_add(&lock->waiters, 1);
	wd_barrier_heavy();
	while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		wd_futex_wait(&lock->held, 1, wd_barrier_asymmetric ? 0 : wd_now_ns() + UNTOLD_NS);
	atomic_fetch_sub(&lock->waiters, 1);
}

static bool owner_has_it(struct wd_lock *lock)
{
	return atomic_load_explicit(&lock->by_owner, memory_order_acquire);
}

/* There is no futex word for that: the owner gives the lock back soon, or sleeps with it. */
static void owner_wait(struct wd_lock *lock)
{
	__u64 nap = OWNER_NAP_NS;
	int i;

	for (i = 0; i < LOCK_LOOKS && owner_has_it(lock); i++)
		wd_cpu_relax();
	for (; owner_has_it(lock); nap = nap < UNTOLD_NS ? 2 * nap : nap)
		wd_poll_fds(NULL, 0, wd_now_ns() + nap);
}

/*
 * Under held. From the barrier on, the owner finds that it is none any more, or this thread sees that it has the lock.
 */
static void owner_end(struct wd_lock *lock)
{
	atomic_store(&lock->owner, NULL);
	wd_barrier_heavy();
	/* A sandbox has begun while the context was closed: the owner's store has had time enough. */
	if (!atomic_load_explicit(&wd_barrier_asymmetric, memory_order_relaxed))
		wd_poll_fds(NULL, 0, wd_now_ns() + UNTOLD_NS);
	lock->row = 0;
	lock->enough = lock->enough < ENOUGH_MAX ? 4 * lock->enough : ENOUGH_MAX;
}

/* Under held, without an owner. */
static void row_count(struct wd_lock *lock)
{
	const void *self = wd_thread_self();

	lock->row = lock->last == self ? lock->row + 1 : 0;
	lock->last = self;
	if (likely(lock->row < lock->enough) || !lock->enough || (lock->first && lock->first != self) ||
	    !atomic_load_explicit(&wd_barrier_asymmetric, memory_order_relaxed))
		return;
	lock->first = self;
	atomic_store_explicit(&lock->owner, self, memory_order_relaxed);
}

void wd_lock_slow(struct wd_lock *lock)
{
	if (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		held_take(lock);
	if (unlikely(atomic_load_explicit(&lock->owner, memory_order_relaxed) != NULL))
		owner_end(lock);
	if (unlikely(owner_has_it(lock)))
		owner_wait(lock);
	row_count(lock);
}

bool wd_lock_try_slow(struct wd_lock *lock)
{
	if (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		return false;
	if (unlikely(atomic_load_explicit(&lock->owner, memory_order_relaxed) != NULL))
		owner_end(lock);
	if (unlikely(owner_has_it(lock))) {
		wd_unlock(lock);
		return false;
	}
	row_count(lock);
	return true;
}

void wd_unlock_held(struct wd_lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&lock->waiters, memory_order_relaxed)))
		wd_futex_wake(&lock->held, 1);
}
