/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA nodes, as libnuma reports them. Where libnuma finds no NUMA, every node is near and has no CPUs. */
#ifndef WD_NODE_H
#define WD_NODE_H

#include <sched.h>

/* The node of the calling thread's CPU, -1 unknown. */
int wd_node_of_caller(void);

/* The distance between two nodes, in ACPI's numbers; unknown nodes are near. */
int wd_node_distance(int from, int to);

/* The node's CPUs that this thread may use and a cpu_set_t holds. 0, or -ENOENT: none, or no such node. */
int wd_node_cpus(int node, cpu_set_t *cpus);

#endif
