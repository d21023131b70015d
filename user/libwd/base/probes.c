// SPDX-License-Identifier: Apache-2.0
/* The semaphores of libwd's probes. */
#include "base/probes.h"

WD_PROBE_SEMAPHORE(libwd, attach);
WD_PROBE_SEMAPHORE(libwd, ctx_open);
WD_PROBE_SEMAPHORE(libwd, ctx_stop);
WD_PROBE_SEMAPHORE(libwd, fallback);
WD_PROBE_SEMAPHORE(libwd, request_done);
WD_PROBE_SEMAPHORE(libwd, sleep);
