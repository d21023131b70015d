/* SPDX-License-Identifier: Apache-2.0 */
/* The configfs tree of provisioning for tests: x() returns 0 or -errno, is() whether the attribute has that text. */
#ifndef WD_TEST_UACCE_TREE_H
#define WD_TEST_UACCE_TREE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text_file.h"

#define TREE		"/sys/kernel/config/uacce"
#define DEV0		"hisi_zip-0"
#define DEV1		"hisi_zip-1"

/* Like text_read(), but returns 0 instead of the length. */
static inline int tree_read(const char *path, char *buf, size_t size)
{
	int n = text_read(path, buf, size);

	return n < 0 ? n : 0;
}

static inline const char *sec_path(const char *name, const char *attr)
{
	static __thread char path[512];

	snprintf(path, sizeof(path), TREE "/sections/%s%s%s", name, attr ? "/" : "", attr ? attr : "");
	return path;
}

static inline int sec_mkdir(const char *name)
{
	return mkdir(sec_path(name, NULL), 0755) ? -errno : 0;
}

static inline int sec_rmdir(const char *name)
{
	return rmdir(sec_path(name, NULL)) ? -errno : 0;
}

static inline int sec_set(const char *name, const char *attr, const char *text)
{
	return text_write(sec_path(name, attr), text);
}

static inline bool sec_is(const char *name, const char *attr, const char *text)
{
	char buf[4096];
	int ret = tree_read(sec_path(name, attr), buf, sizeof(buf));

	if (ret || strcmp(buf, text))
		printf("# %s/%s: %d \"%s\", not \"%s\"\n", name, attr, ret, ret ? "" : buf, text);
	return !ret && !strcmp(buf, text);
}

/* The first line of status. */
static inline bool sec_state(const char *name, const char *state)
{
	char buf[4096];

	if (tree_read(sec_path(name, "status"), buf, sizeof(buf)))
		return false;
	buf[strcspn(buf, "\n")] = 0;
	return !strcmp(buf, state);
}

static inline const char *dev_path(const char *dev, const char *attr)
{
	static __thread char path[512];

	snprintf(path, sizeof(path), TREE "/devices/%s/%s", dev, attr);
	return path;
}

static inline int dev_set(const char *dev, const char *attr, const char *text)
{
	return text_write(dev_path(dev, attr), text);
}

/* Does the attribute read as @text? */
static inline bool dev_is(const char *dev, const char *attr, const char *text)
{
	char buf[64];

	return !tree_read(dev_path(dev, attr), buf, sizeof(buf)) && !strcmp(buf, text);
}

/* A number, or LONG_MIN. */
static inline long dev_num(const char *dev, const char *attr)
{
	char buf[64];

	return tree_read(dev_path(dev, attr), buf, sizeof(buf)) ? (long)1 << 40 : strtol(buf, NULL, 10);
}

/* "SSL": a section of @slots with @ctxs synchronous contexts each on @devices; 0 when it is live. */
static inline int sec_make(const char *name, const char *devices, int slots, int ctxs, int mode)
{
	char number[16];
	int ret = sec_mkdir(name);

	if (ret)
		return ret;
	snprintf(number, sizeof(number), "%d", slots);
	ret = sec_set(name, "num_processes", number);
	snprintf(number, sizeof(number), "%d", ctxs);
	if (!ret)
		ret = sec_set(name, "sync_ctxs", number);
	if (!ret)
		ret = sec_set(name, "async_ctxs", "0");
	if (!ret)
		ret = sec_set(name, "devices", devices);
	if (!ret)
		ret = sec_set(name, "limit_dev_access", mode ? "1" : "0");
	return ret ? ret : sec_set(name, "live", "1");
}

/* Removes a section in any state; 0 or the error of rmdir. */
static inline int sec_end(const char *name)
{
	sec_set(name, "live", "revoke");
	return sec_rmdir(name);
}

/* Do the counts agree with the kernel's own recount? */
static inline bool accounts_ok(void)
{
	char line[256];
	bool ok = true;
	FILE *f = fopen("/sys/kernel/debug/uacce/accounting", "r");

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "WRONG")) {
			printf("# %s", line);
			ok = false;
		}
	fclose(f);
	return ok;
}

#endif
