/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's sections and devices in configfs. */
#ifndef WDCTL_TREE_H
#define WDCTL_TREE_H

#include "config.h"
#include "root.h"

#define TREE_PATH "/sys/kernel/config/uacce"
#define TREE_LOCK "/run/wdctl.lock"
/* Exists from a change on until warpdrive-cdi.service begins to read. */
#define TREE_CHANGED "/run/wdctl.changed"

/* Folders are opened once: with a thousand sections, looking up the whole path each time would dominate the cost. */
struct tree {
	const struct root *root;
	int dir[2];		/* by enum object_kind */
	int lock;
};

/** tree_open() - Return: 0, -ENOENT when the kernel has no sections, other -errno. */
int tree_open(struct tree *t, const struct root *r);
void tree_close(struct tree *t);

/**
 * tree_lock() - lock out other writers until the tree is closed or the process ends.
 * Return: 0, -EWOULDBLOCK if another writer doesn't finish within @wait_ms, other -errno of the lock file.
 */
int tree_lock(struct tree *t, int wait_ms);

/** tree_tell_change() - tell programs that describe sections of a change; needs the lock. Return: 0 or -errno. */
int tree_tell_change(const struct tree *t);

/** tree_read() - read all sections and devices, in natural order. Return: 0 or -errno. */
int tree_read(struct tree *t, struct config *c);

int tree_make(struct tree *t, const char *section);
int tree_remove(struct tree *t, const char *section);
int tree_write(struct tree *t, enum object_kind kind, const char *name, const char *file,
	       const char *value);

/** tree_state() - read one section's state; *@reason becomes a new string or NULL. @reason may be NULL. */
int tree_state(struct tree *t, const char *section, enum section_state *state, char **reason);

#endif
