// SPDX-License-Identifier: Apache-2.0
/* Name and time in a member's header (RFC 1952, 2.3): added to the library's header, and read from a file. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

enum {
	AT_FLAGS = 3,
	AT_TIME = 4,
	FLAG_SUM = 0x02,
	FLAG_EXTRA = 0x04,
	FLAG_NAME = 0x08,
	FLAG_COMMENT = 0x10,
};

/* An extra field of the largest size, and a name. */
#define HEADER_MOST (HEADER_BYTES + 2 + UINT16_MAX + 4096)

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void header_name_it(struct job *job)
{
	__s64 when = job->stat.st_mtime;
	unsigned int i;

	/* 0 stands for no time. */
	if (when <= 0 || when > UINT32_MAX) {
		warn(job, "its time is out of the range of gzip's format, not stored");
		when = 0;
	}
	job->head[AT_FLAGS] |= FLAG_NAME;
	for (i = 0; i < 4; i++)
		job->head[AT_TIME + i] = when >> 8 * i & 0xff;
}

static bool has_name(const struct job *job)
{
	return job->set->names && !job->from_stdin;
}

size_t header_bytes(const struct job *job)
{
	return HEADER_BYTES + (has_name(job) ? strlen(base_of(job->name)) + 1 : 0);
}

/* The library's header is complete after this many bytes; the name follows them. */
int header_write(struct job *job, const void *buf, size_t len)
{
	size_t n = sizeof(job->head) - job->head_len;
	const char *name = base_of(job->name);

	if (!has_name(job) || !n)
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

/* Skips a text that ends with a zero. Return: the offset behind it, or 0 if it is cut off. */
static size_t text_end(const unsigned char *at, size_t len, size_t from)
{
	const unsigned char *zero = from < len ? memchr(at + from, 0, len - from) : NULL;

	return zero ? (size_t)(zero - at) + 1 : 0;
}

bool header_parse(const unsigned char *at, size_t len, struct header *h)
{
	size_t end = HEADER_BYTES;

	*h = (struct header){ 0 };
	if (len < HEADER_BYTES || at[0] != 0x1f || at[1] != 0x8b)
		return false;
	h->when = at[AT_TIME] | at[AT_TIME + 1] << 8 | at[AT_TIME + 2] << 16 | (time_t)at[AT_TIME + 3] << 24;
	if (at[AT_FLAGS] & FLAG_EXTRA)
		end = end + 2 > len ? len : end + 2 + (at[end] | (size_t)at[end + 1] << 8);
	if (at[AT_FLAGS] & FLAG_NAME) {
		h->name = (const char *)at + end;
		end = text_end(at, len, end);
		if (!end)
			h->name = NULL;
	}
	if (end && at[AT_FLAGS] & FLAG_COMMENT)
		end = text_end(at, len, end);
	h->len = end + (at[AT_FLAGS] & FLAG_SUM ? 2 : 0);
	return end && h->len <= len;
}

char *header_name(const struct header *h)
{
	const char *base = h->name ? base_of(h->name) : "";

	return *base && strcmp(base, ".") && strcmp(base, "..") ? strdup(base) : NULL;
}

char *header_read(int fd, time_t *when)
{
	unsigned char start[HEADER_MOST];
	ssize_t got = pread(fd, start, sizeof(start), 0);
	struct header h = { 0 };

	if (got > 0)
		header_parse(start, (size_t)got, &h);
	*when = h.when;
	return header_name(&h);
}
