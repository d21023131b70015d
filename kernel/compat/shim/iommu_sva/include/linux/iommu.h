/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iommu_sva_bind_device() as of 6.2; the earlier third argument was never used. */
#ifndef WD_SHIM_LINUX_IOMMU_H
#define WD_SHIM_LINUX_IOMMU_H

#include_next <linux/iommu.h>

static inline struct iommu_sva *compat_iommu_sva_bind_device(struct device *dev,
							     struct mm_struct *mm)
{
	return iommu_sva_bind_device(dev, mm, NULL);
}

#define iommu_sva_bind_device compat_iommu_sva_bind_device

#endif
