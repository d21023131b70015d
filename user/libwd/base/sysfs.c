// SPDX-License-Identifier: Apache-2.0
/* sysfs attributes, for libwd and for wdctl. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sysfs.h"

#define PATH_BYTES	1024

/* Reads as much of the file as fits: the length, or -errno. */
static ssize_t read_whole(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	do {
		n = read(fd, buf + used, size - used);
		if (n < 0 && errno != EINTR)
			return -errno;
		used += n > 0 ? (size_t)n : 0;
	} while (n && used < size);
	return (ssize_t)used;
}

int wd_sysfs_text_at(int dir, const char *path, char *buf, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t len;
	bool cut;

	if (fd < 0)
		return -errno;
	len = read_whole(fd, buf, size);
	close(fd);
	if (len < 0) {
		buf[0] = '\0';
		return (int)len;
	}
	cut = (size_t)len == size;
	if (cut || (len && buf[len - 1] == '\n'))
		len--;
	buf[len] = '\0';
	return cut ? -EFBIG : 0;
}

int wd_sysfs_text(const char *path, char *buf, size_t size)
{
	return wd_sysfs_text_at(AT_FDCWD, path, buf, size);
}

int wd_sysfs_number_at(int dir, const char *path, long *value)
{
	char text[32], *end;
	int ret = wd_sysfs_text_at(dir, path, text, sizeof(text));

	if (ret)
		return ret == -EFBIG ? -EINVAL : ret;
	errno = 0;
	*value = strtol(text, &end, 10);
	return end == text || *end || errno ? -EINVAL : 0;
}

int wd_sysfs_number(const char *path, long *value)
{
	return wd_sysfs_number_at(AT_FDCWD, path, value);
}

static int number_below(int dir, const char *folder, const char *name, long *value)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_BYTES)
		return -ENAMETOOLONG;
	return wd_sysfs_number_at(dir, path, value);
}

int wd_sysfs_node_at(int dir, const char *folder, long *node)
{
	long of_parent;
	int ret, more;

	ret = number_below(dir, folder, "zone_id", node);
	if (ret == -ENAMETOOLONG || (!ret && *node >= 0))
		return ret;
	more = number_below(dir, folder, "device/numa_node", &of_parent);
	if (!more)
		*node = of_parent;
	return ret ? more : 0;
}

int wd_sysfs_node(const char *folder, long *node)
{
	return wd_sysfs_node_at(AT_FDCWD, folder, node);
}
