// SPDX-License-Identifier: Apache-2.0
/* Variables of the environment that are lists, such as LD_PRELOAD. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "env_prepend.h"

int env_prepend(const char *name, const char *value, char separator)
{
	const char *old = getenv(name);
	char *all = NULL;
	int ret;

	if (old && *old && asprintf(&all, "%s%c%s", value, separator, old) < 0)
		return -ENOMEM;
	ret = setenv(name, all ? all : value, 1) ? -ENOMEM : 0;
	free(all);
	return ret;
}
