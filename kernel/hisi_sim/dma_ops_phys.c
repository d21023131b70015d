// SPDX-License-Identifier: GPL-2.0-or-later
/* DMA mapping operations of kernels whose mappings begin with a physical address, of memory or of registers. */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include "dma_ops.h"

static dma_addr_t map_phys(struct device *dev, phys_addr_t phys, size_t size, enum dma_data_direction dir,
			   unsigned long attrs)
{
	struct page *page = attrs & DMA_ATTR_MMIO ? NULL : pfn_to_online_page(PHYS_PFN(phys));

	return page ? sim_map_page(dev, page, offset_in_page(phys), size, dir, attrs) : DMA_MAPPING_ERROR;
}

const struct dma_map_ops sim_dma_ops = {
	SIM_DMA_OPS,
	.map_phys = map_phys,
	.unmap_phys = sim_unmap,
};
