/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private state of the software accelerator, shared by the files of this folder. */
#ifndef HISI_SIM_INTERNAL_H
#define HISI_SIM_INTERNAL_H

#include <linux/irq_work.h>
#include <linux/irqdomain.h>
#include <linux/kref.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "model/fault.h"
#include "model/mapping.h"
#include "hw/qm_hw.h"

#define SIM_CFG_SIZE		4096
#define SIM_BRIDGE_CFG_SIZE	PCI_CFG_SPACE_SIZE	/* the rest reads as zeroes */
#define SIM_VFS_MAX		63
#define SIM_MSI_VECTORS		32
#define SIM_MSI_VECTORS_VF	4
#define SIM_MSI_VECTORS_V2	4	/* of generation 2 */
#define SIM_MSI_VECTORS_VF_V2	2
#define SIM_MSI_LINES_MAX	(SIM_MSI_VECTORS + SIM_VFS_MAX * SIM_MSI_VECTORS_VF)
#define SIM_QUEUES_MIN		2
#define SIM_QUEUES_MAX		1024
#define SIM_QUEUES_DEFAULT	64
#define SIM_GENERATION_MIN	2
#define SIM_GENERATION_MAX	3

/* A kernel that checks each access holds its locks longer by about this factor. */
#define SIM_SLOWNESS		(IS_ENABLED(CONFIG_KASAN) ? 4 : 1)

struct wdm_device;
struct wdm_engine_ops;

/**
 * struct sim_engine - the mathematics of one kind of device
 * @ops:	operations for the model
 * @workspace_size: bytes of workspace that each job thread needs
 * @workspace_init: initialises zeroed memory as a workspace; 0 or -errno. NULL: nothing to do
 * @workspace_exit: undoes @workspace_init
 */
struct sim_engine {
	const struct wdm_engine_ops *ops;
	size_t (*workspace_size)(void);
	int (*workspace_init)(void *ws);
	void (*workspace_exit)(void *ws);
};

/**
 * struct sim_type - one kind of device
 * @name:	its name in configfs and in the devices parameter
 * @device, @vf_device: PCI device ids of the physical function and of the virtual functions
 * @model:	enum wdm_type
 * @engine:	its mathematics
 */
struct sim_type {
	const char *name;
	u16 device;
	u16 vf_device;
	unsigned int model;
	const struct sim_engine *engine;
};

/* The causes of a reset of a whole device. */
enum sim_reset_method {
	SIM_RESET_AUTO,		/* the firmware, if it knows the bus */
	SIM_RESET_ACPI,		/* the firmware */
	SIM_RESET_NONE,
};

/**
 * struct sim_shape - parameters of a device
 * @type:	kind
 * @generation:	of the hardware, SIM_GENERATION_MIN .. SIM_GENERATION_MAX
 * @node:	NUMA node or NUMA_NO_NODE
 * @queues:	queues of the whole device, see sim_queues()
 * @vfs:	virtual functions that it can have
 * @function_queues: most queues of one function, 0 = its share if all functions have the same; see
 *		sim_function_queues()
 * @vf_migration: BAR2 of a virtual function has the registers of its migration, 0 or 1
 * @sub_version: of generation 3, the hardware's version as a register shows it; 0 = the revision alone counts
 * @message_vector: of generation 3, the interrupt vector of messages between functions, 2 or 3; errors have the other
 * @reset_method: what resets the device
 * @bridge:	1: it is behind a bridge
 * @sva:	1: it reaches the memory of processes; 0: only what drivers have mapped
 * @iommu:	without @sva: 1: pieces of a scatterlist become one range of addresses
 * @pull_out:	is queued after the device's pulled_out is set
 * @latency_ns:	minimum time from a descriptor's acceptance to its completion
 * @bandwidth_mbps: megabits of input per second, 0 = unlimited
 *
 * @faults:	rules, indexed by enum wdm_fault; those of WDM_FAULT_PAGE are for the host
 * @fault_seed:	seed of random faults
 *
 * The last four may change while the device is live.
 */
struct sim_shape {
	const struct sim_type *type;
	unsigned int generation;
	int node;
	unsigned int queues;
	unsigned int vfs;
	unsigned int function_queues;
	unsigned int vf_migration;
	unsigned int sub_version;
	unsigned int message_vector;
	enum sim_reset_method reset_method;
	unsigned int bridge;
	unsigned int sva;
	unsigned int iommu;
	struct work_struct *pull_out;
	u64 latency_ns;
	u32 bandwidth_mbps;
	struct wdm_fault_rule faults[WDM_FAULT_NAMED];
	u64 fault_seed;
};

/**
 * struct sim_late - delayed accesses to payload
 * @on:		a delay may still happen; read without the lock
 * @lock:	protects the members below it
 * @rule:	when an access is delayed, and for how long
 * @state:	where the rule is
 * @random:	state of the rule's generator
 * @count:	number of delayed accesses so far
 */
struct sim_late {
	bool on;
	spinlock_t lock;
	struct wdm_fault_rule rule;
	struct wdm_fault_state state;
	u64 random;
	atomic64_t count;
};

/* What a mapping turns out to be. */
enum sim_fate {
	SIM_MAP_WORKS,
	SIM_MAP_FAILS,
	SIM_MAP_LOST,		/* the driver gets an address, but the device reaches nothing there */
};

/**
 * struct sim_maps - mappings of all functions of a device
 * @lock:	protects the members below it
 * @left, @fate: how many mappings are made until one that has this fate; 0: none has
 * @present, @made, @failed: mappings that there are, that were made since the device became live, that failed
 * @segments: ranges of addresses that drivers got for those that were made
 * @faults:	accesses to addresses that weren't mapped for them
 * @errors:	errors of the queue manager that faults have caused, and that it hasn't reported
 */
struct sim_maps {
	raw_spinlock_t lock;
	u32 left;
	enum sim_fate fate;
	atomic64_t present;
	atomic64_t made;
	atomic64_t failed;
	atomic64_t segments;
	atomic64_t faults;
	unsigned long errors;
};

/* The memory that a function reaches, see mapped.c. */
struct sim_memory {
	raw_spinlock_t lock;
	struct wdm_map map;
};

/* Processes in open() wait in bind() while held is true. */
struct sim_binds {
	wait_queue_head_t wait;
	bool held;
};

struct sim_bar {
	phys_addr_t phys;
	size_t size;
	void __iomem *io;
};

struct sim_dev;

/**
 * struct sim_fn - one PCI function
 * @sdev:	its device
 * @index:	its number in the model, and its devfn: SIM_PF for the physical function
 * @regs, @db:	BAR2 and BAR4; generation 2 has no BAR4
 * @lock:	protects the members below, see config.c
 * @cfg, @init, @wmask: config space, its state after a reset, its write mask
 * @flr:	function-level reset in progress
 * @gone:	removed by surprise: nothing answers any more
 * @enabled:	config space answers; always true for the physical function
 * @mapped:	for a virtual function: its registers answer, too
 * @changes:	number of changes of @enabled and @mapped
 * @followed:	value of @changes that the model has followed; belongs to the control thread
 * @resetting:	the model has begun the reset; belongs to the control thread
 * @dma:	memory accesses in flight, see sim_config_dma_begin()
 * @memory:	without SVA: the memory that it reaches
 * @msi_base, @msi_todo: first line, and the vectors whose handlers @msi_work calls
 * @msi_work:	enters hard interrupt context
 */
struct sim_fn {
	struct sim_dev *sdev;
	unsigned int index;
	struct sim_bar regs;
	struct sim_bar db;
	raw_spinlock_t lock;
	u8 *cfg;
	u8 *init;
	u8 *wmask;
	bool flr;
	bool gone;
	bool enabled;
	bool mapped;
	u32 changes;
	u32 followed;
	bool resetting;
	atomic_t dma;
	struct sim_memory memory;
	unsigned int msi_base;
	unsigned long msi_todo;
	struct irq_work msi_work;
};

struct sim_msi {
	struct fwnode_handle *fwnode;
	struct irq_domain *inner;
	struct irq_domain *domain;
	struct mutex lock;
	unsigned int lines;
	DECLARE_BITMAP(used, SIM_MSI_LINES_MAX);
};

struct sim_worker;

#define SIM_PF			0

/**
 * struct sim_dev - one physical device on a root bus of its own
 * @id:		number of that bus; the one behind a bridge has the next number
 * @bridge_cfg:	config space of the bridge that it is behind
 * @vf_regs, @vf_db: BAR2 and BAR4 of all virtual functions
 * @firmware:	ACPI device of the bus, or NULL
 * @reset:	QM_RESET_BUSY until a reset of the device has ended, QM_RESET_FAILED after one that failed; written
 *		under the physical function's lock
 * @resetting:	the model has begun that reset; belongs to the control thread
 * @reset_fails: such a reset fails
 * @nr_fns, @fns: its functions; @fns[SIM_PF] is the physical function
 */
struct sim_dev {
	unsigned int id;
	struct sim_shape shape;
	struct sim_msi msi;
	struct sim_late late;
	struct sim_maps maps;
	struct sim_binds binds;
	struct pci_host_bridge *bridge;
	u8 bridge_cfg[SIM_BRIDGE_CFG_SIZE];
	struct sim_worker *worker;
	struct sim_bar vf_regs;
	struct sim_bar vf_db;
	struct acpi_device *firmware;
	u8 reset;
	bool resetting;
	bool reset_fails;
	bool pulled_out;	/* by a fault: the party that has added it has to remove it */
	unsigned int nr_fns;
	struct sim_fn fns[];
};

static inline struct sim_fn *sim_pf(struct sim_dev *sdev)
{
	return &sdev->fns[SIM_PF];
}

/* Number of the bus that its functions are on. */
static inline unsigned int sim_bus_number(const struct sim_dev *sdev)
{
	return sdev->id + sdev->shape.bridge;
}

/* Messages that a function's MSI capability offers. */
static inline unsigned int sim_vectors(const struct sim_fn *fn)
{
	if (fn->sdev->shape.generation == 2)
		return fn->index == SIM_PF ? SIM_MSI_VECTORS_V2 : SIM_MSI_VECTORS_VF_V2;
	return fn->index == SIM_PF ? SIM_MSI_VECTORS : SIM_MSI_VECTORS_VF;
}

/* No register of generation 2 has the number of queues: drivers know it. */
static inline unsigned int sim_queues(const struct sim_shape *shape)
{
	return shape->generation == 2 ? QM_MAX_QUEUES_V2 : shape->queues;
}

static inline unsigned int sim_function_queues(const struct sim_shape *shape)
{
	if (shape->generation == 2)
		return QM_MAX_QUEUES_V2;
	return shape->function_queues ?: shape->queues / (1 + shape->vfs);
}

/* Bytes of a function's doorbell windows. On generation 2, all its queues share a register of BAR2 instead. */
static inline size_t sim_db_size(const struct sim_shape *shape)
{
	return shape->generation == 2 ? 0 : roundup_pow_of_two(sim_function_queues(shape)) * QM_DB_WINDOW;
}

/* Bytes of a virtual function's registers */
static inline size_t sim_vf_regs_size(const struct sim_shape *shape)
{
	return shape->vf_migration ? QM_BAR2_VF_SIZE : QM_BAR2_VF_HALF;
}

/* types.c */
#define SIM_TYPES_NR		3
extern const struct sim_type sim_types[SIM_TYPES_NR];
const struct sim_type *sim_type_find(const char *name);
struct sim_shape sim_shape_default(void);
int sim_type_parse(char *word, struct sim_shape *shape);

/* aperture.c */
int sim_aperture_init(const char *range, bool trusted);
void sim_aperture_exit(void);
struct resource *sim_aperture_resource(void);
int sim_aperture_alloc(struct sim_bar *bars, size_t size, unsigned int count);
void sim_aperture_space(u64 *free, u64 *all);
void sim_aperture_free(struct sim_bar *bar);

/* config.c */
int sim_config_init(struct sim_fn *fn);
void sim_config_exit(struct sim_fn *fn);
u32 sim_config_read(struct sim_fn *fn, int where, int size);
void sim_config_write(struct sim_fn *fn, int where, int size, u32 val);
bool sim_config_dma_begin(struct sim_fn *fn, unsigned long *flags);
void sim_config_dma_end(struct sim_fn *fn, unsigned long flags);
bool sim_config_memory_enabled(struct sim_fn *fn);
bool sim_config_any_memory(struct sim_dev *sdev);
u32 sim_config_changes(struct sim_fn *fn, bool *mapped);
void sim_config_vanish(struct sim_fn *fn);
bool sim_config_flr_wanted(struct sim_fn *fn);
void sim_config_flr_done(struct sim_fn *fn);
void sim_config_bus_reset(struct sim_dev *sdev);
void sim_config_reset_vf(struct sim_fn *vf);
unsigned long sim_config_msi_filter(struct sim_fn *fn, unsigned long vectors, u16 *base);

/* bridge.c */
void sim_bridge_init(struct sim_dev *sdev);
u32 sim_bridge_read(struct sim_dev *sdev, int where, int size);
bool sim_bridge_write(struct sim_dev *sdev, int where, int size, u32 val);
struct pci_bus *sim_bridge_bus(const struct sim_dev *sdev, struct pci_bus *root);

/* reset.c */
bool sim_reset_wanted(const struct sim_dev *sdev);
void sim_reset_begin(struct sim_dev *sdev);
void sim_reset_end(struct sim_dev *sdev, bool failed);

/* firmware.c */
#ifdef CONFIG_ACPI
int sim_firmware_init(struct sim_dev *sdev, const char *name);
void sim_firmware_exit(struct sim_dev *sdev);
#else
static inline int sim_firmware_init(struct sim_dev *sdev, const char *name)
{
	if (sdev->shape.reset_method == SIM_RESET_AUTO)
		return 0;
	pr_err("hisi_sim: %s: reset_method acpi: this kernel has no ACPI\n", name);
	return -EOPNOTSUPP;
}

static inline void sim_firmware_exit(struct sim_dev *sdev)
{
}
#endif

/* sriov.c: without pf->lock the answer may be that of a moment ago */
void sim_sriov_init(struct sim_fn *pf);
bool sim_sriov_fixed(const struct sim_fn *fn, int at);
unsigned int sim_sriov_enabled(const struct sim_fn *pf);
bool sim_sriov_mapped(const struct sim_fn *pf);

/* msi.c */
int sim_msi_init(struct sim_dev *sdev);
void sim_msi_exit(struct sim_dev *sdev);
void sim_msi_raise(struct sim_fn *fn, unsigned int vector);
void sim_msi_config_changed(struct sim_fn *fn);

/* msi_parent.c or msi_shared.c, as the kernel does it: create and remove msi->inner and msi->domain. */
int sim_msi_domain_init(struct sim_msi *msi, const struct irq_domain_ops *ops);
void sim_msi_domain_exit(struct sim_msi *msi);

/* bus.c */
int sim_bus_init(const struct dma_map_ops *without_sva);
void sim_bus_exit(void);
int sim_bus_add(struct sim_dev *sdev);
void sim_bus_remove(struct sim_dev *sdev);
void sim_bus_disconnect(struct sim_dev *sdev);
struct sim_fn *sim_bus_function(struct device *dev);
int sim_bus_domain(void);

/* aer.c */

enum sim_aer {
	SIM_AER_NONFATAL,
	SIM_AER_FATAL,
	SIM_AER_LOST,		/* fatal, and the function can't be reset */
	SIM_AER_FAILURE,	/* permanent */
};

int sim_aer_report(struct sim_dev *sdev, enum sim_aer aer);

/* device.c: this runs on a thread of its own, which these functions wait for */
void sim_device_vanish(struct sim_dev *sdev);
int sim_device_init(void);
void sim_device_exit(void);
struct sim_dev *sim_device_add(const char *name, const struct sim_shape *shape);
void sim_device_remove(struct sim_dev *sdev, bool surprise);
int sim_device_error(struct sim_dev *sdev, enum sim_aer aer);

/* worker.c */
int sim_worker_start(struct sim_dev *sdev);
void sim_worker_stop(struct sim_dev *sdev);
void sim_worker_kick(struct sim_dev *sdev);
void sim_worker_set_pace(struct sim_dev *sdev, u64 latency_ns, u32 bandwidth_mbps);
void sim_worker_wait(struct sim_fn *fn);
void sim_worker_call(struct sim_dev *sdev, void (*call)(struct wdm_device *model, void *arg), void *arg);

/* late.c */
void sim_late_init(struct sim_late *late);
void sim_late_set(struct sim_late *late, const struct wdm_fault_rule *rule);
struct wdm_fault_rule sim_late_get(struct sim_late *late);
void sim_late(struct sim_late *late, const u32 *abort);

/* waits.c */

/**
 * struct sim_left - a thread that was abandoned while it waits for a page
 * @uid, @mm:	owner of the page
 */
struct sim_left {
	struct list_head node;
	kuid_t uid;
	const struct mm_struct *mm;
};

kuid_t sim_waits_user(void);
void sim_waits_charge(kuid_t uid, unsigned long waited);
bool sim_waits_any_slow(void);
bool sim_waits_slow(kuid_t uid);
bool sim_waits_may_leave(kuid_t uid, const struct mm_struct *mm);
void sim_waits_left(struct sim_left *l, kuid_t uid, const struct mm_struct *mm);
void sim_waits_returned(struct sim_left *l);

/* sva.c */
struct sim_pager;

/**
 * struct sim_space - a process' memory as seen by one function
 * @uid:	user that the waits are charged to
 * @pasid:	the function's number for it
 * @binds:	queues that use it
 */
struct sim_space {
	struct kref ref;
	struct sim_fn *fn;
	struct mm_struct *mm;
	kuid_t uid;
	u32 pasid;
	unsigned int binds;
};

/**
 * struct sim_crowd - job threads of a device that wait for pages
 * @waiters:	number of waiting threads
 * @threads:	number of job threads
 * @held:	jobs of slow users don't start, since jobs of slow users occupy all threads but
 *		one
 */
struct sim_crowd {
	atomic_t waiters;
	int threads;
	bool held;
};

/**
 * struct sim_access - state of a job thread's payload accesses
 * @fn:		the function of the current job
 * @pager:	the thread's pager, NULL before it needs one
 * @space:	address space of the current job, NULL when it is gone
 * @abort:	the job has been dropped and must end soon
 * @crowd:	the device's
 * @slow:	threads have waited long for pages of the job's user
 * @waited_us:	how long this job has waited
 */
struct sim_access {
	struct sim_fn *fn;
	struct sim_pager *pager;
	struct sim_space *space;
	const u32 *abort;
	struct sim_crowd *crowd;
	bool slow;
	u64 waited_us;
};

void sim_sva_exit(void);
void sim_sva_register(void);
void sim_sva_init(struct sim_dev *sdev);
void sim_sva_hold_binds(struct sim_dev *sdev, bool hold);
bool sim_sva_holds_binds(struct sim_dev *sdev);
void sim_sva_drop(struct sim_fn *fn);
bool sim_space_slow(struct sim_fn *fn, u32 pasid);
struct sim_space *sim_space_use(struct sim_fn *fn, u32 pasid);
void sim_space_unuse(struct sim_space *space);
void sim_space_put(struct sim_space *space);
int sim_space_read(struct sim_access *how, u64 addr, void *buf, size_t len);
int sim_space_write(struct sim_access *how, u64 addr, const void *buf, size_t len);

/* pagein.c */
int sim_page_in(struct sim_access *how, struct sim_space *space, unsigned long addr, bool write);
void sim_access_end(struct sim_access *how);

/* mapped.c */
void sim_mapped_init(struct sim_dev *sdev);
void sim_mapped_doom(struct sim_dev *sdev, u32 nth, enum sim_fate fate);
enum sim_fate sim_mapped_doomed(struct sim_dev *sdev, u32 *nth);
int sim_mapped_add(struct sim_fn *fn, struct device *dev, struct scatterlist *sgl, int nents,
		   enum dma_data_direction dir, size_t align);
void sim_mapped_remove(struct sim_fn *fn, u64 addr);
void sim_mapped_drop(struct sim_fn *fn);
void *sim_mapped_reach(struct sim_fn *fn, u64 addr, bool write, size_t *len);
void sim_mapped_fault(struct sim_fn *fn, u64 addr, size_t len, bool write);
void sim_mapped_report(struct sim_dev *sdev, struct wdm_device *model);

/* dma_ops.c */
bool sim_dma_ops_work(void);

/* dma.c */
int sim_dma_read(struct sim_fn *fn, u64 addr, void *buf, size_t len);
int sim_dma_write(struct sim_fn *fn, u64 addr, const void *buf, size_t len);
/* Stores @new in an aligned word if that is @old. 0, -EAGAIN or -EFAULT. */
int sim_dma_swap(struct sim_fn *fn, u64 addr, u32 old, u32 new);
/* An access to payload in an address space that the function doesn't have. Returns -EFAULT. */
int sim_dma_lost(struct sim_fn *fn, u64 addr, size_t len, bool write);

/* engine_*.c */
extern const struct sim_engine sim_engine_zip;
extern const struct sim_engine sim_engine_sec;
extern const struct sim_engine sim_engine_hpre;

/* configfs.c */
int sim_configfs_init(void);
void sim_configfs_exit(void);
int sim_configfs_add(const char *name, const struct sim_shape *shape);

#endif
