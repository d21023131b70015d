/* SPDX-License-Identifier: Apache-2.0 */
/* The half of test_both that includes UADK's headers. */
#ifndef BOTH_H
#define BOTH_H

#include <stddef.h>

/* Compresses with the library @lib of dlopen(). Returns 0 if zlib gets the same back. */
int both_theirs(void *lib, const void *plain, size_t len);

#endif
