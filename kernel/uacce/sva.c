// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address space binding: which provider binds a process' memory to a device, by PASID.
 *
 * lock                  protects                          taken with
 * --------------------  --------------------------------  -----------------------------
 * uacce_providers_lock  the list, users of each provider  nothing; its holders may sleep
 *                                                         in match() and enable()
 * uacce_device.lock     bonds, users of each bond         any lock; a leaf, spins
 * uacce_bond.mutex      binds, pasid, handle              uacce_ctx.mutex (unbind); its
 *                                                         holders may sleep in bind() and
 *                                                         unbind()
 *
 * A process is bound to a device once, however many queues it opens: an IOMMU's
 * bind() takes a lock shared by all devices and, under it, the process' mmap_lock.
 *
 * A context that is bound never waits for a bind(): its bond is bound already.
 *
 * A provider has one user for each device. A device uses its provider from uacce_alloc()
 * to uacce_remove(). By then all its queues are unbound and no open() runs, so binding
 * needs no lock.
 */
#include <linux/completion.h>
#include <linux/iommu.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "internal.h"

struct uacce_provider {
	const struct uacce_sva_provider *ops;
	struct list_head node;
	unsigned int users;
	bool going;
	struct completion unused;
};

/* A process' address space, bound to a device for all of its queues that use it. */
struct uacce_bond {
	struct list_head node;
	struct mm_struct *mm;		/* pinned by the contexts that use the bond, so it can't be reused */
	unsigned int users;
	struct mutex mutex;
	unsigned int binds;
	u32 pasid;
	void *handle;
};

static bool uacce_iommu_match(struct device *parent)
{
	return IS_ENABLED(CONFIG_IOMMU_SVA) && device_iommu_mapped(parent);
}

static int uacce_iommu_enable(struct device *parent)
{
	int ret;

	ret = iommu_dev_enable_feature(parent, IOMMU_DEV_FEAT_IOPF);
	if (ret)
		return ret;
	ret = iommu_dev_enable_feature(parent, IOMMU_DEV_FEAT_SVA);
	if (ret)
		iommu_dev_disable_feature(parent, IOMMU_DEV_FEAT_IOPF);
	return ret;
}

static void uacce_iommu_disable(struct device *parent)
{
	iommu_dev_disable_feature(parent, IOMMU_DEV_FEAT_SVA);
	iommu_dev_disable_feature(parent, IOMMU_DEV_FEAT_IOPF);
}

static int uacce_iommu_bind(struct device *parent, struct mm_struct *mm, u32 *pasid,
			    void **handle)
{
	struct iommu_sva *sva = iommu_sva_bind_device(parent, mm);

	if (IS_ERR(sva))
		return PTR_ERR(sva);
	*pasid = iommu_sva_get_pasid(sva);
	if (*pasid == IOMMU_PASID_INVALID) {
		iommu_sva_unbind_device(sva);
		return -ENODEV;
	}
	*handle = sva;
	return 0;
}

static void uacce_iommu_unbind(struct device *parent, u32 pasid, void *handle)
{
	iommu_sva_unbind_device(handle);
}

static const struct uacce_sva_provider uacce_iommu_ops = {
	.name = "sva-iommu",
	.match = uacce_iommu_match,
	.enable = uacce_iommu_enable,
	.disable = uacce_iommu_disable,
	.bind = uacce_iommu_bind,
	.unbind = uacce_iommu_unbind,
};

static struct uacce_provider uacce_iommu = {
	.ops = &uacce_iommu_ops,
};

/* Providers of software devices are asked first: they know their own devices. */
static LIST_HEAD(uacce_providers);
static DEFINE_MUTEX(uacce_providers_lock);

static struct uacce_provider *uacce_provider_find(struct device *parent)
{
	struct uacce_provider *p;

	lockdep_assert_held(&uacce_providers_lock);
	list_for_each_entry(p, &uacce_providers, node)
		if (!p->going && p->ops->match(parent))
			return p;
	return uacce_iommu.ops->match(parent) ? &uacce_iommu : NULL;
}

static int uacce_provider_enable(const struct uacce_provider *p, struct device *parent)
{
	int ret;

	if (!p)
		return -EOPNOTSUPP;
	ret = p->ops->enable ? p->ops->enable(parent) : 0;
	/* IOMMU drivers don't agree on an error for "unsupported" (ENODEV, EINVAL, EBUSY). */
	return ret && ret != -ENOMEM ? -EOPNOTSUPP : ret;
}

/*
 * Leaves one of the two ways to memory in the flags, where the driver has both. A device without SVA has a provider
 * too, which scrubs its windows.
 */
int uacce_sva_attach(struct uacce_device *uacce)
{
	struct uacce_provider *p;
	int ret = 0;

	mutex_lock(&uacce_providers_lock);
	p = uacce_provider_find(uacce->parent);
	if (uacce->flags & UACCE_DEV_SVA) {
		ret = uacce_provider_enable(p, uacce->parent);
		if (!ret) {
			uacce->flags &= ~UACCE_DEV_MEDIATED;
		} else if (ret == -EOPNOTSUPP && uacce_mediated(uacce)) {
			uacce->flags &= ~UACCE_DEV_SVA;
			ret = 0;
		}
	}
	if (p && !ret) {
		p->users++;
		uacce->provider = p;
	}
	mutex_unlock(&uacce_providers_lock);
	return ret;
}

void uacce_sva_detach(struct uacce_device *uacce)
{
	struct uacce_provider *p = uacce->provider;

	if (!p)
		return;
	uacce->provider = NULL;
	mutex_lock(&uacce_providers_lock);
	if ((uacce->flags & UACCE_DEV_SVA) && p->ops->disable)
		p->ops->disable(uacce->parent);
	if (!--p->users && p->going)
		complete(&p->unused);
	mutex_unlock(&uacce_providers_lock);
}

/*
 * bind() may wait for the process' mmap_lock while it holds locks that others need. Only the
 * process itself can hold its mmap_lock for long. So open() waits for mmap_lock here first,
 * without any lock, and can be killed.
 */
int uacce_sva_wait(struct uacce_device *uacce)
{
	if (!(uacce->flags & UACCE_DEV_SVA))
		return 0;
	if (mmap_write_lock_killable(current->mm))
		return -EINTR;
	mmap_write_unlock(current->mm);
	return 0;
}

static struct uacce_bond *uacce_bond_get(struct uacce_device *uacce, struct mm_struct *mm)
{
	struct uacce_bond *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *bond;

	if (!fresh)
		return NULL;
	mutex_init(&fresh->mutex);
	fresh->mm = mm;
	spin_lock(&uacce->lock);
	list_for_each_entry(bond, &uacce->bonds, node)
		if (bond->mm == mm)
			break;
	if (list_entry_is_head(bond, &uacce->bonds, node)) {
		bond = fresh;
		fresh = NULL;
		list_add(&bond->node, &uacce->bonds);
	}
	bond->users++;
	spin_unlock(&uacce->lock);
	kfree(fresh);
	return bond;
}

static void uacce_bond_put(struct uacce_device *uacce, struct uacce_bond *bond)
{
	bool last;

	spin_lock(&uacce->lock);
	last = !--bond->users;
	if (last)
		list_del(&bond->node);
	spin_unlock(&uacce->lock);
	if (last)
		kfree(bond);
}

/* Called while only the opener uses ctx->bond; takes no other lock meanwhile. */
int uacce_sva_bind(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	struct uacce_bond *bond;
	int ret = 0;

	if (!(uacce->flags & UACCE_DEV_SVA))
		return 0;
	bond = uacce_bond_get(uacce, ctx->mm);
	if (!bond)
		return -ENOMEM;
	if (mutex_lock_killable(&bond->mutex)) {
		uacce_bond_put(uacce, bond);
		return -EINTR;
	}
	if (!bond->binds)
		ret = uacce->provider->ops->bind(uacce->parent, ctx->mm, &bond->pasid, &bond->handle);
	if (!ret) {
		bond->binds++;
		ctx->q.pasid = bond->pasid;
		ctx->bond = bond;
	}
	mutex_unlock(&bond->mutex);
	if (ret)
		uacce_bond_put(uacce, bond);
	return ret;
}

void uacce_sva_unbind(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	struct uacce_bond *bond = ctx->bond;

	lockdep_assert_held(&ctx->mutex);
	if (!bond)
		return;
	mutex_lock(&bond->mutex);
	if (!--bond->binds)
		uacce->provider->ops->unbind(uacce->parent, bond->pasid, bond->handle);
	mutex_unlock(&bond->mutex);
	ctx->bond = NULL;
	ctx->q.pasid = UACCE_PASID_NONE;
	uacce_bond_put(uacce, bond);
}

void uacce_sva_scrub(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;

	if (uacce->provider && uacce->provider->ops->scrub)
		uacce->provider->ops->scrub(uacce->parent, ctx->mmio_start, ctx->mmio_bytes);
}

const char *uacce_sva_name(struct uacce_device *uacce)
{
	if (uacce->flags & UACCE_DEV_SVA)
		return uacce->provider->ops->name;
	return uacce_mediated(uacce) ? "mediated" : "none";
}

bool uacce_sva_simulated(const struct uacce_device *uacce)
{
	return uacce->provider && uacce->provider->ops->simulated;
}

int uacce_sva_provider_register(const struct uacce_sva_provider *ops)
{
	struct uacce_provider *p;

	if (!ops->name || !ops->match || !ops->bind || !ops->unbind)
		return -EINVAL;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	p->ops = ops;
	init_completion(&p->unused);
	mutex_lock(&uacce_providers_lock);
	list_add_tail(&p->node, &uacce_providers);
	mutex_unlock(&uacce_providers_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(uacce_sva_provider_register);

static struct uacce_provider *uacce_provider_stop(const struct uacce_sva_provider *ops)
{
	struct uacce_provider *p;

	list_for_each_entry(p, &uacce_providers, node) {
		if (p->ops != ops)
			continue;
		p->going = true;
		if (!p->users)
			complete(&p->unused);
		return p;
	}
	return NULL;
}

void uacce_sva_provider_unregister(const struct uacce_sva_provider *ops)
{
	struct uacce_provider *p;

	mutex_lock(&uacce_providers_lock);
	p = uacce_provider_stop(ops);
	mutex_unlock(&uacce_providers_lock);
	if (WARN_ON(!p))
		return;
	wait_for_completion(&p->unused);
	mutex_lock(&uacce_providers_lock);
	list_del(&p->node);
	mutex_unlock(&uacce_providers_lock);
	kfree(p);
}
EXPORT_SYMBOL_GPL(uacce_sva_provider_unregister);
