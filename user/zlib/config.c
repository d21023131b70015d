// SPDX-License-Identifier: Apache-2.0
/* Reads the environment once. A library that is preloaded can't refuse to load: a bad value is reported and ignored. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "preload_env.h"
#include "stats.h"

static struct wdz_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void config_read(void)
{
	const char *stats = preload_variable("WD_ZLIB_STATS");

	wdz_config_default(&config);
	preload_settings("libz", wdz_settings, WDZ_SETTINGS, &config);
	wdz_config_settle(&config);
	/* A program may change its environment later. */
	if (stats)
		wdz_stats_for(preload_absolute(stats));
	/*
	 * A reproducible build must not get output that depends on the machine, and a program with more privileges than
	 * its caller is no exception. So this is not preload_variable(): it can only make the library zlib itself,
	 * which harms nobody.
	 */
	if (getenv("SOURCE_DATE_EPOCH"))
		config.off = true;
}

const struct wdz_config *wdz_config(void)
{
	pthread_once(&once, config_read);
	return &config;
}

/*
 * A program may enter a sandbox before its first stream, and even pthread_once() makes a system call. With WD_ZLIB=off
 * nothing is left to do then.
 */
static __attribute__((constructor)) void start(void)
{
	const char *value = preload_variable("WD_ZLIB");

	preload_begin();
	if (value && !strcmp(value, "off"))
		wdz_config();
}
