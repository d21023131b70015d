/* SPDX-License-Identifier: Apache-2.0 */
/* Schedulers: objects that programs make and pass on. */
#ifndef UADK_WD_SCHED_H
#define UADK_WD_SCHED_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define INVALID_POS	0xFFFFFFFF

enum sched_policy_type {
	SCHED_POLICY_RR = 0,
	SCHED_POLICY_NONE,
	SCHED_POLICY_SINGLE,
	SCHED_POLICY_DEV,
	SCHED_POLICY_BUTT,
};

/* A session's wish: with wd_<x>_init2_() or a scheduler of wd_sched_rr_alloc() devices of that node are used. */
struct sched_params {
	int numa_id;
	__u8 type;
	__u8 mode;
	__u32 begin;
	__u32 end;
	int dev_id;
};

typedef int (*user_poll_func)(__u32 pos, __u32 expect, __u32 *count);

/* wd_sched_rr_alloc() - NULL: a policy or a number that doesn't exist, or no memory. The name may be changed. */
struct wd_sched *wd_sched_rr_alloc(__u8 sched_type, __u8 type_num, __u16 numa_num, user_poll_func func);
int wd_sched_rr_instance(const struct wd_sched *sched, struct sched_params *param);
void wd_sched_rr_release(struct wd_sched *sched);

#ifdef __cplusplus
}
#endif

#endif
