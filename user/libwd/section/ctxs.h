/* SPDX-License-Identifier: Apache-2.0 */
/* The number of contexts of a kind that a process outside of sections has on a device: WD_CTXS and wd_user_ctxs(). */
#ifndef WD_CTXS_H
#define WD_CTXS_H

#include <stdbool.h>
#include <linux/types.h>

#define WD_CTXS_MAX	1024	/* of one kind on a device */
#define WD_CTXS_NODES	64	/* in one text */

struct wd_ctxs_node {
	int node;
	__u32 share[2];		/* [async] */
};

struct wd_ctxs {
	__u32 rest[2];		/* for nodes that aren't in the list, or unknown */
	unsigned int nr;
	struct wd_ctxs_node at[WD_CTXS_NODES];
};

/* "0=2+2 1=1+0", "4+4"; NULL or "": one of each kind everywhere. 0, or -EINVAL, recorded. */
int wd_ctxs_parse(const char *text, struct wd_ctxs *ctxs);

/*
 * Before a session is bound: applies WD_CTXS, once, unless wd_user_ctxs() came first. 0, or -EINVAL, recorded. No lock
 * is held.
 */
int wd_ctxs_begin(void);

/* The numbers in force for a node's devices. Under the grants' lock. */
void wd_ctxs_of(int node, __u32 share[2]);

#endif
