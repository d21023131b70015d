// SPDX-License-Identifier: GPL-2.0-or-later
/* The DMA API for devices without shared virtual addressing. Nothing is synchronised: threads access the memory. */
#include <linux/dma-map-ops.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>

#include "dma_ops.h"
#include "internal.h"
#include "model/mapping.h"

static int map_list(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir, size_t align)
{
	struct sim_fn *fn = sim_bus_function(dev);

	return fn ? sim_mapped_add(fn, dev, sgl, nents, dir, align) : -EIO;
}

static dma_addr_t map_range(struct device *dev, struct page *page, size_t offset, size_t size,
			    enum dma_data_direction dir, size_t align)
{
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_set_page(&sg, page, size, offset);
	return map_list(dev, &sg, 1, dir, align) == 1 ? sg_dma_address(&sg) : DMA_MAPPING_ERROR;
}

dma_addr_t sim_map_page(struct device *dev, struct page *page, unsigned long offset, size_t size,
			enum dma_data_direction dir, unsigned long attrs)
{
	return map_range(dev, page, offset, size, dir, PAGE_SIZE);
}

/* A function that is gone has no mappings. */
void sim_unmap(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir, unsigned long attrs)
{
	struct sim_fn *fn = sim_bus_function(dev);

	if (fn)
		sim_mapped_remove(fn, addr);
}

int sim_map_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
	       unsigned long attrs)
{
	return map_list(dev, sgl, nents, dir, PAGE_SIZE);
}

void sim_unmap_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
		  unsigned long attrs)
{
	sim_unmap(dev, sg_dma_address(sgl), 0, dir, attrs);
}

/* As drivers may expect, both addresses are multiples of the size, rounded up. */
void *sim_dma_alloc(struct device *dev, size_t size, dma_addr_t *addr, gfp_t gfp, unsigned long attrs)
{
	unsigned int order = get_order(size);
	struct page *page;

	page = alloc_pages_node(dev_to_node(dev), (gfp & ~__GFP_COMP) | __GFP_ZERO, order);
	if (!page)
		return NULL;
	*addr = map_range(dev, page, 0, size, DMA_BIDIRECTIONAL, PAGE_SIZE << order);
	if (*addr == DMA_MAPPING_ERROR) {
		__free_pages(page, order);
		return NULL;
	}
	return page_address(page);
}

void sim_dma_free(struct device *dev, size_t size, void *mem, dma_addr_t addr, unsigned long attrs)
{
	sim_unmap(dev, addr, size, DMA_BIDIRECTIONAL, attrs);
	free_pages((unsigned long)mem, get_order(size));
}

int sim_dma_supported(struct device *dev, u64 mask)
{
	return mask >= DMA_BIT_MASK(WDM_MAPPED_BITS);
}

/* Pieces of a scatterlist that end and begin at a page become one segment. */
unsigned long sim_merge_boundary(struct device *dev)
{
	struct sim_fn *fn = sim_bus_function(dev);

	return fn && fn->sdev->shape.iommu ? PAGE_SIZE - 1 : 0;
}

bool sim_dma_ops_work(void)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_DMA_OPS);
}
