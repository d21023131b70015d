/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault injection belongs to a task: these move a task's pending fault to another task, and back. */
#ifndef HISI_SIM_INJECT_H
#define HISI_SIM_INJECT_H

#include <linux/sched.h>

#ifdef CONFIG_FAULT_INJECTION
static inline unsigned int sim_inject_take(void)
{
	unsigned int nth = current->fail_nth;

	current->fail_nth = 0;
	return nth;
}

static inline void sim_inject_give(unsigned int nth)
{
	current->fail_nth = nth;
}
#else
static inline unsigned int sim_inject_take(void)
{
	return 0;
}

static inline void sim_inject_give(unsigned int nth)
{
}
#endif

#endif
