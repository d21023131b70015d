/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the HPRE engine's drivers share; private. */
#ifndef WD_HPRE_PRIVATE_H
#define WD_HPRE_PRIVATE_H

#include "pubkey.h"
#include "../../libhisi_qm/queue.h"
#include "hpre_hw.h"

/**
 * struct hpre_area - a request's memory by its place in the ring
 * @used:	bytes of data that hold something; wiped when the request ends
 * @out:	where its results come
 */
struct hpre_area {
	__u32 used;
	__u8 *out;
	__u8 data[];
};

/* Room for n bytes of operands or results; the caller fills it. What a class asks for fits into what it has announced. */
static inline __u8 *hpre_take(struct hpre_area *a, size_t n)
{
	__u8 *p = a->data + a->used;

	a->used += (__u32)n;
	return p;
}

/* What a descriptor says of its request. */
struct hpre_job {
	__u32 op;		/* enum hpre_op */
	__u32 bytes;		/* of an operand */
	const void *key;
	const void *in;		/* NULL: nothing is read */
	__u32 text;		/* bytes of SM2's plaintext, or 0 */
};

/**
 * struct hpre_class - what is special to RSA, DH or ECC
 * @fill:	operands into the area, and what the descriptor says; 0, or -E2BIG: no device takes it
 * @finish:	results into the caller's memory; 0, or -errno and msg->why
 */
struct hpre_class {
	int (*fill)(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j);
	int (*finish)(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer);
};

int hpre_open(struct wd_queue *q, const struct uacce_dev_info *dev, size_t area_bytes);
int hpre_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n, const struct hpre_class *cls);
void hpre_result(struct wd_queue *q, struct wd_msg *m, unsigned int index, const struct hpre_class *cls);
void hpre_abort(struct wd_queue *q, unsigned int index);
int hpre_pull(struct wd_queue *q, unsigned int max);
extern const char *const hpre_apis[];

#define HPRE_DRIVER \
	.name = "hisi_hpre", \
	.apis = hpre_apis, \
	.close = hisi_queue_close, \
	.stop = hisi_queue_stop, \
	.abort = hpre_abort, \
	.pull = hpre_pull, \
	.ready = hisi_queue_ready, \
	.arm = hisi_queue_arm, \
	.disarm = hisi_queue_disarm

#endif
