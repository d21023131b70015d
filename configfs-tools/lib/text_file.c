// SPDX-License-Identifier: Apache-2.0
/* Text files: read completely into memory, replaced atomically. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text_file.h"

#define FIRST_BYTES (64 * 1024)
#define FILE_BYTES_MAX (64UL * 1024 * 1024)

static int read_all(int fd, char **text, size_t *len)
{
	size_t room = FIRST_BYTES, used = 0;
	char *buf = malloc(room), *grown;
	ssize_t got;
	int ret = 0;

	while (buf) {
		got = read(fd, buf + used, room - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = got < 0 ? -errno : 0;
			break;
		}
		used += got;
		if (used < room)
			continue;
		if (room >= FILE_BYTES_MAX) {
			ret = -EFBIG;
			break;
		}
		grown = realloc(buf, room *= 2);
		if (!grown)
			ret = -ENOMEM;
		else
			buf = grown;
		if (ret)
			break;
	}
	if (!buf)
		return -ENOMEM;
	if (ret) {
		free(buf);
		return ret;
	}
	*text = buf;
	*len = used;
	return 0;
}

int text_file_read(const char *path, char **text, size_t *len)
{
	int fd, ret;

	if (!strcmp(path, "-"))
		return read_all(STDIN_FILENO, text, len);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_all(fd, text, len);
	close(fd);
	return ret;
}

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t put;

	while (len) {
		put = write(fd, text, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		text += put;
		len -= put;
	}
	return 0;
}

/* A path that is no regular file (a terminal, a pipe) is written to; it can't be replaced. */
static int write_through(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, len);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int text_file_backup(const char *path)
{
	char *backup;
	int ret = 0;

	if (asprintf(&backup, "%s~", path) < 0)
		return -ENOMEM;
	if ((unlink(backup) && errno != ENOENT) || link(path, backup))
		ret = -errno;
	free(backup);
	return ret;
}

int text_file_replace(const char *path, const char *text, size_t len)
{
	struct stat st = { .st_mode = S_IFREG | 0644 };
	char *beside;
	int fd, ret;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return write_through(path, text, len);
	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		goto out_free;
	}
	ret = write_all(fd, text, len);
	if (!ret && (fchmod(fd, st.st_mode & 0777) || fsync(fd)))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(beside, path))
		ret = -errno;
	if (ret)
		unlink(beside);
out_free:
	free(beside);
	return ret;
}
