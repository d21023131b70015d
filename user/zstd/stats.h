/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a process, for WD_ZSTD_STATS; private. */
#ifndef WDS_STATS_H
#define WDS_STATS_H

#include <stdint.h>

/* Bytes are those of the data that isn't compressed, in frames that were offered to devices. */
enum wds_count {
	WDS_FRAMES,
	WDS_FRAMES_OFFERED,
	WDS_BLOCKS,		/* whose matches devices found */
	WDS_DEVICE_BYTES,	/* of these */
	WDS_ZSTD_BYTES,		/* of the others */
	WDS_WRONG,		/* blocks for which a device's answer was wrong */
	WDS_COUNTS,
};

/* Append the counts to this file at exit. NULL, for want of memory: don't. */
void wds_stats_for(const char *file);
/* Any thread. */
void wds_count(enum wds_count what, uint64_t n);

#endif
