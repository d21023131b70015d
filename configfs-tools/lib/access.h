/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody else may open a device's node. */
#ifndef WDCTL_ACCESS_H
#define WDCTL_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ACCESS_GROUPS_MAX 256

struct who {
	uid_t uid;
	gid_t gids[ACCESS_GROUPS_MAX];
	size_t count;
};

/** access_of_user() - a user with the groups of the database, by name or number. Return: 0 or -ENOENT. */
int access_of_user(const char *name, struct who *w);
/** access_add_group() - one group more, by name or number; an unknown one changes nothing. */
void access_add_group(struct who *w, const char *name);
/** access_of_process() - a process as it is now. Return: 0 or -errno. */
int access_of_process(pid_t pid, struct who *w);
/** access_may_open() - for reading and writing, by the node's mode and list of access. */
bool access_may_open(const char *path, const struct who *w);

#endif
