/* SPDX-License-Identifier: Apache-2.0 */
/* How many contexts of a kind a process outside of sections has on a device: WD_CTXS and wd_user_ctxs(). */
#ifndef WD_CTXS_H
#define WD_CTXS_H

#include <stdbool.h>
#include <linux/types.h>

#define WD_CTXS_MAX	1024	/* of a kind on a device */
#define WD_CTXS_NODES	64	/* that a text names */

struct wd_ctxs_node {
	int node;
	__u32 share[2];		/* [async] */
};

struct wd_ctxs {
	__u32 rest[2];		/* of nodes that aren't named, or not known */
	unsigned int nr;
	struct wd_ctxs_node at[WD_CTXS_NODES];
};

/* "0=2+2 1=1+0", "4+4"; NULL or "": one and one everywhere. 0, or -EINVAL, recorded. */
int wd_ctxs_parse(const char *text, struct wd_ctxs *ctxs);

/* Before a session is bound: WD_CTXS, once, unless wd_user_ctxs() was first. 0, or -EINVAL, recorded. No lock is held. */
int wd_ctxs_begin(void);

/* What is in force for the devices of a node. Under the grants' lock. */
void wd_ctxs_of(int node, __u32 share[2]);

#endif
