// SPDX-License-Identifier: Apache-2.0
/* wdctl selftest: becomes wd-selftest, which links the libraries that wdctl does without. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

#define COMMAND "selftest"
#define PROGRAM "wd-selftest"
#define DIR_MAX 4096

/* The program beside this one: the same build. Empty if the folder is not known. */
static void find_beside(char *path, size_t size)
{
	char self[DIR_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (!slash || (size_t)snprintf(path, size, "%s/" PROGRAM, self) >= size)
		path[0] = '\0';
}

static enum wdctl_exit selftest_run(const struct wdctl_run *r)
{
	char path[DIR_MAX + sizeof(PROGRAM)];
	const char *argv[16];
	int argc = 0, error;

	argv[argc++] = PROGRAM;
	if (r->opt['d']) {
		argv[argc++] = "--device";
		argv[argc++] = r->opt['d'];
	}
	if (r->opt['t']) {
		argv[argc++] = "--timeout";
		argv[argc++] = r->opt['t'];
	}
	if (r->opt['m']) {
		argv[argc++] = "--measure";
		argv[argc++] = r->opt['m'];
	}
	if (r->json)
		argv[argc++] = "--json";
	argv[argc] = NULL;
	find_beside(path, sizeof(path));
	execv(path, (char *const *)argv);
	error = errno;
	if (error == ENOENT)
		wdctl_error(COMMAND, "%s: not there: a build without libcrypto or zlib leaves it out", path);
	else
		wdctl_error(COMMAND, "%s: %s", path, strerror(error));
	return EXIT_FAILED;
}

static const struct wdctl_option selftest_options[] = {
	{ 'd', "device", "DEVICE", "test this device only" },
	{ 't', "timeout", "MS", "wait that long for each answer (30000)" },
	{ 'm', "measure", "MS", "measure each speed for that long, 0: not at all (100)" },
	{ 0 },
};

const struct wdctl_cmd cmd_selftest = {
	.name = COMMAND,
	.help = "check known answers and measure the speed of each algorithm on each device",
	.kind = WDCTL_HAS_JSON,
	.options = selftest_options,
	.run = selftest_run,
};
