/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of the provider: see docs/tracing.md. */
#ifndef WDP_PROBES_H
#define WDP_PROBES_H

#include <time.h>

#include "usdt.h"

WD_PROBE_DECLARE(wdossl, op_done);

/* The time in ns; 0, without reading the clock, while nobody listens to the probe. */
static inline unsigned long long wdp_op_begins(void)
{
	struct timespec t;

	if (!WD_LISTENS(wdossl, op_done))
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#endif
