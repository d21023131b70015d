/* SPDX-License-Identifier: Apache-2.0 */
/* What the hisi drivers do alike for the request core: a context with its rings, lists and scratch memory by place in the ring. */
#ifndef HISI_QUEUE_H
#define HISI_QUEUE_H

#include "driver.h"
#include "ring.h"
#include "sgl.h"

#define HISI_INDEX(m)	((m)->tag & 0xffff)	/* place in the ring */

/* Of requests on the fast path: the caller's own, one for which its class has looked that it has no deadline, and one of several. */
enum hisi_kind {
	OWN,
	ONE,
	ONE_OF_MANY,
};

struct hisi_lists {
	void *src;
	void *dst;
};

/**
 * struct hisi_queue - one context in a driver's hands
 * @pool:	made for the first list; under the produce lock
 * @lists:	with it: what is out, by place in the ring; who drains looks at it without that lock
 * @scratch:	made when first asked for; the same
 * @scratch_bytes: of it for each place
 * @stopped:	the device is done with all of it; under the drain lock
 */
struct hisi_queue {
	struct wd_ring ring;
	handle_t ctx;
	struct wd_sglpool *pool;
	struct hisi_lists *_Atomic lists;
	__u8 *scratch;
	size_t scratch_bytes;
	bool stopped;
	struct wd_kept kept;
};

static inline struct hisi_queue *hisi_queue_of(struct wd_queue *q)
{
	return wd_queue_pub(q)->drv;
}

#define HISI_SQE_WORDS	16	/* of 8 bytes, in every engine's descriptor */

/* What was stored in a descriptor before is visible before what is stored there next. */
static inline __attribute__((always_inline)) void hisi_sqe_order(__le64 (*sqe)[HISI_SQE_WORDS])
{
#ifdef __aarch64__
#define HISI_SQE_ORDER	"dmb ishst"
#else
#define HISI_SQE_ORDER	""
#endif
	/* Of this memory only: nothing else has to be loaded anew. */
	__asm__ volatile(HISI_SQE_ORDER : "+m"(*sqe));
}

/* For struct wd_driver: open() of an engine with such descriptors, and what needs no engine at all. */
int hisi_queue_open(struct wd_queue *q, const struct uacce_dev_info *dev, __u32 sqe_size, size_t scratch_bytes);
void hisi_queue_close(struct wd_queue *q);
int hisi_queue_stop(struct wd_queue *q);
void hisi_queue_abort(struct wd_queue *q, unsigned int index);
bool hisi_queue_ready(struct wd_queue *q);
void hisi_queue_arm(struct wd_queue *q);
void hisi_queue_disarm(struct wd_queue *q);

/*
 * For push(): send writes a request's descriptor, or returns why it can't;
 * abort gives back what send took.
 */
static inline int hisi_queue_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n,
				  int (*send)(struct hisi_queue *h, struct wd_msg *m), void (*abort)(struct wd_queue *q, unsigned int index))
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int i;
	int ret = 0;

	/* The core keeps to the limit, with which there is always room in both rings. */
	for (i = 0; i < n; i++) {
		ret = send(h, msgs[i]);
		if (ret)
			break;
	}
	if (wd_ring_tx_stopped(&h->ring)) {
		while (i--)
			abort(q, HISI_INDEX(msgs[i]));
		return wd_ring_why(&h->ring);
	}
	if (!i)
		return ret;
	wd_ring_submit_to(&h->ring, i, wd_ring_after(&h->ring, HISI_INDEX(msgs[i - 1])));
	return (int)i;
}

/*
 * Under the produce lock. Hardware lists for both ends of the request at that
 * place: 0, -EBUSY, -ENOMEM, -EINVAL, -E2BIG (they will never fit).
 */
int hisi_queue_get_lists(struct hisi_queue *h, unsigned int index, const struct wd_datalist *src,
			 const struct wd_datalist *dst);
/* Under the drain lock, or by who got them. */
void hisi_queue_put_lists(struct hisi_queue *h, unsigned int index);

/* 0, -ENOMEM. */
int hisi_queue_make_scratch(struct hisi_queue *h);

/* Whoever got it before may look again, with any lock. */
static inline void *hisi_queue_scratch_at(const struct hisi_queue *h, unsigned int index)
{
	return h->scratch + index * h->scratch_bytes;
}

/* Under the produce lock: the memory of that place, or NULL. */
static inline void *hisi_queue_scratch(struct hisi_queue *h, unsigned int index)
{
	return __builtin_expect(!h->scratch, 0) && hisi_queue_make_scratch(h) ? NULL : hisi_queue_scratch_at(h, index);
}

#endif
