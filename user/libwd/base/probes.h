/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of libwd: see docs/tracing.md. */
#ifndef WD_PROBES_H
#define WD_PROBES_H

#include "usdt.h"

WD_PROBE_DECLARE(libwd, attach);
WD_PROBE_DECLARE(libwd, ctx_open);
WD_PROBE_DECLARE(libwd, ctx_stop);
WD_PROBE_DECLARE(libwd, fallback);
WD_PROBE_DECLARE(libwd, request_done);
WD_PROBE_DECLARE(libwd, sleep);

#endif
