/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the ZIP engine's driver share; private. */
#ifndef WD_ZIP_PRIVATE_H
#define WD_ZIP_PRIVATE_H

#include "comp.h"
#include "../../libhisi_qm/ring.h"
#include "zip_hw.h"

#define ZIP_INDEX(m)	((m)->tag & 0xffff)	/* place in the ring */

struct zip_lists {
	void *src;
	void *dst;
};

struct zip_queue {
	struct wd_ring ring;
	handle_t ctx;
	struct wd_sglpool *pool;	/* made for the first list; under the produce lock */
	struct zip_lists *lists;	/* with it: what is out, by place in the ring */
	__u8 *bounce;			/* made for the first tiny destination; the same */
	struct zip_queue *kept;
	bool stopped;			/* the device is done with all of it; under the drain lock */
};

static inline struct zip_queue *zip_of(struct wd_queue *q)
{
	return wd_queue_pub(q)->drv;
}

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

/* zip_straight.c: struct wd_driver's */
enum wd_straight zip_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q);
int zip_async_one(struct wd_session *s, void *req, struct wd_queue *q);
unsigned int zip_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q);
bool zip_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index);
int zip_pull(struct wd_queue *q, unsigned int max);

#endif
