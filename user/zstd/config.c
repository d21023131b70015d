// SPDX-License-Identifier: Apache-2.0
/* Reads the environment once, as the replacement of zlib does. */
#include <pthread.h>
#include <stdlib.h>

#include "config.h"
#include "preload_env.h"
#include "stats.h"

static struct wdz_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void config_read(void)
{
	const char *stats = preload_variable("WD_ZSTD_STATS");

	wds_config_default(&config);
	preload_settings("wd-zstd", wds_settings, WDS_SETTINGS, &config);
	if (stats)
		wds_stats_for(preload_absolute(stats));
	/* What a reproducible build writes must not depend on the machine. */
	config.off |= getenv("SOURCE_DATE_EPOCH") != NULL;
}

const struct wdz_config *wds_config(void)
{
	pthread_once(&once, config_read);
	return &config;
}

static __attribute__((constructor)) void start(void)
{
	preload_begin();
}
