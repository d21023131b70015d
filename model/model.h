/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The accelerator model: one device with its functions, queues and engine, driven by a host. */
#ifndef WDM_MODEL_H
#define WDM_MODEL_H

#include "env.h"
#include "fault.h"

/*
 * Threads. *Control context* is one thread, or any threads under one lock of the host, per device: all
 * functions here belong to it except wdm_job_run(), which any worker thread calls with its own scratch
 * and which touches nothing but the job, the scratch and payload. The model never allocates, locks,
 * sleeps, logs or reads a clock of its own; a wdm_poll() takes microseconds (installing a queue reads
 * and marks its whole ring once).
 *
 * A host's loop:
 *	wdm_poll(dev, &look);
 *	while (worker free && (job = wdm_job_next(dev))) hand job to a worker;
 *	for each job a worker has run: wdm_job_done(dev, job);
 *	wait until look.next_ns at the latest, a finished job, or its own idea of when registers
 *	may have changed (they are plain memory: nothing tells).
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

#define WDM_IRQ_EQ		0
#define WDM_IRQ_AEQ		1
#define WDM_IRQ_MSG		2
#define WDM_IRQ_ABNORMAL	3
#define WDM_IRQ_NR		4

#define WDM_SQE_MAX		128

/**
 * struct wdm_attr - shape and parameters of a device
 * @type: engine
 * @queues: queues of the whole device (PF and VFs), 2..1024; 0 = the engine's default
 * @functions: PF and VFs that may be attached, 1..64; 0 = 1
 * @jobs: descriptors accepted and not yet completed, device-wide, 1..65536; 0 = 256
 * @no_isolation: doorbells in BAR2 instead of BAR4 windows
 * @cap_version_0: capability register reads 0, so drivers use their built-in defaults
 * @settle_ns: how long a queue must be quiet before a lost doorbell is assumed; 0 = 100 us
 * @latency_ns: earliest completion after a descriptor was accepted
 * @bandwidth_mbps: input megabits a second of the whole device; 0 = no limit
 */
struct wdm_attr {
	enum wdm_type type;
	u32 queues;
	u32 functions;
	u32 jobs;
	bool no_isolation;
	bool cap_version_0;
	u32 settle_ns;
	u64 latency_ns;
	u32 bandwidth_mbps;
};

/* Why the model refused something; the newest is kept, all are counted. */
enum wdm_refusal {
	WDM_REFUSE_NONE,
	WDM_REFUSE_MB_CMD,		/* unknown mailbox command or reserved bits */
	WDM_REFUSE_MB_QUEUE,		/* queue not in the function's VFT range */
	WDM_REFUSE_MB_DMA,		/* context not readable or writable */
	WDM_REFUSE_MB_BUSY,		/* context of a queue with work outstanding replaced */
	WDM_REFUSE_QC_DEPTH,
	WDM_REFUSE_QC_ENTRY,		/* entry size isn't the engine's */
	WDM_REFUSE_QC_FIELD,		/* any other field of a context */
	WDM_REFUSE_VFT,			/* type, function or range */
	WDM_REFUSE_DB_QUEUE,		/* doorbell for a queue that isn't there or isn't this window's */
	WDM_REFUSE_DB_CMD,
	WDM_REFUSE_DB_RANDOM,
	WDM_REFUSE_DB_INDEX,		/* index past the ring, or more than a full ring */
	WDM_REFUSE_DB_RESERVED,
	WDM_REFUSE_SQE,			/* descriptor refused by the engine */
	WDM_REFUSE_ENGINE,		/* descriptor for an engine that wasn't initialised; the register that lacks something */
	WDM_REFUSE_RING_DMA,		/* ring not readable or writable: queue stopped */
	WDM_REFUSE_NR,
};

struct wdm_refused {
	enum wdm_refusal reason;
	u32 fn;
	u32 queue;
	u64 value;	/* the register, index or field refused */
};

/* Counters since init; for tests, debugfs and people. */
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
	u64 arm_recovered;	/* events raised for completions nobody armed for */
	u64 refused[WDM_REFUSE_NR];
};

/**
 * struct wdm_look - what wdm_poll() saw
 * @worked: a register was acted on or something was completed: look again soon
 * @jobs: wdm_job_next() would return one
 * @busy: descriptors accepted and not yet completed
 * @next_ns: monotonic time when a timer of the model is due; WDM_NEVER = only on register changes
 */
struct wdm_look {
	bool worked;
	bool jobs;
	u32 busy;
	u64 next_ns;
};

enum wdm_job_state {
	WDM_JOB_FREE,
	WDM_JOB_READY,		/* the host's: to run */
	WDM_JOB_DONE,		/* the model's: waits for its turn or time to be completed */
};

/**
 * struct wdm_job - one accepted descriptor
 * @host: for the host while it owns the job (from wdm_job_next() to wdm_job_done())
 * @fn, @queue: function and its queue
 * @pasid, @pasid_valid: whose addresses the payload uses; not valid = bus addresses
 * @abort: set by the model: finish soon, with an error
 * The other members are the model's.
 */
struct wdm_job {
	void *host[3];
	u32 fn;
	u32 queue;
	u32 pasid;
	bool pasid_valid;
	u8 alg_type;
	u8 sqe_bytes;
	u32 faults;		/* bits by enum wdm_fault; 0 = none */
	u32 fail_status;
	u32 abort;
	enum wdm_job_state state;
	u32 slot;
	u32 owner_gen;		/* queue generation: completions of an older one are dropped */
	u64 due_ns;
	u64 wire_ns;		/* of the device's bandwidth */
	u32 abs_queue;
	u32 bytes_in;
	u32 bytes_out;
	bool refused;
	bool unready;		/* the engine isn't initialised: it ends with an error */
	const struct wdm_env *env;
	void *env_host;
	const struct wdm_personality *engine;
	struct wdm_job *next;
	u32 sqe[WDM_SQE_MAX / 4];
};

/* Bytes of memory (64-byte aligned) that wdm_device_init() wants; 0 when @attr is invalid. */
size_t wdm_device_size(const struct wdm_attr *attr);

/* @mem needn't be zeroed. @env and @host must outlive the device. Nothing needs undoing: when no
 * worker has a job and no call is under way, the memory may be freed. */
struct wdm_device *wdm_device_init(void *mem, const struct wdm_attr *attr, const struct wdm_env *env,
				   void *host);

/* Change at any time; takes effect for descriptors accepted from now on. */
void wdm_device_set_latency(struct wdm_device *dev, u64 latency_ns);
void wdm_device_set_bandwidth(struct wdm_device *dev, u32 mbps);

/* BAR sizes in bytes of function @fn. BAR 4 is 0 without isolation. */
u64 wdm_bar_size(const struct wdm_device *dev, u32 fn, int bar);

/* Begin to serve a function: its registers get reset values (some thousand register writes). @bar4 is
 * NULL without isolation; mapped with wdm_bar_size() bytes each. 0, -EINVAL, -EBUSY when attached. */
int wdm_function_attach(struct wdm_device *dev, u32 fn, void WDM_IOMEM *bar2, void WDM_IOMEM *bar4);

/* Function level reset: contexts and registers as after power on, what was accepted is dropped without
 * completion. Running jobs are told to end; wdm_function_busy() says when the last has. A host must not
 * report the reset (or the removal) done before. */
void wdm_function_reset(struct wdm_device *dev, u32 fn);
bool wdm_function_busy(const struct wdm_device *dev, u32 fn);

/* As reset, and the registers aren't touched again: the BARs may be unmapped. Allowed while busy. */
void wdm_function_detach(struct wdm_device *dev, u32 fn);

void wdm_poll(struct wdm_device *dev, struct wdm_look *look);

/* Next descriptor to execute, by priority of its queue, or NULL. */
struct wdm_job *wdm_job_next(struct wdm_device *dev);

/* Any thread; may take long (up to 8 MiB in and out). Never fails: the result is in the job. */
void wdm_job_run(struct wdm_job *job, struct wdm_scratch *scratch);

/* Write-back, completion and event follow, now or when due: at the latest in a wdm_poll(). */
void wdm_job_done(struct wdm_device *dev, struct wdm_job *job);

/* A worker's memory: about 200 KiB, any alignment of malloc or kvmalloc. @engine_ws goes to the engine
 * table as it is. */
size_t wdm_scratch_size(void);
struct wdm_scratch *wdm_scratch_init(void *mem, void *engine_ws);

const struct wdm_stats *wdm_device_stats(const struct wdm_device *dev);
void wdm_last_refusal(const struct wdm_device *dev, struct wdm_refused *refused);
const char *wdm_refusal_name(enum wdm_refusal reason);

#endif
