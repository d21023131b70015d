/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The accelerator model: one device with its functions, queues and engine, driven by a host. */
#ifndef WDM_MODEL_H
#define WDM_MODEL_H

#include "env.h"
#include "fault.h"

/*
 * Threads. *Control context* is one thread, or any threads under one lock of the host, per device: all
 * functions here must be called in it except wdm_job_run(), which any worker thread calls with its own scratch
 * and which touches nothing but the job, the scratch and payload. The model never allocates, locks,
 * sleeps, logs or reads a clock of its own; a wdm_poll() takes microseconds (installing a queue reads
 * and marks its whole ring once).
 *
 * A host's loop:
 *	wdm_poll(dev, &look);
 *	while (worker free && (job = wdm_job_next(dev))) hand job to a worker;
 *	for each job a worker has run: wdm_job_done(dev, job);
 *	wait until look.next_ns at the latest, a finished job, or its own idea of when registers
 *	may have changed (they are plain memory, so no write is reported).
 */

struct wdm_device;
struct wdm_scratch;

enum wdm_type {
	WDM_ZIP,
	WDM_SEC,
	WDM_HPRE,
};

#define WDM_PF			0	/* function index; VF n is n */
#define WDM_NEVER		(~0ull)
/* A doorbell register's value that rings nothing. A value is seen when it differs from the last one that was there. */
#define WDM_DB_NONE		(~0ull)

#define WDM_IRQ_EQ		0
#define WDM_IRQ_AEQ		1
#define WDM_IRQ_MSG		2
#define WDM_IRQ_ABNORMAL	3
#define WDM_IRQ_NR		4

#define WDM_SQE_MAX		128

/**
 * struct wdm_attr - shape and parameters of a device
 * @type: engine
 * @generation: 2 or 3 (generation.h); 0 = 3
 * @queues: queues of the whole device (PF and VFs), 2..1024; 0 = the engine's default
 * @functions: PF and VFs that may be attached, 1..64; 0 = 1
 * @per_fn_max: queues that one function may have, and windows of each BAR4; 1..queues, 0 = all queues
 * @jobs: descriptors accepted and not yet completed, device-wide, 1..65536; 0 = 256
 * @no_isolation: doorbells in BAR2 instead of BAR4 windows; always so in generation 2
 * @any_db_timeout: drivers need not set the time-out of doorbells, as those of Linux before 6.6 don't; later ones of
 *		mainline don't set it again after a reset of the device
 * @cap_version_0: capability register reads 0, so drivers use their built-in defaults
 * @half_vf_regs: VFs have the lower half of BAR2 only, as a guest sees them, and don't migrate
 * @sub_version: of generation 3: what the register of later versions shows; 0 = none
 * @message_vector: of generation 3: WDM_IRQ_MSG or WDM_IRQ_ABNORMAL, on which messages come, and errors on the other;
 *		0 = WDM_IRQ_MSG
 * @settle_ns: quiet time of a queue after which a lost doorbell is assumed; 0 = 100 us
 * @hidden_passes: SQ doorbells may hide CQ doorbells from the host, which looks at registers from time to time only: a
 *		queue overflows when no CQ doorbell has been seen for this number of passes of its CQ and one more, and
 *		an event queue has one entry at a time; 0 = the host sees every doorbell, as hardware does; ~0 = no
 *		bound
 * @latency_ns: minimum time from a descriptor's acceptance to its completion
 * @bandwidth_mbps: megabits of input per second for the whole device, of which a function's shaper gives it
 *		thousandths; 0 = no limit, and shapers limit functions to thousandths of 100 Gbit/s
 */
struct wdm_attr {
	enum wdm_type type;
	u32 generation;
	u32 queues;
	u32 functions;
	u32 per_fn_max;
	u32 jobs;
	bool no_isolation;
	bool any_db_timeout;
	bool cap_version_0;
	u8 sub_version;
	u8 message_vector;
	bool half_vf_regs;
	u32 settle_ns;
	u32 hidden_passes;
	u64 latency_ns;
	u32 bandwidth_mbps;
};

/* Reasons of refusals; the newest is kept, all are counted. */
enum wdm_refusal {
	WDM_REFUSE_NONE,
	WDM_REFUSE_MB_CMD,		/* unknown mailbox command or reserved bits */
	WDM_REFUSE_MB_QUEUE,		/* queue not in the function's VFT range */
	WDM_REFUSE_MB_DMA,		/* context not readable or writable */
	WDM_REFUSE_MB_BUSY,		/* replaces the context of a queue with work outstanding */
	WDM_REFUSE_MIGRATE,		/* pause, start or context of a migration; value: what was wrong */
	WDM_REFUSE_MSG_FN,		/* message to or from a function that the sender or receiver may not name */
	WDM_REFUSE_MSG_NONE,		/* no message from that function */
	WDM_REFUSE_MSG_SEND,		/* message interrupt without a text, or not where the text is to go */
	WDM_REFUSE_QC_DEPTH,
	WDM_REFUSE_QC_ENTRY,		/* entry size differs from the engine's */
	WDM_REFUSE_QC_FIELD,		/* any other invalid field of a context */
	WDM_REFUSE_REG,			/* written, but not in this generation; value: the register */
	WDM_REFUSE_VFT,			/* invalid type, function or range */
	WDM_REFUSE_SHAPER,		/* rate or burst of 0, or reserved bits of entry or configuration */
	WDM_REFUSE_DB_QUEUE,		/* doorbell for a queue that doesn't exist or has another window */
	WDM_REFUSE_DB_CMD,
	WDM_REFUSE_DB_RANDOM,
	WDM_REFUSE_DB_INDEX,		/* index beyond the ring, or more than a full ring */
	WDM_REFUSE_DB_RESERVED,
	WDM_REFUSE_SQE,			/* descriptor refused by the engine */
	WDM_REFUSE_ENGINE,		/* descriptor for an uninitialised engine; value: the register that isn't set */
	WDM_REFUSE_RING_DMA,		/* ring not readable or writable: the queue is stopped */
	WDM_REFUSE_NR,
};

struct wdm_refused {
	enum wdm_refusal reason;
	u32 fn;
	u32 queue;
	u64 value;	/* the refused register, index or field */
};

/* Counters since init, for tests and debugging. */
struct wdm_stats {
	u64 mailboxes;
	u64 doorbells;
	u64 descriptors;	/* accepted */
	u64 completions;
	u64 bytes_in;
	u64 bytes_out;
	u64 events;		/* EQEs */
	u64 async_events;	/* AEQEs */
	u64 irqs;
	u64 sq_recovered;	/* descriptors whose doorbell was overwritten */
	u64 arm_recovered;	/* events raised for completions of a queue that wasn't armed */
	u64 refused[WDM_REFUSE_NR];
};

/**
 * struct wdm_look - result of wdm_poll()
 * @worked: a register had an effect or a descriptor was completed: poll again soon
 * @jobs: wdm_job_next() would return a job
 * @busy: descriptors accepted and not yet completed
 * @next_ns: monotonic time at which a timer of the model is due; WDM_NEVER = only register
 *		changes matter
 */
struct wdm_look {
	bool worked;
	bool jobs;
	u32 busy;
	u64 next_ns;
};

enum wdm_job_state {
	WDM_JOB_FREE,
	WDM_JOB_READY,		/* with the host: to be run */
	WDM_JOB_DONE,		/* with the model: waits for its turn or its time to complete */
};

/**
 * struct wdm_job - one accepted descriptor
 * @host: for the host while it owns the job (from wdm_job_next() to wdm_job_done())
 * @fn, @queue: function and its queue
 * @pasid, @pasid_valid: address space of the payload; not valid = bus addresses
 * @abort: set by the model: end soon, with an error
 * The other members belong to the model.
 */
struct wdm_job {
	void *host[3];
	u32 fn;
	u32 queue;
	u32 pasid;
	bool pasid_valid;
	u8 alg_type;
	u8 generation;
	u8 checks;		/* by the engine: what its registers allow, when the descriptor was accepted */
	u8 sqe_bytes;
	u32 faults;		/* bits by enum wdm_fault; 0 = none */
	u32 fail_status;
	u32 abort;
	enum wdm_job_state state;
	u32 slot;
	u32 owner_gen;		/* queue generation: completions of an older one are dropped */
	u64 due_ns;
	u64 device_ns;		/* time on the wire, by the device's limit */
	u64 function_ns;	/* the same by its function's */
	u32 abs_queue;
	u64 taken_ns;
	u32 dfx_round;
	u8 core;
	u32 bytes_in;
	u32 bytes_out;
	bool refused;
	bool unready;		/* the engine isn't initialised: the job ends with an error */
	const struct wdm_env *env;
	void *env_host;
	const struct wdm_personality *engine;
	struct wdm_job *next;
	u32 sqe[WDM_SQE_MAX / 4];
};

/* Bytes of memory (64-byte aligned) that wdm_device_init() needs; 0 when @attr is invalid. */
size_t wdm_device_size(const struct wdm_attr *attr);

/*
 * @mem need not be zeroed. @env and @host must outlive the device. There is no exit function:
 * the memory may be freed when no worker has a job and no call is running.
 */
struct wdm_device *wdm_device_init(void *mem, const struct wdm_attr *attr, const struct wdm_env *env,
				   void *host);

/* May be changed at any time; takes effect for descriptors accepted from now on. */
void wdm_device_set_latency(struct wdm_device *dev, u64 latency_ns);
void wdm_device_set_bandwidth(struct wdm_device *dev, u32 mbps);

/* BAR sizes of function @fn in bytes. BAR 4 is 0 without isolation. */
u64 wdm_bar_size(const struct wdm_device *dev, u32 fn, int bar);

/*
 * Begins to serve a function: sets its registers to reset values (some thousand register
 * writes). Each BAR is mapped with wdm_bar_size() bytes; @bar4 is NULL without isolation. 0,
 * -EINVAL, or -EBUSY when attached.
 */
int wdm_function_attach(struct wdm_device *dev, u32 fn, void WDM_IOMEM *bar2, void WDM_IOMEM *bar4);

/*
 * Function level reset: contexts and registers as after power on; accepted descriptors are
 * dropped without completion. Running jobs are made to end, and wdm_function_busy() returns
 * false after the last. A host must not report the end of the reset (or removal) before.
 *
 * A VF keeps its queues and the mask of its message interrupt; other functions go on. A reset of
 * the PF resets all functions, so the PF is busy as long as any of them is, and the table of
 * queues is empty. Errors, and the bus master that one has closed, stay as they are.
 */
void wdm_function_reset(struct wdm_device *dev, u32 fn);

/*
 * The reset that firmware does: all functions, errors, bus master and memory are as after power
 * on. Functions stay attached, and faults keep their rules. A host waits for
 * wdm_function_busy() of the PF.
 */
void wdm_device_reset(struct wdm_device *dev);
bool wdm_function_busy(const struct wdm_device *dev, u32 fn);

/* The same as a reset, but registers aren't accessed any more: the BARs may be unmapped. Allowed while busy. */
void wdm_function_detach(struct wdm_device *dev, u32 fn);

void wdm_poll(struct wdm_device *dev, struct wdm_look *look);

/* Returns the next descriptor to execute, by priority of its queue, or NULL. */
struct wdm_job *wdm_job_next(struct wdm_device *dev);

/* Any thread; may take long (up to 8 MiB in and out). Never fails: the result is in the job. */
void wdm_job_run(struct wdm_job *job, struct wdm_scratch *scratch);

/* Write-back, completion and event follow now or, at the latest, in a wdm_poll() when they are due. */
void wdm_job_done(struct wdm_device *dev, struct wdm_job *job);

/*
 * A worker's memory: about 200 KiB, with any alignment of malloc or kvmalloc. @engine_ws is
 * passed unchanged to the engine's functions.
 */
size_t wdm_scratch_size(void);
struct wdm_scratch *wdm_scratch_init(void *mem, void *engine_ws);

const struct wdm_stats *wdm_device_stats(const struct wdm_device *dev);
void wdm_last_refusal(const struct wdm_device *dev, struct wdm_refused *refused);
const char *wdm_refusal_name(enum wdm_refusal reason);

#endif
