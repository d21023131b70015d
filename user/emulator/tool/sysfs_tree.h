/* SPDX-License-Identifier: Apache-2.0 */
/* The files of emulated devices in a folder. */
#ifndef EMULATE_SYSFS_TREE_H
#define EMULATE_SYSFS_TREE_H

#include "devices.h"

struct tree_shape {
	unsigned int queues;
	unsigned int depth;	/* of a queue's rings */
	int node[DEVICES_MAX];		/* of each device; -1: unknown */
	int nodes;		/* the highest node plus one; 0: show the machine's own nodes */
};

/* 0 or -errno, with a message printed. */
int tree_make(const char *root, const struct tree_shape *shape);
/* Gives all of it to that user. 0 or -errno, with a message printed. */
int tree_give(const char *root, unsigned int user, unsigned int group);
void tree_remove(const char *root);

#endif
