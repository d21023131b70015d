// SPDX-License-Identifier: Apache-2.0
/* Settings from the environment, with one way to report a wrong value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "base/error.h"
#include "wd.h"

const char *wd_env(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* Characters of a value in a message: the names that were expected follow it. */
#define VALUE_SHOWN	40

static size_t setting_show(const char *name, const char *value, char text[WD_ERROR_STR])
{
	return snprintf(text, WD_ERROR_STR, "%.32s: \"%.*s%s\"", name, VALUE_SHOWN, value,
			strlen(value) > VALUE_SHOWN ? "..." : "");
}

static int choice_refuse(const char *name, const char *value, const char *const names[])
{
	char text[WD_ERROR_STR];
	size_t len = setting_show(name, value, text);
	int i;

	for (i = 0; names[i] && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s %s", i ? "," : " is not one of", names[i]);
	return wd_fail_str(NULL, EINVAL, "environment variable %s", text);
}

int wd_env_choice(const char *name, const char *const names[], int none)
{
	const char *value = wd_env(name);
	int i;

	if (!value)
		return none;
	for (i = 0; names[i]; i++)
		if (!strcmp(value, names[i]))
			return i;
	return choice_refuse(name, value, names);
}

int wd_env_number(const char *name, long min, long max, long *value)
{
	const char *text = wd_env(name);
	int saved = errno;
	char *end, shown[WD_ERROR_STR];
	long n;

	if (!text)
		return 0;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < min || n > max) {
		errno = saved;
		setting_show(name, text, shown);
		return wd_fail_all(NULL, EINVAL, "environment variable %s is not a number from %d to %d", shown,
				   (uint64_t)min, (uint64_t)max);
	}
	errno = saved;
	*value = n;
	return 0;
}

int wd_env_refused(const char *name, int ret)
{
	char why[2 * WD_ERROR_STR] = "", text[WD_ERROR_STR];
	char *end = why, *next;

	wd_error_detail(0, why, sizeof(why));
	/* The detail ends with the error's name, which is added again. */
	while ((next = strstr(end + 1, ": ")))
		end = next;
	snprintf(text, sizeof(text), "%.32s: %.*s", name, (int)(end - why), why);
	return wd_fail_str(NULL, -ret, "environment variable %s", text);
}
