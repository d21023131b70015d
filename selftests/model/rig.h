/* SPDX-License-Identifier: Apache-2.0 */
/* A model device with a small, transparent driver for each function: memory, clock and interrupts are the test's. */
#ifndef RIG_H
#define RIG_H

#include "model.h"
#include "hw/qm_hw.h"
#include "hw/zip_hw.h"

#define RIG_DMA_BASE	0x10000000ull
#define RIG_DMA_BYTES	(8u << 20)
#define RIG_USER_BASE	0x7f0000000000ull
#define RIG_USER_BYTES	(40u << 20)
#define RIG_QUEUES	16
#define RIG_FUNCTIONS	64
#define RIG_PASID	7
#define RIG_STEP_NS	10000
#define RIG_DEPTH	1024
#define RIG_SQE_WORDS	32

struct rig_queue {
	u32 id;
	u32 sq_depth, cq_depth;
	u64 sq, cq;		/* bus addresses */
	u32 tail;
	u32 cq_head, cq_phase;
};

struct emu_kind;

/*
 * One function: its BARs, its memory, which no other function reaches, and its driver. The PF's rig is the device's,
 * too: clock, jobs and looks are there.
 */
struct rig {
	const struct emu_kind *kind;
	u32 generation;
	struct rig *pf;
	struct rig *other;	/* a device of the other generation, with the same user memory, for sec_rig.c */
	struct rig *fns[RIG_FUNCTIONS];	/* of the PF's rig: all rigs of the device */
	u32 fn;
	struct wdm_device *dev;
	struct wdm_env env;
	void *mem, *scratch_mem, *engine_ws;
	struct wdm_scratch *scratch;
	unsigned char *bar2, *bar4, *dma, *user;
	size_t bar2_bytes, bar4_bytes;
	u64 now;
	u32 dma_used;
	u32 irqs[WDM_IRQ_NR];
	u32 faults[WDM_FAULT_NR];	/* of the PF's rig: how often the device has reported each fault of the whole
					 * device */
	void (*on_payload)(void *arg);	/* of the PF's rig: called when a worker is about to access payload */
	void *on_payload_arg;
	void (*on_swap)(void *arg);	/* of the PF's rig: called when a word of a ring is about to be swapped */
	void *on_swap_arg;
	u32 strays;		/* accesses to memory that the function may not use any more */
	bool lent;		/* the memory belongs to someone else now */
	bool hold_jobs;		/* accepted, but not run */
	bool hold_db;		/* the device doesn't read doorbells between writes */
	u64 user_hole, user_hole_end;
	u32 eq_head, aeq_head;
	u64 eq, aeq;
	struct wdm_look look;
	struct rig_queue q[RIG_QUEUES];
	/* of each slot: the last request that was pushed, see echo.h */
	u32 *sent;
	bool pushed[RIG_QUEUES][RIG_DEPTH];
	bool lawless[RIG_QUEUES];
};

struct rig_queue_opts {
	u32 sq_depth, cq_depth;	/* 0 = 1024 */
	u32 alg;
	u32 prio;
	u32 rand;
	bool no_pasid;
};

/* Sets up the device with VFT, event queues and unmasked interrupts, but without any queue; _bare: without these. */
void rig_init(struct rig *r, const struct wdm_attr *attr);
void rig_init_bare(struct rig *r, const struct wdm_attr *attr);
/* Does what rig_init() does beyond rig_init_bare(); also after a reset. Earlier rings are not kept. */
void rig_bring_up(struct rig *r);
/*
 * Attaches function @fn to the device of @pf, with zeroed memory, and without queues or events. rig_free() detaches it.
 */
void rig_attach(struct rig *r, struct rig *pf, u32 fn);
/* The part of rig_bring_up() that each function does: events, unmasked interrupts. */
void rig_function_up(struct rig *r);
/* Starts the memory and the engine, as a driver does before it uses them. */
void rig_engine_start(struct rig *r);
void rig_free(struct rig *r);

u64 rig_dma_alloc(struct rig *r, u32 bytes);
void *rig_dma(struct rig *r, u64 addr);
void *rig_user(struct rig *r, u64 addr);

static inline unsigned char *at(struct rig *r, u64 addr)
{
	return rig_user(r, addr);
}

/* One look of the device at its doorbells; runs and completes all jobs that it accepted. */
void rig_turn(struct rig *r);
/* Looks again and again for that time, while the clock advances. */
void rig_run(struct rig *r, u64 ns);

u32 rig_reg(struct rig *r, u32 reg);
u64 rig_reg64(struct rig *r, u32 reg);
void rig_reg_set(struct rig *r, u32 reg, u32 value);
void rig_mailbox_write(struct rig *r, u32 cmd, u32 flags, u32 queue, u64 base);
/* Status field, or -1 when the request is still busy a second later. */
int rig_mailbox(struct rig *r, u32 cmd, u32 flags, u32 queue, u64 base);
void rig_vft(struct rig *r, u32 type, u32 fn, u64 entry);
void rig_vft_queues(struct rig *r, u32 fn, u32 base, u32 num);
int rig_event_queue(struct rig *r, u32 cmd, u64 at, u32 depth);

void rig_sqc(struct rig *r, struct rig_queue *q, const struct rig_queue_opts *o, struct qm_sqc *sqc);
void rig_cqc(struct rig *r, struct rig_queue *q, const struct rig_queue_opts *o, struct qm_cqc *cqc);
int rig_queue_start(struct rig *r, u32 id, const struct rig_queue_opts *o);
int rig_queue_stop(struct rig *r, u32 id);

u32 rig_sqe_bytes(const struct rig *r);
u32 *rig_slot(struct rig *r, u32 q, u32 slot);
/* Writes the descriptor into the next slot, without a doorbell; returns the slot. */
u32 rig_push(struct rig *r, u32 q, const void *sqe);
/*
 * The n-th store of a copy into the next slot, as an emulated CPU splits the copy: 32 bytes at a time, the middle ones
 * of 128 last, each in 8-byte stores from the lowest. The last store completes the descriptor; false: there is no n-th
 * store.
 */
bool rig_store(struct rig *r, u32 q, const void *sqe, u32 n);
void rig_ring(struct rig *r, u32 q, u64 value);
void rig_ring_sq(struct rig *r, u32 q);
void rig_ring_cq(struct rig *r, u32 q, bool arm);
void rig_ring_eq(struct rig *r);
/* Takes the next completion: returns its slot, or -1. */
int rig_pop(struct rig *r, u32 q);
/* Takes the next event: returns its queue's number, or -1. */
int rig_event(struct rig *r);
/* Takes the next asynchronous event: returns its type << 16 | its queue, or -1. */
int rig_async_event(struct rig *r);

enum wdm_refusal rig_refusal(struct rig *r);
u64 rig_refused(struct rig *r, enum wdm_refusal reason);
/* The number of descriptors that were taken although their doorbell was lost. */
u64 rig_recovered(struct rig *r);

/* Another device that has the same user memory; rig_free() frees it. */
void rig_other_generation(struct rig *r, const struct wdm_attr *attr);

/* A descriptor that compresses or decompresses @len bytes at the start of user memory. */
void rig_sqe(struct zip_sqe *sqe, u32 type, u64 src, u32 len, u64 dst, u32 room);
/* Pushes, rings, waits for the completed descriptor. False when no completion came. */
bool rig_do(struct rig *r, u32 q, void *sqe);

#endif
