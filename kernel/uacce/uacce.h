/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface of the uacce framework for function drivers and software devices. */
#ifndef WD_UACCE_H
#define WD_UACCE_H

#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include <misc/uacce/uacce.h>

struct uacce_device;
struct uacce_pool;
struct uacce_queue;

#define UACCE_NAME_SIZE		64
#define UACCE_RINGS_MAX		4

/* Device flags that the driver sets at allocation, besides UACCE_DEV_SVA. */
#define UACCE_DEV_SHARED_MMIO	(1u << 8)	/* all queues share a window: an ioctl rings, see docs/doorbells.md */
#define UACCE_DEV_BANDWIDTH	(1u << 9)	/* the bandwidth of all its queues together can be limited */
#define UACCE_DEV_REQUESTS	(1u << 10)	/* the driver counts the requests of queues */
/* The driver can execute submissions itself: docs/no-sva.md. With UACCE_DEV_SVA, uacce_alloc() chooses one of them. */
#define UACCE_DEV_MEDIATED	(1u << 11)

/* Bits of an algorithm's sysfs attribute "flags"; the core adds SHARE_ALL under SVA and to mediated devices. */
#define UACCE_CAPA_SHARE_ALL	(1u << 0)	/* requests may name any address of the process */
#define UACCE_CAPA_SGL_MEM	(1u << 1)	/* the device takes scatter-gather lists */
#define UACCE_CAPA_STREAM	(1u << 8)	/* a request continues from the state of an earlier one */

#define UACCE_LEVEL_AVERAGE	10

/**
 * struct uacce_dus - memory shared by one queue's device, kernel and user
 * @va:		kernel address, zeroed at allocation
 * @dma:	bus address of the whole, contiguous block
 * @size:	bytes, a multiple of the page size
 * @dev:	DMA device; NULL once unmapped from it
 * @pool:	the core's; where a section has reserved the memory, or NULL
 * @ref:	the core's
 *
 * A user mapping keeps the pages alive after the queue, the device and the driver are gone.
 */
struct uacce_dus {
	void *va;
	dma_addr_t dma;
	size_t size;
	struct device *dev;
	struct uacce_pool *pool;
	struct kref ref;
};

struct uacce_queue;

/*
 * For get_queue(); the block is mapped for @dev, unless the queue is mediated: then no device can reach it, and its
 * @dma is 0. ERR_PTR() on failure; -EOPNOTSUPP when @dev isn't DMA-coherent.
 */
struct uacce_dus *uacce_dus_alloc(struct uacce_queue *q, struct device *dev, size_t size);
/*
 * A ring of the device's own for a mediated queue, or other memory that the device reaches: always mapped. A section
 * reserves what @rings of struct uacce_interface has.
 */
struct uacce_dus *uacce_ring_alloc(struct uacce_queue *q, struct device *dev, size_t size);
/* Unmaps the block from the device. */
void uacce_dus_unmap(struct uacce_dus *dus);
/* The same, if it is still mapped. The caller must not access it any more either; uacce_remove() may be over. */
void uacce_dus_free(struct uacce_dus *dus);

enum uacce_dev_state {
	UACCE_DEV_NORMAL,
	UACCE_DEV_ISOLATE,
};

enum uacce_work {
	UACCE_WORK_REQUESTS,		/* finished */
	UACCE_WORK_ERRORS,		/* of these, refused or not answered */
	UACCE_WORK_BYTES_IN,
	UACCE_WORK_BYTES_OUT,
	UACCE_WORK_BUSY_CYCLES,		/* of the cores, added up */
	UACCE_WORK_NR,
};

/**
 * struct uacce_counts - what a device has done for all its functions, since its last reset
 * @known:	bits by enum uacce_work
 * @count:	modulo 2^32
 */
struct uacce_counts {
	u32 known;
	u32 count[UACCE_WORK_NR];
};

/**
 * struct uacce_ioctl - one command of the driver
 * @cmd:	its number; the size and direction encoded in it control the copying
 * @fn:		called with the argument in kernel memory (at most UACCE_IOCTL_MAX_BYTES); the
 *		core copies it in and out, so that no lock is held while user memory is accessed
 * @atomic:	@fn is only for started queues. It is called under a spin lock, in parallel with all
 *		operations that began on the started queue, but never after the queue was put
 * @waits:	in place of @fn where the device is mediated, for started queues too: called without any lock, and may
 *		wait for memory of its own process for ever. It sees what @hold of struct uacce_ops has returned, and no
 *		queue, since that may be put meanwhile
 */
struct uacce_ioctl {
	unsigned int cmd;
	int (*fn)(struct uacce_queue *q, void *arg);
	bool atomic;
	int (*waits)(void *held, void *arg);
};

#define UACCE_IOCTL_MAX_BYTES	128

/**
 * struct uacce_ops - operations of a function driver on its queues
 * @get_available_instances:	number of free queues of this function
 * @get_queue:	reserve a hardware queue for @q (q->pasid is bound already); -EBUSY when none is
 *		free, -EPERM while resetting
 * @put_queue:	stop the queue, if @stop_queue hasn't, and release it. True: the driver has freed q->dus. False: the
 *		queue failed to stop, so the device may still write. The driver then keeps q->dus,
 *		and the core keeps @q and the address space behind q->pasid, until
 *		uacce_queue_recovered() or uacce_remove(). After the return, no uacce_wake_up() of
 *		@q may run or start.
 * @start_queue: start the queue on fresh rings (index 0, phase 1); also called after @stop_queue
 * @stop_queue:	stop and drain; called only after a successful start. After an error the queue
 *		counts as started and will be stopped again.
 *		@start_queue and @stop_queue may return -EAGAIN without having done anything
 *		while the device is busy with another queue; the core retries if the user can
 *		wait
 * @kill_queue:	like @stop_queue, but takes the queue from a user that may be running, and is also
 *		called for a queue that wasn't started. Sets the "do not send" and "do not
 *		receive" words of the DUS block before and after the stop
 * @is_q_updated: optional; true if there are completions that the last call hasn't seen
 * @get_mmio:	physical window of the queue's doorbell, page aligned; needed with an MMIO region
 * @ioctls:	optional; commands that the core doesn't know, terminated by cmd 0
 * @get_isolate_state, @isolate_threshold_read, @isolate_threshold_write:
 *		optional; sysfs isolate and isolate_strategy
 * @get_counts:	optional; fills in the zeroed struct as far as the device counts
 * @count_requests: needed with UACCE_DEV_REQUESTS; brings @requests of a started queue up to date.
 *		Gives up where it would wait for another queue. @start_queue, @stop_queue, @kill_queue and
 *		@put_queue do the same for theirs
 * @set_bandwidth: needed with UACCE_DEV_BANDWIDTH; limits the device to that many thousandths, 1..1000.
 *		-EAGAIN: not during a reset, tried again. It only tries locks that a caller of
 *		uacce_unregister() may hold
 * @owner:	needed with @hold: the module of the functions below. The core holds a reference of it from before
 *		@hold until after @drop
 * @hold:	needed with UACCE_DEV_MEDIATED; takes a reference of what executes submissions of a started queue, under
 *		the same spin lock as @is_q_updated. NULL: the queue is being stopped, so the ioctl fails with
 *		-ESHUTDOWN, and @look isn't called
 * @drop:	gives that reference back; without any lock, perhaps after the queue was put and after uacce_remove()
 * @look:	optional; called for a started queue before poll() looks at it, without any lock. Touches no user
 *		memory
 *
 * All may sleep except is_q_updated, hold and atomic ioctls. get_isolate_state and get_counts must not wait for
 * hardware, as they run under uacce_prov. The core serialises get, ioctls, start, stop, kill and put of one queue;
 * calls for different queues run in parallel. is_q_updated runs under a spin lock, between get
 * and put, in parallel with the others. None of them runs after uacce_unregister() has
 * returned. The caller of uacce_unregister() or uacce_kill_queues() must not hold a lock that
 * any of them takes.
 */
struct uacce_ops {
	int (*get_available_instances)(struct uacce_device *uacce);
	int (*get_queue)(struct uacce_device *uacce, struct uacce_queue *q);
	bool (*put_queue)(struct uacce_queue *q);
	int (*start_queue)(struct uacce_queue *q);
	int (*stop_queue)(struct uacce_queue *q);
	void (*kill_queue)(struct uacce_queue *q);
	bool (*is_q_updated)(struct uacce_queue *q);
	int (*get_mmio)(struct uacce_queue *q, phys_addr_t *start, size_t *size);
	const struct uacce_ioctl *ioctls;
	enum uacce_dev_state (*get_isolate_state)(const struct uacce_device *uacce);
	u32 (*isolate_threshold_read)(struct uacce_device *uacce);
	int (*isolate_threshold_write)(struct uacce_device *uacce, u32 nr);
	void (*get_counts)(const struct uacce_device *uacce, struct uacce_counts *counts);
	void (*count_requests)(struct uacce_queue *q);
	int (*set_bandwidth)(struct uacce_device *uacce, u32 thousandths);
	struct module *owner;
	void *(*hold)(struct uacce_queue *q);
	void (*drop)(void *held);
	void (*look)(void *held);
};

/**
 * struct uacce_alg_level - properties of one algorithm
 * @name:	a line of the device's algorithms
 * @capa:	UACCE_CAPA_* in addition to the device's
 * @latency:	0..99, smaller is better
 * @throughput:	0..99, greater is better
 */
struct uacce_alg_level {
	const char *name;
	u32 capa;
	u8 latency;
	u8 throughput;
};

/**
 * struct uacce_rings - blocks of one size of a mediated queue
 * @size:	bytes of a block, a multiple of the page size
 * @count:	how many a queue takes at most, 0 = none
 */
struct uacce_rings {
	size_t size;
	u32 count;
};

/**
 * struct uacce_interface - a driver's description of its device
 * @name:	base of the node's name ("hisi_zip" becomes hisi_zip-0)
 * @flags:	UACCE_DEV_*
 * @capa:	UACCE_CAPA_* of its algorithms; bits 8 and up depend on the algorithm
 * @ops:	operations
 * @api:	string of the sysfs attribute "api"
 * @algorithms:	newline separated names, no newline at the end
 * @levels:	levels of its algorithms, terminated by a NULL name; algorithms without an entry
 *		are average
 * @wd_type:	"compression" or "crypto"
 * @mmio_size:	bytes of the MMIO region, 0 = none
 * @mmio_hidden: with UACCE_DEV_SHARED_MMIO, bytes at the region's start with registers that no user may
 *		access: other memory is mapped there, or nothing if these bytes aren't whole pages
 * @dus_size:	bytes of the DUS region, 0 = none
 * @rings:	with UACCE_DEV_MEDIATED, the blocks that a queue takes by uacce_ring_alloc()
 *
 * uacce_alloc() copies the struct and its strings; @ops must remain valid.
 */
struct uacce_interface {
	char name[UACCE_NAME_SIZE];
	unsigned int flags;
	u32 capa;
	const struct uacce_ops *ops;
	const char *api;
	const char *algorithms;
	const struct uacce_alg_level *levels;
	const char *wd_type;
	size_t mmio_size;
	size_t mmio_hidden;
	size_t dus_size;
	struct uacce_rings rings[UACCE_RINGS_MAX];
};

/**
 * struct uacce_queue - one open file of a device
 * @uacce:	its device
 * @pasid:	address space id bound to the opener, UACCE_PASID_NONE without SVA
 * @dus:	set by get_queue
 * @device_cq:	set by get_queue of mediated queues, as @dus: the device's completion ring, from uacce_ring_alloc(),
 *		which the owner may map for reading (UACCE_QFRT_DEVICE_CQ)
 * @id:		set by get_queue: the queue's number in its function, for display
 * @priv:	the driver's
 * @priority:	0..7, hardware scheduling priority for the next start
 * @max_pinned:	bytes that a mediated queue may pin at once from its next start on, 0 = the driver's default
 * @requests:	the driver's count of requests that the device has completed since get_queue
 * @waited_us:	NULL, or during @put_queue and @kill_queue of a queue that ends with others of its process or section:
 *		how long these calls have waited for devices. The driver adds to it, and lets one limit hold for all
 * The core keeps the rest in kernel/uacce/internal.h.
 */
struct uacce_queue {
	struct uacce_device *uacce;
	u32 pasid;
	struct uacce_dus *dus;
	struct uacce_dus *device_cq;
	u32 id;
	void *priv;
	u8 priority;
	u64 max_pinned;
	u64 requests;
	atomic64_t *waited_us;
};

#define UACCE_PASID_NONE	((u32)-1)

/*
 * Allocates a device; it isn't visible to user space before uacce_register(). ERR_PTR() on
 * failure; -EOPNOTSUPP when UACCE_DEV_SVA is requested and no provider supports it. With
 * UACCE_DEV_MEDIATED, too, such a device is mediated instead. Where the administrator forbids
 * that, open() fails.
 */
struct uacce_device *uacce_alloc(struct device *parent,
				 const struct uacce_interface *interface);
/* What uacce_alloc() has chosen; it doesn't change later. */
bool uacce_mediated(const struct uacce_device *uacce);
int uacce_register(struct uacce_device *uacce);
/*
 * Takes the device from user space, whether it was registered or not: open queues are killed
 * and put. Never waits for user space.
 */
void uacce_unregister(struct uacce_device *uacce);
/*
 * Ends the device from any state. The address spaces of queues that failed to stop are unbound,
 * so the device must be unable to reach memory by now. @uacce is invalid afterwards.
 */
void uacce_remove(struct uacce_device *uacce);

/* Driver-private pointer of a device, and its parent. */
void uacce_set_drvdata(struct uacce_device *uacce, void *data);
void *uacce_get_drvdata(const struct uacce_device *uacce);
struct device *uacce_parent(struct uacce_device *uacce);

/* Reports an event of the queue (completion interrupt, error): wakes poll(). Callable in any context. */
void uacce_wake_up(struct uacce_queue *q);

/*
 * Reports that the queue ended by an error of its own (negative errno); sends an event to
 * administrators. Same context rules as uacce_wake_up().
 */
void uacce_queue_failed(struct uacce_queue *q, int error);

/**
 * uacce_kill_queues - take every open queue from its user when a reset begins
 * @uacce:	the device; stays registered. It is resetting until uacce_reset_done() or
 *		uacce_isolated(). May be called again meanwhile. The driver makes these calls one
 *		after the other.
 */
void uacce_kill_queues(struct uacce_device *uacce);

/**
 * uacce_reset_done - the reset has ended: queues can be opened again; sends an event to administrators
 * @uacce:	the device
 */
void uacce_reset_done(struct uacce_device *uacce);

/**
 * uacce_queue_recovered - the device has let go of a queue for which @put_queue returned false
 * @q:		the argument of that @put_queue; invalid afterwards
 *
 * The driver has reclaimed the queue's number and memory already. Sleeps, and waits for that
 * @put_queue, so the caller must not hold a lock that @put_queue takes. Not to be called after
 * uacce_remove().
 */
void uacce_queue_recovered(struct uacce_queue *q);

/**
 * uacce_isolated - the device may not be used any more; sends an event to administrators
 * @uacce:	the device; its @get_isolate_state returns UACCE_DEV_ISOLATE from now on
 */
void uacce_isolated(struct uacce_device *uacce);

/**
 * uacce_isolation_ended - the device may be used again, without a reset; sends an event to administrators
 * @uacce:	the device; its @get_isolate_state returns UACCE_DEV_NORMAL from now on
 */
void uacce_isolation_ended(struct uacce_device *uacce);

/**
 * struct uacce_sva_provider - how address spaces are bound for some devices
 * @name:	value of the sysfs attribute "iommu"
 * @simulated:	the devices that it serves are software
 * @match:	does the provider serve this device?
 * @enable, @disable: optional; prepare a device, in uacce_alloc() and uacce_remove()
 * @bind:	bind @mm for one queue; returns the PASID, and a handle for @unbind. Queues of one
 *		mm may share a PASID, so the provider counts binds.
 * @unbind:	undo one bind; the queue has stopped, or its device can't reach memory any more.
 *		The mm may be dead already.
 * @scrub:	optional; clear a queue's MMIO window before its next owner gets it, where that
 *		window is memory
 */
struct uacce_sva_provider {
	const char *name;
	bool simulated;
	bool (*match)(struct device *parent);
	int (*enable)(struct device *parent);
	void (*disable)(struct device *parent);
	int (*bind)(struct device *parent, struct mm_struct *mm, u32 *pasid,
		    void **handle);
	void (*unbind)(struct device *parent, u32 pasid, void *handle);
	void (*scrub)(struct device *parent, phys_addr_t start, size_t size);
};

/*
 * @p must stay valid until unregistered. Devices don't pin the provider's module, since it may
 * be unloaded while queues are open: the module removes its devices first, then unregisters,
 * which waits for removals that run elsewhere.
 */
int uacce_sva_provider_register(const struct uacce_sva_provider *p);
void uacce_sva_provider_unregister(const struct uacce_sva_provider *p);

#endif
