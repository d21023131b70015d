/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue manager core's private state, shared by the files of hisi_qm.ko. */
#ifndef WD_QM_INTERNAL_H
#define WD_QM_INTERNAL_H

#include <linux/atomic.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <misc/uacce/hisi_qm.h>
#include "qm.h"
#include "uacce/uacce.h"

/*
 * lock			protects				taken with
 * qm->vfs_list_lock	the list of virtual functions, for work items
 * qm->aeq_lock		the asynchronous event ring		uacce's locks of a queue
 * qp->lock		one queue's hardware and memory		those
 * qm->mb_lock		mailbox register, context buffer	qp->lock
 * qm->vft_lock		the queue table's registers
 * qm->state_lock	state, ending, broken, numbers in use	all of these
 * qp->event_lock	link to the open file, completion head	qp->lock, uacce's lock of a poll; hard irq
 * qm->regs_lock	registers against a reset		readers only try it, also under uacce_prov
 * qm->count_lock	whose counters are shown		qp->lock; mb_lock, if tried; regs_lock follows
 *
 * Before all of these: the device locks of PCI, then the claim to the functions of a device (claim.c).
 *
 * state_lock is never held while waiting for hardware. Opening a queue takes it, and no
 * other of these locks that the owner of another queue can hold. aeq_lock, vft_lock and event_lock,
 * too, aren't held over a wait for more than a register; docs/hisi_qm.md lists all waits.
 */

#define QM_REG_TIMEOUT_US	(5 * USEC_PER_SEC)
#define QM_REG_PERIOD_US	10
#define QM_LOOK_MAX_US		(500 * USEC_PER_MSEC)	/* most that counts towards a deadline between two polls */
#define QM_MB_TIMEOUT_US	(5 * USEC_PER_SEC)
#define QM_STOP_TIMEOUT_US	(10 * USEC_PER_SEC)
#define QM_DRAIN_TIMEOUT_US	(10 * USEC_PER_SEC)

/*
 * Time after which a device with an abandoned command counts as broken; a STOP_QP may have
 * terabytes to finish first.
 */
#define QM_HUNG_LIMIT_US	(30ull * USEC_PER_SEC)
#define QM_STOPPING_LIMIT_US	(300ull * USEC_PER_SEC)

/* First period for stopping stuck queues again. */
#define QM_STUCK_PERIOD_S	1

/* Most that counts between two polls of a busy mailbox after a timeout; it is polled at least that often. */
#define QM_MB_LOOK_MAX_US	(2 * QM_STUCK_PERIOD_S * USEC_PER_SEC)

/* A ring of no owner, to which stopped queues point. */
#define QM_PARKING_DEPTH	2
#define QM_PARKING_BYTES	4096
#define QM_MEMORY_ALIGN		64

/* The core's own capabilities, in the order of its table. */
enum qm_cap {
	QM_CAP_ID_FEATURES,
	QM_CAP_ID_EQ_DEPTH,
	QM_CAP_ID_AEQ_DEPTH,
	QM_CAP_ID_SQ_DEPTH,
	QM_CAP_ID_CQ_DEPTH,
	QM_CAP_ID_EQ_IRQ_TYPE,
	QM_CAP_ID_EQ_IRQ_VECTOR,
	QM_CAP_ID_AEQ_IRQ_TYPE,
	QM_CAP_ID_AEQ_IRQ_VECTOR,
	QM_CAP_ID_ABNORMAL_IRQ_TYPE,
	QM_CAP_ID_ABNORMAL_IRQ_VECTOR,
	QM_CAP_ID_MESSAGE_IRQ_TYPE,
	QM_CAP_ID_MESSAGE_IRQ_VECTOR,
	QM_CAP_ID_PF_IRQ_NUM,
	QM_CAP_ID_VF_IRQ_NUM,
	QM_CAP_ID_NR,
};

/**
 * struct qm_generation - differences between hardware generations
 * @version:	lowest PCI revision
 * @api:	value of the uacce attribute "api"
 * @cap_registers: capabilities can be read from the device
 * @pasid_in_context: queues carry their own PASID
 * @pm_control:	idle power-down must be switched off for exact bandwidth shares
 * @shutdown_on_error: hardware closes its bus master on errors that need a reset
 * @message_registers: messages between functions pass by registers rather than by the mailbox, which this driver can't
 * @resets_by_mask: before a reset, its MSI messages are masked rather than disabled, and it must answer a test
 */
struct qm_generation {
	u8 version;
	const char *api;
	bool cap_registers;
	bool pasid_in_context;
	bool pm_control;
	bool shutdown_on_error;
	bool message_registers;
	bool resets_by_mask;
};

enum qm_state {
	QM_STOPPED,
	QM_STARTED,
	QM_RESETTING,
};

/**
 * struct hisi_qp - one hardware queue pair
 * @lock:	serialises start, stop and kill
 * @qm:		its function
 * @id:		number within the function
 * @qc_type:	engine class for the next start
 * @started:	the device works on the queue
 * @used_before: its owner has started it before
 * @failed:	ended by the device or by the driver: its owner can only close it
 * @stuck:	failed to stop: the device may still write to @dus, and to the address space that
 *		the framework keeps bound. The stop is retried.
 * @left:	its last owner, whom the framework keeps while the queue is stuck
 * @dus:	rings, while the queue has an owner or is stuck
 * @mediated:	so long, what a mediated queue has beside them; ends under @event_lock, too
 * @requests:	completed for its owner, up to the last look at the device's counter
 * @counted:	that counter's value then, if @counting
 * @counting:	that is where the next request begins
 * @draining:	its owner has no say any more: @waited_us counts on in later stops
 * @waited_us:	how long stops have waited for its requests, up to @seen
 * @seen:	the last look at them
 * @event_lock:	protects the fields below
 * @file:	the open file, NULL without an owner
 * @doomed:	the device has ended it: end_work takes it from its owner
 * @doorbell:	where the kernel rings, NULL: the register that the function's queues share
 * @rings:	its owner may ring by ioctl
 * @rung:	the last tail that it has rung so since the start, or -1
 * @cq_head:	first completion that poll() hasn't reported
 * @cq_phase:	phase bit expected at @cq_head
 */
struct hisi_qp {
	struct mutex lock;
	struct hisi_qm *qm;
	u16 id;
	u16 qc_type;
	bool started;
	bool used_before;
	bool failed;
	bool stuck;
	struct uacce_queue *left;
	struct uacce_dus *dus;
	struct qm_mediated *mediated;
	u64 requests;
	u32 counted;
	bool counting;
	bool draining;
	u64 waited_us;
	ktime_t seen;

	spinlock_t event_lock;
	struct uacce_queue *file;
	bool doomed;
	void __iomem *doorbell;
	bool rings;
	int rung;
	u16 cq_head;
	bool cq_phase;
};

/* An event ring that hardware fills and an interrupt empties. */
struct qm_eventq {
	__le32 *ring;
	dma_addr_t dma;
	u32 depth;
	u32 head;
	bool phase;
};

/**
 * struct qm_snapshot - registers, and their values when the driver was bound
 * @node:	in hisi_qm.snapshots
 * @qm:		their function
 * @base:	added to the offsets
 * @regs, @nr:	the registers
 * @first:	their values
 */
struct qm_snapshot {
	struct list_head node;
	struct hisi_qm *qm;
	u32 base;
	const struct hisi_qm_named_reg *regs;
	unsigned int nr;
	u32 first[];
};

/* A question to the physical function: at most one at a time. */
enum qm_ask {
	QM_ASK_NOTHING,
	QM_ASK_WANTED,
	QM_ASK_SENT,
	QM_ASK_ANSWERED,
};

/* Counters in debugfs; only 0 can be written to them. */
enum qm_counter {
	QM_COUNT_ERR_IRQ,
	QM_COUNT_AEQ_IRQ,
	QM_COUNT_ABNORMAL_IRQ,
	QM_COUNT_CREATE_QP_ERR,
	QM_COUNT_MB_ERR,
	QM_COUNT_NR,
};

struct hisi_qm {
	struct pci_dev *pdev;
	bool pf;		/* the physical function: only that has registers of device and engine */
	struct hisi_qm *physical; /* of a virtual function, see qm_physical() */
	/* Of the physical function, if there is one: see claim.c. */
	spinlock_t claim_lock;
	struct task_struct *claimer;
	unsigned int claims;
	wait_queue_head_t claim_wait;
	bool in_reset;		/* of its own or with its device: stopped until it starts */
	bool by_pci;		/* the PCI core is resetting it, and will call again */
	bool holds_errors;	/* its physical function reports no errors */
	struct mutex vfs_list_lock;
	struct list_head vfs;	/* virtual functions that this driver has */
	struct list_head vf_node;
	const struct hisi_qm_engine *engine;
	const struct qm_generation *gen;
	void __iomem *io;
	phys_addr_t io_phys;

	u32 caps[QM_CAP_ID_NR];
	u32 *engine_caps;
	bool isolated_doorbells;
	char *algorithms;

	struct mutex state_lock;
	enum qm_state state;
	bool ending;
	bool frozen;	/* about to be disabled: no queue can be opened */
	bool asleep;	/* suspended at run time */
	bool vfs_awake;	/* virtual functions keep it awake */
	bool broken;	/* needs a reset: gets no commands, is isolated */
	bool ecc;	/* by an uncorrectable memory error, until it works again; generation 2 only */
	bool silent;	/* its bus master is closed, so stuck queues can't access memory */
	bool gone;	/* from the bus */
	bool isolated;	/* after too many resets, or one that failed */
	u32 queues_total; /* of the device, and the most that one function may have: physical function only */
	u32 queues_most;
	struct mutex vft_lock;	/* of the physical function: the registers of the queue table, and qos */
	u16 qos[QM_MAX_VFS + 1]; /* of each function, its share of the bandwidth in thousandths */
	u16 qp_num;
	u16 qp_next;
	u16 qp_used;
	u16 qp_stuck;
	unsigned long *qp_map;
	struct hisi_qp *qps;
	size_t dus_size;
	size_t mmio_size;
	bool can_reset;		/* the device has a reset method */
	bool reset_allowed;	/* reset_work may run */
	unsigned long reset_ended; /* of the last one after an error, in jiffies; 0: none */
	bool device_frozen;	/* by a fatal error, until the PCI core has reset it or reset_after */
	unsigned long reset_after; /* in jiffies */
	struct pci_saved_state *config;	/* config space, NULL: there was no memory for it */
	bool vfs_changing;	/* virtual functions are being enabled or disabled: set by a claimer */
	struct delayed_work reset_work;
	struct work_struct restart_work;
	struct delayed_work stuck_work;
	unsigned int stuck_period_s;
	struct delayed_work end_work;
	atomic64_t ending_us;	/* of the device: how long functions that end have waited for queues */

	bool turn_taken;	/* a queue is being stopped */
	wait_queue_head_t turn_wait;
	struct mutex mb_lock;
	bool mb_busy;		/* with a command that has timed out */
	bool mb_stopping;	/* that command is a STOP_QP */
	u64 mb_busy_us;		/* time it has been busy, up to mb_seen */
	ktime_t mb_seen;	/* time of the last poll */
	ktime_t mb_start_asked;	/* last time a start found the device finishing a queue */

	/* All memory that the device uses for the function, in one block. */
	void *mem;
	dma_addr_t mem_dma;
	size_t mem_size;
	struct qm_eventq eq;
	struct qm_eventq aeq;
	struct mutex aeq_lock;
	dma_addr_t sqc_table;
	dma_addr_t cqc_table;
	void *context;
	dma_addr_t context_dma;
	dma_addr_t parking;

	int vectors;
	bool irqs_on;

	bool messages_on;
	bool messages_end;	/* the thread of the interrupt must end */
	bool removing;		/* the driver is being removed, which waits for a reset */
	u32 message;		/* the last one that a virtual function has fetched, 0: none */
	u32 message_value;
	u64 vfs_answered;	/* a bit for each virtual function: the last order */
	u64 vfs_missed;		/* an order, and haven't said anything since */
	u64 vfs_in_use;		/* when they were ordered to stop */
	u64 vfs_ask_bandwidth;
	u64 vfs_ask_isolation;
	atomic64_t vfs_follow_isolation; /* have asked before */
	bool isolation_news;	/* to be reported to these; of a virtual function in a guest: to be asked for */
	enum qm_ask ask;	/* of a virtual function: its bandwidth */
	u32 bandwidth;		/* the answer, in Mbit/s */
	wait_queue_head_t ask_wait;

	struct uacce_device *uacce;
	bool isolate_next;	/* the reset that runs isolates the functions */
	u32 isolate_threshold;	/* resets within an hour that are allowed, 0: any number */
	u32 reset_next;		/* the oldest of reset_times, which has as many as the threshold */
	u32 reset_seen;
	u64 *reset_times;
	struct dentry *debugfs;
	struct rw_semaphore regs_lock;
	struct semaphore count_lock;	/* of the physical function: which queue the counters show */
	struct list_head snapshots;
	unsigned long last_words;	/* in jiffies; 0: never */
	atomic_t counters[QM_COUNT_NR];
};

static inline void qm_count(struct hisi_qm *qm, enum qm_counter counter)
{
	atomic_inc(&qm->counters[counter]);
}

/* The device is unplugged: reads return ones, or, where registers are memory, the last value written. */
static inline bool qm_gone(struct hisi_qm *qm, u32 value)
{
	return value == ~0u || qm->pdev->error_state == pci_channel_io_perm_failure;
}

/* About to stop, or stopped. The stop takes the lock of each queue after this has become true. */
static inline bool qm_is_ending(struct hisi_qm *qm)
{
	return READ_ONCE(qm->ending) || READ_ONCE(qm->broken) || READ_ONCE(qm->state) != QM_STARTED;
}

/* Returns -EINTR if @killable and the process is killed while it waits. */
static inline int qm_mutex_lock(struct mutex *lock, bool killable)
{
	if (killable)
		return mutex_lock_killable(lock);
	mutex_lock(lock);
	return 0;
}

/*
 * Wakes a function and keeps it awake: see pm.c. A function that doesn't start is broken afterwards, which is no error
 * here.
 */
static inline int qm_power_get(struct hisi_qm *qm)
{
	return pm_runtime_resume_and_get(&qm->pdev->dev) ? -EIO : 0;
}

/* In any context. */
static inline void qm_power_put(struct hisi_qm *qm)
{
	pm_runtime_mark_last_busy(&qm->pdev->dev);
	pm_runtime_put_autosuspend(&qm->pdev->dev);
}

/* One of its owner's stop words. */
static inline void qm_qp_word(struct hisi_qp *qp, size_t offset)
{
	WRITE_ONCE(*(u32 *)(qp->dus->va + offset), 1);
}

/* Its doorbell's window, with isolated doorbells. */
static inline phys_addr_t qm_qp_window(const struct hisi_qp *qp)
{
	return pci_resource_start(qp->qm->pdev, QM_BAR_DB) + (phys_addr_t)qp->id * QM_DB_WINDOW;
}

/* Its number within the device: the physical function is 0. */
static inline u32 qm_function_number(struct pci_dev *pdev)
{
	return pdev->is_virtfn ? pci_iov_vf_id(pdev) + 1 : 0;
}

static inline size_t qm_sq_bytes(struct hisi_qm *qm)
{
	return (size_t)qm->engine->sqe_size * qm->caps[QM_CAP_ID_SQ_DEPTH];
}

static inline void qm_doorbell_event(struct hisi_qm *qm, enum qm_db_cmd cmd, u16 head)
{
	writeq(qm_db_value(0, cmd, head, 0), qm->io + QM_DB_EQ_AEQ);
}

/* The value of register number @i of a snapshot. */
static inline u32 qm_snapshot_now(const struct qm_snapshot *s, unsigned int i)
{
	return hisi_qm_read(s->qm, s->base + s->regs[i].offset);
}

/* Its physical function, if this driver has that. */
static inline struct hisi_qm *qm_device(struct hisi_qm *qm)
{
	return qm->physical ?: qm;
}

static inline void qm_assert_claimed(struct hisi_qm *device)
{
	WARN_ON_ONCE(READ_ONCE(device->claimer) != current);
}

/* claim.c */
void qm_claim_init(struct hisi_qm *qm);
bool qm_claim_try(struct hisi_qm *device);
void qm_claim(struct hisi_qm *device);
void qm_claim_end(struct hisi_qm *device);

/* snapshot.c */
struct qm_snapshot *qm_snapshot_take(struct hisi_qm *qm, u32 base, const struct hisi_qm_named_reg *regs,
				     unsigned int nr);
void qm_last_words(struct hisi_qm *qm);

/* state.c */
#define QM_PHYSICAL_BROKEN	"the physical function is broken"

void qm_state_set(struct hisi_qm *qm, enum qm_state state);
int qm_started(struct hisi_qm *qm);
void qm_ending(struct hisi_qm *qm);
bool qm_falls_asleep(struct hisi_qm *qm);
void qm_freeze(struct hisi_qm *qm, bool freeze);
void qm_restart_schedule(struct hisi_qm *qm);
void qm_break(struct hisi_qm *qm, const char *why);
void qm_vanished(struct hisi_qm *qm);
bool qm_reset_follows(const struct hisi_qm *qm);
bool qm_is_isolated(const struct hisi_qm *qm);
void qm_reset_schedule(struct hisi_qm *qm, unsigned int ms);
void qm_reset_allow(struct hisi_qm *qm);
void qm_reset_forbid(struct hisi_qm *qm);
void qm_isolation_changed(struct hisi_qm *qm);
void qm_vfs_break(struct hisi_qm *qm);
void qm_vfs_add(struct hisi_qm *vf);
void qm_vfs_remove(struct hisi_qm *vf);
void qm_stuck_after(struct hisi_qm *qm, unsigned int seconds);
void qm_stuck_schedule(struct hisi_qm *qm);
void qm_end_schedule(struct hisi_qm *qm, unsigned int ms);

/* isolate.c */
int qm_isolate_threshold(struct hisi_qm *qm, u32 number);
void qm_isolate_exit(struct hisi_qm *qm);
bool qm_isolate_count(struct hisi_qm *qm);
void qm_isolate_forget(struct hisi_qm *qm);
void qm_isolate(struct hisi_qm *qm);

/* ecc.c */
void qm_ecc_close(struct hisi_qm *qm);
void qm_ecc_clear(struct hisi_qm *qm);
void qm_ecc_end(struct hisi_qm *qm);

/* caps.c */
int qm_caps_init(struct hisi_qm *qm);
void qm_caps_exit(struct hisi_qm *qm);

/* regs.c */
u64 qm_looked(ktime_t *seen, u64 most_us);
int qm_poll(struct hisi_qm *qm, u32 reg, u32 mask, u32 value, u64 timeout_us, u32 *now);

/* mailbox.c */
void qm_mailbox_init(struct hisi_qm *qm);
int qm_mailbox(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, u64 base);
int qm_mailbox_get(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, u64 *result);
int qm_mailbox_stop_qp(struct hisi_qm *qm, u16 queue, bool by_owner);
int qm_mailbox_begin(struct hisi_qm *qm);
bool qm_mailbox_try(struct hisi_qm *qm);
void qm_mailbox_end(struct hisi_qm *qm);
bool qm_mailbox_may_recover(struct hisi_qm *qm);
int qm_mailbox_look(struct hisi_qm *qm);
void qm_mailbox_reset(struct hisi_qm *qm);
int qm_context_load_locked(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, const void *context,
			   size_t size);
int qm_context_load(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, const void *context, size_t size);
int qm_context_dump_locked(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, void *context, size_t size);
int qm_context_dump(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, void *context, size_t size);

/* requests.c */
struct qm_selection {
	struct hisi_qm *pf;	/* NULL: none */
	u32 before;
};

int qm_counters_lock(struct hisi_qm *qm);
void qm_counters_unlock(struct hisi_qm *qm);
void qm_requests_begin(struct hisi_qp *qp, struct qm_selection *sel);
bool qm_requests_end(struct hisi_qp *qp, struct qm_selection *sel, bool answered);
void qm_requests_update(struct hisi_qp *qp);

/* qos.c */
#define QM_QOS_MAX	1000u	/* the whole device */
#define QM_QOS_MBPS	100u	/* one thousandth of it */

u32 qm_qos_mbps(u32 qos);
u64 qm_qos_entry(u32 qos);
bool qm_qos_is(u64 entry, u32 qos);

/* vft.c */
int qm_vft_set(struct hisi_qm *qm, u32 function, u32 base, u32 number);
int qm_vft_own(struct hisi_qm *qm, u32 *number);
int qm_vft_qos(struct hisi_qm *qm, u32 function, u32 *qos);
int qm_vft_set_qos(struct hisi_qm *qm, u32 function, u32 qos);
void qm_vft_forget_qos(struct hisi_qm *qm, u32 first, u32 last);

/* doorbell.c */
void qm_qp_notify(struct hisi_qp *qp);
void qm_qp_doom(struct hisi_qp *qp);
void qm_qp_set_rings(struct hisi_qp *qp, bool rings);
int qm_qp_ring(struct hisi_qp *qp, const struct hisi_qp_doorbell *db);

/* stop.c */
int qm_qp_park(struct hisi_qp *qp);
int qm_qp_stop(struct hisi_qp *qp);
void qm_qp_stuck(struct hisi_qp *qp, int err);
void qm_ending_begin(struct hisi_qm *qm);
int qm_qp_end_locked(struct hisi_qp *qp, atomic64_t *waited_us);
void qm_qp_kill(struct hisi_qp *qp, atomic64_t *waited_us);
bool qm_qp_end_doomed(struct hisi_qp *qp);
int qm_qp_stop_stuck(struct hisi_qp *qp);

/* queue.c */
int qm_queues_init(struct hisi_qm *qm);
void qm_queues_exit(struct hisi_qm *qm);
void qm_queues_close(struct hisi_qm *qm);
void qm_queues_kill(struct hisi_qm *qm);
void qm_queues_forgotten(struct hisi_qm *qm);
struct hisi_qp *qm_qp_get(struct hisi_qm *qm, struct uacce_queue *file);
bool qm_qp_put(struct hisi_qp *qp, struct uacce_queue *file);
int qm_qp_recover(struct hisi_qp *qp);
int qm_qp_start(struct hisi_qp *qp, u32 pasid, u8 priority);
int qm_queues_available(struct hisi_qm *qm);

/* mediated/: nothing happens for queues that aren't mediated */
void qm_mediated_memory_needs(struct hisi_qm *qm, struct uacce_rings *rings);
struct qm_mediated *qm_mediated_open(const struct hisi_qp *qp, struct uacce_queue *file);
void qm_mediated_close(struct hisi_qp *qp);
int qm_mediated_start(struct hisi_qp *qp);
void qm_mediated_set_rings(struct hisi_qp *qp, bool rings);
void qm_mediated_keep(struct hisi_qp *qp);
void qm_mediated_end(struct hisi_qp *qp);
void qm_mediated_rings(const struct hisi_qp *qp, dma_addr_t *sq, dma_addr_t *cq);
u32 qm_qp_sq_depth(const struct hisi_qp *qp);
void __iomem *qm_mediated_doorbell(const struct hisi_qp *qp);
void *qm_mediated_hold(struct hisi_qp *qp);
void qm_mediated_drop(void *held);
void qm_mediated_look(void *held);
bool qm_mediated_updated(struct hisi_qp *qp);
struct uacce_dus *qm_mediated_cq(const struct hisi_qp *qp);
int qm_mediated_ring(void *held, void *arg);
void qm_mediated_memory(const struct hisi_qp *qp, struct hisi_qp_memory *memory);
int qm_mediated_init(void);
void qm_mediated_exit(void);

/* irq.c */
int qm_irq_init(struct hisi_qm *qm);
void qm_irq_exit(struct hisi_qm *qm);
void qm_irq_unmask(struct hisi_qm *qm);
void qm_irq_mask(struct hisi_qm *qm);
void qm_aeq_drain(struct hisi_qm *qm);

/* error.c */
void qm_error_init(struct hisi_qm *qm);
void qm_error_exit(struct hisi_qm *qm);
void qm_error_hold(struct hisi_qm *qm);
void qm_error_release(struct hisi_qm *qm);
void qm_error_suspend(struct hisi_qm *qm);
void qm_error_resume(struct hisi_qm *qm);
void qm_error_handle(struct hisi_qm *qm);
irqreturn_t qm_error_irq(int irq, void *data);

/* Number of engine classes that a queue can choose from. */
static inline u32 qm_qc_types(const struct hisi_qm *qm)
{
	return qm->gen->version >= QM_HW_V3 ? qm->engine->qc_types : qm->engine->qc_types_v2;
}

/* debugfs.c */
struct dentry *qm_debugfs_init(struct hisi_qm *qm, struct dentry *root);
void qm_debugfs_exit(struct hisi_qm *qm);

/* main.c */
struct hisi_qm *qm_alloc(struct pci_dev *pdev, struct hisi_qm *physical, bool pf,
			 const struct hisi_qm_engine *engine, const struct hisi_qm_config *config);
void qm_free(struct hisi_qm *qm);
int qm_register(struct hisi_qm *qm);
void qm_unregister(struct hisi_qm *qm);
void qm_shutdown(struct hisi_qm *qm);

/* bus.c */
int qm_master_close(struct hisi_qm *qm);

/* reset_method.c */
void qm_reset_method_init(struct hisi_qm *qm);
int qm_device_reset(struct hisi_qm *qm, bool used);

/* function.c */
int qm_hw_init(struct hisi_qm *qm);
int qm_function_start(struct hisi_qm *qm);
void qm_function_stop(struct hisi_qm *qm);
int qm_start(struct hisi_qm *qm);
void qm_stop(struct hisi_qm *qm);

/* reset.c */
void qm_reset_init(struct hisi_qm *qm);
void qm_close(struct hisi_qm *qm);
int qm_reset_start(struct hisi_qm *qm);
void qm_start_failed(struct hisi_qm *qm);
void qm_reset_prepare(struct hisi_qm *qm);
void qm_reset_done(struct hisi_qm *qm);
void qm_reset_failed(struct hisi_qm *qm, const char *why);

/* message.c */
/* Number of the interrupt of messages, for a function that has them. */
static inline int qm_message_irq_number(const struct hisi_qm *qm)
{
	return pci_irq_vector(qm->pdev, qm->caps[QM_CAP_ID_MESSAGE_IRQ_VECTOR]);
}

bool qm_has_messages(struct hisi_qm *qm);
int qm_message_init(struct hisi_qm *qm);
void qm_message_exit(struct hisi_qm *qm);
void qm_message_forget(struct hisi_qm *qm);
void qm_message_start(struct hisi_qm *qm);
void qm_message_stop(struct hisi_qm *qm);
int qm_message_ask_bandwidth(struct hisi_qm *qm, u32 *mbps);
void qm_vfs_order_stop(struct hisi_qm *qm, bool device);
void qm_vfs_order_start(struct hisi_qm *qm);

/* sriov.c */
struct hisi_qm *qm_physical(struct pci_dev *pdev);
u32 qm_function_queues(const struct hisi_qm *qm, unsigned int function);
int qm_vfs_set_shares(struct hisi_qm *qm, unsigned int vfs);
int qm_vfs_begin(struct hisi_qm *qm, unsigned int vfs);
void qm_vfs_disable(struct hisi_qm *qm);

/* share.c */
int qm_share_get(struct hisi_qm *qm, u32 *qos);
int qm_share_set(struct hisi_qm *pf, struct pci_dev *pdev, u32 qos);

/* config_space.c */
void qm_config_save(struct hisi_qm *qm);
void qm_device_freeze(struct hisi_qm *qm);
void qm_device_thaw(struct hisi_qm *qm);

/* functions_reset.c */
void qm_functions_reset_init(struct hisi_qm *qm);
void qm_functions_reset_prepare(struct hisi_qm *qm);
void qm_functions_reset_done(struct hisi_qm *qm);
void qm_functions_sleep(struct hisi_qm *qm);
void qm_functions_wake(struct hisi_qm *qm);
void qm_functions_recover(struct hisi_qm *qm);

/* aer.c */
pci_ers_result_t qm_error_detected(struct hisi_qm *qm, pci_channel_state_t state);
pci_ers_result_t qm_slot_reset(struct hisi_qm *qm);

/* pm.c */
void qm_power_init(struct hisi_qm *qm);
void qm_power_exit(struct hisi_qm *qm);

/* uacce_ops.c */
int qm_uacce_init(struct hisi_qm *qm);
void qm_uacce_stop(struct hisi_qm *qm);
void qm_uacce_exit(struct hisi_qm *qm);

/* debugfs_cmd.c */
extern const struct file_operations qm_debugfs_cmd_fops;

/* debugfs_qos.c */
void qm_debugfs_qos_init(struct hisi_qm *qm);

#endif
