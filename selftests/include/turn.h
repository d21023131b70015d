/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting without sleep, for threads of this CPU and for other CPUs. */
#ifndef TURN_H
#define TURN_H

#include <sched.h>

/* Where one thread of QEMU runs the CPUs of a VM in turns, one that only yields keeps the others waiting for a tick. */
static inline void turn_over(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
	sched_yield();
}

#endif
