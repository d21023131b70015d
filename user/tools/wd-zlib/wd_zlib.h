/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of wd-zlib share. */
#ifndef WD_ZLIB_H
#define WD_ZLIB_H

#include <stdbool.h>

/* Those of env(1), for errors of wd-zlib's own. */
enum {
	EXIT_OWN_FAILURE = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/** check() - print what devices may compress here, or why none does. Return: the exit status, 0 or 1. */
int check(bool json);

#endif
