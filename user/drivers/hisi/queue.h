/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the hisi drivers: a context with its rings, and lists and scratch memory by ring index. */
#ifndef HISI_QUEUE_H
#define HISI_QUEUE_H

#include "base/likely.h"
#include "driver.h"
#include "ring.h"
#include "sgl.h"

#define HISI_SPARES	8
#define HISI_INDEX(m)	((m)->tag & 0xffff)	/* ring index */

struct hisi_lists {
	void *src;
	void *dst;
};

/**
 * struct hisi_queue - one context of a driver
 * @pool:	allocated for the first list; under the produce lock
 * @lists:	allocated with it: the lists in use, by ring index; the draining thread reads it without that lock
 * @scratch:	allocated on first use; the same
 * @states:	allocated on first use: memory in which a device keeps a request's state, by ring index
 * @rooms:	allocated on first use: memory for a request's result, by ring index
 * @spare:	such memory that no request has
 * @sink:	allocated on first use: memory that a device may write to and nobody reads
 * @scratch_bytes: size of scratch memory per ring index
 * @stopped:	the device doesn't touch any of this any more; under the drain lock
 * @error:	why the last stop failed, 0 if none has; under the drain lock
 * @next:	the next of the queues that were closed but have not stopped
 */
struct hisi_queue {
	struct wd_ring ring;
	handle_t ctx;
	struct wd_sglpool *pool;
	struct hisi_lists *_Atomic lists;
	__u8 *_Atomic scratch;
	void **_Atomic states;
	void **_Atomic rooms;
	void *_Atomic spare[HISI_SPARES];
	void *sink;
	size_t scratch_bytes;
	bool stopped;
	int error;
	struct hisi_queue *next;
	struct wd_kept kept;
};

static inline struct hisi_queue *hisi_queue_of(struct wd_queue *q)
{
	return wd_queue_pub(q)->drv;
}

#define HISI_SQE_WORDS	16	/* words of 8 bytes in every engine's descriptor */

/* Earlier stores to a descriptor become visible before later ones. */
static inline __attribute__((always_inline)) void hisi_sqe_order(__le64 (*sqe)[HISI_SQE_WORDS])
{
#ifdef __aarch64__
#define HISI_SQE_ORDER	"dmb ishst"
#else
#define HISI_SQE_ORDER	""
#endif
	/* Orders only this memory: the compiler need not reload anything else. */
	__asm__ volatile(HISI_SQE_ORDER : "+m"(*sqe));
}

/*
 * For struct wd_driver: open() for an engine with descriptors of that size, and operations that don't depend on the
 * engine.
 */
int hisi_queue_open(struct wd_queue *q, const struct uacce_dev_info *dev, __u32 sqe_size, size_t scratch_bytes);
void hisi_queue_close(struct wd_queue *q);
int hisi_queue_stop(struct wd_queue *q);
void hisi_queue_abort(struct wd_queue *q, unsigned int index);
bool hisi_queue_ready(struct wd_queue *q);
void hisi_queue_arm(struct wd_queue *q);
void hisi_queue_disarm(struct wd_queue *q);
/* After a pull() that found nothing: 0, or why nothing will complete any more. */
__attribute__((cold)) int hisi_queue_why_nothing(struct hisi_queue *h);

/*
 * Under the produce lock. Makes hardware lists for source and destination of the request at that index: 0, -EBUSY,
 * -ENOMEM, -EINVAL, -E2BIG (they will never fit).
 */
int hisi_queue_get_lists(struct hisi_queue *h, unsigned int index, const struct wd_datalist *src,
			 const struct wd_datalist *dst);
/* Under the drain lock, or by the thread that got the lists. */
void hisi_queue_put_lists(struct hisi_queue *h, unsigned int index);

/* The scratch memory of all indexes, or NULL. */
__u8 *hisi_queue_make_scratch(struct hisi_queue *h);

/* For a thread that called hisi_queue_scratch() for this index before; with any lock. */
static inline void *hisi_queue_scratch_at(const struct hisi_queue *h, unsigned int index)
{
	return atomic_load_explicit(&h->scratch, memory_order_relaxed) + index * h->scratch_bytes;
}

/* With any lock: the memory of that index; NULL if none has been allocated. */
static inline void *hisi_queue_scratch_there(const struct hisi_queue *h, unsigned int index)
{
	__u8 *scratch = atomic_load_explicit(&h->scratch, memory_order_acquire);

	return scratch ? scratch + index * h->scratch_bytes : NULL;
}

/* Under the produce lock: the memory of that index, or NULL. */
static inline void *hisi_queue_scratch(struct hisi_queue *h, unsigned int index)
{
	__u8 *scratch = atomic_load_explicit(&h->scratch, memory_order_relaxed);

	if (unlikely(!scratch))
		scratch = hisi_queue_make_scratch(h);
	return likely(scratch != NULL) ? scratch + index * h->scratch_bytes : NULL;
}

/*
 * Under the produce lock: zeroed memory for the state of the request at that index, or NULL. It is the device's until
 * hisi_queue_put_state() or until the queue has been stopped, so a request that is given up leaves it for the index's
 * next one.
 */
void *hisi_queue_get_state(struct hisi_queue *h, unsigned int index, size_t bytes);
static inline void *hisi_queue_state(const struct hisi_queue *h, unsigned int index)
{
	return atomic_load_explicit(&h->states, memory_order_relaxed)[index];
}
/* Under the drain lock, when the request has completed. */
void hisi_queue_put_state(struct hisi_queue *h, unsigned int index);

/*
 * The same for memory that isn't zeroed, of a size that all requests of the queue have: it goes from request to
 * request, since pages that a process has for the first time cost as much as what a device does with them.
 */
void *hisi_queue_get_room(struct hisi_queue *h, unsigned int index, size_t bytes);
static inline void *hisi_queue_room(const struct hisi_queue *h, unsigned int index)
{
	return atomic_load_explicit(&h->rooms, memory_order_acquire)[index];
}
void hisi_queue_put_room(struct hisi_queue *h, unsigned int index);

/* Under the produce lock: memory for what a device has to write somewhere, of a size that never changes; or NULL. */
void *hisi_queue_sink(struct hisi_queue *h, size_t bytes);

/* What the drivers of all engines share of struct wd_driver. */
#define HISI_QUEUE_DRIVER \
	.close = hisi_queue_close, \
	.stop = hisi_queue_stop, \
	.ready = hisi_queue_ready, \
	.arm = hisi_queue_arm, \
	.disarm = hisi_queue_disarm

#endif
