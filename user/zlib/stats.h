/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a process, for WD_ZLIB_STATS. */
#ifndef WDZ_STATS_H
#define WDZ_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes are those of the data that isn't compressed. */
enum wdz_count {
	WDZ_DEFLATE_STREAMS,
	WDZ_DEFLATE_DEVICE_BYTES,
	WDZ_DEFLATE_ZLIB_BYTES,
	WDZ_PARTS,
	WDZ_PARTS_REDONE,
	WDZ_INFLATE_STREAMS,
	WDZ_INFLATE_DEVICE_BYTES,
	WDZ_INFLATE_ZLIB_BYTES,
	WDZ_WRONG,
	WDZ_COUNTS,
};

/* Nothing is counted without WD_ZLIB_STATS: a load and a comparison. */
extern bool wdz_counting;

/* wdz_stats_for() - count from now on, and append the counts to this file at exit. NULL, for want of memory: don't. */
void wdz_stats_for(const char *file);

/* Any thread. */
void wdz_count_now(enum wdz_count what, uint64_t n);

static inline void wdz_count(enum wdz_count what, uint64_t n)
{
	if (wdz_counting)
		wdz_count_now(what, n);
}

/* wdz_count_for() - count what a caller does, unless it is a part of WarpDrive. */
void wdz_count_for_now(const void *caller, enum wdz_count what, uint64_t n);

static inline void wdz_count_for(const void *caller, enum wdz_count what, uint64_t n)
{
	if (wdz_counting)
		wdz_count_for_now(caller, what, n);
}

#endif
