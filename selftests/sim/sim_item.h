/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated devices through configfs for tests: x() returns 0 or a length, or -errno. */
#ifndef WD_TEST_SIM_ITEM_H
#define WD_TEST_SIM_ITEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SIM_ROOT	"/sys/kernel/config/hisi_sim"
#define SIM_PCI		"/sys/bus/pci/devices"

static inline int sim_write_path(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* The file without its last newline. */
static inline int sim_read_path(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	buf[n] = '\0';
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
	return strlen(buf);
}

static inline int sim_mkdir(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int sim_rmdir(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s", name);
	return rmdir(path) ? -errno : 0;
}

static inline int sim_set(const char *name, const char *attr, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s/%s", name, attr);
	return sim_write_path(path, text);
}

static inline int sim_get(const char *name, const char *attr, char *buf, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s/%s", name, attr);
	return sim_read_path(path, buf, size);
}

/* Does the attribute read as @text? */
static inline int sim_is(const char *name, const char *attr, const char *text)
{
	char buf[256];

	return sim_get(name, attr, buf, sizeof(buf)) >= 0 && !strcmp(buf, text);
}

static inline int sim_exists(const char *path)
{
	return !access(path, F_OK);
}

#endif
