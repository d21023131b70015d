/* SPDX-License-Identifier: Apache-2.0 */
/* The environment's settings. */
#ifndef WDZ_CONFIG_H
#define WDZ_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum wdz_inflate {
	WDZ_INFLATE_OFF,
	WDZ_INFLATE_WHOLE,	/* input and room for all of the output in one call */
	WDZ_INFLATE_STREAM,	/* also streams whose first call brings config->min bytes */
};

/**
 * struct wdz_config - what a process' environment said at its first stream
 * @off: no stream is for a device
 * @level_low, @level_high: levels that are; 1 .. 9
 * @chunk: bytes of input of one part
 * @min: a stream of fewer bytes is not for a device; at most @chunk
 * @stats: the file that gets a line at exit, or NULL
 */
struct wdz_config {
	bool off;
	int level_low, level_high;
	size_t chunk, min;
	enum wdz_inflate inflate;
	const char *stats;
};

const struct wdz_config *wdz_config(void);

#endif
