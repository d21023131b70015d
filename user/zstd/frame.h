/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the program's contexts, from their first call to their last; private. */
#ifndef WDS_FRAME_H
#define WDS_FRAME_H

#include "context.h"

/* Before a call that may begin a frame: decides whether devices find its matches. end: n bytes are all of it. */
void wds_frame_begin(ZSTD_CCtx *c, size_t n, bool end);
/* After the frame's last call, or when it was given up: libzstd has the context as it was. */
void wds_frame_end(ZSTD_CCtx *c);
/*
 * A whole buffer by a context of this library, at the level that the program asks for. False: that isn't for a device,
 * or failed, and libzstd's own call says how.
 */
bool wds_frame_whole(void *dst, size_t room, const void *src, size_t n, int level, size_t *result);

#endif
