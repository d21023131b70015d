// SPDX-License-Identifier: Apache-2.0
/* The environment of a program into which a library was preloaded, and messages about it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload_env.h"

const char *preload_variable(const char *key)
{
	const char *value = secure_getenv(key);

	return value && *value ? value : NULL;
}

/* Standard error at the program's start. A program that has closed it may have got its number for another file. */
static struct stat started_with;

void preload_begin(void)
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

void preload_complain(const char *who, const char *key, const char *value, const char *expected)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "%s: %s=%.200s: expected %s; the default is used\n", who, key,
			   value, expected);

	if (!standard_error_kept())
		return;
	/* Not by stdio, whose lock the caller may hold. */
	if (len > 0 && write(STDERR_FILENO, line, (size_t)len) < 0)
		return;
}

void preload_settings(const char *who, const struct wdz_setting *settings, unsigned int nr, struct wdz_config *c)
{
	const char *value;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		value = preload_variable(settings[i].variable);
		if (value && !settings[i].take(c, value))
			preload_complain(who, settings[i].variable, value, settings[i].expected);
	}
}

char *preload_absolute(const char *path)
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
