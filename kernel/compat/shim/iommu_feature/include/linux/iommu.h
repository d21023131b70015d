/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iommu_dev_enable_feature() for kernels since 6.17, where binding an address space enables what it needs by itself. A
 * device that can't be bound to one is refused by what binding asks for.
 */
#ifndef WD_SHIM_LINUX_IOMMU_FEATURE_H
#define WD_SHIM_LINUX_IOMMU_FEATURE_H

#include_next <linux/iommu.h>

enum iommu_dev_features {
	IOMMU_DEV_FEAT_SVA,
	IOMMU_DEV_FEAT_IOPF,
};

static inline int iommu_dev_enable_feature(struct device *dev, enum iommu_dev_features feature)
{
#ifdef CONFIG_IOMMU_SVA
	const struct dev_iommu *iommu = dev->iommu;

	if (feature != IOMMU_DEV_FEAT_SVA)
		return 0;
	if (iommu && iommu->max_pasids && iommu->iommu_dev->ops->domain_alloc_sva)
		return 0;
#endif
	return -EOPNOTSUPP;
}

static inline int iommu_dev_disable_feature(struct device *dev, enum iommu_dev_features feature)
{
	return 0;
}

#endif
