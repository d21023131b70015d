/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of libwd: made at the first operation, one for each mode. */
#ifndef WDP_SESSION_H
#define WDP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/handles.h"

struct wdp_class;
struct wdp_provider;

/* A session, and how to open it: make() returns a handle of libwd, or 0. */
struct wdp_target {
	struct wdp_provider *prov;
	const struct wdp_class *class;
	struct wdp_session *session;
	handle_t (*make)(const struct wdp_target *to, unsigned int op_type);
	const void *owner;
	bool jobs_only;		/* outside of asynchronous jobs the default provider does it */
};

/* wdp_session_get() - the handle, or 0 if the default provider has to do it. */
handle_t wdp_session_get(const struct wdp_target *to, unsigned int op_type);

/* wdp_session_close() - free what was opened, when its last request has ended. */
void wdp_session_close(struct wdp_session *s, const struct wdp_class *class);

/* wdp_seconds() - of CLOCK_MONOTONIC. */
int64_t wdp_seconds(void);

#endif
