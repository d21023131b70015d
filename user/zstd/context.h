/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the program's contexts; private. */
#ifndef WDS_CONTEXT_H
#define WDS_CONTEXT_H

#include <stdbool.h>

#include "real.h"

/**
 * struct wds_context - one context that something is known of
 * @dictionary: it has one
 * @prefix: the same, for the next frame only
 * @producer: the program's own
 * @fixed: its memory is the program's, and has no room for more
 * @begun: a frame is
 * @ours: our producer is registered, for this frame
 * @repeats, @splits: parameters as they were before
 */
struct wds_context {
	const ZSTD_CCtx *c;
	struct wds_context *next;
	bool dictionary, prefix, producer, fixed;
	bool begun, ours;
	int repeats, splits;
};

/*
 * The context's, made if there is none and make is true; else NULL. A thread that uses a context excludes others from
 * it, so what is returned is the caller's until the context is freed.
 */
struct wds_context *wds_context_of(const ZSTD_CCtx *c, bool make);
/* Before the context is freed: another one may get its address. */
void wds_context_forget(const ZSTD_CCtx *c);

#endif
