// SPDX-License-Identifier: Apache-2.0
/* The schedulers' functions, under the names and versions of each library. */
#include "scheduler.h"

struct wd_sched *wd_sched_rr_alloc(__u8 sched_type, __u8 type_num, __u16 numa_num, user_poll_func func)
{
	return uadk_sched_alloc(sched_type, type_num, numa_num, func);
}

int wd_sched_rr_instance(const struct wd_sched *sched, struct sched_params *param)
{
	return uadk_sched_instance(sched, param);
}

void wd_sched_rr_release(struct wd_sched *sched)
{
	uadk_sched_release(sched);
}
