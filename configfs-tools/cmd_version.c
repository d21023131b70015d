// SPDX-License-Identifier: Apache-2.0
/* wdctl version: prints the version of this build. */
#include <stdio.h>

#include "cmd.h"

static enum wdctl_exit version_run(const struct wdctl_run *r)
{
	(void)r;
	printf("wdctl %s\n", WD_VERSION);
	return EXIT_DONE;
}

const struct wdctl_cmd cmd_version = {
	.name = "version",
	.help = "print the version",
	.kind = WDCTL_PLAIN,
	.run = version_run,
};
