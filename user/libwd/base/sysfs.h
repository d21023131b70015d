/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs attributes, for libwd and for wdctl. */
#ifndef WD_SYSFS_H
#define WD_SYSFS_H

#include <stddef.h>

#define WD_SYSFS_CLASS	"/sys/class/uacce"
#define WD_SYSFS_ATTR	4096	/* an attribute has one page at most */

/* The functions that end in _at take a path relative to the descriptor dir, as openat(2). */

/* The file's text without its last newline. 0; -EFBIG: the file is longer, and @buf has the part that fits; -errno. */
int wd_sysfs_text(const char *path, char *buf, size_t size);
int wd_sysfs_text_at(int dir, const char *path, char *buf, size_t size);

/* A file that holds one decimal number: 0, -EINVAL, -errno. */
int wd_sysfs_number(const char *path, long *value);
int wd_sysfs_number_at(int dir, const char *path, long *value);

/*
 * The NUMA node of the device with this folder: zone_id, which an administrator may correct, is preferred to the
 * parent's numa_node, the only one on a mainline kernel. -1 is no node. 0, -EINVAL, -errno.
 */
int wd_sysfs_node(const char *folder, long *node);
int wd_sysfs_node_at(int dir, const char *folder, long *node);

#endif
