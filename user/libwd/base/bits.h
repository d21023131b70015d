/* SPDX-License-Identifier: Apache-2.0 */
/* Growing bit arrays, used by masks and sets. */
#ifndef WD_BITS_H
#define WD_BITS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for bit i. 0, or -ENOMEM with nothing changed. */
static inline int wd_bits_widen(unsigned char **bits, int *len, int i)
{
	int bytes = (i >> 3) + 1;
	unsigned char *wider;

	if (bytes <= *len)
		return 0;
	bytes = (bytes + 7) & ~7;
	wider = realloc(*bits, (size_t)bytes);
	if (!wider)
		return -ENOMEM;
	memset(wider + *len, 0, (size_t)(bytes - *len));
	*bits = wider;
	*len = bytes;
	return 0;
}

#endif
