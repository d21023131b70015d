// SPDX-License-Identifier: Apache-2.0
/* Whether somebody else may open a device's node. */
#include <endian.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "access.h"

#define READ_WRITE 6

int access_of_user(const char *name, struct who *w)
{
	int count = ACCESS_GROUPS_MAX;
	const struct passwd *p;
	char *end;

	memset(w, 0, sizeof(*w));
	p = getpwnam(name);
	if (!p) {
		w->uid = strtoul(name, &end, 10);
		if (!*name || *end)
			return -ENOENT;
		p = getpwuid(w->uid);
		if (!p)
			return 0;
	}
	w->uid = p->pw_uid;
	if (getgrouplist(p->pw_name, p->pw_gid, w->gids, &count) < 0)
		count = ACCESS_GROUPS_MAX;
	w->count = count;
	return 0;
}

void access_add_group(struct who *w, const char *name)
{
	const struct group *g = getgrnam(name);
	unsigned long gid;
	char *end;

	gid = strtoul(name, &end, 10);
	if (w->count < ACCESS_GROUPS_MAX && (g || (*name && !*end)))
		w->gids[w->count++] = g ? g->gr_gid : gid;
}

static void groups_parse(const char *text, struct who *w)
{
	char *end;

	for (;;) {
		unsigned long gid = strtoul(text, &end, 10);

		if (end == text || w->count == ACCESS_GROUPS_MAX)
			return;
		w->gids[w->count++] = gid;
		text = end;
	}
}

int access_of_process(pid_t pid, struct who *w)
{
	char path[64], line[4096];
	unsigned int uid, gid;
	FILE *f;

	memset(w, 0, sizeof(*w));
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		/* The second number is the effective one. */
		if (sscanf(line, "Uid: %*u %u", &uid) == 1)
			w->uid = uid;
		else if (sscanf(line, "Gid: %*u %u", &gid) == 1)
			w->gids[w->count++] = gid;
		else if (!strncmp(line, "Groups:", 7))
			groups_parse(line + 7, w);
	}
	fclose(f);
	return 0;
}

static bool is_in(const struct who *w, gid_t gid)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->gids[i] == gid)
			return true;
	return false;
}

/* The kernel's form of a list of access: entries in the order in which they are looked at. */
struct entry {
	uint16_t tag, perm;
	uint32_t id;
};

#define TAG_USER 0x02
#define TAG_GROUP_OBJ 0x04
#define TAG_GROUP 0x08
#define TAG_MASK 0x10

/* Return: 1, 0, or -1 if the list doesn't decide. */
static int list_lets(const char *path, const struct stat *st, const struct who *w)
{
	unsigned int perm = 0, mask = 7;
	bool user = false, member = false;
	uint32_t list[1 + 2 * 128];
	ssize_t size = getxattr(path, "system.posix_acl_access", list, sizeof(list));
	const struct entry *e = (const void *)(list + 1), *end;

	if (size < (ssize_t)sizeof(list[0]))
		return -1;
	end = e + (size - sizeof(list[0])) / sizeof(*e);
	for (; e < end; e++) {
		unsigned int tag = le16toh(e->tag), id = le32toh(e->id);

		if (tag == TAG_MASK)
			mask = le16toh(e->perm);
		if (tag == TAG_USER && id == w->uid) {
			user = true;
			perm = le16toh(e->perm);
		}
		if (!user && ((tag == TAG_GROUP && is_in(w, id)) || (tag == TAG_GROUP_OBJ && is_in(w, st->st_gid)))) {
			member = true;
			perm |= le16toh(e->perm);
		}
	}
	return user || member ? (perm & mask & READ_WRITE) == READ_WRITE : -1;
}

bool access_may_open(const char *path, const struct who *w)
{
	struct stat st;
	int ret;

	if (!w->uid)
		return true;
	if (stat(path, &st))
		return false;
	if (st.st_uid == w->uid)
		return (st.st_mode >> 6 & READ_WRITE) == READ_WRITE;
	ret = list_lets(path, &st, w);
	if (ret >= 0)
		return ret;
	return (st.st_mode >> (is_in(w, st.st_gid) ? 3 : 0) & READ_WRITE) == READ_WRITE;
}
