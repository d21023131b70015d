// SPDX-License-Identifier: Apache-2.0
/* Whole reads and writes, and messages. */
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
 * What was closed stays useless: it can't be read, or written to. But warnings
 * never end up in an output file that got number 2.
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

/* Who hands over a non-blocking pipe or socket (ssh, expect) shares it: its mode stays as it is. */
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
