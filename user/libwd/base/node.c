// SPDX-License-Identifier: Apache-2.0
/*
 * NUMA nodes. libnuma reads the system's tables once per process, and complains on stderr about nodes that don't exist:
 * it is never asked about them.
 */
#include <errno.h>
#include <numa.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/cpus.h"
#include "base/node.h"
#include "base/sandbox.h"

#define LOCAL_DISTANCE	10	/* ACPI's number for the same node */

static bool available;

static void look(void)
{
	available = numa_available() >= 0;
}

static bool node_known(int node)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (node < 0)
		return false;
	pthread_once(&once, look);
	return available && numa_bitmask_isbitset(numa_nodes_ptr, (unsigned int)node);
}

/* Asks the kernel: libnuma would search all nodes' CPUs for the caller's. */
int wd_node_of_caller(void)
{
	unsigned int cpu, node;
	int saved = errno, ret = wd_sandbox() ? -1 : getcpu(&cpu, &node);

	errno = saved;
	return ret ? -1 : (int)node;
}

int wd_node_distance(int from, int to)
{
	int saved = errno, distance = 0;

	if (from != to && node_known(from) && node_known(to))
		distance = numa_distance(from, to);
	errno = saved;
	return distance ? distance : LOCAL_DISTANCE;
}

static int cpus_fill(int node, struct bitmask *mask, cpu_set_t *cpus)
{
	cpu_set_t *allowed;
	unsigned int cpu;
	size_t size;

	if (numa_node_to_cpus(node, mask))
		return -ENOENT;
	allowed = wd_cpus_allowed(&size);
	if (!allowed)
		return -ENOENT;
	CPU_ZERO(cpus);
	for (cpu = 0; cpu < CPU_SETSIZE && cpu < numa_bitmask_nbytes(mask) * 8; cpu++)
		if (numa_bitmask_isbitset(mask, cpu) && CPU_ISSET_S(cpu, size, allowed))
			CPU_SET(cpu, cpus);
	CPU_FREE(allowed);
	return CPU_COUNT(cpus) ? 0 : -ENOENT;
}

int wd_node_cpus(int node, cpu_set_t *cpus)
{
	int saved = errno, ret = -ENOENT;
	struct bitmask *mask;

	if (!node_known(node))
		return ret;
	mask = numa_allocate_cpumask();
	ret = cpus_fill(node, mask, cpus);
	numa_bitmask_free(mask);
	errno = saved;
	return ret;
}
