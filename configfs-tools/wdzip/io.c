// SPDX-License-Identifier: Apache-2.0
/* Whole reads and writes, and messages. */
#include <errno.h>
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

ssize_t io_read(int fd, void *buf, size_t len)
{
	size_t used = 0;
	ssize_t got;

	while (used < len) {
		got = read(fd, (char *)buf + used, len - used);
		if (got < 0 && errno == EINTR)
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
		if (put < 0 && errno == EINTR)
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
