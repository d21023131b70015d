/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of the replacement of zlib: see docs/tracing.md. */
#ifndef WDZ_PROBES_H
#define WDZ_PROBES_H

#include "usdt.h"
#include "zlib_own.h"

enum wdz_direction { WDZ_DEFLATE, WDZ_INFLATE };

WD_PROBE_DECLARE(wdz, stream_end);

/* A stream that was initialized ends. device: one has it, so zlib hasn't. */
static inline void wdz_stream_ends(enum wdz_direction direction, bool device, z_streamp strm)
{
	if (strm && strm->state)
		WD_PROBE(wdz, stream_end, direction, device, strm->total_in, strm->total_out);
}

#endif
