/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the framework's files share and that no other module sees. */
#ifndef WD_UACCE_INTERNAL_H
#define WD_UACCE_INTERNAL_H

#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "account.h"
#include "uacce.h"

struct uacce_bond;
struct uacce_provider;
struct uacce_alg;

enum uacce_ctx_state {
	UACCE_CTX_OPENING,	/* inside open(): the driver has no queue for it yet */
	UACCE_CTX_INIT,
	UACCE_CTX_STARTED,
	UACCE_CTX_ZOMBIE,	/* the queue is back with the driver; only close() remains */
};

/* Pending events of a queue, as poll() sees them. */
enum uacce_event {
	UACCE_EVENT_NONE,
	UACCE_EVENT_SEEN,	/* by one poll */
	UACCE_EVENT_NEW,
};

/* Memory of one size for the contexts that sections reserve on a device; see pool.c. */
struct uacce_pool {
	struct uacce_device *uacce;
	size_t size;			/* of a block */
	u32 each;			/* blocks for a context; 0: the pool isn't used */
	spinlock_t lock;
	struct list_head blocks;	/* zeroed and unused */
	u32 kept;			/* number of blocks in the list */
	u32 out;			/* blocks in use by contexts of slots */
	u32 want;			/* for the contexts reserved; the target for kept + out */
	bool closed;
	struct work_struct refill;
};

/* A device instance. device.c and queue.c describe the locks of this struct and of the next. */
struct uacce_device {
	struct device dev;
	struct device *parent;		/* referenced until uacce_remove() */
	int id;
	bool registered;
	bool announced;
	bool unregistered;

	char *name;
	char *api;
	char *algorithms;
	char *wd_type;
	unsigned int flags;		/* has one of SVA and MEDIATED at most */
	bool can_mediate;		/* its driver can */
	u32 capa;
	size_t mmio_size;
	size_t mmio_hidden;
	size_t dus_size;
	const struct uacce_ops *ops;
	void *drvdata;

	struct uacce_provider *provider;	/* NULL: neither SVA nor simulated */

	struct uacce_alg *algs;			/* one sysfs group each */
	unsigned int algs_nr;
	const struct attribute_group **groups;

	struct uacce_account acct;
	struct uacce_pool pools[1 + UACCE_RINGS_MAX];	/* of DUS blocks, and of a mediated queue's rings */

	struct mutex kill_lock;
	spinlock_t lock;
	bool dead;
	bool resetting;			/* written by the driver's reset, read without a lock */
	u32 resets;			/* the same; resets that ended well */
	atomic_t ctx_errors;		/* of all contexts so far */
	atomic64_t wrong_results;	/* the same, as their owners report them */
	struct ratelimit_state wrong_log;
	u64 kill_round;
	struct list_head ctxs;
	struct list_head held;
	struct list_head bonds;
	atomic_t openers;		/* incremented under lock, while not dead */
	wait_queue_head_t opened;
};

/* One open file: a hardware queue held by a process. */
struct uacce_ctx {
	struct uacce_queue q;		/* what the driver sees */
	struct kref ref;
	struct mm_struct *mm;		/* the opener's mm, held by mmgrab() */
	struct inode *inode;		/* its address space holds the queue's mappings */

	struct list_head node;		/* uacce_device::ctxs */
	struct list_head held;		/* uacce_device::held */
	u64 kill_round;

	struct mutex mutex;
	struct mutex map_lock;
	spinlock_t lock;
	enum uacce_ctx_state state;

	struct uacce_bond *bond;	/* NULL: not bound */

	phys_addr_t mmio_start;
	size_t mmio_bytes;
	struct uacce_dus *dus;
	struct uacce_dus *device_cq;	/* of a mediated queue */
	struct uacce_region *regions[UACCE_QFRT_DEVICE_CQ + 1];

	struct uacce_charge charge;
	bool started;			/* at least once; under mutex */
	bool window_refused;		/* it may not map shared doorbells */
	unsigned int windows;		/* of shared doorbells, mapped and not taken away; under uacce_prov */
	struct work_struct failed;	/* reports the error below */
	int error;			/* not reported yet; set in any context */
	atomic_t errors;		/* how many there have been */
	atomic64_t wrong_results;	/* that the owner has reported */

	wait_queue_head_t wait;
	atomic_t event;			/* enum uacce_event */
};

#define to_uacce_device(d)	container_of(d, struct uacce_device, dev)
#define to_uacce_ctx(queue)	container_of(queue, struct uacce_ctx, q)

/* class.c */
extern struct class uacce_class;
int uacce_class_init(void);
void uacce_class_exit(void);
int uacce_class_open(const struct file_operations *fops);	/* nodes can be opened from here on */
void uacce_class_close(void);
int uacce_id_alloc(void);
void uacce_id_free(int id);
void uacce_id_publish(struct uacce_device *uacce);
void uacce_id_withdraw(struct uacce_device *uacce);
struct uacce_device *uacce_id_find(int id);
dev_t uacce_devt(int id);
struct inode *uacce_inode_alloc(void);

/* account.c: for open(), the last close, and a queue that failed to stop */
int uacce_charge(struct uacce_ctx *ctx);
void uacce_account_open(struct uacce_device *uacce, int error);
void uacce_uncharge(struct uacce_ctx *ctx);
void uacce_quarantine(struct uacce_ctx *ctx);
void uacce_unquarantine(struct uacce_device *uacce);
void uacce_charge_shape(struct uacce_ctx *ctx);
struct uacce_owner *uacce_end_begin(struct uacce_ctx *ctx);	/* with ctx->mutex held from here to the next */
void uacce_end_over(struct uacce_ctx *ctx, struct uacce_owner *owner);

/* queue.c */
extern const struct file_operations uacce_fops;
void uacce_ctx_kill(struct uacce_ctx *ctx, atomic64_t *waited_us);	/* NULL: alone, or the driver counts */
void uacce_ctx_put(struct uacce_ctx *ctx);

/* doorbells.c: for mmap, when the mapping has ended, and when the queue was taken away */
int uacce_window_map(struct uacce_ctx *ctx);
void uacce_window_unmap(struct uacce_ctx *ctx);
void uacce_windows_end(struct uacce_ctx *ctx);
void uacce_window_tell(const struct uacce_ctx *ctx);

/* mediated.c */
struct uacce_hold {
	const struct uacce_ops *ops;
	void *held;			/* the driver's */
};
int uacce_hold(struct uacce_ctx *ctx, struct uacce_hold *hold);	/* called with ctx->lock held */
void uacce_hold_end(const struct uacce_hold *hold);		/* called without locks */
void uacce_mediated_look(struct uacce_ctx *ctx);		/* the same */

/* region.c */
int uacce_region_mmap(struct uacce_ctx *ctx, struct vm_area_struct *vma);
void uacce_region_revoke(struct uacce_ctx *ctx);

/* dus.c */
struct uacce_dus *uacce_dus_get(struct uacce_dus *dus);
void uacce_dus_put(struct uacce_dus *dus);

/* pool.c: called without locks; only uacce_pool_set() may be called under uacce_prov */
void *uacce_pages_alloc(struct device *dev, size_t size, gfp_t gfp);	/* zeroed; freed by free_pages_exact() */
void uacce_pool_init(struct uacce_device *uacce, const struct uacce_rings *rings);
void uacce_pool_exit(struct uacce_device *uacce);
bool uacce_pool_lacks(struct uacce_device *uacce, u32 want);
int uacce_pool_fill(struct uacce_device *uacce, u32 want);
void uacce_pool_set(struct uacce_device *uacce, u32 want);
struct uacce_pool *uacce_pool_take(struct uacce_device *uacce, size_t size, void **va);
void uacce_pool_give(struct uacce_pool *pool, void *va);

/* bandwidth.c: called without locks */
void uacce_bandwidth_init(struct uacce_device *uacce);
void uacce_bandwidth_exit(struct uacce_device *uacce);

/* sva.c */
int uacce_sva_attach(struct uacce_device *uacce);
void uacce_sva_detach(struct uacce_device *uacce);
int uacce_sva_wait(struct uacce_device *uacce);
int uacce_sva_bind(struct uacce_ctx *ctx);
void uacce_sva_unbind(struct uacce_ctx *ctx);
void uacce_sva_scrub(struct uacce_ctx *ctx);
const char *uacce_sva_name(struct uacce_device *uacce);
bool uacce_sva_simulated(const struct uacce_device *uacce);

/* sysfs.c */
int uacce_sysfs_init(struct uacce_device *uacce, const struct uacce_alg_level *levels);
void uacce_sysfs_exit(struct uacce_device *uacce);

#endif
