/* SPDX-License-Identifier: Apache-2.0 */
/* Sections through configfs for tests: functions return 0 or -errno. */
#ifndef WD_TEST_UACCE_SECTION_H
#define WD_TEST_UACCE_SECTION_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UACCE_CONFIG	"/sys/kernel/config/uacce"

static inline int config_write(const char *what, const char *name, const char *attr, const char *value)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), UACCE_CONFIG "/%s/%s/%s", what, name, attr);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static inline int section_set(const char *name, const char *attr, const char *value)
{
	return config_write("sections", name, attr, value);
}

static inline int config_device_set(const char *name, const char *attr, const char *value)
{
	return config_write("devices", name, attr, value);
}

static inline int section_make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), UACCE_CONFIG "/sections/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int section_remove(const char *name)
{
	char path[256];

	section_set(name, "live", "revoke");
	snprintf(path, sizeof(path), UACCE_CONFIG "/sections/%s", name);
	return rmdir(path) ? -errno : 0;
}

#endif
