/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A search for matches: one table of hashes, without chains. */
#ifndef WDM_SEARCH_H
#define WDM_SEARCH_H

#include "env.h"

#define WDM_LZ77_HASH_BITS	12
#define WDM_LZ77_LEAST		4u	/* bytes of a match */

/**
 * struct wdm_lz77 - a search over data of which a part is in memory
 * @buf, @len: that part, which begins at @base of the data
 * @at: the next byte of it to look at
 * @window: the largest offset
 * @start: matches begin before it, and end at @end or before: positions in the data
 * @offset: that of the last match
 * @patient: a match has to be longer than the one a byte further
 * @head: by hash: the last position with it, plus 1
 */
struct wdm_lz77 {
	const u8 *buf;
	u32 base, len, at;
	u32 window;
	u32 start, end;
	u32 offset;
	bool patient;
	u32 head[1u << WDM_LZ77_HASH_BITS];
};

struct wdm_lz77_match {
	u32 at;		/* in the part in memory */
	u32 offset;
	u32 len;
};

/* Begins with data whose first @len bytes are @buf. All of it may have matches. */
void wdm_lz77_begin(struct wdm_lz77 *z, const u8 *buf, u32 len, u32 window, bool patient);
/* Passes over all that is in memory: later matches may refer to it. */
void wdm_lz77_pass(struct wdm_lz77 *z);
/* The next match in the part, and passes over it; false: there is none up to the part's end. */
bool wdm_lz77_next(struct wdm_lz77 *z, struct wdm_lz77_match *m);
/* The first @n bytes of the part leave memory. The caller moves the rest. */
void wdm_lz77_slide(struct wdm_lz77 *z, u32 n);

#endif
