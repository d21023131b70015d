/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls on uacce devices for tests, in two forms each: x() returns 0 or a
 * value, or -errno; test_x() asserts success (kselftest_harness.h comes first).
 */
#ifndef WD_TEST_UACCE_SYS_H
#define WD_TEST_UACCE_SYS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <misc/uacce/hisi_qm.h>
#include <misc/uacce/uacce.h>
#include "text_file.h"

#define UACCE_CLASS	"/sys/class/uacce"
#define UACCE_NAME_MAX	64

static inline int neg_errno(int ret)
{
	return ret < 0 ? -errno : ret;
}

static inline long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

/* The n-th device, in the order of numbers, whose name begins with @driver; false when there is none. */
static inline int uacce_find(const char *driver, unsigned int n, char name[UACCE_NAME_MAX])
{
	size_t len = strlen(driver);
	struct dirent *entry;
	int id, found = -1;
	int min = -1;

	for (unsigned int i = 0; i <= n; i++) {
		DIR *dir = opendir(UACCE_CLASS);

		found = -1;
		while (dir && (entry = readdir(dir))) {
			if (strncmp(entry->d_name, driver, len) || entry->d_name[len] != '-')
				continue;
			id = atoi(entry->d_name + len + 1);
			if (id > min && (found < 0 || id < found))
				found = id;
		}
		if (dir)
			closedir(dir);
		if (found < 0)
			return 0;
		min = found;
	}
	snprintf(name, UACCE_NAME_MAX, "%.40s-%d", driver, found);
	return 1;
}

/* The number of all devices, whatever their driver. */
static inline int uacce_count(void)
{
	DIR *dir = opendir(UACCE_CLASS);
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static inline int uacce_open(const char *name)
{
	char path[UACCE_NAME_MAX + 8];

	snprintf(path, sizeof(path), "/dev/%s", name);
	return neg_errno(open(path, O_RDWR | O_CLOEXEC));
}

/* The parent's name, usually its PCI address: the last part of the device link's target. */
static inline int uacce_parent(const char *name, char *parent, size_t size)
{
	char path[128], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), UACCE_CLASS "/%s/device", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	snprintf(parent, size, "%s", strrchr(target, '/') + 1);
	return 0;
}

/* The driver's device of that parent; false when there is none. */
static inline int uacce_of_parent(const char *driver, const char *parent, char name[UACCE_NAME_MAX])
{
	char have[UACCE_NAME_MAX];

	for (unsigned int n = 0; uacce_find(driver, n, name); n++)
		if (!uacce_parent(name, have, sizeof(have)) && !strcmp(have, parent))
			return 1;
	return 0;
}

/* @file: "bind", "unbind"; 0 or -errno. */
static inline int uacce_driver_write(const char *driver, const char *file, const char *parent)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/%s", driver, file);
	return text_write(path, parent);
}

/* Binds the driver anew; 0 or -errno. */
static inline int uacce_rebind(const char *driver, const char *parent)
{
	int ret = uacce_driver_write(driver, "unbind", parent);

	return ret ? ret : uacce_driver_write(driver, "bind", parent);
}

/* The attribute without its last newline; length or -errno. */
static inline int uacce_attr(const char *name, const char *attr, char *buf, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), UACCE_CLASS "/%s/%s", name, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	n = n < 0 ? -errno : n;
	close(fd);
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n > 0 ? n : 0] = 0;
	return n;
}

static inline long uacce_attr_num(const char *name, const char *attr)
{
	char buf[64];
	int n = uacce_attr(name, attr, buf, sizeof(buf));

	return n < 0 ? n : strtol(buf, NULL, 0);
}

/* 0 or -errno of the write. */
static inline int uacce_attr_write(const char *name, const char *attr, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), UACCE_CLASS "/%s/%s", name, attr);
	return text_write(path, value);
}

static inline int uacce_start_q(int fd)
{
	return neg_errno(ioctl(fd, UACCE_CMD_START_Q));
}

static inline int uacce_put_q(int fd)
{
	return neg_errno(ioctl(fd, UACCE_CMD_PUT_Q));
}

/* Number of the queue, or -errno. */
static inline int uacce_set_qp_ctx(int fd, unsigned int qc_type)
{
	struct hisi_qp_ctx ctx = { .qc_type = qc_type };
	int ret = neg_errno(ioctl(fd, UACCE_CMD_QM_SET_QP_CTX, &ctx));

	return ret < 0 ? ret : ctx.id;
}

static inline int uacce_set_qp_info(int fd, struct hisi_qp_info *info)
{
	return neg_errno(ioctl(fd, UACCE_CMD_QM_SET_QP_INFO, info));
}

/* Whether a mapping can be made, which is gone again: 0 or -errno. */
static inline int uacce_try_mmap(int fd, size_t bytes, off_t offset, int prot, int flags)
{
	void *map = mmap(NULL, bytes, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, bytes);
	return 0;
}

/* 0 and *map, or -errno. */
static inline int uacce_mmap(int fd, enum uacce_qfrt type, size_t bytes, void **map)
{
	*map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)type * sysconf(_SC_PAGESIZE));
	return *map == MAP_FAILED ? -errno : 0;
}

/* revents, or -errno; @ms as poll() takes it. */
static inline int uacce_poll(int fd, short events, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int ret = poll(&pfd, 1, ms);

	return ret < 0 ? -errno : ret ? pfd.revents : 0;
}

/* Waits for the last events of a queue that is taken away: the stop words come first, as a separate event. */
static inline int uacce_poll_gone(int fd, int ms)
{
	long long deadline = now_ms() + ms;
	int ret;

	do
		ret = uacce_poll(fd, POLLIN | POLLRDNORM, ms);
	while (ret > 0 && !(ret & (POLLERR | POLLHUP)) && now_ms() < deadline);
	return ret;
}

#define test_open(name) ({						\
	int __fd = uacce_open(name);					\
	ASSERT_GE(__fd, 0) TH_LOG("open %s: %s", name, strerror(-__fd));	\
	__fd;								\
})

#define test_start_q(fd)	ASSERT_EQ(0, uacce_start_q(fd))
#define test_put_q(fd)		ASSERT_EQ(0, uacce_put_q(fd))
#define test_set_qp_info(fd, info) ASSERT_EQ(0, uacce_set_qp_info(fd, info))

#define test_set_qp_ctx(fd, qc_type) ({					\
	int __id = uacce_set_qp_ctx(fd, qc_type);			\
	ASSERT_GE(__id, 0);						\
	__id;								\
})

#define test_mmap(fd, type, bytes) ({					\
	void *__map;							\
	ASSERT_EQ(0, uacce_mmap(fd, type, bytes, &__map));		\
	__map;								\
})

#define test_attr_num(name, attr) ({					\
	long __value = uacce_attr_num(name, attr);			\
	ASSERT_GE(__value, 0) TH_LOG("%s/%s", name, attr);		\
	__value;							\
})

#endif
