/* SPDX-License-Identifier: Apache-2.0 */
/* Stored blocks (RFC 1951, section 3.2.4). */
#ifndef WDZ_STORED_H
#define WDZ_STORED_H

#include <stddef.h>

#define WDZ_STORED_MAX	65535u

/* Bytes that len bytes of data take in stored blocks that begin and end at a byte. */
static inline size_t wdz_stored_bytes(size_t len)
{
	return len + (len + WDZ_STORED_MAX - 1) / WDZ_STORED_MAX * 5;
}

/* A stored block without data, as it ends a flush. */
#define WDZ_MARK_BYTES	5u
size_t wdz_mark(unsigned char *to);

/* wdz_stored() - write the data as blocks, none of which is final; returns wdz_stored_bytes(). */
size_t wdz_stored(unsigned char *to, const unsigned char *from, size_t len);

#endif
