// SPDX-License-Identifier: Apache-2.0
/* The slow paths of lock.h. */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/sandbox.h"

#define LOCK_LOOKS	100
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

void wd_lock_slow(struct wd_lock *lock)
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
