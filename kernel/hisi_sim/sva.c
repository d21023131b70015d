// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared virtual addressing: the address space of a PASID, and payload copies through it. */
/*
 * Lock		protects			taken under
 * spaces_lock	spaces, binds			any lock whose holder may sleep
 * xa_lock	lookup against erasure		spaces_lock
 *
 * A space pins the mm_struct, not its contents: each job pins the contents with mmget_not_zero()
 * and releases them with mmput_async(), because a final mmput() would close the mappings of this
 * very device from its own thread.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "internal.h"
#include "uacce/uacce.h"

#define PASID_MAX		0xffff	/* 16 bits in the queue context */
#define TRIES_MAX		100

static DEFINE_XARRAY_ALLOC1(spaces);
static DEFINE_MUTEX(spaces_lock);
static u32 next_pasid;

static void space_release(struct kref *ref)
{
	struct sim_space *space = container_of(ref, struct sim_space, ref);

	mmdrop(space->mm);
	kfree(space);
}

void sim_space_put(struct sim_space *space)
{
	kref_put(&space->ref, space_release);
}

static bool provider_match(struct device *parent)
{
	return sim_bus_function(parent);
}

/* A device without SVA has a provider, too, which scrubs its windows. */
static int provider_enable(struct device *parent)
{
	struct sim_fn *fn = sim_bus_function(parent);

	return fn && fn->sdev->shape.sva ? 0 : -ENODEV;
}

static void provider_disable(struct device *parent)
{
}

static struct sim_space *space_find(struct sim_fn *fn, struct mm_struct *mm)
{
	struct sim_space *space;
	unsigned long nr;

	lockdep_assert_held(&spaces_lock);
	xa_for_each(&spaces, nr, space)
		if (space->fn == fn && space->mm == mm)
			return space;
	return NULL;
}

/* The new space's first reference belongs to the table. */
static struct sim_space *space_add(struct sim_fn *fn, struct mm_struct *mm)
{
	struct sim_space *space = kzalloc(sizeof(*space), GFP_KERNEL);
	int err;

	lockdep_assert_held(&spaces_lock);
	if (!space)
		return ERR_PTR(-ENOMEM);
	kref_init(&space->ref);
	space->fn = fn;
	space->mm = mm;
	space->uid = sim_waits_user();
	mmgrab(mm);
	/* Cyclic, so that a stale PASID doesn't soon mean another process. */
	err = xa_alloc_cyclic(&spaces, &space->pasid, space, XA_LIMIT(1, PASID_MAX), &next_pasid,
			      GFP_KERNEL);
	if (err < 0) {
		sim_space_put(space);
		return ERR_PTR(err == -EBUSY ? -ENOSPC : err);
	}
	return space;
}

static void space_erase(struct sim_space *space)
{
	lockdep_assert_held(&spaces_lock);
	xa_erase(&spaces, space->pasid);
	space->binds = 0;
	sim_space_put(space);
}

static int provider_bind(struct device *parent, struct mm_struct *mm, u32 *pasid, void **handle)
{
	struct sim_fn *fn = sim_bus_function(parent);
	struct sim_space *space;
	struct sim_binds *binds;

	if (!fn)
		return -ENODEV;
	binds = &fn->sdev->binds;
	/* Without a lock, so that only the opener waits. */
	if (wait_event_killable(binds->wait, !READ_ONCE(binds->held)))
		return -EINTR;
	mutex_lock(&spaces_lock);
	space = space_find(fn, mm) ?: space_add(fn, mm);
	if (!IS_ERR(space)) {
		kref_get(&space->ref);
		space->binds++;
		*pasid = space->pasid;
		*handle = space;
	}
	mutex_unlock(&spaces_lock);
	return PTR_ERR_OR_ZERO(space);
}

static void provider_unbind(struct device *parent, u32 pasid, void *handle)
{
	struct sim_space *space = handle;

	mutex_lock(&spaces_lock);
	/* binds is 0 if the device's removal has erased the space already. */
	if (space->binds && !--space->binds)
		space_erase(space);
	mutex_unlock(&spaces_lock);
	sim_space_put(space);
}

/* The doorbell window is memory, in which the last owner's stores remain. */
static void provider_scrub(struct device *parent, phys_addr_t start, size_t size)
{
	struct sim_fn *fn = sim_bus_function(parent);
	struct sim_bar *db;

	if (!fn)
		return;
	db = &fn->db;
	if (start < db->phys || start - db->phys > db->size || size > db->size - (start - db->phys))
		return;
	memset_io(db->io + (start - db->phys), 0, size);
}

/* No owner: uacce must not pin this module. Devices are removed first, so no queue is bound at unregistration. */
static const struct uacce_sva_provider provider = {
	.name = "sva-sim",
	.simulated = true,
	.match = provider_match,
	.enable = provider_enable,
	.disable = provider_disable,
	.bind = provider_bind,
	.unbind = provider_unbind,
	.scrub = provider_scrub,
};

static void (*unregister)(const struct uacce_sva_provider *p);

/* uacce may be this tree's, another kernel's, or absent; only this tree's has providers. */
void sim_sva_register(void)
{
	int (*register_provider)(const struct uacce_sva_provider *p);

	if (unregister)
		return;
	register_provider = symbol_get(uacce_sva_provider_register);
	if (!register_provider)
		return;
	unregister = symbol_get(uacce_sva_provider_unregister);
	if (unregister && register_provider(&provider)) {
		symbol_put(uacce_sva_provider_unregister);
		unregister = NULL;
	}
	symbol_put(uacce_sva_provider_register);
}

void sim_sva_exit(void)
{
	if (!unregister)
		return;
	unregister(&provider);
	symbol_put(uacce_sva_provider_unregister);
	unregister = NULL;
}

void sim_sva_init(struct sim_dev *sdev)
{
	init_waitqueue_head(&sdev->binds.wait);
}

/* While held, a process' first open of the device waits in bind(), as it may with an IOMMU. */
void sim_sva_hold_binds(struct sim_dev *sdev, bool hold)
{
	WRITE_ONCE(sdev->binds.held, hold);
	if (!hold)
		wake_up_all(&sdev->binds.wait);
}

bool sim_sva_holds_binds(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->binds.held);
}

/* The function is being removed: drops the address spaces that are still bound. */
void sim_sva_drop(struct sim_fn *fn)
{
	struct sim_space *space;
	unsigned long nr;

	mutex_lock(&spaces_lock);
	xa_for_each(&spaces, nr, space)
		if (space->fn == fn)
			space_erase(space);
	mutex_unlock(&spaces_lock);
}

/* Have job threads waited long for pages of the user behind @pasid? */
bool sim_space_slow(struct sim_fn *fn, u32 pasid)
{
	struct sim_space *space;
	kuid_t uid = INVALID_UID;

	if (!sim_waits_any_slow())
		return false;
	xa_lock(&spaces);
	space = xa_load(&spaces, pasid);
	if (space && space->fn == fn)
		uid = space->uid;
	xa_unlock(&spaces);
	return uid_valid(uid) && sim_waits_slow(uid);
}

/* Uses the address space of @pasid on this thread; NULL when the space or its process is gone. */
struct sim_space *sim_space_use(struct sim_fn *fn, u32 pasid)
{
	struct sim_space *space;

	xa_lock(&spaces);
	space = xa_load(&spaces, pasid);
	if (space && (space->fn != fn || !kref_get_unless_zero(&space->ref)))
		space = NULL;
	xa_unlock(&spaces);
	if (!space)
		return NULL;
	if (!mmget_not_zero(space->mm)) {
		sim_space_put(space);
		return NULL;
	}
	kthread_use_mm(space->mm);
	return space;
}

void sim_space_unuse(struct sim_space *space)
{
	kthread_unuse_mm(space->mm);
	mmput_async(space->mm);
	sim_space_put(space);
}

/*
 * Present pages are copied directly. The first absent page is faulted in, and the copy retried,
 * since the page may be gone again. TRIES_MAX retries without progress mean that it can't be
 * copied.
 */
static int next_page(struct sim_access *how, u64 addr, bool write, size_t done, unsigned int *tries)
{
	*tries = done ? 0 : *tries + 1;
	if (*tries > TRIES_MAX)
		return -EFAULT;
	return sim_page_in(how, how->space, addr, write);
}

int sim_space_read(struct sim_access *how, u64 addr, void *buf, size_t len)
{
	unsigned int tries = 0;

	if (!access_ok((void __user *)addr, len))
		return -EFAULT;
	while (len) {
		unsigned long flags;
		size_t done, left;

		if (!sim_config_dma_begin(how->fn, &flags))
			return -EFAULT;
		pagefault_disable();
		left = __copy_from_user_inatomic(buf, (void __user *)addr, len);
		pagefault_enable();
		sim_config_dma_end(how->fn, flags);
		done = len - left;
		addr += done;
		buf += done;
		len = left;
		if (left && next_page(how, addr, false, done, &tries))
			return -EFAULT;
	}
	return 0;
}

int sim_space_write(struct sim_access *how, u64 addr, const void *buf, size_t len)
{
	unsigned int tries = 0;

	if (!access_ok((void __user *)addr, len))
		return -EFAULT;
	while (len) {
		unsigned long flags;
		size_t done, left;

		if (!sim_config_dma_begin(how->fn, &flags))
			return -EFAULT;
		pagefault_disable();
		left = __copy_to_user_inatomic((void __user *)addr, buf, len);
		pagefault_enable();
		sim_config_dma_end(how->fn, flags);
		done = len - left;
		addr += done;
		buf += done;
		len = left;
		if (left && next_page(how, addr, true, done, &tries))
			return -EFAULT;
	}
	return 0;
}
