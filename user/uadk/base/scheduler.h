/* SPDX-License-Identifier: Apache-2.0 */
/* Schedulers: which of them are this library's. */
#ifndef UADK_SCHEDULER_H
#define UADK_SCHEDULER_H

#include <stdbool.h>
#include "uadk/wd_sched.h"

/* Whether @sched came from wd_sched_rr_alloc(). Only then is a session's sched_param a struct sched_params. */
bool uadk_sched_is_own(const struct wd_sched *sched);

/* libwd_comp and libwd_crypto export these under the names of wd_sched.h. Either takes a scheduler of the other. */
struct wd_sched *uadk_sched_alloc(__u8 sched_type, __u8 type_num, __u16 numa_num, user_poll_func func);
int uadk_sched_instance(const struct wd_sched *sched, struct sched_params *param);
void uadk_sched_release(struct wd_sched *sched);

#endif
