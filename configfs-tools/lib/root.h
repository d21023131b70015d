/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's files below a root directory, so that a recorded tree can replace a machine. */
#ifndef WDCTL_ROOT_H
#define WDCTL_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#define ROOT_PATH_MAX 1024

struct root {
	char *dir;		/* "" for the running machine, else a path without trailing slash */
	bool fake;
	char release[128];	/* kernel release of that machine */
};

/* Directory names, sorted in natural order. */
struct root_names {
	char **name;
	size_t count;
};

/**
 * root_open() - check the directory and find the kernel release.
 * @dir: NULL for the running machine.
 * Return: 0, or -errno when @dir is not a readable directory or too long.
 */
int root_open(struct root *r, const char *dir);
void root_close(struct root *r);
bool root_is_fake(const struct root *r);

/** root_path() - compose a path below the root. Return: 0 or -ENAMETOOLONG. */
int root_path(const struct root *r, char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** root_exists() - whether the path exists, as any type of file. */
bool root_exists(const struct root *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * root_read() - read a small text file; the last newline is cut off.
 * Return: 0, -errno, or -EFBIG when the file does not fit.
 */
int root_read(const struct root *r, char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** root_read_long() - read a file that has one decimal number. Return: 0, -errno, -EINVAL. */
int root_read_long(const struct root *r, long *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** root_link_name() - read the last component of a symbolic link's target. Return: 0 or -errno. */
int root_link_name(const struct root *r, char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** root_list() - list the entries of a directory. Return: 0 or -errno; -ENOENT if there is no such directory. */
int root_list(const struct root *r, struct root_names *names, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void root_names_free(struct root_names *names);

#endif
