// SPDX-License-Identifier: Apache-2.0
/* Reads the environment once. A library that is preloaded can't refuse to load: a bad value is reported and ignored. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "stats.h"

#define SIZE_LOW	(64u << 10)
#define SIZE_HIGH	(1u << 20)

static struct wdz_config config = {
	.level_low = 1, .level_high = 6, .chunk = 256 << 10, .min = SIZE_LOW, .inflate = WDZ_INFLATE_WHOLE,
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Programs with more privileges than their caller ignore the environment. An empty variable counts as unset. */
static const char *variable(const char *key)
{
	const char *value = secure_getenv(key);

	return value && *value ? value : NULL;
}

static void complain(const char *key, const char *value, const char *expected)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "libz: %s=%.200s: expected %s; the default is used\n", key, value, expected);

	/* Not by stdio, whose lock the caller may hold. */
	if (len > 0 && write(STDERR_FILENO, line, (size_t)len) < 0)
		return;
}

static void read_switch(void)
{
	const char *value = variable("WD_ZLIB");

	if (value && !strcmp(value, "off"))
		config.off = true;
	else if (value && strcmp(value, "on"))
		complain("WD_ZLIB", value, "on or off");
}

static void read_levels(void)
{
	const char *value = variable("WD_ZLIB_LEVELS");

	if (!value)
		return;
	if (strlen(value) == 3 && value[1] == '-' && value[0] >= '1' && value[0] <= value[2] && value[2] <= '9') {
		config.level_low = value[0] - '0';
		config.level_high = value[2] - '0';
		return;
	}
	complain("WD_ZLIB_LEVELS", value, "LOW-HIGH with levels of 1 to 9, such as 1-6");
}

static bool read_size(const char *key, size_t low, const char *expected, size_t *size)
{
	const char *value = variable(key);
	unsigned long n;
	char *end;

	if (!value)
		return false;
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || n > SIZE_HIGH)
		end = "?";
	else if (*end == 'k' || *end == 'K')
		n <<= 10, end++;
	else if (*end == 'm' || *end == 'M')
		n <<= 20, end++;
	if (!*end && n >= low && n <= SIZE_HIGH) {
		*size = n;
		return true;
	}
	complain(key, value, expected);
	return false;
}

static void read_inflate(void)
{
	static const char *const words[] = {
		[WDZ_INFLATE_OFF] = "off", [WDZ_INFLATE_WHOLE] = "whole", [WDZ_INFLATE_STREAM] = "stream",
	};
	const char *value = variable("WD_ZLIB_INFLATE");
	unsigned int i;

	if (!value)
		return;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(value, words[i])) {
			config.inflate = (enum wdz_inflate)i;
			return;
		}
	}
	complain("WD_ZLIB_INFLATE", value, "whole, stream or off");
}

static void config_read(void)
{
	const char *stats = variable("WD_ZLIB_STATS");

	read_switch();
	read_levels();
	read_size("WD_ZLIB_CHUNK", SIZE_LOW, "64k to 1m", &config.chunk);
	read_size("WD_ZLIB_MIN", 1, "1 to 1m", &config.min);
	if (config.chunk < config.min)
		config.chunk = config.min;
	read_inflate();
	/* A program may change its environment later. */
	if (stats)
		config.stats = strdup(stats);
	wdz_counting = config.stats;
	/* Who builds reproducibly must not get output that depends on the machine. */
	if (getenv("SOURCE_DATE_EPOCH"))
		config.off = true;
}

const struct wdz_config *wdz_config(void)
{
	pthread_once(&once, config_read);
	return &config;
}
