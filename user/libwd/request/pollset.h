/* SPDX-License-Identifier: Apache-2.0 */
/* Number and nodes of the poll threads, as WD_POLL_THREADS and wd_start_pollers() give them. */
#ifndef WD_POLLSET_H
#define WD_POLLSET_H

#include <sched.h>

#define WD_POLLERS_MAX	64	/* in all */
#define WD_POLL_GROUPS	16
#define WD_ANY_NODE	(-1)

/* Threads of one node. */
struct wd_poll_group {
	int node;
	unsigned int nr;
	unsigned int first;	/* index of its first thread among all */
	cpu_set_t cpus;
};

struct wd_pollset {
	unsigned int nr;
	unsigned int threads;
	struct wd_poll_group group[WD_POLL_GROUPS];
};

/* 0, or -EINVAL, recorded; text NULL: a thread on every node whose CPUs this process may use. */
int wd_pollset_parse(const char *text, struct wd_pollset *set);

#endif
