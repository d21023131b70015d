/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of hardware scatter/gather lists, without handles: for drivers. */
#ifndef HISI_QM_SGL_H
#define HISI_QM_SGL_H

#include <wd.h>

struct wd_sglpool;

/* NULL and errno as hisi_qm_create_sglpool(). */
struct wd_sglpool *wd_sglpool_new(__u32 sgl_num, __u32 sge_num);
/* Also frees the lists in use. */
void wd_sglpool_free(struct wd_sglpool *pool);

/* A list, or NULL and *ret -EINVAL, -E2BIG, -EBUSY. Any thread. Records nothing. */
void *wd_sglpool_get(struct wd_sglpool *pool, const struct wd_datalist *list, int *ret);
/* 0, or -EINVAL for a list that isn't in use. Any thread. Records nothing. */
int wd_sglpool_put(struct wd_sglpool *pool, void *sgl);

/* The number of lists in use. */
__u32 wd_sglpool_used(struct wd_sglpool *pool);

#endif
