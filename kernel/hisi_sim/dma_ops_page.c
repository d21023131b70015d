// SPDX-License-Identifier: GPL-2.0-or-later
/* DMA mapping operations of kernels whose mappings begin with a page and an offset. */
#include "dma_ops.h"

const struct dma_map_ops sim_dma_ops = {
	SIM_DMA_OPS,
	.map_page = sim_map_page,
	.unmap_page = sim_unmap,
};
