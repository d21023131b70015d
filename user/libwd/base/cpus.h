/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs that this thread may use. A cpu_set_t holds 1,024, and the kernel refuses a set smaller than its own. */
#ifndef WD_CPUS_H
#define WD_CPUS_H

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#define WD_CPUS_MOST	(1u << 20)

/* A set of *size bytes for the macros whose names end in _S, to be passed to CPU_FREE(); NULL on failure. */
static inline cpu_set_t *wd_cpus_allowed(size_t *size)
{
	int saved = errno, ret = -1;
	cpu_set_t *cpus = NULL;
	unsigned int nr;

	for (nr = CPU_SETSIZE; ret && nr <= WD_CPUS_MOST; nr *= 2) {
		CPU_FREE(cpus);
		cpus = CPU_ALLOC(nr);
		*size = CPU_ALLOC_SIZE(nr);
		if (!cpus)
			break;
		ret = sched_getaffinity(0, *size, cpus);
	}
	if (ret) {
		CPU_FREE(cpus);
		cpus = NULL;
	}
	errno = saved;
	return cpus;
}

/* How many, at least 1. */
static inline int wd_cpus_number(void)
{
	size_t size;
	cpu_set_t *cpus = wd_cpus_allowed(&size);
	int nr = cpus ? CPU_COUNT_S(size, cpus) : 1;

	CPU_FREE(cpus);
	return nr;
}

#endif
