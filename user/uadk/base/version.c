// SPDX-License-Identifier: Apache-2.0
/* The version, and what programs ask about logging. */
#include <stdio.h>

#include "own.h"
#include "uadk/wd.h"

void wd_get_version(void)
{
	printf("%s (WarpDrive %s)\n", UADK_VERSION, own_version());
}

bool wd_need_debug(void)
{
	return false;
}

bool wd_need_info(void)
{
	return false;
}
