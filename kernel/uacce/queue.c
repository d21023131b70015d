// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contexts: open, ioctl, poll, release and revocation.
 *
 * lock                 protects                              taken with
 * -------------------  ------------------------------------  ----------------------------
 * uacce_ctx.mutex      the driver's calls for this queue,    uacce_device.kill_lock
 *                      changes of state, q, bond
 * uacce_ctx.map_lock   regions, dus, the step to ZOMBIE,     mutex; mmap_lock (read or
 *                      MMIO pages being mapped               write), VMA locks
 * uacce_ctx.lock       changes of state, is_q_updated,       mutex, map_lock; spins
 *                      atomic ioctls, hold
 *
 * The state is read under any of the three; ZOMBIE is set under all of them.
 * The mutex is held while hardware works, which has deadlines, but never while
 * user memory is accessed and never in mmap or a page fault, so no mmap_lock waits
 * for hardware. Commands that wait for user memory have none of the three: see
 * mediated.c. Binding an address space by an IOMMU takes mmap_lock: open() binds
 * before it takes the mutex, so that only a removal waits for the bind. i_mmap_rwsem
 * is taken under the mutex; map_lock is not taken under i_mmap_rwsem.
 */
#include <linux/freezer.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "trace.h"

/*
 * While a device is busy with another queue: polling period, longest gap between polls that
 * counts as waiting, and limit.
 */
#define UACCE_BUSY_PERIOD_MS	20
#define UACCE_BUSY_COUNTED_MS	500
#define UACCE_BUSY_LIMIT_MS	(600 * MSEC_PER_SEC)

#define UACCE_POLL_READY	(EPOLLIN | EPOLLRDNORM)
#define UACCE_POLL_GONE		(EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP)

static void uacce_ctx_failed(struct work_struct *work)
{
	struct uacce_ctx *ctx = container_of(work, struct uacce_ctx, failed);

	mutex_lock(&uacce_prov);
	uacce_event_ctx_error(ctx);
	mutex_unlock(&uacce_prov);
	uacce_ctx_put(ctx);
}

static struct uacce_ctx *uacce_ctx_alloc(struct uacce_device *uacce)
{
	struct uacce_ctx *ctx;
	struct inode *inode;

	/* A kernel thread has no address space to bind. */
	if (!current->mm)
		return ERR_PTR(-EINVAL);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	inode = uacce_inode_alloc();
	if (IS_ERR(inode)) {
		kfree(ctx);
		return ERR_CAST(inode);
	}
	get_device(&uacce->dev);
	mmgrab(current->mm);
	kref_init(&ctx->ref);
	INIT_LIST_HEAD(&ctx->node);
	INIT_LIST_HEAD(&ctx->held);
	mutex_init(&ctx->mutex);
	mutex_init(&ctx->map_lock);
	spin_lock_init(&ctx->lock);
	init_waitqueue_head(&ctx->wait);
	INIT_WORK(&ctx->failed, uacce_ctx_failed);
	ctx->q.uacce = uacce;
	ctx->q.pasid = UACCE_PASID_NONE;
	ctx->mm = current->mm;
	ctx->inode = inode;
	ctx->state = UACCE_CTX_OPENING;
	return ctx;
}

static void uacce_ctx_free(struct kref *ref)
{
	struct uacce_ctx *ctx = container_of(ref, struct uacce_ctx, ref);

	iput(ctx->inode);
	mmdrop(ctx->mm);
	put_device(&ctx->q.uacce->dev);
	kfree(ctx);
}

void uacce_ctx_put(struct uacce_ctx *ctx)
{
	kref_put(&ctx->ref, uacce_ctx_free);
}

/* Adds a context that is being opened. From here on a removal kills it, and waits for uacce_ctx_opened(). */
static int uacce_ctx_attach(struct uacce_device *uacce, struct uacce_ctx *ctx)
{
	int ret = 0;

	spin_lock(&uacce->lock);
	if (uacce->dead) {
		ret = -EINVAL;
	} else {
		ctx->kill_round = uacce->kill_round;
		list_add_tail(&ctx->node, &uacce->ctxs);
		atomic_inc(&uacce->openers);
	}
	spin_unlock(&uacce->lock);
	return ret;
}

static void uacce_ctx_opened(struct uacce_device *uacce)
{
	if (atomic_dec_and_test(&uacce->openers))
		wake_up_all(&uacce->opened);
}

/* Called only when the driver can't see the context any more, since a removal doesn't wait for it. */
static void uacce_ctx_detach(struct uacce_device *uacce, struct uacce_ctx *ctx)
{
	spin_lock(&uacce->lock);
	list_del_init(&ctx->node);
	spin_unlock(&uacce->lock);
}

/*
 * The device may still use the address space of a queue that failed to stop, so the PASID must
 * neither be reused nor be unbound from the mm. Each held context is counted as quarantined.
 */
static void uacce_ctx_hold(struct uacce_device *uacce, struct uacce_ctx *ctx)
{
	kref_get(&ctx->ref);
	spin_lock(&uacce->lock);
	list_add_tail(&ctx->held, &uacce->held);
	spin_unlock(&uacce->lock);
}

static void uacce_ctx_set_state(struct uacce_ctx *ctx, enum uacce_ctx_state state)
{
	lockdep_assert_held(&ctx->mutex);
	spin_lock(&ctx->lock);
	ctx->state = state;
	spin_unlock(&ctx->lock);
}

/* Ends the context's references to the memory that it has held for mmap. */
static void uacce_ctx_bury(struct uacce_ctx *ctx)
{
	struct uacce_dus *dus, *device_cq;

	mutex_lock(&ctx->map_lock);
	uacce_ctx_set_state(ctx, UACCE_CTX_ZOMBIE);
	dus = ctx->dus;
	device_cq = ctx->device_cq;
	ctx->dus = NULL;
	ctx->device_cq = NULL;
	mutex_unlock(&ctx->map_lock);
	uacce_dus_put(dus);
	uacce_dus_put(device_cq);
}

static bool uacce_ctx_alive(struct uacce_ctx *ctx)
{
	return ctx->state == UACCE_CTX_INIT || ctx->state == UACCE_CTX_STARTED;
}

static int uacce_ctx_describe(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	int ret;

	if (uacce->dus_size) {
		if (WARN_ON(!ctx->q.dus || ctx->q.dus->size != uacce->dus_size))
			return -EINVAL;
		ctx->dus = uacce_dus_get(ctx->q.dus);
	}
	if (uacce_mediated(uacce) && ctx->q.device_cq)
		ctx->device_cq = uacce_dus_get(ctx->q.device_cq);
	if (!uacce->mmio_size)
		return 0;
	ret = uacce->ops->get_mmio(&ctx->q, &ctx->mmio_start, &ctx->mmio_bytes);
	if (ret)
		return ret;
	if (WARN_ON(!PAGE_ALIGNED(ctx->mmio_start) || ctx->mmio_bytes < uacce->mmio_size))
		return -EINVAL;
	/* Doorbell values of the last owner must not ring for this one. */
	uacce_sva_scrub(ctx);
	return 0;
}

/* Returns whether the queue has stopped. */
static bool uacce_ctx_return_queue(struct uacce_ctx *ctx)
{
	bool stopped = ctx->q.uacce->ops->put_queue(&ctx->q);

	ctx->q.dus = NULL;
	ctx->q.device_cq = NULL;
	ctx->q.priv = NULL;
	if (stopped) {
		uacce_sva_unbind(ctx);
		return true;
	}
	/* The queue may recover from now on; uacce_queue_recovered() waits for the mutex. */
	uacce_quarantine(ctx);
	uacce_ctx_hold(ctx->q.uacce, ctx);
	return false;
}

/*
 * Refuses a context that was killed before it got a queue (by a removal, a revocation or a
 * reset), and a device that is isolated.
 */
static int uacce_ctx_may_open(struct uacce_ctx *ctx)
{
	const struct uacce_ops *ops = ctx->q.uacce->ops;
	bool killed = ctx->state == UACCE_CTX_ZOMBIE;

	lockdep_assert_held(&ctx->mutex);
	/* The driver's ops are valid until the removal has killed the context. */
	if (killed && READ_ONCE(ctx->q.uacce->dead))
		return -EINVAL;
	if (ops->get_isolate_state &&
	    ops->get_isolate_state(ctx->q.uacce) == UACCE_DEV_ISOLATE)
		return -EIO;
	return killed ? -EPERM : 0;
}

static int uacce_ctx_acquire(struct uacce_ctx *ctx)
{
	const struct uacce_ops *ops = ctx->q.uacce->ops;
	int ret;

	mutex_lock(&ctx->mutex);
	ret = uacce_ctx_may_open(ctx);
	mutex_unlock(&ctx->mutex);
	/* Binds without the mutex: a thread that kills the context must not wait for the process' mmap_lock. */
	if (!ret)
		ret = uacce_sva_bind(ctx);
	mutex_lock(&ctx->mutex);
	if (ret)
		goto err_bury;
	ret = uacce_ctx_may_open(ctx);
	if (ret)
		goto err_unbind;
	ret = ops->get_queue(ctx->q.uacce, &ctx->q);
	if (ret)
		goto err_unbind;
	ret = uacce_ctx_describe(ctx);
	if (ret)
		goto err_return_queue;
	uacce_ctx_set_state(ctx, UACCE_CTX_INIT);
	WRITE_ONCE(ctx->charge.id, ctx->q.id);
	mutex_unlock(&ctx->mutex);
	return 0;

err_return_queue:
	uacce_ctx_return_queue(ctx);
	goto err_bury;
err_unbind:
	uacce_sva_unbind(ctx);
err_bury:
	uacce_ctx_bury(ctx);
	mutex_unlock(&ctx->mutex);
	return ret;
}

/* The only place where a stopped queue goes back to the driver; runs once for each queue. */
static bool uacce_ctx_take_back(struct uacce_ctx *ctx)
{
	uacce_ctx_bury(ctx);
	/* Before the window can get a new owner. */
	uacce_region_revoke(ctx);
	uacce_windows_end(ctx);
	return uacce_ctx_return_queue(ctx);
}

void uacce_ctx_kill(struct uacce_ctx *ctx, atomic64_t *waited_us)
{
	u64 begin;

	mutex_lock(&ctx->mutex);
	if (uacce_ctx_alive(ctx)) {
		ctx->q.waited_us = waited_us;
		begin = uacce_stop_begins();
		ctx->q.uacce->ops->kill_queue(&ctx->q);
		trace_queue_stop(ctx, true, 0, begin);
		uacce_ctx_take_back(ctx);
		ctx->q.waited_us = NULL;
	} else if (ctx->state == UACCE_CTX_OPENING) {
		uacce_ctx_bury(ctx);
	}
	mutex_unlock(&ctx->mutex);
	wake_up_poll(&ctx->wait, UACCE_POLL_GONE);
}

static int uacce_ctx_obtain(struct uacce_ctx *ctx)
{
	int ret;

	/* Until its end all contexts may be in quarantine, which must not look like a shortage. */
	if (READ_ONCE(ctx->q.uacce->resetting))
		return -EPERM;
	ret = uacce_charge(ctx);
	if (ret)
		return ret;
	ret = uacce_ctx_acquire(ctx);
	if (ret)
		uacce_uncharge(ctx);
	return ret;
}

static int uacce_open_ctx(struct uacce_device *uacce, struct file *file)
{
	struct uacce_ctx *ctx;
	int ret;

	ctx = uacce_ctx_alloc(uacce);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	ret = uacce_sva_wait(uacce);
	if (ret)
		goto err_put;
	ret = uacce_ctx_attach(uacce, ctx);
	if (ret)
		goto err_put;
	ret = uacce_ctx_obtain(ctx);
	uacce_ctx_opened(uacce);
	if (ret)
		goto err_detach;
	file->private_data = ctx;
	file->f_mapping = ctx->inode->i_mapping;
	trace_queue_open(ctx, 0);
	return 0;

err_detach:
	uacce_ctx_detach(uacce, ctx);
err_put:
	trace_queue_open(ctx, ret);
	uacce_ctx_put(ctx);
	return ret;
}

static int uacce_open(struct inode *inode, struct file *file)
{
	struct uacce_device *uacce = uacce_id_find(iminor(inode));
	int ret;

	if (!uacce)
		return -ENXIO;
	ret = uacce_open_ctx(uacce, file);
	uacce_account_open(uacce, ret);
	put_device(&uacce->dev);
	return ret;
}

/* The last close. On an error of the stop the driver quarantines the queue. */
static void uacce_ctx_end(struct uacce_ctx *ctx)
{
	struct uacce_owner *owner = uacce_end_begin(ctx);
	bool started = ctx->state == UACCE_CTX_STARTED, stopped;
	u64 begin = uacce_stop_begins();
	int ret;

	if (started && !owner) {
		ret = ctx->q.uacce->ops->stop_queue(&ctx->q);
		trace_queue_stop(ctx, false, ret, begin);
	}
	stopped = uacce_ctx_take_back(ctx);
	/* It stopped within the limit of all of them, when it was put. */
	if (started && owner)
		trace_queue_stop(ctx, false, stopped ? 0 : -ETIMEDOUT, begin);
	uacce_end_over(ctx, owner);
}

static int uacce_release(struct inode *inode, struct file *file)
{
	struct uacce_ctx *ctx = file->private_data;

	mutex_lock(&ctx->mutex);
	if (uacce_ctx_alive(ctx))
		uacce_ctx_end(ctx);
	mutex_unlock(&ctx->mutex);
	trace_queue_close(ctx);
	uacce_window_tell(ctx);
	uacce_uncharge(ctx);
	uacce_ctx_detach(ctx->q.uacce, ctx);
	uacce_ctx_put(ctx);
	return 0;
}

static int uacce_ctx_start(struct uacce_ctx *ctx)
{
	int ret;

	if (ctx->state != UACCE_CTX_INIT)
		return -EINVAL;
	atomic_set(&ctx->event, 0);
	uacce_charge_shape(ctx);
	ret = ctx->q.uacce->ops->start_queue(&ctx->q);
	if (ret == -EAGAIN)
		return ret;
	trace_queue_start(ctx, ret);
	if (!ret)
		uacce_ctx_set_state(ctx, UACCE_CTX_STARTED);
	ctx->started |= !ret;
	return ret;
}

static int uacce_ctx_stop(struct uacce_ctx *ctx)
{
	u64 begin;
	int ret;

	if (ctx->state == UACCE_CTX_INIT)
		return 0;
	begin = uacce_stop_begins();
	ret = ctx->q.uacce->ops->stop_queue(&ctx->q);
	if (ret == -EAGAIN)
		return ret;
	trace_queue_stop(ctx, false, ret, begin);
	if (!ret)
		uacce_ctx_set_state(ctx, UACCE_CTX_INIT);
	return ret;
}

static const struct uacce_ioctl *uacce_find_ioctl(struct uacce_device *uacce, unsigned int cmd)
{
	const struct uacce_ioctl *i = uacce->ops->ioctls;

	for (; i && i->cmd; i++)
		if (i->cmd == cmd && _IOC_SIZE(cmd) <= UACCE_IOCTL_MAX_BYTES)
			return i;
	return NULL;
}

/* @arg is in kernel memory; @fault: it couldn't be copied there. */
static int uacce_ctx_command(struct uacce_ctx *ctx, unsigned int cmd, void *arg, bool fault)
{
	const struct uacce_ioctl *i;

	lockdep_assert_held(&ctx->mutex);
	if (!uacce_ctx_alive(ctx))
		return -ENXIO;
	switch (cmd) {
	case UACCE_CMD_START_Q:
		return uacce_ctx_start(ctx);
	case UACCE_CMD_PUT_Q:
		return uacce_ctx_stop(ctx);
	}
	i = uacce_find_ioctl(ctx->q.uacce, cmd);
	if (!i || !i->fn)
		return -EINVAL;
	return fault ? -EFAULT : i->fn(&ctx->q, arg);
}

/* How long a call has waited, counted up to the last poll. */
struct uacce_busy {
	ktime_t seen;
	s64 waited_ms;
};

/* Waits without the mutex, so a thread that kills the queue doesn't wait. 0: try again. */
static int uacce_busy_wait(struct uacce_busy *busy, unsigned int flags)
{
	ktime_t last = busy->seen;

	if ((flags & O_NONBLOCK) || busy->waited_ms > UACCE_BUSY_LIMIT_MS)
		return -EBUSY;
	schedule_timeout_killable(msecs_to_jiffies(UACCE_BUSY_PERIOD_MS));
	/* No lock is held, and the system may be about to suspend. */
	try_to_freeze();
	if (fatal_signal_pending(current))
		return -EINTR;
	busy->seen = ktime_get();
	/* Time while the machine was stopped doesn't count as busy time of the device. */
	busy->waited_ms += min_t(s64, ktime_ms_delta(busy->seen, last), UACCE_BUSY_COUNTED_MS);
	return 0;
}

static bool uacce_waits(const struct uacce_ctx *ctx, const struct uacce_ioctl *i)
{
	return i->waits && uacce_mediated(ctx->q.uacce);
}

/* Calls an atomic command, or holds what one that waits needs. */
static int uacce_ctx_call_started(struct uacce_ctx *ctx, const struct uacce_ioctl *i, void *arg, bool fault,
				  struct uacce_hold *hold)
{
	lockdep_assert_held(&ctx->lock);
	if (ctx->state != UACCE_CTX_STARTED)
		return -EINVAL;
	if (fault)
		return -EFAULT;
	return uacce_waits(ctx, i) ? uacce_hold(ctx, hold) : i->fn(&ctx->q, arg);
}

/*
 * Commands for started queues, without the mutex. -ENOIOCTLCMD: it isn't one. The driver's table is valid until the
 * queue is put, or while its module is held.
 */
static int uacce_ctx_call_at_once(struct uacce_ctx *ctx, unsigned int cmd, void *arg, bool fault)
{
	const struct uacce_ioctl *i;
	struct uacce_hold hold = {};
	int ret = -ENOIOCTLCMD;

	spin_lock(&ctx->lock);
	i = uacce_ctx_alive(ctx) ? uacce_find_ioctl(ctx->q.uacce, cmd) : NULL;
	/* The queue was taken away for good, by a thread that may hold the mutex for long. */
	if (ctx->state == UACCE_CTX_ZOMBIE)
		ret = -ENXIO;
	else if (i && (i->atomic || uacce_waits(ctx, i)))
		ret = uacce_ctx_call_started(ctx, i, arg, fault, &hold);
	spin_unlock(&ctx->lock);
	if (hold.held) {
		ret = i->waits(hold.held, arg);
		uacce_hold_end(&hold);
	}
	return ret;
}

static int uacce_ctx_call(struct uacce_ctx *ctx, unsigned int cmd, void *arg, bool fault)
{
	int ret;

	ret = uacce_ctx_call_at_once(ctx, cmd, arg, fault);
	if (ret != -ENOIOCTLCMD)
		return ret;
	/* Another call on the same file may hold the mutex while hardware works. */
	ret = mutex_lock_killable(&ctx->mutex);
	if (ret)
		return ret;
	ret = uacce_ctx_command(ctx, cmd, arg, fault);
	mutex_unlock(&ctx->mutex);
	return ret;
}

/* A process counts for its own queues only, and nothing waits: sections' sums follow in uacce_charge_settle(). */
static int uacce_ctx_wrong(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	u64 sum = atomic64_inc_return(&uacce->wrong_results);

	atomic64_inc(&ctx->wrong_results);
	if (__ratelimit(&uacce->wrong_log))
		dev_warn(&uacce->dev,
			 "%llu results were wrong so far, as processes report, the last of them process %d\n",
			 sum, task_tgid_nr(current));
	return 0;
}

static long uacce_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	u64 buf[UACCE_IOCTL_MAX_BYTES / sizeof(u64)] = {};
	struct uacce_busy busy = { .seen = ktime_get() };
	struct uacce_ctx *ctx = file->private_data;
	void __user *uarg = (void __user *)arg;
	size_t bytes = _IOC_SIZE(cmd);
	bool fault = false;
	int ret;

	if (current->mm != ctx->mm)
		return -EPERM;
	if (cmd == UACCE_CMD_WRONG_RESULT)
		return uacce_ctx_wrong(ctx);
	if (_IOC_DIR(cmd) & _IOC_WRITE)
		fault = bytes > sizeof(buf) || copy_from_user(buf, uarg, bytes);
	do
		ret = uacce_ctx_call(ctx, cmd, buf, fault);
	while (ret == -EAGAIN && (cmd == UACCE_CMD_START_Q || cmd == UACCE_CMD_PUT_Q) &&
	       !(ret = uacce_busy_wait(&busy, file->f_flags)));
	if (ret >= 0 && (_IOC_DIR(cmd) & _IOC_READ) && copy_to_user(uarg, buf, bytes))
		ret = -EFAULT;
	return ret;
}

static int uacce_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct uacce_ctx *ctx = file->private_data;

	if (vma->vm_mm != ctx->mm)
		return -EPERM;
	return uacce_region_mmap(ctx, vma);
}

/*
 * Is the queue ready? Each event is reported once to each waiter. epoll polls twice before it
 * reports an event: once when an item is added or modified, once when the event is fetched.
 * Only the poll at adding may wait. So each event found stays visible to one more poll that
 * doesn't wait. No event is lost by that; some are reported twice.
 */
static bool uacce_ctx_look(struct uacce_ctx *ctx, bool waits)
{
	const struct uacce_ops *ops = ctx->q.uacce->ops;
	int event = atomic_read(&ctx->event);
	bool ready = false;

	lockdep_assert_held(&ctx->lock);
	if (event == UACCE_EVENT_NEW || (event && !waits)) {
		/* A newer event keeps its full count. */
		atomic_cmpxchg(&ctx->event, event, event - 1);
		ready = true;
	}
	if (ops->is_q_updated && ops->is_q_updated(&ctx->q)) {
		atomic_cmpxchg(&ctx->event, 0, UACCE_EVENT_SEEN);
		ready = true;
	}
	return ready;
}

/* A poll consumes the event, so only a poll for input checks for one. */
static __poll_t uacce_poll(struct file *file, poll_table *pt)
{
	struct uacce_ctx *ctx = file->private_data;
	__poll_t mask = 0;

	/* A kernel thread polls for the process that submitted the request (aio), which was checked then. */
	if (current->mm != ctx->mm && !(current->flags & PF_KTHREAD))
		return EPOLLERR;
	poll_wait(file, &ctx->wait, pt);
	if (poll_requested_events(pt) & UACCE_POLL_READY)
		uacce_mediated_look(ctx);
	spin_lock(&ctx->lock);
	if (ctx->state == UACCE_CTX_ZOMBIE) {
		mask = UACCE_POLL_GONE;
	} else if ((poll_requested_events(pt) & UACCE_POLL_READY) &&
		   uacce_ctx_look(ctx, !poll_does_not_wait(pt))) {
		mask = UACCE_POLL_READY;
	}
	spin_unlock(&ctx->lock);
	return mask;
}

void uacce_queue_failed(struct uacce_queue *q, int error)
{
	struct uacce_ctx *ctx = to_uacce_ctx(q);

	/* Not the last reference: the queue hasn't been put yet. */
	kref_get(&ctx->ref);
	atomic_inc(&ctx->errors);
	atomic_inc(&ctx->q.uacce->ctx_errors);
	/* An error that hasn't been reported yet merges with this one. */
	xchg(&ctx->error, error);
	if (!queue_work(uacce_wq, &ctx->failed))
		uacce_ctx_put(ctx);
}
EXPORT_SYMBOL_GPL(uacce_queue_failed);

void uacce_wake_up(struct uacce_queue *q)
{
	struct uacce_ctx *ctx = to_uacce_ctx(q);

	atomic_set(&ctx->event, UACCE_EVENT_NEW);
	wake_up_poll(&ctx->wait, UACCE_POLL_READY);
}
EXPORT_SYMBOL_GPL(uacce_wake_up);

/* Tells which context a process has that inherited the file or was sent it. */
static void uacce_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct uacce_ctx *ctx = file->private_data;
	u32 id = READ_ONCE(ctx->charge.id);

	seq_printf(m, "uacce-dev:\t%s\n", dev_name(&ctx->q.uacce->dev));
	/* The number of a context that was taken from its owner may be another one's. */
	if (READ_ONCE(ctx->charge.owner) && id != UACCE_CTX_NO_ID)
		seq_printf(m, "uacce-ctx:\t%u\n", id);
}

const struct file_operations uacce_fops = {
	.owner = THIS_MODULE,
	.open = uacce_open,
	.release = uacce_release,
	.unlocked_ioctl = uacce_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = uacce_mmap,
	.poll = uacce_poll,
	.show_fdinfo = uacce_show_fdinfo,
};
