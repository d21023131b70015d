// SPDX-License-Identifier: Apache-2.0
/* The settings of the libraries for zlib and libzstd, and the variables that change them, for them and their tools. */
#include <stdlib.h>
#include <string.h>

#include "zlib_settings.h"

#define SIZE_LOW	(64u << 10)
#define SIZE_HIGH	(1u << 20)

const char *const wdz_inflate_names[WDZ_INFLATE_STREAM + 1] = {
	[WDZ_INFLATE_OFF] = "off", [WDZ_INFLATE_WHOLE] = "whole", [WDZ_INFLATE_STREAM] = "stream",
};

static bool take_switch(struct wdz_config *c, const char *text)
{
	if (strcmp(text, "off") && strcmp(text, "on"))
		return false;
	c->off = !strcmp(text, "off");
	return true;
}

static bool take_levels(struct wdz_config *c, const char *text)
{
	if (strlen(text) != 3 || text[1] != '-' || text[0] < '1' || text[0] > text[2] || text[2] > '9')
		return false;
	c->level_low = text[0] - '0';
	c->level_high = text[2] - '0';
	return true;
}

static bool take_size(const char *text, size_t low, size_t *size)
{
	unsigned long n;
	char *end;

	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || n > SIZE_HIGH)
		return false;
	if (*end == 'k' || *end == 'K')
		n <<= 10, end++;
	else if (*end == 'm' || *end == 'M')
		n <<= 20, end++;
	if (*end || n < low || n > SIZE_HIGH)
		return false;
	*size = n;
	return true;
}

static bool take_chunk(struct wdz_config *c, const char *text)
{
	return take_size(text, SIZE_LOW, &c->chunk);
}

static bool take_min(struct wdz_config *c, const char *text)
{
	return take_size(text, 1, &c->min);
}

static bool take_inflate(struct wdz_config *c, const char *text)
{
	unsigned int i;

	for (i = 0; i < sizeof(wdz_inflate_names) / sizeof(wdz_inflate_names[0]); i++) {
		if (!strcmp(text, wdz_inflate_names[i])) {
			c->inflate = (enum wdz_inflate)i;
			return true;
		}
	}
	return false;
}

const struct wdz_setting wdz_settings[WDZ_SETTINGS] = {
	{ "WD_ZLIB", "on or off", take_switch },
	{ "WD_ZLIB_LEVELS", "LOW-HIGH with levels of 1 to 9, such as 1-6", take_levels },
	{ "WD_ZLIB_CHUNK", "64k to 1m", take_chunk },
	{ "WD_ZLIB_MIN", "1 to 1m", take_min },
	{ "WD_ZLIB_INFLATE", "whole, stream or off", take_inflate },
};

void wdz_config_default(struct wdz_config *c)
{
	*c = (struct wdz_config){
		.level_low = 1, .level_high = 6, .chunk = 256 << 10, .min = SIZE_LOW, .inflate = WDZ_INFLATE_WHOLE
	};
}

const struct wdz_setting wds_settings[WDS_SETTINGS] = {
	{ "WD_ZSTD", "on or off", take_switch },
	{ "WD_ZSTD_LEVELS", "LOW-HIGH with levels of 1 to 9, such as 1-6", take_levels },
	{ "WD_ZSTD_MIN", "1 to 1m", take_min },
};

void wds_config_default(struct wdz_config *c)
{
	*c = (struct wdz_config){ .level_low = 1, .level_high = 6, .min = SIZE_LOW };
}

void wdz_config_settle(struct wdz_config *c)
{
	if (c->chunk < c->min)
		c->chunk = c->min;
}
