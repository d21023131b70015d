/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included ahead of mainline's uacce.c: what that asks of the IOMMU, it asks of the simulated device's provider. */
#ifndef WD_MAINLINE_SVA_H
#define WD_MAINLINE_SVA_H

#include <linux/iommu.h>

int sva_enable_feature(struct device *parent);
void sva_disable_feature(struct device *parent);
struct iommu_sva *sva_bind_device(struct device *parent, struct mm_struct *mm);
void sva_unbind_device(struct iommu_sva *handle);
u32 sva_get_pasid(struct iommu_sva *handle);

#define iommu_dev_enable_feature(parent, feature) sva_enable_feature(parent)
#define iommu_dev_disable_feature(parent, feature) sva_disable_feature(parent)
/* Until 6.2 there is a third argument. */
#define iommu_sva_bind_device(parent, mm, ...) sva_bind_device(parent, mm)
#define iommu_sva_unbind_device(handle) sva_unbind_device(handle)
#define iommu_sva_get_pasid(handle) sva_get_pasid(handle)

#endif
