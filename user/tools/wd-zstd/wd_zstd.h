/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of wd-zstd share. */
#ifndef WD_ZSTD_H
#define WD_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

/** library_find() - the file that is preloaded. Return: 0 or -ENOENT, with the path where it usually is. */
int library_find(char *path, size_t len);
/** check() - print whether devices find matches here, or why none does. Return: the exit status, 0 or 1. */
int check(bool json);

#endif
