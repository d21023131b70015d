// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared virtual addressing: which address space a PASID means, and payload copies through it. */
/*
 * Lock		protects			taken under
 * spaces_lock	spaces, binds			anything that may sleep
 * xa_lock	lookups against erasure		spaces_lock
 *
 * A space keeps the mm_struct, not its contents: each job takes the contents with mmget_not_zero()
 * and gives them back with mmput_async(), because a final mmput() would close the mappings of this
 * very device from its own thread.
 */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "internal.h"
#include "uacce.h"

#define PASID_MAX		0xffff	/* 16 bits in the queue context */
#define FAULT_WAIT_MS		2000
#define FAULT_JOB_MS		5000
#define FAULT_CROWD_MS		10
#define FAULT_RETRY_US		100

struct sim_space {
	struct kref ref;
	struct sim_dev *sdev;
	struct mm_struct *mm;
	u32 pasid;
	unsigned int binds;
};

static DEFINE_XARRAY_ALLOC1(spaces);
static DEFINE_MUTEX(spaces_lock);
static u32 next_pasid;

static void space_release(struct kref *ref)
{
	struct sim_space *space = container_of(ref, struct sim_space, ref);

	mmdrop(space->mm);
	kfree(space);
}

static bool provider_match(struct device *parent)
{
	return sim_bus_owner(parent);
}

static int provider_enable(struct device *parent)
{
	return 0;
}

static void provider_disable(struct device *parent)
{
}

static struct sim_space *space_find(struct sim_dev *sdev, struct mm_struct *mm)
{
	struct sim_space *space;
	unsigned long nr;

	lockdep_assert_held(&spaces_lock);
	xa_for_each(&spaces, nr, space)
		if (space->sdev == sdev && space->mm == mm)
			return space;
	return NULL;
}

/* The table's reference is the new space's first. */
static struct sim_space *space_add(struct sim_dev *sdev, struct mm_struct *mm)
{
	struct sim_space *space = kzalloc(sizeof(*space), GFP_KERNEL);
	int err;

	lockdep_assert_held(&spaces_lock);
	if (!space)
		return ERR_PTR(-ENOMEM);
	kref_init(&space->ref);
	space->sdev = sdev;
	space->mm = mm;
	mmgrab(mm);
	/* Cyclic: what still carries an old number doesn't meet a new process soon. */
	err = xa_alloc_cyclic(&spaces, &space->pasid, space, XA_LIMIT(1, PASID_MAX), &next_pasid,
			      GFP_KERNEL);
	if (err < 0) {
		kref_put(&space->ref, space_release);
		return ERR_PTR(err == -EBUSY ? -ENOSPC : err);
	}
	return space;
}

static void space_erase(struct sim_space *space)
{
	lockdep_assert_held(&spaces_lock);
	xa_erase(&spaces, space->pasid);
	space->binds = 0;
	kref_put(&space->ref, space_release);
}

static int provider_bind(struct device *parent, struct mm_struct *mm, u32 *pasid, void **handle)
{
	struct sim_dev *sdev = sim_bus_owner(parent);
	struct sim_space *space;

	if (!sdev)
		return -ENODEV;
	mutex_lock(&spaces_lock);
	space = space_find(sdev, mm) ?: space_add(sdev, mm);
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
	/* No binds: the device's removal came first and took it off the table. */
	if (space->binds && !--space->binds)
		space_erase(space);
	mutex_unlock(&spaces_lock);
	kref_put(&space->ref, space_release);
}

/* The doorbell window is memory: its last owner's stores stay in it. */
static void provider_scrub(struct device *parent, phys_addr_t start, size_t size)
{
	struct sim_dev *sdev = sim_bus_owner(parent);
	struct sim_bar *db;

	if (!sdev)
		return;
	db = &sdev->pf.db;
	if (start < db->phys || start - db->phys > db->size || size > db->size - (start - db->phys))
		return;
	memset_io(db->io + (start - db->phys), 0, size);
}

/* No owner: uacce must not pin this module. Devices go first, so nobody is left at unregistering. */
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

/* uacce may be ours, another kernel's, or absent: only ours has providers. */
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

/* The device goes: what its users didn't unbind ends here. */
void sim_sva_drop(struct sim_dev *sdev)
{
	struct sim_space *space;
	unsigned long nr;

	mutex_lock(&spaces_lock);
	xa_for_each(&spaces, nr, space)
		if (space->sdev == sdev)
			space_erase(space);
	mutex_unlock(&spaces_lock);
}

/* Enter the address space of @pasid; NULL when it or its process is gone. */
struct sim_space *sim_space_use(struct sim_dev *sdev, u32 pasid)
{
	struct sim_space *space;

	xa_lock(&spaces);
	space = xa_load(&spaces, pasid);
	if (space && (space->sdev != sdev || !kref_get_unless_zero(&space->ref)))
		space = NULL;
	xa_unlock(&spaces);
	if (!space)
		return NULL;
	if (!mmget_not_zero(space->mm)) {
		kref_put(&space->ref, space_release);
		return NULL;
	}
	kthread_use_mm(space->mm);
	return space;
}

void sim_space_unuse(struct sim_space *space)
{
	kthread_unuse_mm(space->mm);
	mmput_async(space->mm);
	kref_put(&space->ref, space_release);
}

/*
 * A page that isn't there. User space decides what stands behind it and could make a plain fault
 * wait for ever, so it is asked for without waiting, again and again until a deadline. A job's waits
 * are bounded together too: page by page it could keep a runner for hours.
 */
static struct page *fetch_page(struct sim_access *how, unsigned long addr, bool write)
{
	unsigned int flags = FOLL_NOWAIT | (write ? FOLL_WRITE : 0);
	unsigned long since = 0, patience = 0;
	bool waiting = false;
	struct page *page;
	long got;

	for (;;) {
		got = get_user_pages_unlocked(addr, 1, &page, flags);
		if (got || READ_ONCE(*how->abort))
			break;
		if (!waiting) {
			waiting = true;
			since = jiffies;
			patience = msecs_to_jiffies(atomic_inc_return(how->waiters) >= how->crowd ?
						    FAULT_CROWD_MS : FAULT_WAIT_MS);
		}
		if (jiffies - since > patience ||
		    how->waited + (jiffies - since) > msecs_to_jiffies(FAULT_JOB_MS))
			break;
		usleep_range(FAULT_RETRY_US, 2 * FAULT_RETRY_US);
	}
	if (waiting) {
		atomic_dec(how->waiters);
		how->waited += jiffies - since;
	}
	return got == 1 ? page : NULL;
}

static int read_absent(struct sim_access *how, unsigned long addr, void *buf, size_t len)
{
	struct page *page = fetch_page(how, addr, false);

	if (!page)
		return -EFAULT;
	memcpy_from_page(buf, page, offset_in_page(addr), len);
	put_page(page);
	return 0;
}

static int write_absent(struct sim_access *how, unsigned long addr, const void *buf, size_t len)
{
	struct page *page = fetch_page(how, addr, true);

	if (!page)
		return -EFAULT;
	memcpy_to_page(page, offset_in_page(addr), buf, len);
	set_page_dirty_lock(page);
	put_page(page);
	return 0;
}

static size_t part_of_page(u64 addr, size_t len)
{
	return min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
}

/* Present pages are copied as they are; only the first byte that can't be goes the slow way. */
int sim_space_read(struct sim_access *how, u64 addr, void *buf, size_t len)
{
	if (!access_ok((void __user *)addr, len))
		return -EFAULT;
	while (len) {
		size_t done, left;

		if (!sim_config_dma_begin(how->fn))
			return -EFAULT;
		pagefault_disable();
		left = __copy_from_user_inatomic(buf, (void __user *)addr, len);
		pagefault_enable();
		sim_config_dma_end(how->fn);
		done = len - left;
		if (left) {
			size_t part = part_of_page(addr + done, left);

			if (read_absent(how, addr + done, buf + done, part))
				return -EFAULT;
			done += part;
		}
		addr += done;
		buf += done;
		len -= done;
	}
	return 0;
}

int sim_space_write(struct sim_access *how, u64 addr, const void *buf, size_t len)
{
	if (!access_ok((void __user *)addr, len))
		return -EFAULT;
	while (len) {
		size_t done, left;

		if (!sim_config_dma_begin(how->fn))
			return -EFAULT;
		pagefault_disable();
		left = __copy_to_user_inatomic((void __user *)addr, buf, len);
		pagefault_enable();
		sim_config_dma_end(how->fn);
		done = len - left;
		if (left) {
			size_t part = part_of_page(addr + done, left);

			if (write_absent(how, addr + done, buf + done, part))
				return -EFAULT;
			done += part;
		}
		addr += done;
		buf += done;
		len -= done;
	}
	return 0;
}
