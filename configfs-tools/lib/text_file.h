/* SPDX-License-Identifier: Apache-2.0 */
/* Text files: read completely into memory, replaced atomically. */
#ifndef WDCTL_TEXT_FILE_H
#define WDCTL_TEXT_FILE_H

#include <stddef.h>

/**
 * text_file_read() - read a whole file; "-" is standard input.
 * Return: 0, -EFBIG for a file of unreasonable size, other -errno.
 */
int text_file_read(const char *path, char **text, size_t *len);

/** text_file_backup() - give the file a second name, its own and "~", instead of an older one. Return: 0 or -errno. */
int text_file_backup(const char *path);

/**
 * text_file_replace() - replace a file atomically: also after a crash it is either the old or the new one.
 * Return: 0 or -errno.
 */
int text_file_replace(const char *path, const char *text, size_t len);

#endif
