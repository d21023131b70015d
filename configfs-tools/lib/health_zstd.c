// SPDX-License-Identifier: Apache-2.0
/* wd-zstd's library: where its file is, which devices find matches, and whether the command zstd can be reached. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "health.h"

#define AREA "zstd"
#define LIBRARY "libwd-zstd.so.0"
#define ALGORITHM "lz77_zstd"
#define NEEDED "libzstd.so.1"
#define COMMAND "zstd"
#define PROGRAM_MOST (16u << 20)	/* bytes */

/* The command's file, as a shell finds it. */
static bool command_find(char *path, size_t len)
{
	const char *at = getenv("PATH"), *end;

	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		if ((size_t)snprintf(path, len, "%.*s/" COMMAND, (int)(end - at), at) < len && !access(path, X_OK))
			return true;
	}
	return false;
}

/* Whether the name of the library is in the file, as it is in each program that is linked with it. */
static bool names_library(const char *path)
{
	FILE *f = fopen(path, "r");
	char *all = f ? malloc(PROGRAM_MOST) : NULL;
	bool found = false;

	if (all)
		found = memmem(all, fread(all, 1, PROGRAM_MOST, f), NEEDED, sizeof(NEEDED));
	free(all);
	if (f)
		fclose(f);
	return found;
}

static void check_command(struct health *h)
{
	char path[PATH_MAX];

	if (!command_find(path, sizeof(path)) || names_library(path))
		return;
	health_add(h, HEALTH_NOTE, AREA, "%s contains a libzstd of its own: wd-zstd doesn't reach it, nor tar --zstd, "
		   "which runs it", path);
	health_remedy(h, "'wdzip --format=zstd' and 'bsdtar --zstd' make the same formats on devices.");
}

static void check_devices(struct health *h, const struct health_input *in)
{
	size_t i, fit = 0;

	for (i = 0; i < in->devices->count; i++)
		fit += strstr(in->devices->dev[i].algorithms, ALGORITHM) != NULL;
	if (fit)
		health_add(h, HEALTH_OK, AREA, "devices that find matches for libzstd: %zu", fit);
	else
		health_add(h, HEALTH_NOTE, AREA, "no device finds matches, so libzstd itself does the work");
}

void health_check_zstd(struct health *h, const struct health_input *in)
{
	char path[PATH_MAX];

	if (root_is_fake(in->root))
		return;
	/* Where it is built, and where it is installed. */
	if (beside_find(path, sizeof(path), LIBRARY) && beside_find(path, sizeof(path), "warpdrive/" LIBRARY)) {
		health_add(h, HEALTH_NOTE, AREA, "wd-zstd isn't installed: there is no %s", path);
		health_remedy(h, "If programs that use libzstd shall use devices, install the package "
			      "warpdrive-zstd.");
		return;
	}
	health_add(h, HEALTH_OK, AREA, "%s", path);
	check_devices(h, in);
	check_command(h);
}
