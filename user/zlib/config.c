// SPDX-License-Identifier: Apache-2.0
/* Reads the environment once. A library that is preloaded can't refuse to load: a bad value is reported and ignored. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "stats.h"

static struct wdz_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Programs with more privileges than their caller ignore the environment. An empty variable counts as unset. */
static const char *variable(const char *key)
{
	const char *value = secure_getenv(key);

	return value && *value ? value : NULL;
}

/* Standard error at the program's start. A program that has closed it may have got its number for another file. */
static struct stat started_with;

static void standard_error_keep(void)
{
	if (fstat(STDERR_FILENO, &started_with))
		started_with.st_nlink = 0;
}

static bool standard_error_kept(void)
{
	struct stat now;

	return started_with.st_nlink && !fstat(STDERR_FILENO, &now) && now.st_dev == started_with.st_dev &&
	       now.st_ino == started_with.st_ino;
}

static void complain(const char *key, const char *value, const char *expected)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "libz: %s=%.200s: expected %s; the default is used\n", key, value,
			   expected);

	if (!standard_error_kept())
		return;
	/* Not by stdio, whose lock the caller may hold. */
	if (len > 0 && write(STDERR_FILENO, line, (size_t)len) < 0)
		return;
}

/* The line is written at exit, when the program may have another folder. If this one has no name, the path stays. */
static char *absolute(const char *path)
{
	int saved = errno;
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *whole;

	errno = saved;
	if (!folder || *folder != '/')
		whole = strdup(path);
	else if (asprintf(&whole, "%s/%s", folder, path) < 0)
		whole = NULL;
	free(folder);
	return whole;
}

static void config_read(void)
{
	const char *stats = variable("WD_ZLIB_STATS"), *value;
	unsigned int i;

	wdz_config_default(&config);
	for (i = 0; i < WDZ_SETTINGS; i++) {
		value = variable(wdz_settings[i].variable);
		if (value && !wdz_settings[i].take(&config, value))
			complain(wdz_settings[i].variable, value, wdz_settings[i].expected);
	}
	wdz_config_settle(&config);
	/* A program may change its environment later. */
	if (stats)
		wdz_stats_for(absolute(stats));
	/*
	 * A reproducible build must not get output that depends on the machine, and a program with more privileges than
	 * its caller is no exception. So this is not variable(): it can only make the library zlib itself, which harms
	 * nobody.
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
	const char *value = variable("WD_ZLIB");

	standard_error_keep();
	if (value && !strcmp(value, "off"))
		wdz_config();
}
