/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of wd-zlib share. */
#ifndef WD_ZLIB_H
#define WD_ZLIB_H

#include <stdbool.h>

/** check() - print what devices may compress here, or why none does. Return: the exit status, 0 or 1. */
int check(bool json);

#endif
