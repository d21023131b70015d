// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DUS blocks: the memory that a queue's device, kernel and user share.
 *
 * One is made for each open, so no owner sees what the last one left. It is
 * counted, not owned: the driver, the context and each mapping hold it.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "internal.h"

/* The block is mapped once and never synchronised: device and CPU must see one memory. */
static bool uacce_dus_possible(struct device *dev)
{
	return dev_is_dma_coherent(dev) && dma_max_mapping_size(dev) == SIZE_MAX;
}

static void *uacce_pages_alloc(struct device *dev, size_t size)
{
	/* Large: worth some reclaim, not somebody's life. */
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	int node = dev_to_node(dev);
	unsigned int order = get_order(size);
	struct page *page;
	unsigned long i;

	if (node != NUMA_NO_NODE && !node_online(node))
		node = NUMA_NO_NODE;
	page = alloc_pages_node(node, gfp, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = size >> PAGE_SHIFT; i < 1ul << order; i++)
		__free_page(page + i);
	return page_address(page);
}

struct uacce_dus *uacce_dus_alloc(struct device *dev, size_t size)
{
	struct uacce_dus *dus;

	if (!size || !PAGE_ALIGNED(size))
		return ERR_PTR(-EINVAL);
	if (!uacce_dus_possible(dev))
		return ERR_PTR(-EOPNOTSUPP);
	dus = kzalloc(sizeof(*dus), GFP_KERNEL_ACCOUNT);
	if (!dus)
		return ERR_PTR(-ENOMEM);
	kref_init(&dus->ref);
	dus->size = size;
	dus->dev = dev;
	dus->va = uacce_pages_alloc(dev, size);
	if (!dus->va)
		goto err_free_dus;
	dus->dma = dma_map_single(dev, dus->va, size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dus->dma))
		goto err_free_pages;
	return dus;

err_free_pages:
	free_pages_exact(dus->va, size);
err_free_dus:
	kfree(dus);
	return ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL_GPL(uacce_dus_alloc);

void uacce_dus_free(struct uacce_dus *dus)
{
	dma_unmap_single(dus->dev, dus->dma, dus->size, DMA_BIDIRECTIONAL);
	dus->dev = NULL;
	uacce_dus_put(dus);
}
EXPORT_SYMBOL_GPL(uacce_dus_free);

struct uacce_dus *uacce_dus_get(struct uacce_dus *dus)
{
	kref_get(&dus->ref);
	return dus;
}

static void uacce_dus_release(struct kref *ref)
{
	struct uacce_dus *dus = container_of(ref, struct uacce_dus, ref);

	free_pages_exact(dus->va, dus->size);
	kfree(dus);
}

void uacce_dus_put(struct uacce_dus *dus)
{
	if (dus)
		kref_put(&dus->ref, uacce_dus_release);
}
