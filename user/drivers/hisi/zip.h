/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the ZIP engine's driver share; private. */
#ifndef WD_ZIP_PRIVATE_H
#define WD_ZIP_PRIVATE_H

#include "comp.h"
#include "../../libhisi_qm/queue.h"
#include "zip_hw.h"

#define ZIP_PAGE_MIN	4096u

/* Whether a header of so many bytes may lie on another page than what the device wrote behind it. */
static inline bool zip_head_apart(const void *dst, size_t head)
{
	return ((uintptr_t)dst + head) % ZIP_PAGE_MIN < head;
}

static inline __u32 zip_req_type(__u8 alg)
{
	return alg == WD_ZLIB ? ZIP_REQ_ZLIB : alg == WD_GZIP ? ZIP_REQ_GZIP : ZIP_REQ_DEFLATE;
}

/* zip.c: struct wd_driver's */
int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev);
int zip_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n);
void zip_result(struct wd_queue *q, struct wd_msg *m, unsigned int index);

#endif
