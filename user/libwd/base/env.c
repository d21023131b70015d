// SPDX-License-Identifier: Apache-2.0
/* Settings from the environment, with one way to report a wrong value. */
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "base/error.h"

const char *wd_env(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
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
	return wd_fail_str(NULL, EINVAL, "environment variable %s has an unknown value", name);
}

int wd_env_number(const char *name, long min, long max, long *value)
{
	const char *text = wd_env(name);
	int saved = errno;
	char *end;
	long n;

	if (!text)
		return 0;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < min || n > max) {
		errno = saved;
		return wd_fail_all(NULL, EINVAL, "environment variable %s is not a number from %d to %d", name,
				   (uint64_t)min, (uint64_t)max);
	}
	errno = saved;
	*value = n;
	return 0;
}
