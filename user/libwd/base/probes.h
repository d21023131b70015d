/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of libwd: see docs/tracing.md. */
#ifndef WD_PROBES_H
#define WD_PROBES_H

#include "base/sleep.h"
#include "usdt.h"

WD_PROBE_DECLARE(libwd, attach);
WD_PROBE_DECLARE(libwd, ctx_open);
WD_PROBE_DECLARE(libwd, ctx_stop);
WD_PROBE_DECLARE(libwd, fallback);
WD_PROBE_DECLARE(libwd, request_done);
WD_PROBE_DECLARE(libwd, sleep);

/* The time at which something begins; 0, without a look at the clock, while nobody listens. */
#define WD_PROBE_BEGIN(name)	(WD_LISTENS(libwd, name) ? wd_now_ns() : 0)

/* How long it took, or 0: nobody listened when it began. */
static inline __u64 wd_probe_ns(__u64 begin)
{
	return begin ? wd_now_ns() - begin : 0;
}

#endif
