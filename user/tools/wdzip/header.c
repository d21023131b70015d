// SPDX-License-Identifier: Apache-2.0
/* Name and time in a member's header (RFC 1952, 2.3): added to the library's header, and read from a file. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

enum {
	AT_FLAGS = 3,
	AT_TIME = 4,
	FLAG_EXTRA = 0x04,
	FLAG_NAME = 0x08,
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void header_name_it(struct job *job)
{
	__s64 when = job->stat.st_mtime;
	unsigned int i;

	if (when < 0 || when > UINT32_MAX) {
		warn(job, "its time is out of the range of gzip's format, not stored");
		when = 0;
	}
	job->head[AT_FLAGS] |= FLAG_NAME;
	for (i = 0; i < 4; i++)
		job->head[AT_TIME + i] = when >> 8 * i & 0xff;
}

/* The library's header is complete after this many bytes; the name follows them. */
int header_write(struct job *job, const void *buf, size_t len)
{
	size_t n = sizeof(job->head) - job->head_len;
	const char *name = base_of(job->name);

	if (!job->set->names || job->from_stdin || !n)
		return io_write(job, buf, len);
	n = n < len ? n : len;
	memcpy(job->head + job->head_len, buf, n);
	job->head_len += n;
	if (job->head_len < sizeof(job->head))
		return 0;
	header_name_it(job);
	if (io_write(job, job->head, sizeof(job->head)) || io_write(job, name, strlen(name) + 1))
		return -1;
	return io_write(job, (const char *)buf + n, len - n);
}

/* Return: the offset behind the extra field, if there is one, or -1 if the file ends before. */
static off_t name_at(int fd, const unsigned char *head)
{
	unsigned char len[2];

	if (!(head[AT_FLAGS] & FLAG_EXTRA))
		return HEADER_BYTES;
	if (pread(fd, len, 2, HEADER_BYTES) != 2)
		return -1;
	return HEADER_BYTES + 2 + (len[0] | len[1] << 8);
}

/* A name in another folder, or an empty one, counts as none. */
static char *name_checked(const char *stored, size_t len)
{
	const char *base;

	if (!memchr(stored, 0, len))
		return NULL;
	base = base_of(stored);
	return *base && strcmp(base, ".") && strcmp(base, "..") ? strdup(base) : NULL;
}

char *header_read(int fd, time_t *when)
{
	unsigned char head[HEADER_BYTES];
	char stored[4096];
	ssize_t got;
	off_t at;

	*when = 0;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || head[0] != 0x1f || head[1] != 0x8b)
		return NULL;
	*when = head[AT_TIME] | head[AT_TIME + 1] << 8 | head[AT_TIME + 2] << 16 | (time_t)head[AT_TIME + 3] << 24;
	at = head[AT_FLAGS] & FLAG_NAME ? name_at(fd, head) : -1;
	got = at < 0 ? 0 : pread(fd, stored, sizeof(stored), at);
	return got > 0 ? name_checked(stored, (size_t)got) : NULL;
}
