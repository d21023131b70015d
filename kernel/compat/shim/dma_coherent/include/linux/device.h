/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dev_set_dma_coherent() as of 7.2; earlier kernels have a member, where the architecture needs one. */
#ifndef WD_SHIM_LINUX_DEVICE_H
#define WD_SHIM_LINUX_DEVICE_H

#include_next <linux/device.h>

static inline void dev_set_dma_coherent(struct device *dev)
{
#if defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_DEVICE) || \
	defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU) || \
	defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU_ALL)
	dev->dma_coherent = true;
#endif
}

#endif
