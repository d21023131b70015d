/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of sysfs, for libwd and for wdctl. */
#ifndef WD_SYSFS_H
#define WD_SYSFS_H

#include <stddef.h>

#define WD_SYSFS_CLASS	"/sys/class/uacce"
#define WD_SYSFS_ATTR	4096	/* an attribute has a page at most */

/* The file's text without its last line break. 0; -EFBIG: it is longer, and @buf has what fits; -errno. */
int wd_sysfs_text(const char *path, char *buf, size_t size);

/* A file that holds one decimal number: 0, -EINVAL, -errno. */
int wd_sysfs_number(const char *path, long *value);

/*
 * The NUMA node of the device with this folder: zone_id, which an admin may correct, before the parent's, which is all
 * that a mainline kernel has. -1 is no node. 0, -EINVAL, -errno.
 */
int wd_sysfs_node(const char *folder, long *node);

#endif
