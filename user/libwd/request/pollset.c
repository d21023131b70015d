// SPDX-License-Identifier: Apache-2.0
/* Parses the number of poll threads for each NUMA node, such as "2@0,1@1". */
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "base/error.h"
#include "base/node.h"
#include "request/pollset.h"

#define NODES	64	/* nodes that are looked at when the text names none */

static int group_add(struct wd_pollset *set, int node, unsigned int nr, const cpu_set_t *cpus)
{
	struct wd_poll_group *g = &set->group[set->nr];
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (set->group[i].node == node)
			return wd_fail_num(NULL,
					   EINVAL, node == WD_ANY_NODE ? "poll threads: two counts without a node" :
						   "poll threads: node %u is named twice", (__u64)node, 0);
	if (set->nr == WD_POLL_GROUPS)
		return wd_fail_num(NULL, EINVAL, "poll threads: more than %u nodes", WD_POLL_GROUPS, 0);
	if (nr > WD_POLLERS_MAX - set->threads)
		return wd_fail_num(NULL, EINVAL, "poll threads: more than %u in all", WD_POLLERS_MAX, 0);
	g->node = node;
	g->nr = nr;
	g->first = set->threads;
	g->cpus = *cpus;
	set->threads += nr;
	set->nr++;
	return 0;
}

/* The CPUs of the node that this process may use; none is an error if the text names the node. */
static int cpus_of(int node, cpu_set_t *cpus)
{
	/* Such a thread isn't bound to any CPU. */
	if (node == WD_ANY_NODE) {
		CPU_ZERO(cpus);
		return 0;
	}
	return wd_node_cpus(node, cpus);
}

/* Reads a decimal number of at most five digits at *p, which moves behind it; -1: there is none. */
static long number_read(const char **p)
{
	long n = 0;
	const char *c = *p;

	for (; *c >= '0' && *c <= '9' && c - *p < 5; c++)
		n = n * 10 + (*c - '0');
	if (c == *p)
		return -1;
	*p = c;
	return n;
}

static int item_parse(const char **p, struct wd_pollset *set)
{
	const char *item = *p;
	long nr = number_read(p), node = WD_ANY_NODE;
	cpu_set_t cpus;

	if (nr >= 0 && **p == '@') {
		++*p;
		node = number_read(p);
		if (node < 0)
			nr = -1;
	}
	if (nr < 0 || (**p && **p != ','))
		return wd_fail_str(NULL, EINVAL, "poll threads: COUNT or COUNT@NODE was expected at \"%s\"", item);
	if (!nr)
		return wd_fail_str(NULL, EINVAL, "poll threads: the count is 0 at \"%s\"", item);
	if (cpus_of((int)node, &cpus))
		return wd_fail_num(NULL, EINVAL, "poll threads: node %u has no CPU that this process may use",
				   (__u64)node, 0);
	return group_add(set, (int)node, (unsigned int)nr, &cpus);
}

/* One thread on each node that this process may run on; without nodes, one thread. */
static int parse_nothing(struct wd_pollset *set)
{
	cpu_set_t cpus;
	int node, ret = 0;

	for (node = 0; node < NODES && set->nr < WD_POLL_GROUPS && !ret; node++)
		if (!cpus_of(node, &cpus))
			ret = group_add(set, node, 1, &cpus);
	if (ret || set->nr)
		return ret;
	cpus_of(WD_ANY_NODE, &cpus);
	return group_add(set, WD_ANY_NODE, 1, &cpus);
}

int wd_pollset_parse(const char *text, struct wd_pollset *set)
{
	int ret;

	memset(set, 0, sizeof(*set));
	if (!text)
		return parse_nothing(set);
	for (;;) {
		ret = item_parse(&text, set);
		if (ret || !*text)
			return ret;
		text++;
	}
}
