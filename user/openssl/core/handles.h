/* SPDX-License-Identifier: Apache-2.0 */
/* The handles of a session of libwd, which providers, keys and contexts have. device/session.h opens them. */
#ifndef WDP_HANDLES_H
#define WDP_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>
#include <wd_request.h>

/* Zeroes make a session that isn't opened yet. Index: enum wd_op_type. */
struct wdp_session {
	_Atomic handle_t h[2];		/* 0: none */
	_Atomic int64_t retry[2];	/* seconds of CLOCK_MONOTONIC: after a refusal it isn't opened before */
};

#endif
