// SPDX-License-Identifier: Apache-2.0
/* Complete reads and writes, and messages. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

static void message(const char *name, const char *kind, const char *fmt, va_list ap)
{
	progress_clear();
	fprintf(stderr, "wdzip: %s%s%s", name ? name : "", name ? ": " : "", kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(name, "", fmt, ap);
	va_end(ap);
}

void warn(struct job *job, const char *fmt, ...)
{
	va_list ap;

	job->warned = true;
	if (job->set->quiet)
		return;
	va_start(ap, fmt);
	message(job->name, "warning: ", fmt, ap);
	va_end(ap);
}

/*
 * A standard descriptor that was closed gets one that can be neither read nor written. Otherwise an output file could
 * get number 2, and messages would go into it.
 */
int io_reserve_std(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -errno;
	return 0;
}

/* A non-blocking pipe or socket is shared with its owner (ssh, expect): its mode doesn't change. */
static bool wait_ready(int fd, short event)
{
	struct pollfd p = { .fd = fd, .events = event };

	if (errno != EAGAIN && errno != EINTR)
		return false;
	if (errno == EAGAIN)
		poll(&p, 1, -1);
	return true;
}

ssize_t io_read(int fd, void *buf, size_t len)
{
	size_t used = 0;
	ssize_t got;

	while (used < len) {
		got = read(fd, (char *)buf + used, len - used);
		if (got < 0 && wait_ready(fd, POLLIN))
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		used += got;
	}
	return used;
}

int io_write(struct job *job, const void *buf, size_t len)
{
	size_t used = 0;
	ssize_t put;

	while (job->out >= 0 && used < len) {
		put = write(job->out, (const char *)buf + used, len - used);
		if (put < 0 && wait_ready(job->out, POLLOUT))
			continue;
		if (put < 0) {
			complain(job->name, "write: %s", strerror(errno));
			return -1;
		}
		used += put;
	}
	job->out_bytes += len;
	return 0;
}
