// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of mainline's uacce for tests: the provider of address spaces, which hisi_sim registers, in the place of an
 * IOMMU. There is one at most, and it goes after its devices, so nothing uses it then.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "sva.h"
#include "uacce/uacce.h"	/* this tree's, for the provider alone */

struct sva_handle {
	struct device *parent;
	u32 pasid;
	void *bond;	/* the provider's */
};

static const struct uacce_sva_provider *provider;

int uacce_sva_provider_register(const struct uacce_sva_provider *p)
{
	return cmpxchg(&provider, NULL, p) ? -EBUSY : 0;
}
EXPORT_SYMBOL_GPL(uacce_sva_provider_register);

void uacce_sva_provider_unregister(const struct uacce_sva_provider *p)
{
	cmpxchg(&provider, p, NULL);
}
EXPORT_SYMBOL_GPL(uacce_sva_provider_unregister);

int sva_enable_feature(struct device *parent)
{
	const struct uacce_sva_provider *p = READ_ONCE(provider);

	return p && p->match(parent) ? 0 : -ENODEV;
}

void sva_disable_feature(struct device *parent)
{
}

struct iommu_sva *sva_bind_device(struct device *parent, struct mm_struct *mm)
{
	struct sva_handle *handle = kzalloc(sizeof(*handle), GFP_KERNEL);
	int ret;

	if (!handle)
		return ERR_PTR(-ENOMEM);
	handle->parent = parent;
	ret = provider->bind(parent, mm, &handle->pasid, &handle->bond);
	if (ret) {
		kfree(handle);
		return ERR_PTR(ret);
	}
	return (struct iommu_sva *)handle;
}

void sva_unbind_device(struct iommu_sva *sva)
{
	struct sva_handle *handle = (struct sva_handle *)sva;

	provider->unbind(handle->parent, handle->pasid, handle->bond);
	kfree(handle);
}

u32 sva_get_pasid(struct iommu_sva *sva)
{
	return ((struct sva_handle *)sva)->pasid;
}
