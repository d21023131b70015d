// SPDX-License-Identifier: Apache-2.0
/* Files of the installation, or of the build folder, that the running program belongs to. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"

/* What LIBDIR may be, below the folder above the program's, the most usual one first. The build folder is the last. */
static const char *const libdirs[] = { "lib", "lib/" MULTIARCH, "lib64", "." };

static int folder_above(char folder[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;
	int i;

	if (n < 0)
		return -errno;
	folder[n] = '\0';
	for (i = 0; i < 2; i++) {
		slash = strrchr(folder, '/');
		if (!slash)
			return -ENOENT;
		*slash = '\0';
	}
	return 0;
}

int beside_find(char *path, size_t len, const char *file)
{
	char folder[PATH_MAX], real[PATH_MAX], *name;
	int ret = folder_above(folder);
	size_t i;

	*path = '\0';
	for (i = 0; !ret && i < sizeof(libdirs) / sizeof(libdirs[0]); i++) {
		if (asprintf(&name, "%s/%s/%s", folder, libdirs[i], file) < 0)
			return -ENOMEM;
		if (realpath(name, real)) {
			free(name);
			return (size_t)snprintf(path, len, "%s", real) < len ? 0 : -ENAMETOOLONG;
		}
		if (!i && (size_t)snprintf(path, len, "%s", name) >= len)
			ret = -ENAMETOOLONG;
		free(name);
	}
	return ret ? ret : -ENOENT;
}
