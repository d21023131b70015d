// SPDX-License-Identifier: Apache-2.0
/*
 * Descriptors of /sys/class/uacce and /dev, from the time when the library is loaded: servers change their root folder
 * after that. They survive fork(), and not exec. A program that closes all descriptors also closes these; their numbers
 * may then belong to files of the program. So each use compares, and only what is still a folder of ours is used. They
 * are never closed here.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file_id.h"
#include "base/folders.h"
#include "base/fork.h"
#include "base/sysfs.h"

#define DEVICES	"/dev"

struct folder {
	const char *path;
	int fd;			/* -1: not kept */
	struct wd_file_id id;
};

static struct folder folders[] = { { .path = WD_SYSFS_CLASS, .fd = -1 }, { .path = DEVICES, .fd = -1 } };

#define FOLDERS	(sizeof(folders) / sizeof(folders[0]))

static struct wd_fork_mutex lock = WD_FORK_MUTEX(lock, NULL);

/* Not with the number of a standard file that the process has closed. */
static int folder_open(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), moved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return moved;
}

/* False: it can't be opened, and is not kept. */
static bool folder_keep(struct folder *f)
{
	int fd;

	if (f->fd >= 0)
		return true;
	fd = folder_open(f->path);
	if (fd < 0)
		return false;
	wd_file_identify(fd, &f->id);
	f->fd = fd;
	return true;
}

/* Without devices, only the first call is made. */
static void folders_open(void)
{
	unsigned int i;

	for (i = 0; i < FOLDERS && folder_keep(&folders[i]); i++)
		;
}

__attribute__((constructor)) static void folders_begin(void)
{
	int saved = errno;

	folders_open();
	errno = saved;
}

void wd_folders_keep(void)
{
	int saved = errno, cancel;

	/* open() can be cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	wd_fork_mutex_lock(&lock);
	folders_open();
	wd_fork_mutex_unlock(&lock);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
}

static struct folder *folder_with(const char *path)
{
	unsigned int i;
	size_t n;

	for (i = 0; i < FOLDERS; i++) {
		n = strlen(folders[i].path);
		if (!strncmp(path, folders[i].path, n) && (!path[n] || path[n] == '/'))
			return &folders[i];
	}
	return NULL;
}

int wd_folder_of(const char *path, const char **rest)
{
	struct folder *f = folder_with(path);
	int fd = -1;

	if (f) {
		wd_fork_mutex_lock(&lock);
		if (!wd_file_is(f->fd, &f->id))
			f->fd = -1;
		fd = f->fd;
		wd_fork_mutex_unlock(&lock);
	}
	*rest = path;
	if (fd < 0)
		return AT_FDCWD;
	path += strlen(f->path);
	path += strspn(path, "/");
	*rest = *path ? path : ".";
	return fd;
}
