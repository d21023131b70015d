/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Raw deflate decoder that can stop at any bit and continue in another request. */
#ifndef WDM_INFLATE_H
#define WDM_INFLATE_H

#include "env.h"

#define WDM_HUFF_FAST		10
#define WDM_HUFF_MAX		15
#define WDM_LIT_CODES		288
#define WDM_DIST_CODES		32
#define WDM_LENS		(WDM_LIT_CODES + WDM_DIST_CODES)
#define WDM_CODE_LENS		19
#define WDM_TRAILER_MAX		8
#define WDM_INFLATE_SAVED	512	/* size of a saved state in bytes */

struct wdm_huff {
	u16 fast[1 << WDM_HUFF_FAST];	/* symbol << 4 | length; 0: a longer code, or none */
	u16 count[WDM_HUFF_MAX + 1];
	u16 symbol[WDM_LIT_CODES];
	u32 max;			/* longest code length in use */
};

enum wdm_inflate_mode {
	WDM_INF_HEADER,
	WDM_INF_STORED_LEN,
	WDM_INF_STORED,
	WDM_INF_TABLE,
	WDM_INF_CODE_LENS,
	WDM_INF_LENS,
	WDM_INF_CODES,
	WDM_INF_MATCH,
	WDM_INF_TRAILER,
	WDM_INF_DONE,
	WDM_INF_MODES,
};

enum wdm_inflate_result {
	WDM_INF_NEED_IN,
	WDM_INF_NEED_OUT,
	WDM_INF_END,
	WDM_INF_BAD,
};

struct wdm_inflate {
	/* saved between requests */
	enum wdm_inflate_mode mode;
	bool final;
	bool fixed;
	u32 bits;
	u64 hold;
	u32 stored;
	u32 nlen, ndist, ncode, have;
	u32 length, dist;		/* match not yet copied */
	u32 trailer_have;
	u8 trailer[WDM_TRAILER_MAX];
	u32 valid;			/* bytes of history, at most 32768 */
	u8 code_lens[WDM_CODE_LENS];
	u8 lens[WDM_LENS];
	/* for this request only */
	u32 trailer_bytes;		/* 0, 4 or 8; set by the caller */
	const u8 *in;
	u32 in_len;
	u32 in_used;
	u8 *out;			/* at least min(valid, 32768) bytes of history precede out[pos] */
	u32 pos;
	u32 limit;
	struct wdm_huff lit;
	struct wdm_huff dst;
};

void wdm_inflate_start(struct wdm_inflate *inf, u32 trailer_bytes);
/* Runs until the input is used up, out[limit] is reached, or the stream and its trailer have ended. */
enum wdm_inflate_result wdm_inflate_run(struct wdm_inflate *inf);
/* Returns whole bytes read ahead to the input, at most @most, and their number. Called when the request ends. */
u32 wdm_inflate_unread(struct wdm_inflate *inf, u32 most);

/* Builds the tables of the current mode from the code lengths; -EINVAL when these form no valid code. */
int wdm_inflate_rebuild(struct wdm_inflate *inf);

/* A saved state is in user memory: load refuses any state that run() can't have produced. */
void wdm_inflate_save(const struct wdm_inflate *inf, u8 *saved);
int wdm_inflate_load(struct wdm_inflate *inf, const u8 *saved, u32 trailer_bytes);

#endif
