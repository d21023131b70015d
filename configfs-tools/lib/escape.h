/* SPDX-License-Identifier: Apache-2.0 */
/* Makes text of files, the kernel and processes safe for a terminal. */
#ifndef WDCTL_ESCAPE_H
#define WDCTL_ESCAPE_H

#include <stddef.h>

/* Enough for ESCAPE_SHOWN characters, each escaped, and for "...", which stands for more. */
#define ESCAPE_SHOWN 60
#define ESCAPE_SIZE (4 * ESCAPE_SHOWN + 4)

/**
 * escape() - write bytes that are not printable ASCII as \xNN; "..." replaces what does not fit.
 * @size: of @buf, at least 8.
 * Return: @buf.
 */
const char *escape(char *buf, size_t size, const char *text, size_t len);

/** escape_new() - escape the whole text, into new memory; NULL without memory. */
char *escape_new(const char *text);

#endif
