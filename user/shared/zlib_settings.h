/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the libraries for zlib and libzstd, and the variables that change them, for them and their tools. */
#ifndef ZLIB_SETTINGS_H
#define ZLIB_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

enum wdz_inflate {
	WDZ_INFLATE_OFF,
	WDZ_INFLATE_WHOLE,	/* input and room for all of the output in one call */
	WDZ_INFLATE_STREAM,	/* also streams whose first call brings config->min bytes */
};

/* The value of the variable for each. */
extern const char *const wdz_inflate_names[WDZ_INFLATE_STREAM + 1];

/**
 * struct wdz_config - what a process' environment says about streams
 * @off: no stream is for a device
 * @level_low, @level_high: levels that are; 1 .. 9
 * @chunk: bytes of input of one part
 * @min: a stream of fewer bytes is not for a device; at most @chunk, once the settings are settled
 */
struct wdz_config {
	bool off;
	int level_low, level_high;
	size_t chunk, min;
	enum wdz_inflate inflate;
};

#define WDZ_SETTINGS	5

/**
 * struct wdz_setting - one variable of the environment
 * @variable: its name
 * @expected: for messages
 * @take: copies the value of a text; false, and @c stays as it was, if the text is none
 */
struct wdz_setting {
	const char *variable, *expected;
	bool (*take)(struct wdz_config *c, const char *text);
};

extern const struct wdz_setting wdz_settings[WDZ_SETTINGS];

/* Those of the library for libzstd, which has neither parts nor decompression. */
#define WDS_SETTINGS	3

extern const struct wdz_setting wds_settings[WDS_SETTINGS];

/** wdz_config_default(), wds_config_default() - what holds without any variable. */
void wdz_config_default(struct wdz_config *c);
void wds_config_default(struct wdz_config *c);

/** wdz_config_settle() - after the last setting: parts are not smaller than the least stream. */
void wdz_config_settle(struct wdz_config *c);

#endif
