/* SPDX-License-Identifier: Apache-2.0 */
/* Queues without shared virtual addressing, their requests, translated, and the memory that these name. */
#ifndef EMU_MEDIATE_H
#define EMU_MEDIATE_H

#include "emu.h"
#include "translate.h"

#define EMU_PAGE	4096u
/* Data that must be in one piece, and isn't, is copied up to that length. */
#define EMU_FLAT_BYTES	(512u << 10)
#define EMU_PINNED_BYTES	(64u << 20)

/* Memory of an access: the program's, in pieces, or a copy of it */
struct emu_part {
	struct emu_mapping *first, **end;
	u32 bytes;
	u32 ranges;		/* of consecutive addresses, if the device gets it without a copy */
	bool meets;		/* the last piece ends with a page */
	unsigned char *copy;
};

/**
 * struct emu_request - a descriptor from its translation until its results are the process'
 * @part: by access; none for small data
 * @own: slot, copies and tables
 * @slot: memory for small data
 * @pinned: bytes of the program
 * @status: of a request that the device doesn't get, or loses; 0: none
 * @done: it can be published
 * @device_slot: of the device's ring
 * @sqe: for the device, and as it has come back
 */
struct emu_request {
	struct tr_request tr;
	struct emu_part part[TR_ACCESSES_MAX];
	struct emu_mapping *own;
	unsigned char *slot;
	u64 pinned;
	u32 status;
	bool done;
	u32 device_slot;
	__le32 sqe[TR_WORDS_MAX];
};

/* @zeroes: address of a page for the device. NULL: no memory. */
struct emu_request *emu_request_new(struct emu_device *dev, const struct tr_queue *q, const __le32 *sqe, u64 zeroes);
/* Copies the results to the program and into @sqe. */
void emu_request_end(struct emu_request *r, __le32 *sqe);
void emu_request_stopped(struct emu_request *r);
void emu_request_free(struct emu_device *dev, struct emu_request *r);

/* What the process has chosen, and what the kernel has told it */
struct emu_queue_shape {
	u16 id;
	u8 qc_type;
	unsigned int depth;
	unsigned int sqe_shift;
};

/**
 * struct emu_mediated - a started queue
 * @sq, @cq: the process' rings
 * @device_sq, @device_cq: the device's
 * @request: in flight, by the slot of the process' ring
 * @slot: the same slot, by the slot of the device's ring
 * @wanted, @taken, @published: counts of descriptors: submitted by the process, translated, and completed for it
 * @tail, @head: of the device's rings, counts
 * @ending: it is being stopped, or couldn't be
 */
struct emu_mediated {
	struct emu_device *dev;
	struct emu_queue_shape shape;
	struct tr_queue q;
	unsigned char *sq;
	struct qm_cqe *cq;
	struct emu_mapping *device_sq, *device_cq, *zeroes;
	struct emu_request *request[QM_SQ_DEPTH_V2];
	u32 slot[QM_SQ_DEPTH_V2];
	u64 wanted, taken, published;
	u64 pinned;
	u32 tail, head;
	bool ending;
};

/* NULL: no memory. */
struct emu_mediated *emu_mediated_begin(struct emu_device *dev, const struct emu_queue_shape *shape, void *sq, void *cq,
					void *device_cq);
/* The device has let go of the queue: what it has not done ends as stopped, and all memory is the process' again. */
void emu_mediated_end(struct emu_mediated *m);
/* Completes what the device has done. */
void emu_mediated_reap(struct emu_mediated *m);
/* Up to that tail. -EINVAL: it would overwrite a slot in use. */
int emu_mediated_want(struct emu_mediated *m, u32 tail);
/* Translates what the process has submitted, as far as there is room. */
void emu_mediated_submit(struct emu_mediated *m);

#endif
