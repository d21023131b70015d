/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of frames of zstd and LZ4, as far as their libraries leave it to their callers; private. */
#ifndef WD_SOFT_FRAMES_H
#define WD_SOFT_FRAMES_H

#include "soft.h"

#define FRAME_HEAD	18	/* bytes, of zstd's longest: the magic number, flags, and what they announce */

/**
 * struct frame_read - frames that arrive in arbitrary pieces
 * @at:		bytes of the current frame that were consumed
 * @head:	its first bytes, @have of them
 * @skipped:	only frames without data have ended so far
 */
struct frame_read {
	__u64 at;
	__u8 head[FRAME_HEAD];
	__u8 have;
	bool skipped;
};

/* Between two frames. */
static inline bool frame_is_over(const struct frame_read *f)
{
	return !f->at;
}

/* Before the next n bytes are decompressed: notes the head. */
void frame_note(struct frame_read *f, const void *src, size_t n);
/* The frame has no data, but something for other programs. */
bool frame_is_skippable(const struct frame_read *f);
/* The same, after it. */
void frame_skip(struct frame_read *f);
/* Why a head is refused that the library would take, or not explain; NULL. */
const char *frame_refusal(const struct frame_read *f, __u8 alg);

#endif
