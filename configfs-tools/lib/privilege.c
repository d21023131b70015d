// SPDX-License-Identifier: Apache-2.0
/* The privileges of this process. */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include "privilege.h"

/* The map of any other user namespace leaves ids out, or maps them to different ones. */
static bool in_initial_namespace(void)
{
	unsigned long first, outside, count;
	FILE *f = fopen("/proc/self/uid_map", "re");
	bool initial;

	/* A kernel without user namespaces. */
	if (!f)
		return true;
	initial = fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3 && !first && !outside &&
		  count == 4294967295UL;
	fclose(f);
	return initial;
}

bool privilege_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN) &&
	       in_initial_namespace();
}
