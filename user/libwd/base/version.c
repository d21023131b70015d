// SPDX-License-Identifier: Apache-2.0
/* The version, from the one file that has it. */
#include <wd.h>

const char *wd_version(void)
{
	return WD_VERSION;
}
