// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DUS blocks: the memory that a queue's device, kernel and user share. Of a mediated queue, no device reaches the block
 * that the user writes; the device's own rings are blocks too.
 *
 * Each open allocates a new block, so no owner sees the data of the last. The block is
 * reference counted: the driver, the context and each mapping hold a reference.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "internal.h"

/* The block is mapped once and never synchronised: device and CPU must be coherent. */
static bool uacce_dus_possible(struct device *dev)
{
	return dev_is_dma_coherent(dev) && dma_max_mapping_size(dev) == SIZE_MAX;
}

/* A context charged to a slot takes memory that its section reserved. */
static void uacce_dus_take_reserved(struct uacce_dus *dus, struct uacce_queue *q)
{
	if (to_uacce_ctx(q)->charge.class != UACCE_NL_CTX_SLOT)
		return;
	dus->pool = uacce_pool_take(q->uacce, dus->size, &dus->va);
	if (dus->pool)
		get_device(&q->uacce->dev);
}

/*
 * A process may refer to pages without a mapping: vmsplice() and direct I/O take them by the page tables, whatever the
 * flags of the mapping are. Nobody takes a new reference once no mapping is left.
 */
static bool uacce_dus_is_referred_to(const struct uacce_dus *dus)
{
	size_t offset;

	for (offset = 0; offset < dus->size; offset += PAGE_SIZE)
		if (page_ref_count(virt_to_page(dus->va + offset)) != 1)
			return true;
	return false;
}

/* Called when only processes' references remain. They keep the pages, so the pool allocates others. */
static void uacce_dus_leave_pool(struct uacce_dus *dus)
{
	struct uacce_pool *pool = dus->pool;
	struct device *dev;
	void *va = NULL;

	if (!pool)
		return;
	dus->pool = NULL;
	dev = &pool->uacce->dev;
	/* With one reference left, nobody else can take another. */
	if (kref_read(&dus->ref) == 1 && !uacce_dus_is_referred_to(dus))
		swap(va, dus->va);
	uacce_pool_give(pool, va);
	put_device(dev);
}

static int uacce_dus_map(struct uacce_dus *dus, struct device *dev)
{
	dus->dma = dma_map_single(dev, dus->va, dus->size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dus->dma)) {
		dus->dma = 0;
		return -ENOMEM;
	}
	dus->dev = dev;
	return 0;
}

static struct uacce_dus *uacce_dus_make(struct uacce_queue *q, struct device *dev, size_t size, bool mapped)
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
	uacce_dus_take_reserved(dus, q);
	if (!dus->va)
		dus->va = uacce_pages_alloc(dev, size, GFP_KERNEL_ACCOUNT);
	if (!dus->va || (mapped && uacce_dus_map(dus, dev)))
		goto err_put_dus;
	return dus;

err_put_dus:
	uacce_dus_leave_pool(dus);
	uacce_dus_put(dus);
	return ERR_PTR(-ENOMEM);
}

struct uacce_dus *uacce_dus_alloc(struct uacce_queue *q, struct device *dev, size_t size)
{
	return uacce_dus_make(q, dev, size, !uacce_mediated(q->uacce));
}
EXPORT_SYMBOL_GPL(uacce_dus_alloc);

struct uacce_dus *uacce_ring_alloc(struct uacce_queue *q, struct device *dev, size_t size)
{
	return uacce_dus_make(q, dev, size, true);
}
EXPORT_SYMBOL_GPL(uacce_ring_alloc);

void uacce_dus_unmap(struct uacce_dus *dus)
{
	if (dus->dev)
		dma_unmap_single(dus->dev, dus->dma, dus->size, DMA_BIDIRECTIONAL);
	dus->dev = NULL;
}
EXPORT_SYMBOL_GPL(uacce_dus_unmap);

void uacce_dus_free(struct uacce_dus *dus)
{
	uacce_dus_unmap(dus);
	uacce_dus_leave_pool(dus);
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

	if (dus->va)
		free_pages_exact(dus->va, dus->size);
	kfree(dus);
}

void uacce_dus_put(struct uacce_dus *dus)
{
	if (dus)
		kref_put(&dus->ref, uacce_dus_release);
}
