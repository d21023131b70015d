// SPDX-License-Identifier: Apache-2.0
/* Data that doesn't get shorter. */
#include <string.h>

#include "stored.h"

size_t wdz_stored(unsigned char *to, const unsigned char *from, size_t len)
{
	unsigned char *at = to;
	size_t n;

	for (; len; len -= n, from += n) {
		n = len < WDZ_STORED_MAX ? len : WDZ_STORED_MAX;
		/* Type 0 and the rest of the byte, then the length and its complement. */
		*at++ = 0;
		*at++ = n & 0xff;
		*at++ = n >> 8 & 0xff;
		*at++ = ~n & 0xff;
		*at++ = ~n >> 8 & 0xff;
		memcpy(at, from, n);
		at += n;
	}
	return (size_t)(at - to);
}

size_t wdz_mark(unsigned char *to)
{
	static const unsigned char mark[WDZ_MARK_BYTES] = { 0, 0, 0, 0xff, 0xff };

	memcpy(to, mark, sizeof(mark));
	return sizeof(mark);
}
