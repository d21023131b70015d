/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the DMA mapping operations are made of; which ones there are depends on the kernel. */
#ifndef HISI_SIM_DMA_OPS_H
#define HISI_SIM_DMA_OPS_H

#include <linux/dma-map-ops.h>

/* The members that every kernel has. */
#define SIM_DMA_OPS					\
	.alloc = sim_dma_alloc,				\
	.free = sim_dma_free,				\
	.map_sg = sim_map_sg,				\
	.unmap_sg = sim_unmap_sg,			\
	.dma_supported = sim_dma_supported,		\
	.get_merge_boundary = sim_merge_boundary

/* dma_ops.c */
dma_addr_t sim_map_page(struct device *dev, struct page *page, unsigned long offset, size_t size,
			enum dma_data_direction dir, unsigned long attrs);
void sim_unmap(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir, unsigned long attrs);
int sim_map_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
	       unsigned long attrs);
void sim_unmap_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
		  unsigned long attrs);
void *sim_dma_alloc(struct device *dev, size_t size, dma_addr_t *addr, gfp_t gfp, unsigned long attrs);
void sim_dma_free(struct device *dev, size_t size, void *mem, dma_addr_t addr, unsigned long attrs);
int sim_dma_supported(struct device *dev, u64 mask);
unsigned long sim_merge_boundary(struct device *dev);

/* dma_ops_page.c or dma_ops_phys.c */
extern const struct dma_map_ops sim_dma_ops;

#endif
