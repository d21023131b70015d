// SPDX-License-Identifier: Apache-2.0
/* The number of contexts that a process can still open, as the kernel reports it to the process. */
#include <wd_user.h>
#include "available.h"
#include "uacce_sys.h"
#include "uacce_tree.h"

void available_prepare(char **argv)
{
}

long available_begin(void)
{
	long queues;

	/* A section that an aborted test has left. */
	if (!access(sec_path(SECTION, NULL), F_OK))
		sec_end(SECTION);
	queues = uacce_attr_num(MEMBER, "available_instances");
	if (sec_mkdir(SECTION) || sec_set(SECTION, "num_processes", "1") || sec_set(SECTION, "sync_ctxs", "1") ||
	    sec_set(SECTION, "async_ctxs", "1") || sec_set(SECTION, "max_extra_ctxs", "2") ||
	    sec_set(SECTION, "devices", MEMBER) || sec_set(SECTION, "live", "1"))
		return -EINVAL;
	return queues;
}

void available_drain(void)
{
	sec_set(SECTION, "live", "0");
}

void available_end(void)
{
	wd_user_stop();
	sec_end(SECTION);
}
