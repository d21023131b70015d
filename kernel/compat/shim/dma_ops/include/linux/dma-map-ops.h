/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CONFIG_ARCH_HAS_DMA_OPS as of 6.12; earlier kernels call it CONFIG_DMA_OPS. */
#ifndef WD_SHIM_LINUX_DMA_MAP_OPS_H
#define WD_SHIM_LINUX_DMA_MAP_OPS_H

#include_next <linux/dma-map-ops.h>

#ifdef CONFIG_DMA_OPS
#define CONFIG_ARCH_HAS_DMA_OPS	1
#endif

#endif
