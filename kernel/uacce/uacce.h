/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a function driver and a software device need from the uacce framework. */
#ifndef WD_UACCE_H
#define WD_UACCE_H

#include <linux/device.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include <misc/uacce/uacce.h>

struct uacce_device;
struct uacce_queue;

#define UACCE_NAME_SIZE		64

/* Device flags given by the driver at allocation, beside UACCE_DEV_SVA. */
#define UACCE_DEV_UNSAFE_MMIO	(1u << 8)	/* doorbells of other queues in the window: CAP_SYS_RAWIO */

/* Bits of an algorithm's sysfs attribute "flags"; the core adds SHARE_ALL under SVA. */
#define UACCE_CAPA_SHARE_ALL	(1u << 0)	/* the device sees the whole address space */
#define UACCE_CAPA_SGL_MEM	(1u << 1)	/* the device takes scatter-gather lists */
#define UACCE_CAPA_STREAM	(1u << 8)	/* a request goes on with the state of an earlier one */

#define UACCE_LEVEL_AVERAGE	10

/**
 * struct uacce_dus - memory shared by one queue's device, kernel and user
 * @va:		kernel address, zeroed at allocation
 * @dma:	bus address of the whole, contiguous block
 * @size:	bytes, a multiple of the page size
 * @dev:	DMA device; NULL once unmapped from it
 * @pool:	the core's: whose reserved memory it is, or NULL
 * @ref:	the core's
 *
 * A user mapping keeps the pages alive after the queue, the device and the
 * driver are gone.
 */
struct uacce_dus {
	void *va;
	dma_addr_t dma;
	size_t size;
	struct device *dev;
	struct uacce_device *pool;
	struct kref ref;
};

struct uacce_queue;

/*
 * For get_queue(), mapped for @dev. ERR_PTR() on failure; -EOPNOTSUPP when @dev
 * isn't DMA-coherent.
 */
struct uacce_dus *uacce_dus_alloc(struct uacce_queue *q, struct device *dev, size_t size);
/* The device can't reach it any more; the caller must not touch it either. */
void uacce_dus_free(struct uacce_dus *dus);

enum uacce_dev_state {
	UACCE_DEV_NORMAL,
	UACCE_DEV_ISOLATE,
};

/**
 * struct uacce_ioctl - one command of the driver
 * @cmd:	its number; size and direction in it rule the copying
 * @fn:		called with the argument in kernel memory (at most
 *		UACCE_IOCTL_MAX_BYTES), copied in and out by the core, so that no
 *		lock is held while user memory is touched
 */
struct uacce_ioctl {
	unsigned int cmd;
	int (*fn)(struct uacce_queue *q, void *arg);
};

#define UACCE_IOCTL_MAX_BYTES	128

/**
 * struct uacce_ops - what a function driver does for its queues
 * @get_available_instances:	free queues of this function
 * @get_queue:	reserve a hardware queue for @q (q->pasid is bound already);
 *		-EBUSY when none is free, -EPERM while resetting
 * @put_queue:	give it back; the queue is stopped. True: frees q->dus. False:
 *		it failed to stop, so the device may still write. The driver keeps
 *		q->dus and the core @q and the address space behind q->pasid, until
 *		uacce_queue_recovered() or uacce_remove(). No uacce_wake_up() of @q
 *		may be running or come when it returns.
 * @start_queue: the device may work on it, from fresh rings (index 0, phase 1):
 *		also called after @stop_queue
 * @stop_queue:	stop and drain; called only after a successful start. On an
 *		error the queue counts as started and will be stopped again.
 *		Both may say -EAGAIN, nothing was done, while the device is busy
 *		with another queue: a user who can wait then comes again
 * @kill_queue:	as @stop_queue, also for a queue that wasn't started, with the
 *		"do not send"/"do not receive" words of the DUS block set around
 *		the stop: the queue is taken away from a living user
 * @is_q_updated: optional; completions that the last call hasn't seen
 * @get_mmio:	physical window of the queue's doorbell, page aligned; needed
 *		with an MMIO region
 * @ioctls:	optional; commands the core doesn't know, ended by cmd 0
 * @get_isolate_state, @isolate_threshold_read, @isolate_threshold_write:
 *		optional; sysfs isolate and isolate_strategy
 *
 * All may sleep except is_q_updated; get_isolate_state waits for no hardware, as
 * it runs under the lock of all accounting. The core serialises get, ioctls, start,
 * stop, kill and put of one queue; different queues run in parallel.
 * is_q_updated runs under a spin lock, between get and put, in parallel with
 * the others. None of them runs after uacce_unregister() returned. A lock that they
 * take must not be held by the caller of that or of uacce_kill_queues().
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
};

/**
 * struct uacce_alg_level - what a driver says of one of its algorithms
 * @name:	a line of the device's algorithms
 * @capa:	UACCE_CAPA_* that not all of them have
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
 * struct uacce_interface - a driver's description of its device
 * @name:	base of the node's name ("hisi_zip" becomes hisi_zip-0)
 * @flags:	UACCE_DEV_*
 * @capa:	UACCE_CAPA_* of its algorithms; bits 8 and up are the algorithm's
 * @ops:	operations
 * @api:	string of the sysfs attribute "api"
 * @algorithms:	newline separated names, no newline at the end
 * @levels:	of its algorithms, ends with a NULL name; NULL, or those that aren't there: average
 * @wd_type:	"compression" or "crypto"
 * @mmio_size:	bytes of the MMIO region, 0 = none
 * @dus_size:	bytes of the DUS region, 0 = none
 *
 * Copied by uacce_alloc(), strings included; @ops must stay.
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
	size_t dus_size;
};

/**
 * struct uacce_queue - one open file of a device
 * @uacce:	its device
 * @pasid:	address space id bound to the opener, UACCE_PASID_NONE without SVA
 * @dus:	set by get_queue
 * @id:		set by get_queue: the queue's number in its function, for people
 * @priv:	the driver's
 * @priority:	0..7, hardware scheduling priority for the next start
 * The rest is the core's (kernel/uacce/internal.h).
 */
struct uacce_queue {
	struct uacce_device *uacce;
	u32 pasid;
	struct uacce_dus *dus;
	u32 id;
	void *priv;
	u8 priority;
};

#define UACCE_PASID_NONE	((u32)-1)

/*
 * Allocate; not visible to user space before uacce_register(). ERR_PTR() on
 * failure; -EOPNOTSUPP when UACCE_DEV_SVA is asked for and no provider has it.
 */
struct uacce_device *uacce_alloc(struct device *parent,
				 const struct uacce_interface *interface);
int uacce_register(struct uacce_device *uacce);
/*
 * Takes the device from user space, registered or not: open queues are killed
 * and put; never waits for user space.
 */
void uacce_unregister(struct uacce_device *uacce);
/*
 * Ends the device from any state. What queues that didn't stop have bound is
 * unbound, so the device must be unable to reach memory by now. The pointer is
 * dead afterwards.
 */
void uacce_remove(struct uacce_device *uacce);

/* Driver-private pointer of a device, and its parent. */
void uacce_set_drvdata(struct uacce_device *uacce, void *data);
void *uacce_get_drvdata(const struct uacce_device *uacce);
struct device *uacce_parent(struct uacce_device *uacce);

/* An event for the queue (completion interrupt, error): wakes poll(). Any context. */
void uacce_wake_up(struct uacce_queue *q);

/* The queue ended by an error of its own (negative errno): admins are told. As uacce_wake_up(). */
void uacce_queue_failed(struct uacce_queue *q, int error);

/**
 * uacce_kill_queues - take every open queue from its user (reset begins)
 * @uacce:	the device; stays registered. It is resetting until
 *		uacce_reset_done() or uacce_isolated().
 */
void uacce_kill_queues(struct uacce_device *uacce);

/**
 * uacce_reset_done - queues can be opened again (the reset has ended)
 * @uacce:	the device
 */
void uacce_reset_done(struct uacce_device *uacce);

/**
 * uacce_queue_recovered - the device has let go of a queue that @put_queue was false for
 * @q:		what it was called with; dead afterwards
 *
 * The driver has its number and memory back already. Sleeps; waits for that
 * @put_queue, so no lock that it takes may be held. Not after uacce_remove().
 */
void uacce_queue_recovered(struct uacce_queue *q);

/**
 * uacce_isolated - the device may not be used any more: admins are told
 * @uacce:	the device, whose driver says so in @get_isolate_state from now on
 */
void uacce_isolated(struct uacce_device *uacce);

/**
 * struct uacce_sva_provider - how address spaces are bound for some devices
 * @name:	value of the sysfs attribute "iommu"
 * @simulated:	devices served by it are software
 * @match:	does it serve this device?
 * @enable, @disable: optional; prepare a device, in uacce_alloc() and
 *		uacce_remove()
 * @bind:	bind @mm for one queue; gives the PASID, and a handle that @unbind
 *		gets back. Queues of one mm may share a PASID: it counts them.
 * @unbind:	undo one bind; the queue has stopped, or its device can't reach
 *		memory any more. The mm may be dead already.
 * @scrub:	optional; wipe a queue's MMIO window before its next owner,
 *		where that window is memory
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
 * @p must stay valid until unregistered. Devices don't pin the provider's module,
 * since it may be unloaded while queues are open: it removes its devices first,
 * then unregisters, which waits for a removal that runs elsewhere.
 */
int uacce_sva_provider_register(const struct uacce_sva_provider *p);
void uacce_sva_provider_unregister(const struct uacce_sva_provider *p);

#endif
