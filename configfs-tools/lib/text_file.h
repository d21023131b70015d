/* SPDX-License-Identifier: Apache-2.0 */
/* Text files: read completely into memory, replaced atomically. */
#ifndef WDCTL_TEXT_FILE_H
#define WDCTL_TEXT_FILE_H

#include <stddef.h>

/**
 * text_file_read() - "-" is standard input.
 * Return: 0, -EFBIG for what can't be meant, other -errno.
 */
int text_file_read(const char *path, char **text, size_t *len);

/**
 * text_file_replace() - the file is the old one or the new one, also after a crash.
 * Return: 0 or -errno.
 */
int text_file_replace(const char *path, const char *text, size_t len);

#endif
