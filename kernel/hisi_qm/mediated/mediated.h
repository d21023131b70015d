/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues without shared virtual addresses: the kernel executes submissions. docs/no-sva.md has the design.
 *
 * lock			protects						taken with
 * run->lock		a run's slots and counts, the rings of both sides	qp->lock
 *
 * It is never held while user memory is touched; qp->event_lock is taken under it. A request's memory belongs to the
 * thread that has taken it, then to the device, then to the thread that reaps it: no lock protects that.
 */
#ifndef WD_QM_MEDIATED_H
#define WD_QM_MEDIATED_H

#include <linux/dma-mapping.h>
#include <linux/kref.h>
#include <linux/scatterlist.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "hisi_qm/internal.h"
#include "hisi_qm/translate/translate.h"

/*
 * Kernels that clear each variable on the stack (CONFIG_INIT_STACK_ALL_ZERO) would spend more on what is
 * __uninitialized in these files than on pinning a page. No byte of it is read before it is written.
 */

#define MED_BATCH		16	/* requests that one pass of a call takes, or reaps */
#define MED_BOUNCE		512u	/* bytes of payload that are copied through the slot */
#define MED_FLAT_MAX		(512u << 10)
#define MED_PINNED_MAX		(64ull << 20)	/* of a queue, unless its section has another number */
#define MED_PIECES		4	/* that need no allocation */
#define MED_SLOTS		128u	/* requests that the kernel has at once */
#define MED_DEVICE_DEPTH	(2 * MED_SLOTS)	/* entries of the device's ring, fewer than the owner's */
#define MED_CHUNKS		32	/* blocks with the memory of slots */
#define MED_REAP_PERIOD		(HZ / 10)
#define MED_ACKS		32	/* that the device gets in each pass of its completion ring */

/* Where a request is. */
enum med_state {
	MED_FREE,	/* with the process */
	MED_TAKEN,	/* a thread translates it */
	MED_READY,	/* waits for requests before it */
	MED_DEVICE,
	MED_REAPED,	/* a thread copies its results */
	MED_DONE,	/* waits for completions before it */
};

/* Pinned memory that is consecutive: a part of a page, or of consecutive pages */
struct med_piece {
	struct page *page;
	u32 offset;
	u32 len;
};

/* A table of a list for the device */
struct med_table {
	struct med_table *next;
	void *va;
	dma_addr_t dma;
};

/* What the device uses for an access. */
enum med_use {
	MED_NOTHING,	/* nothing yet, or small data in the slot */
	MED_SLOT,	/* a copy in the slot */
	MED_BUFFER,	/* a contiguous buffer, which is mapped */
	MED_SINGLE,	/* the only piece, which is mapped */
	MED_MANY,	/* pieces, which are mapped */
};

/**
 * struct med_access - memory of a request, for an access of it
 * @first, @nr:	its pieces, unless it is only copied from: tr_pages() bounds them
 * @use:	enum med_use, which says what of the rest is valid
 * @bytes:	that were found
 * @buffer:	bytes of the contiguous buffer
 * @copy:	in the slot, or the contiguous buffer
 * @dma:	of the contiguous buffer, or of the single piece
 * @table:	of the pieces
 */
struct med_access {
	u16 first, nr;
	u8 use;
	u32 bytes;
	u32 buffer;
	union {
		struct {
			void *copy;
			dma_addr_t dma;
		};
		struct sg_table table;
	};
};

/**
 * struct med_request - a slot of the process' ring
 * @state:	under the run's lock
 * @index:	its place since the start of the queue
 * @at:		its slot in the device's ring
 * @status:	the kernel completes it with this result; 0: the device does
 * @tr:		the process' descriptor, and what it names once it is checked
 * @sqe:	the device's descriptor, then the completed one
 * @pages:	that are accounted
 * @piece, @pieces, @room: pinned memory, and for how many pieces there is room
 * @inline_piece: for requests of few pieces
 */
struct med_request {
	enum med_state state;
	u64 index;
	u32 at;
	u32 status;
	struct tr_request tr;
	__le32 sqe[TR_WORDS_MAX];
	struct med_access access[TR_ACCESSES_MAX];
	struct med_table *tables;
	unsigned long pages;
	struct med_piece *piece;
	u32 pieces, room;
	struct med_piece inline_piece[MED_PIECES];
};

/**
 * struct med_run - the translation object: a queue from a start to the end of that start
 * @ref:	the queue's, each call's, and the work item's while it is queued
 * @dev, @qp:	until it is over
 * @mm:		of the owner, for accounting
 * @over:	the device has let go: nothing is taken, mapped or published any more
 * @held:	the queue failed to stop: everything stays as it is
 * @looking:	@look is queued
 * @armed:	the owner waits for the next completion
 * @busy:	threads that map, or copy results; a stop waits for them
 * @idle:	@busy is 0
 * @wanted, @next, @committed, @published: requests that the owner has submitted, of these the first that nobody has
 *		taken yet, and how many have gone to the device, and back to the owner
 * @pinned, @max_pinned: bytes
 * @sq_depth, @cq_depth: of the owner's rings
 * @device_depth: of the device's submission ring; both completion rings have one depth
 * @sq_tail, @rung: of the device's ring, and as the device was told
 * @cq_head, @cq_phase, @unacked: the device's next completion, and how many it hasn't been told of
 * @slot_bytes:	of a slot: small data of the engine, then two bounces
 * @bounce_at:	where the bounces begin, 0 bytes if the engine has none
 * @per_chunk, @chunk: their memory, and how many are in each block of it
 * @spare, @spare_bytes: a contiguous buffer that no request uses
 * @zeroes, @zeroes_mapped: a page that the device may read
 * @by_slot:	which request is in a slot of the device's ring
 * @nr:		of @request, less than the rings' depths
 */
struct med_run {
	struct kref ref;
	spinlock_t lock;
	struct device *dev;
	struct hisi_qp *qp;
	struct mm_struct *mm;
	struct tr_queue q;
	bool over;
	bool held;
	bool looking;
	bool armed;
	unsigned int busy;
	wait_queue_head_t idle;
	struct delayed_work look;

	u64 wanted, next, committed, published;
	u64 pinned, max_pinned;
	u32 sqe_bytes, sq_depth, device_depth, cq_depth;
	u32 sq_tail, rung;
	u32 cq_head, unacked;
	bool cq_phase;

	u32 slot_bytes, bounce_at, per_chunk;
	struct uacce_dus *chunk[MED_CHUNKS];
	void *spare;
	u32 spare_bytes;
	dma_addr_t zeroes;
	bool zeroes_mapped;
	u16 *by_slot;
	u32 nr;
	struct med_request request[];
};

/* Does the queue take submissions? Under the run's lock. */
static inline bool med_is_open(const struct med_run *run)
{
	return !run->over && !run->held && READ_ONCE(run->qp->rings);
}

/**
 * struct qm_mediated - what a mediated queue has beside a queue with SVA, from open to close
 * @sq, @cq:	the device's rings
 * @doorbell:	of the queue, with isolated doorbells
 * @run:	NULL: not started; under qp->event_lock
 * @published, @seen: completions of the last run, and how many of them poll() has reported; the same
 */
struct qm_mediated {
	struct uacce_dus *sq, *cq;
	void __iomem *doorbell;
	struct med_run *run;
	u64 published, seen;
};

static inline u64 med_max_pinned(const struct hisi_qp *qp)
{
	return qp->file->max_pinned ?: MED_PINNED_MAX;
}

/*
 * The device has what is in flight, however deep the owner's ring is. Twice as many entries, since a simulated device
 * that may lose doorbells takes a tail for an old one if it is more than half a ring ahead. The depth of the completion
 * ring is a multiple of it, so that a stop can compare both tails.
 */
static inline u32 med_device_depth(const struct hisi_qm *qm)
{
	u32 depth = qm->caps[QM_CAP_ID_SQ_DEPTH];

	return depth < MED_DEVICE_DEPTH || qm->caps[QM_CAP_ID_CQ_DEPTH] % MED_DEVICE_DEPTH ? depth : MED_DEVICE_DEPTH;
}

static inline size_t med_sq_bytes(const struct hisi_qm *qm)
{
	return PAGE_ALIGN(med_device_depth(qm) * qm->engine->sqe_size);
}

static inline size_t med_cq_bytes(const struct hisi_qm *qm)
{
	return PAGE_ALIGN(sizeof(struct qm_cqe) * qm->caps[QM_CAP_ID_CQ_DEPTH]);
}

static inline struct med_request *med_request_at(struct med_run *run, u64 index)
{
	return &run->request[index % run->nr];
}

static inline u32 med_number(const struct med_run *run, const struct med_request *r)
{
	return r - run->request;
}

static inline void *med_slot(const struct med_run *run, const struct med_request *r)
{
	u32 n = med_number(run, r);

	return run->chunk[n / run->per_chunk]->va + n % run->per_chunk * run->slot_bytes;
}

static inline dma_addr_t med_slot_dma(const struct med_run *run, const struct med_request *r)
{
	u32 n = med_number(run, r);

	return run->chunk[n / run->per_chunk]->dma + n % run->per_chunk * run->slot_bytes;
}

/* What is used in place of the process' memory, or NULL */
static inline void *med_copy_of(const struct med_access *m)
{
	return m->use == MED_SLOT || m->use == MED_BUFFER ? m->copy : NULL;
}

static inline enum dma_data_direction med_direction(const struct tr_access *a)
{
	return a->dir == HW_READ ? DMA_TO_DEVICE : a->dir == HW_WRITE ? DMA_FROM_DEVICE : DMA_BIDIRECTIONAL;
}

/* object.c */
bool med_is_oldest(struct med_run *run, const struct med_request *r);
extern struct workqueue_struct *med_wq;
struct med_run *med_run_alloc(struct hisi_qp *qp);
void med_run_put(struct med_run *run);
void med_slots_unmap(struct med_run *run);
bool med_busy_begin(struct med_run *run);
void med_busy_end(struct med_run *run);
void med_busy_wait(struct med_run *run);

/* pin.c */
int med_pin(struct med_run *run, struct med_request *r);
void med_copy(const struct med_request *r, const struct med_access *m, void *buffer, u32 bytes, bool in);
void med_drop(struct med_run *run, struct med_request *r);

/* map.c */
int med_map(struct med_run *run, struct med_request *r);
void med_unmap(struct med_run *run, struct med_request *r);

/* reap.c */
void med_answer(struct med_run *run, u64 index, const struct med_request *r, u32 status);
void med_publish(struct med_run *run);
void med_reap(struct med_run *run, bool last);
void med_look_work(struct work_struct *work);
void med_look_later(struct med_run *run);

/* submit.c */
void med_commit_ready(struct med_run *run);

#endif
