// SPDX-License-Identifier: Apache-2.0
/* An output file that exists only when it is complete: it is removed on errors and signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

/* The file that the handler removes; it changes only while the signals are blocked. */
static const char *volatile unfinished;

static void on_signal(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

void output_catch_signals(void)
{
	struct sigaction old, catch = { .sa_handler = on_signal };
	size_t i;

	sigemptyset(&catch.sa_mask);
	for (i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]); i++)
		sigaddset(&catch.sa_mask, fatal_signals[i]);
	for (i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]); i++)
		/* A signal that nohup or a shell ignores stays ignored. */
		if (!sigaction(fatal_signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &catch, NULL);
}

static void signals_block(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]); i++)
		sigaddset(&set, fatal_signals[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

/* The old file stays until the new one is complete, so the new one is written beside it. */
static char *temp_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *temp;

	base = base ? base + 1 : path;
	if (asprintf(&temp, "%.*s.%.200s.XXXXXX", (int)(base - path), path, base) < 0)
		return NULL;
	return temp;
}

static int file_create(struct output *o)
{
	sigset_t old;
	int err = 0;

	signals_block(&old);
	/* A killed process may have left a file of this name: take another name. */
	if (o->temp != o->path)
		o->fd = mkostemp(o->temp, O_CLOEXEC);
	else
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (o->fd < 0)
		err = -errno;
	else
		unfinished = o->temp;
	sigprocmask(SIG_SETMASK, &old, NULL);
	o->ours = !err;
	return err;
}

static void output_free(struct output *o)
{
	if (o->temp != o->path)
		free(o->temp);
	free(o->path);
	o->path = NULL;
	o->temp = NULL;
}

int output_open(struct output *o, const char *path, bool replace)
{
	struct stat st;
	int ret = 0;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->path = strdup(path);
	if (!o->path)
		return -ENOMEM;
	o->temp = o->path;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		ret = -EISDIR;
	} else if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		/* A device or pipe is written to as it is, and never removed. */
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		ret = o->fd < 0 ? -errno : 0;
	} else {
		if (replace && !lstat(path, &st))
			o->temp = temp_name(path);
		ret = o->temp ? file_create(o) : -ENOMEM;
	}
	if (ret)
		output_free(o);
	return ret;
}

static int attributes_copy(int fd, const struct stat *like)
{
	struct timespec times[2] = { like->st_atim, like->st_mtim };
	/* The output is never set-user-ID, whatever the input is. */
	mode_t mode = like->st_mode & 0777;
	int err = 0;

	/* If the group can't be kept, its rights must not go to another group. */
	if (fchown(fd, -1, like->st_gid))
		mode &= ~070;
	if (fchown(fd, like->st_uid, -1) && errno != EPERM)
		err = -errno;
	if (fchmod(fd, mode) || futimens(fd, times))
		return -errno;
	return err;
}

int output_attributes(struct output *o, const struct stat *like)
{
	mode_t mask;

	if (!o->ours)
		return 0;
	if (like)
		return attributes_copy(o->fd, like);
	mask = umask(0);
	umask(mask);
	return fchmod(o->fd, 0666 & ~mask) ? -errno : 0;
}

/* A pipe or device has no data on a disk. */
static int sync_fd(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -errno : 0;
}

/* The name is data of the folder. */
static int sync_folder(const char *path)
{
	const char *base = strrchr(path, '/');
	char *folder = base ? strndup(path, base - path + 1) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int ret = fd < 0 ? -errno : sync_fd(fd);

	if (fd >= 0)
		close(fd);
	free(folder);
	return ret;
}

int output_commit(struct output *o, bool synchronous)
{
	bool ours = o->ours;
	sigset_t old;
	int ret;

	ret = synchronous ? sync_fd(o->fd) : 0;
	if (close(o->fd) && !ret)
		ret = -errno;
	o->fd = -1;
	signals_block(&old);
	if (!ret && o->temp != o->path && rename(o->temp, o->path))
		ret = -errno;
	if (!ret) {
		unfinished = NULL;
		o->ours = false;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (!ret && synchronous && ours)
		ret = sync_folder(o->path);
	if (ret)
		output_abort(o);
	else
		output_free(o);
	return ret;
}

void output_abort(struct output *o)
{
	sigset_t old;

	if (o->fd >= 0)
		close(o->fd);
	signals_block(&old);
	if (o->ours)
		unlink(o->temp);
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &old, NULL);
	output_free(o);
}
