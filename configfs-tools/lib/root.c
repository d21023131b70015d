// SPDX-License-Identifier: Apache-2.0
/* Reads the kernel's files below a root directory, so that a recorded tree can replace a machine. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "root.h"

static int path_format(const struct root *r, char *buf, size_t len, const char *fmt, va_list ap)
{
	int head = snprintf(buf, len, "%s", r->dir);
	int tail;

	if (head < 0 || (size_t)head >= len)
		return -ENAMETOOLONG;
	tail = vsnprintf(buf + head, len - head, fmt, ap);
	if (tail < 0 || (size_t)tail >= len - head)
		return -ENAMETOOLONG;
	return 0;
}

int root_open(struct root *r, const char *dir)
{
	struct utsname uts;
	struct stat st;
	size_t len;

	memset(r, 0, sizeof(*r));
	if (!dir) {
		if (uname(&uts))
			return -errno;
		snprintf(r->release, sizeof(r->release), "%s", uts.release);
		r->dir = strdup("");
		return r->dir ? 0 : -ENOMEM;
	}
	if (stat(dir, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	len = strlen(dir);
	while (len && dir[len - 1] == '/')
		len--;
	if (len >= ROOT_PATH_MAX / 2)
		return -ENAMETOOLONG;
	r->dir = strndup(dir, len);
	if (!r->dir)
		return -ENOMEM;
	r->fake = true;
	if (root_read(r, r->release, sizeof(r->release), "/proc/sys/kernel/osrelease"))
		r->release[0] = '\0';
	return 0;
}

void root_close(struct root *r)
{
	free(r->dir);
	r->dir = NULL;
}

bool root_is_fake(const struct root *r)
{
	return r->fake;
}

int root_path(const struct root *r, char *buf, size_t len, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = path_format(r, buf, len, fmt, ap);
	va_end(ap);
	return ret;
}

bool root_exists(const struct root *r, const char *fmt, ...)
{
	char path[ROOT_PATH_MAX];
	struct stat st;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = path_format(r, path, sizeof(path), fmt, ap);
	va_end(ap);
	return !ret && !lstat(path, &st);
}

int root_read(const struct root *r, char *buf, size_t len, const char *fmt, ...)
{
	char path[ROOT_PATH_MAX];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = path_format(r, path, sizeof(path), fmt, ap);
	va_end(ap);
	return ret ? ret : wd_sysfs_text(path, buf, len);
}

int root_read_long(const struct root *r, long *value, const char *fmt, ...)
{
	char path[ROOT_PATH_MAX];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = path_format(r, path, sizeof(path), fmt, ap);
	va_end(ap);
	return ret ? ret : wd_sysfs_number(path, value);
}

int root_link_name(const struct root *r, char *buf, size_t len, const char *fmt, ...)
{
	char path[ROOT_PATH_MAX], target[ROOT_PATH_MAX];
	const char *name;
	ssize_t got;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = path_format(r, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (ret)
		return ret;
	got = readlink(path, target, sizeof(target) - 1);
	if (got < 0)
		return -errno;
	target[got] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	if (strlen(name) >= len)
		return -ENAMETOOLONG;
	strcpy(buf, name);
	return 0;
}

static int entry_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int entry_order(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

int root_list(const struct root *r, struct root_names *names, const char *fmt, ...)
{
	char path[ROOT_PATH_MAX];
	struct dirent **entries;
	int count, i, ret;
	va_list ap;

	names->name = NULL;
	names->count = 0;
	va_start(ap, fmt);
	ret = path_format(r, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (ret)
		return ret;
	count = scandir(path, &entries, entry_visible, entry_order);
	if (count < 0)
		return -errno;
	names->name = calloc(count ? count : 1, sizeof(*names->name));
	for (i = 0; i < count; i++) {
		if (names->name && !ret) {
			names->name[names->count] = strdup(entries[i]->d_name);
			if (names->name[names->count])
				names->count++;
			else
				ret = -ENOMEM;
		}
		free(entries[i]);
	}
	free(entries);
	if (!names->name)
		return -ENOMEM;
	if (ret)
		root_names_free(names);
	return ret;
}

void root_names_free(struct root_names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	names->name = NULL;
	names->count = 0;
}
