// SPDX-License-Identifier: Apache-2.0
/* Names of users and groups: of this machine, or of the recorded one. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "idname.h"

static FILE *database_open(const struct root *r, const char *file)
{
	char path[ROOT_PATH_MAX];

	return root_path(r, path, sizeof(path), "/etc/%s", file) ? NULL : fopen(path, "re");
}

static int recorded_user(const struct root *r, const char *name, uint32_t *id)
{
	FILE *f = database_open(r, "passwd");
	const struct passwd *pw = NULL;

	if (!f)
		return -ENOENT;
	while ((pw = fgetpwent(f)) && strcmp(pw->pw_name, name))
		;
	if (pw)
		*id = pw->pw_uid;
	fclose(f);
	return pw ? 0 : -ENOENT;
}

static int recorded_group(const struct root *r, const char *name, uint32_t *id)
{
	FILE *f = database_open(r, "group");
	const struct group *gr = NULL;

	if (!f)
		return -ENOENT;
	while ((gr = fgetgrent(f)) && strcmp(gr->gr_name, name))
		;
	if (gr)
		*id = gr->gr_gid;
	fclose(f);
	return gr ? 0 : -ENOENT;
}

/* The system's own lookup covers more than files: directory services, systemd's dynamic users. */
static int find(void *arg, bool group, const char *name, uint32_t *id)
{
	const struct root *r = arg;
	const struct passwd *pw;
	const struct group *gr;

	if (root_is_fake(r))
		return group ? recorded_group(r, name, id) : recorded_user(r, name, id);
	if (group) {
		gr = getgrnam(name);
		if (gr)
			*id = gr->gr_gid;
		return gr ? 0 : -ENOENT;
	}
	pw = getpwnam(name);
	if (pw)
		*id = pw->pw_uid;
	return pw ? 0 : -ENOENT;
}

struct id_names idname_source(const struct root *r)
{
	return (struct id_names){ (void *)r, find };
}
