/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* State of a model device, shared by the files of model/ only. */
#ifndef WDM_INTERNAL_H
#define WDM_INTERNAL_H

#include "generation.h"
#include "model.h"
#include "hw/qm_hw.h"

/*
 * A stop lets accepted descriptors run for this long. Descriptors that haven't started by then
 * end with an error, so that a ring full of large requests can't occupy a function's mailbox
 * for minutes.
 */
#define WDM_STOP_GRACE_NS	20000000ull
#define WDM_IRQ_RETRY_NS	1000000ull
#define WDM_IRQ_RETRIES		10
#define WDM_MB_POISON		0x6d786277u	/* never written by a driver: the last dword of a mailbox is reserved */
#define WDM_ABORTS_PER_POLL	64
#define WDM_OVERFLOW_SETTLES	10
#define WDM_SHAPERS		2		/* of each function: one for each algorithm type of its queues */

/*
 * A register that starts an operation, and the register that reports its end by @value, masked
 * with the value of register @of if that isn't 0.
 */
struct wdm_init {
	u32 start;
	u32 done;
	u32 value;
	u32 of;
};

/* A register that needs one of the bits in @mask set, or the engine does nothing for queues of @classes. */
struct wdm_need {
	u32 reg;
	u32 mask;
	u32 classes;
};

#define WDM_MARKS_MAX	5

/* A word of a descriptor, or half of one. It is 0 in each legal descriptor, or that isn't marked. */
struct wdm_mark {
	u32 dw;
	u32 mask;
};

/* Of the high half of an address */
#define WDM_MARK_ADDRESS	0xffff0000u

#define WDM_CLASS(alg_type)	(1u << (alg_type))
#define WDM_CLASS_ANY		(~0u)

/* Registers of one group of device errors. */
struct wdm_error_block {
	u32 source;
	u32 mask;
	u32 set;
	u32 status;
	u32 shutdown;	/* selects the errors that close the bus master, where a register does that */
	u32 shutdown_on, shutdown_bit;	/* register and bit that enable this; 0: always enabled */
	bool mask_enables;	/* a 1 in the mask reports the error instead of hiding it */
};

/* Counters of a core of the engine. */
struct wdm_core {
	u32 taken;
	u32 done;
	u32 wrong;		/* of @done: descriptors that the core refused */
	u32 in, out;		/* bytes */
	u32 delay_min, delay_max;	/* ns from taken to done */
	u64 busy;		/* their sum */
};

struct wdm_function;

#define WDM_CORES_MAX	8
#define WDM_ALG_TYPES_MAX 2

/**
 * struct wdm_variant - what an engine has in one generation
 * @alg_types: number of values of the queue's algorithm type
 * @cores: cores that are counted, for each algorithm type; those of the second type follow those of the first
 * @regs: reset values in addition to the queue manager's, terminated by offset 0
 * @inits: operations that a driver starts and waits for, in addition to the queue manager's,
 *		terminated by offset 0
 * @needs: registers that a driver must have set before the engine works, terminated by offset 0
 * @sva: registers and their bits that make all payload accesses carry the queue's PASID, terminated by offset 0; NULL:
 *		the contexts have a bit for that
 * @absent: registers of the engine that don't exist, terminated by 0; NULL: none
 * @marks: where free slots are marked, terminated by a mask of 0
 * @errors: the errors that exist, of queue manager and engine
 * @closes: of these, those that close the bus master where no register selects them
 * @refused: error of the engine that a refused descriptor raises, or 0
 */
struct wdm_variant {
	u32 alg_types;
	u32 cores[WDM_ALG_TYPES_MAX];
	const struct wdm_reg *regs;
	const struct wdm_init *inits;
	const struct wdm_need *needs;
	const struct wdm_reg *sva;
	const struct wdm_reg_range *absent;
	const struct wdm_mark *marks;
	u32 errors[WDM_ERRORS_NR];
	u32 closes[WDM_ERRORS_NR];
	u32 refused;
};

/**
 * struct wdm_personality - the parts of a device that depend on its engine
 * @vf_id: PCI device id of a VF
 * @sqe_shift: log2 of a descriptor's size in bytes
 * @variant: by generation
 * @errors: registers of the engine's errors
 * @core_show: writes the cores' counters to the PF's registers; NULL: cores aren't counted
 * @clear_reg: register that makes reads clear these, while
 * @clear_bits: bits of @clear_reg that must all be set for that
 * @checks: optional; what the engine's registers allow a job that is accepted now
 * @bytes: input bytes of a descriptor, for the bandwidth limit
 * @execute: any thread; results go into the job's copy of the descriptor
 * @abort: set the error status of a descriptor that isn't executed
 * @failure: does a status mean that a request failed?
 * @fail: set this status of a descriptor that isn't executed
 * @answered: do the outputs of a descriptor show that it is a completed one?
 */
struct wdm_personality {
	u32 vf_id;
	u32 sqe_shift;
	u32 queues_default;
	struct wdm_variant variant[WDM_GENERATIONS];
	const struct wdm_error_block *errors;
	void (*core_show)(struct wdm_function *pf, const struct wdm_core *cores, u32 nr);
	u32 clear_reg;
	u32 clear_bits;
	u8 (*checks)(const struct wdm_function *pf);
	u32 (*bytes)(const u32 *sqe);
	void (*execute)(struct wdm_job *job, struct wdm_scratch *scratch);
	void (*abort)(u32 *sqe);
	bool (*failure)(u32 status);
	void (*fail)(u32 *sqe, u32 status);
	bool (*answered)(const u32 *sqe);
};

extern const struct wdm_personality wdm_zip;
extern const struct wdm_personality wdm_sec;
extern const struct wdm_personality wdm_hpre;

/* All totals count since the queue was installed; an index is total % depth. */
struct wdm_queue {
	bool active;		/* listed in dev->active */
	bool sq_valid;
	bool cq_valid;
	bool stopping;
	bool overflow;
	bool stuck;		/* by a fault: neither works nor stops */
	bool pasid_valid;
	u8 prio;
	u8 alg_type;
	u8 sqe_shift;
	u16 w13;
	u16 rand;
	u32 pasid;
	u32 fn;
	u32 rel;		/* number within the function */
	u32 abs;
	u32 gen;

	u64 sq_base;
	u32 sq_depth;
	u64 tail;		/* submitted so far */
	u64 head;		/* fetched so far */
	u64 done;		/* completed, with all earlier ones */

	u64 cq_base;
	u32 cq_depth;
	u32 cq_phase;
	u16 cq_w11;
	u16 cq_pasid;
	u64 cq_tail;
	u64 cq_head;		/* reported by the driver's doorbells */
	u64 cq_full_since;
	u64 skew;		/* completions in excess of @done, due to faults; wraps below 0 */
	bool armed;
	bool eqe_out;
	u64 eqe_pos;
	u64 event_tail;		/* completions covered by an event */
	u64 quiet_since;

	u64 db_seen;
	u64 lost_since;
	u32 lost_digest;
	u32 lost_nr;

	u64 stop_at;
	u64 pass;		/* virtual time of the priority scheduler */
	struct wdm_job *first;	/* accepted jobs, in ring order */
	struct wdm_job *last;
	u32 jobs_out;		/* jobs that workers have */
	u32 jobs;
	u32 fetched;		/* descriptors and completions since the function's reset, for dfx.c */
	u32 answered;
	u32 *digest;		/* of each slot, as last read or written by the device */
	u32 *answered_at;	/* of each slot: low bits of @cq_tail after its last answer */
	bool *marked;		/* of each slot: all marks were in it after its last answer */
	u16 *kept;		/* of each slot: the rest of each of its marked words */
	u64 free;		/* the next slot to be marked, when its last completion is consumed */
	bool tabled;		/* the function's tables have its contexts */
	bool loaded;		/* from the tables: its doorbell may have come before */
};

/* Event queue or asynchronous event queue */
struct wdm_eq {
	bool valid;
	u64 base;
	u32 depth;
	u32 phase;
	u64 tail;
	u64 head;
	u32 source_reg;
	u32 mask_reg;
	u32 vector;
	bool raised;
	bool want;		/* raise when unmasked */
	u32 retries;
	u64 retry_at;
	u64 full_since;
	bool overflow;		/* the overflow has been reported */
};

struct wdm_vft {
	u64 sqc;
	u64 cqc;
	u64 shaper[WDM_SHAPERS];
};

/* A limit of bandwidth. Accepted requests pass one after the other, at this rate. */
struct wdm_limit {
	u64 rate;		/* bytes per second, 0: no limit */
	u64 burst_ns;		/* unused time that still counts */
	u64 free_ns;		/* all that was accepted has passed */
	u64 rest;		/* of the last division by @rate */
};

enum wdm_mb_state {
	WDM_MB_IDLE,
	WDM_MB_STOPPING,
	WDM_MB_PAUSING,
	WDM_MB_HUNG,
};

/* A VF that is to migrate. */
enum wdm_pause {
	WDM_RUNNING,
	WDM_PAUSING,		/* accepts nothing; what it has accepted is being completed */
	WDM_PAUSED,		/* until it is started, stopped or reset */
};

/* The messages from one function to another. */
struct wdm_link {
	bool sent;		/* @text isn't acknowledged */
	bool fetched;		/* the receiver has read @text */
	bool more;		/* @next follows */
	u64 text;
	u64 next;
};

/* A function's part in messages. */
struct wdm_message {
	struct wdm_link in;	/* of a VF: from the PF */
	struct wdm_link out;	/* of a VF: to the PF */
	u64 targets;		/* functions that @text will go to, until it is sent; bit i is function i */
	u32 to;			/* the same as the mailbox command named them */
	u64 text;
	u64 ready;		/* of the PF: value of QM_IFC_READY_STATUS */
	u64 published;		/* of the PF: value of QM_IFC_INT_SOURCE_P */
	bool late;		/* of the PF: more is to be published */
	bool status;		/* value of QM_IFC_INT_STATUS */
	bool ring;		/* an interrupt is due as soon as it isn't masked */
};

struct wdm_function {
	bool attached;
	u32 index;
	void WDM_IOMEM *bar2;
	void WDM_IOMEM *bar4;
	struct wdm_vft vft;
	struct wdm_limit limit[WDM_SHAPERS];
	struct wdm_eq eq;
	struct wdm_eq aeq;
	struct wdm_queue *event_next;	/* within wdm_events_poll(): the queue whose event comes next */
	struct wdm_message message;
	u64 sqc_bt;
	u64 cqc_bt;
	u64 db_seen;		/* register shared by all queues, without isolation */
	u64 eq_db_seen;
	enum wdm_mb_state mb_state;
	u32 mb_w0;
	u32 mb_queue;
	u64 mb_until;		/* hung: time of the late answer */
	enum wdm_pause pause;
	u64 pause_until;	/* pausing: time at which the command fails */
	u32 abnormal[WDM_ERRORS_NR];
	u32 shut_by[WDM_ERRORS_NR];	/* the errors of these that have closed the bus master */
	u32 running;		/* jobs that workers have */
	u32 jobs;		/* accepted but not completed */
	u32 mailboxes;		/* commands and doorbells since its reset, for dfx.c */
	u32 doorbells;
	bool active_shown;	/* value of QM_DFX_FUNS_ACTIVE_ST */
};

#define WDM_DFX_NR	9

/* Counters of the device, and what its registers show. */
struct wdm_dfx {
	u32 sent;		/* to the engine */
	u32 written;		/* descriptors written back */
	u32 finished;
	u32 cqe_errors;
	u32 round;		/* of counting: jobs of an earlier one aren't counted */
	u32 turn[WDM_ALG_TYPES_MAX];
	struct wdm_core core[WDM_CORES_MAX];
	bool core_changed;
	u32 shown[WDM_DFX_NR];
};

struct wdm_device {
	const struct wdm_env *env;
	void *host;
	const struct wdm_personality *engine;
	const struct wdm_generation *generation;
	const struct wdm_variant *variant;
	struct wdm_attr attr;
	u64 now;
	u64 next_ns;
	bool worked;
	bool master_closed;
	bool memory_ready;	/* the queue manager's memory has been initialised since the last reset of the device */
	bool timeout_ready;	/* the same: the doorbells' time-out has been set */
	u32 looked;		/* queue classes whose needs this poll has checked */
	u32 unready;		/* those of them whose needs aren't met */
	bool shaping;		/* limits of functions are on */
	struct wdm_limit limit;
	u64 vtime;
	u32 jobs_out;		/* jobs accepted but not completed */
	u32 nr_active;
	struct wdm_job *free_jobs;
	struct wdm_stats stats;
	struct wdm_refused refused;
	struct wdm_faults faults;
	struct wdm_dfx dfx;
	struct wdm_function *fns;
	struct wdm_queue *queues;
	u16 *active;
	struct wdm_job *jobs;
};

static inline u32 wdm_reg_read(const struct wdm_function *f, u32 reg)
{
	return wdm_readl((const u8 WDM_IOMEM *)f->bar2 + reg);
}

static inline void wdm_reg_write(struct wdm_function *f, u32 reg, u32 value)
{
	wdm_writel(value, (u8 WDM_IOMEM *)f->bar2 + reg);
}

static inline u64 wdm_reg_read64(const struct wdm_function *f, u32 reg)
{
	return wdm_readq((const u8 WDM_IOMEM *)f->bar2 + reg);
}

static inline void wdm_reg_write64(struct wdm_function *f, u32 reg, u64 value)
{
	wdm_writeq(value, (u8 WDM_IOMEM *)f->bar2 + reg);
}

static inline u32 wdm_get16(const void *p)
{
	const u8 *b = p;

	return b[0] | b[1] << 8;
}

static inline u32 wdm_get32(const void *p)
{
	const u8 *b = p;

	return b[0] | b[1] << 8 | b[2] << 16 | (u32)b[3] << 24;
}

static inline u64 wdm_get64(const void *p)
{
	return wdm_get32(p) | (u64)wdm_get32((const u8 *)p + 4) << 32;
}

static inline void wdm_put16(void *p, u32 v)
{
	u8 *b = p;

	b[0] = (u8)v;
	b[1] = (u8)(v >> 8);
}

static inline void wdm_put32(void *p, u32 v)
{
	wdm_put16(p, v);
	wdm_put16((u8 *)p + 2, v >> 16);
}

static inline void wdm_put64(void *p, u64 v)
{
	wdm_put32(p, (u32)v);
	wdm_put32((u8 *)p + 4, (u32)(v >> 32));
}

static inline u32 wdm_get_be32(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static inline u64 wdm_get_be64(const void *p)
{
	return (u64)wdm_get_be32(p) << 32 | wdm_get_be32((const u8 *)p + 4);
}

static inline void wdm_put_be32(void *p, u32 v)
{
	u8 *b = p;

	b[0] = (u8)(v >> 24);
	b[1] = (u8)(v >> 16);
	b[2] = (u8)(v >> 8);
	b[3] = (u8)v;
}

static inline void wdm_put_be64(void *p, u64 v)
{
	wdm_put_be32(p, (u32)(v >> 32));
	wdm_put_be32((u8 *)p + 4, (u32)v);
}

static inline u32 wdm_rol32(u32 v, u32 n)
{
	return v << n | v >> (-n & 31);
}

static inline void wdm_wake_at(struct wdm_device *dev, u64 when)
{
	if (when < dev->next_ns)
		dev->next_ns = when;
}

static inline u32 wdm_settle(const struct wdm_device *dev)
{
	return dev->attr.settle_ns;
}

/* A ring that looks full may have had its doorbell overwritten, so it counts as overflowed only after a while. */
static inline u64 wdm_settle_overflow(const struct wdm_device *dev)
{
	return (u64)wdm_settle(dev) * WDM_OVERFLOW_SETTLES;
}

/* The registers of a VF's migration */
static inline bool wdm_has_images(const struct wdm_device *dev, const struct wdm_function *f)
{
	return f->index == WDM_PF || !dev->attr.half_vf_regs;
}

/* Bytes of BAR2 */
static inline u64 wdm_regs_size(const struct wdm_device *dev, u32 fn)
{
	if (fn == WDM_PF)
		return QM_BAR2_PF_SIZE;
	return dev->attr.half_vf_regs ? QM_BAR2_VF_HALF : QM_BAR2_VF_SIZE;
}

/* Does the generation have that mailbox command? */
static inline bool wdm_has(const struct wdm_device *dev, enum qm_mb_cmd cmd)
{
	return dev->generation->commands & 1u << cmd;
}

/* access.c */
const struct wdm_personality *wdm_engine(enum wdm_type type);
/* A function's first queue, and the number of its queues: 0 while either of its two VFT entries is invalid. */
u32 wdm_vft_base(const struct wdm_function *f);
u32 wdm_vft_num(const struct wdm_function *f);
struct wdm_queue *wdm_queue_find(struct wdm_device *dev, const struct wdm_function *f, u32 rel);
u32 wdm_slot_digest(const u32 *sqe, u32 bytes);
u64 wdm_cq_unconsumed(const struct wdm_device *dev, const struct wdm_queue *q);
int wdm_dma_read(struct wdm_device *dev, u32 fn, u64 addr, void *buf, u32 len);
int wdm_dma_write(struct wdm_device *dev, u32 fn, u64 addr, const void *buf, u32 len);
void wdm_refuse(struct wdm_device *dev, enum wdm_refusal reason, u32 fn, u32 queue, u64 value);

/* regs.c */
const struct wdm_error_block *wdm_error_block(const struct wdm_device *dev, enum wdm_errors which);
/* After a reset of the PF, which errors survive. */
void wdm_errors_show(struct wdm_device *dev, struct wdm_function *pf);
void wdm_regs_reset(struct wdm_device *dev, struct wdm_function *f);
void wdm_regs_poll(struct wdm_device *dev, struct wdm_function *f);
/* Clears registers that don't exist, and refuses what has been written there. */
void wdm_absent_poll(struct wdm_device *dev, struct wdm_function *f);
/* Raises errors as if the driver had injected them. */
void wdm_error_raise(struct wdm_device *dev, enum wdm_errors which, u32 bits);
/* Do the queue's accesses to payload carry its PASID? */
bool wdm_queue_sva(const struct wdm_device *dev, const struct wdm_queue *q);
/* Returns the register that the driver should have set before it used queues of that class; 0: none. */
u32 wdm_engine_lacks(struct wdm_device *dev, u32 alg_type);

/* message.c */
/* SRC: the text of the next message to a function, or to all. */
int wdm_message_source(struct wdm_device *dev, struct wdm_function *f, u32 to, u64 text);
/* DST: the text of the message that has come from a function. */
int wdm_message_fetch(struct wdm_device *dev, struct wdm_function *f, u32 from, u64 *text);
void wdm_message_poll(struct wdm_device *dev, struct wdm_function *f);
/* A function's reset, of the PF with all others; @gone: a VF comes or goes. */
void wdm_message_reset(struct wdm_device *dev, struct wdm_function *f, bool gone);

/* mailbox.c */
void wdm_mailbox_poll(struct wdm_device *dev, struct wdm_function *f);

/* Completions of the queue don't wait for their time: someone waits for its last one. */
static inline bool wdm_queue_hurries(const struct wdm_device *dev, const struct wdm_queue *q)
{
	return q->stopping || dev->fns[q->fn].pause;
}

/* migrate.c */
void wdm_pause_begin(struct wdm_device *dev, struct wdm_function *f);
/* 0: the function is paused, -EAGAIN: not yet, -EBUSY: it can't be, and runs again. */
int wdm_pause_poll(struct wdm_device *dev, struct wdm_function *f);
/* The driver's own orders end a pause. */
static inline void wdm_pause_end(struct wdm_function *f)
{
	f->pause = WDM_RUNNING;
}

/* Starts the function if the doorbell that does so has come. */
void wdm_migrate_poll(struct wdm_device *dev, struct wdm_function *f);

/* queue.c */
int wdm_sqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc);
int wdm_cqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc);
/* The same with contexts from the tables, of a queue that goes on where it was paused. */
int wdm_queue_load(struct wdm_device *dev, struct wdm_function *f, u32 rel, const u8 *sqc, const u8 *cqc);
void wdm_sqc_get(const struct wdm_device *dev, const struct wdm_queue *q, u8 *qc);
/* Takes in doorbells that came before a command about the queue. */
void wdm_queue_look(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q);
void wdm_cqc_get(const struct wdm_device *dev, const struct wdm_queue *q, u8 *qc);
void wdm_queue_stop(struct wdm_device *dev, struct wdm_queue *q);
bool wdm_queue_stopped(struct wdm_device *dev, struct wdm_queue *q);
void wdm_queue_drop(struct wdm_device *dev, struct wdm_queue *q);

/* doorbell.c */
void wdm_doorbell_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q);
void wdm_doorbell_poll_shared(struct wdm_device *dev, struct wdm_function *f);
/* true: the doorbell that starts a paused function has come. */
bool wdm_doorbell_starts(struct wdm_device *dev, struct wdm_function *f);
/* The next doorbell that starts the function has an effect even if it equals the last one. */
void wdm_doorbell_forget(struct wdm_function *f);
void wdm_doorbell_clear(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q);
void wdm_lost_sq_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q);

/* mark.c */
/* Is there a mark in any part of the descriptor? */
bool wdm_marked(const struct wdm_device *dev, const u32 *sqe);
/* Marks the copy of a slot that has never held a request. */
void wdm_slot_begin(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, u32 *sqe);
/* The slot is marked, and @sqe is the copy. */
void wdm_slot_keep(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, const u32 *sqe);
/* Marks slots whose completion is consumed, before their owner writes them again. */
void wdm_slots_mark(struct wdm_device *dev, struct wdm_queue *q);
/* The slot holds a request, of which @sqe is the copy: makes that what its owner wrote. */
void wdm_slot_take(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, u32 *sqe);

/* job.c */
/* Writes back and completes the descriptor of a slot; false when that is impossible, or not yet possible. */
bool wdm_answer(struct wdm_device *dev, struct wdm_queue *q, u32 slot, const u32 *sqe);
void wdm_jobs_complete(struct wdm_device *dev, struct wdm_queue *q);
void wdm_jobs_abort(struct wdm_device *dev, struct wdm_queue *q);
void wdm_jobs_end(struct wdm_device *dev);
void wdm_job_free(struct wdm_device *dev, struct wdm_job *job);
bool wdm_jobs_pending(const struct wdm_queue *q);
bool wdm_jobs_ready(struct wdm_device *dev);

/* shaper.c */
/* A write of a function's shaper entry. */
void wdm_shaper_set(struct wdm_device *dev, struct wdm_function *f, u32 i, u64 entry);
void wdm_shaper_poll(struct wdm_device *dev, const struct wdm_function *pf);
/* A function's reset: its limits are those of its entries, without tokens. */
void wdm_shaper_empty(struct wdm_device *dev, struct wdm_function *f);
void wdm_bandwidth_set(struct wdm_device *dev, u32 mbps);
/* May nothing be accepted now, or nothing of that queue? */
bool wdm_device_full(const struct wdm_device *dev);
bool wdm_function_full(struct wdm_device *dev, const struct wdm_queue *q);
/* Schedules a poll for when these limits may no longer be reached. Other reasons end with a completion. */
void wdm_limits_wake(struct wdm_device *dev, const struct wdm_queue *q);
/* Sets when the job is due. */
void wdm_limits_charge(struct wdm_device *dev, const struct wdm_queue *q, struct wdm_job *job);
void wdm_limits_refund(struct wdm_device *dev, const struct wdm_queue *q, const struct wdm_job *job);

/* fault.c: called only when there are rules */
/* false: the queue is stuck, and the descriptor remains in the ring. */
bool wdm_fault_accept(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job);
/* Any thread. true: the job isn't executed; its status is set. */
bool wdm_fault_fails(struct wdm_job *job);
#define WDM_BIT(kind)	(1u << (kind))

/* SplitMix64: works with any seed, including 0. */
static inline u32 wdm_random(u64 *random)
{
	u64 x = *random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (u32)(x >> 32);
}

/* Whether the data that the job writes to memory, or its verdict, is to be wrong: a job that fails isn't executed. */
static inline bool wdm_fault_corrupts(const struct wdm_job *job)
{
	return (job->faults & (WDM_BIT(WDM_FAULT_CORRUPT) | WDM_BIT(WDM_FAULT_FAIL))) == WDM_BIT(WDM_FAULT_CORRUPT);
}

/* The queue's first job is due: answers it according to its faults. false: not now. */
bool wdm_fault_answer(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job);
/* true: the command isn't answered before @until. */
bool wdm_fault_mailbox(struct wdm_device *dev, u64 *until);

/* dfx.c */
void wdm_dfx_mailbox(struct wdm_device *dev, struct wdm_function *f);
void wdm_dfx_doorbell(struct wdm_device *dev, struct wdm_function *f);
void wdm_dfx_sent(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job);
void wdm_dfx_ended(struct wdm_device *dev, const struct wdm_job *job);
void wdm_dfx_answered(struct wdm_device *dev, struct wdm_queue *q);
void wdm_dfx_forget_share(struct wdm_device *dev, const struct wdm_function *f);
void wdm_dfx_forget(struct wdm_device *dev);
void wdm_dfx_reset(struct wdm_device *dev, struct wdm_function *f);
void wdm_dfx_poll(struct wdm_device *dev);

/* event.c */
int wdm_eqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq, const u8 *qc);
void wdm_eqc_get(const struct wdm_eq *eq, u8 *qc);
bool wdm_eqc_loads(const u8 *qc);
/* Takes a context from a paused function's image. */
void wdm_eqc_load(struct wdm_eq *eq, const u8 *qc);
void wdm_images_read(const struct wdm_function *f, u8 *eqc, u8 *aeqc);
void wdm_images_write(struct wdm_function *f, const u8 *eqc, const u8 *aeqc);
void wdm_images_show(struct wdm_function *f);
void wdm_eq_reset(struct wdm_function *f);
void wdm_eq_poll(struct wdm_device *dev, struct wdm_function *f);
void wdm_event_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q);
void wdm_events_poll(struct wdm_device *dev);
void wdm_async_event(struct wdm_device *dev, struct wdm_function *f, u32 queue, enum qm_aeqe_type type);
void wdm_irq(struct wdm_device *dev, const struct wdm_function *f, u32 vector);

#endif
