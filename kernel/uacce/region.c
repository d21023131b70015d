// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions: a queue's doorbell window and rings in its owner's address space.
 *
 * A region belongs to its VMA and lives until the last VMA of it is closed: a VMA is never
 * split, but a refused move makes a second VMA for a moment. A region occupies its slot in the
 * context while it lives, so it can be mapped again after munmap, but not twice. Locks: see
 * queue.c.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "internal.h"

struct uacce_region {
	refcount_t vmas;
	enum uacce_qfrt type;
	struct uacce_ctx *ctx;		/* held by the VMA's file */
	struct uacce_dus *dus;		/* DUS, DEVICE_CQ: the memory itself */
	struct page *idle;		/* MMIO: replaces hidden registers, and the window after a revocation */
	bool window;			/* uacce_window_map() has succeeded */
};

static void uacce_region_free(struct uacce_region *region)
{
	if (region->window)
		uacce_window_unmap(region->ctx);
	uacce_dus_put(region->dus);
	if (region->idle)
		__free_page(region->idle);
	kfree(region);
}

static void uacce_vma_open(struct vm_area_struct *vma)
{
	struct uacce_region *region = vma->vm_private_data;

	refcount_inc(&region->vmas);
}

static void uacce_vma_close(struct vm_area_struct *vma)
{
	struct uacce_region *region = vma->vm_private_data;
	struct uacce_ctx *ctx = region->ctx;

	if (!refcount_dec_and_test(&region->vmas))
		return;
	mutex_lock(&ctx->map_lock);
	ctx->regions[region->type] = NULL;
	mutex_unlock(&ctx->map_lock);
	uacce_region_free(region);
}

static int uacce_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int uacce_vma_mremap(struct vm_area_struct *vma)
{
	return -EPERM;
}

/*
 * A window is mapped page by page on access, never in mmap: a VMA that isn't linked yet would
 * escape uacce_region_revoke(). Under map_lock the window either still belongs to the context,
 * and a later revocation finds the page, or the idle page is mapped: the owner's doorbells then
 * have no effect, and it reads back what it wrote.
 */
static vm_fault_t uacce_mmio_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct uacce_region *region = vma->vm_private_data;
	struct uacce_ctx *ctx = region->ctx;
	unsigned long addr = vmf->address & PAGE_MASK, offset = addr - vma->vm_start;
	unsigned long pfn = PHYS_PFN(ctx->mmio_start + offset);
	vm_fault_t ret;

	mutex_lock(&ctx->map_lock);
	if (ctx->state == UACCE_CTX_ZOMBIE || offset < ctx->q.uacce->mmio_hidden)
		ret = vmf_insert_pfn_prot(vma, addr, page_to_pfn(region->idle),
					  vm_get_page_prot(vma->vm_flags));
	else
		ret = vmf_insert_pfn(vma, addr, pfn);
	mutex_unlock(&ctx->map_lock);
	return ret;
}

static vm_fault_t uacce_dus_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct uacce_region *region = vma->vm_private_data;
	unsigned long offset = (vmf->address & PAGE_MASK) - vma->vm_start;

	vmf->page = virt_to_page(region->dus->va + offset);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct uacce_mmio_vm_ops = {
	.open = uacce_vma_open,
	.close = uacce_vma_close,
	.may_split = uacce_vma_may_split,
	.mremap = uacce_vma_mremap,
	.fault = uacce_mmio_fault,
};

static const struct vm_operations_struct uacce_dus_vm_ops = {
	.open = uacce_vma_open,
	.close = uacce_vma_close,
	.may_split = uacce_vma_may_split,
	.mremap = uacce_vma_mremap,
	.fault = uacce_dus_fault,
};

/* Avoids page faults in the request path. Pages not inserted here are mapped by a fault. */
static void uacce_dus_populate(struct vm_area_struct *vma, struct uacce_dus *dus)
{
	size_t offset;

	for (offset = 0; offset < dus->size; offset += PAGE_SIZE)
		if (vm_insert_page(vma, vma->vm_start + offset, virt_to_page(dus->va + offset)))
			return;
}

static int uacce_region_attach(struct uacce_region *region, unsigned long bytes)
{
	struct uacce_ctx *ctx = region->ctx;
	struct uacce_device *uacce = ctx->q.uacce;

	lockdep_assert_held(&ctx->map_lock);
	if (ctx->state == UACCE_CTX_ZOMBIE)
		return -ENXIO;
	if (ctx->regions[region->type])
		return -EEXIST;
	if (region->type == UACCE_QFRT_MMIO) {
		if (bytes > uacce->mmio_size)
			return -EINVAL;
	} else {
		struct uacce_dus *dus = region->type == UACCE_QFRT_DUS ? ctx->dus : ctx->device_cq;

		if (!dus || bytes != dus->size)
			return -EINVAL;
		region->dus = uacce_dus_get(dus);
	}
	ctx->regions[region->type] = region;
	return 0;
}

static struct uacce_region *uacce_region_alloc(struct uacce_ctx *ctx, enum uacce_qfrt type)
{
	struct uacce_region *region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);

	if (!region)
		return NULL;
	refcount_set(&region->vmas, 1);
	region->type = type;
	region->ctx = ctx;
	if (type == UACCE_QFRT_MMIO) {
		/* Allocated now, since a fault after removal must not fail. */
		region->idle = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!region->idle) {
			kfree(region);
			return NULL;
		}
	}
	return region;
}

/* Which mappings a process may ask for. */
static int uacce_region_check(const struct uacce_ctx *ctx, struct vm_area_struct *vma)
{
	bool device_cq = vma->vm_pgoff == UACCE_QFRT_DEVICE_CQ && uacce_mediated(ctx->q.uacce);

	if (vma->vm_pgoff != UACCE_QFRT_MMIO && vma->vm_pgoff != UACCE_QFRT_DUS && !device_cq)
		return -EINVAL;
	/* Not VM_SHARED: a mapping of a file opened for reading doesn't have that. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (!device_cq)
		return 0;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* mprotect() asks for this one. */
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

int uacce_region_mmap(struct uacce_ctx *ctx, struct vm_area_struct *vma)
{
	/* The same flags as mainline; VM_IO also keeps madvise() from undoing VM_DONTCOPY. */
	vm_flags_t flags = VM_IO | VM_DONTCOPY | VM_WIPEONFORK | VM_DONTEXPAND | VM_DONTDUMP;
	unsigned long bytes = vma->vm_end - vma->vm_start;
	struct uacce_region *region;
	enum uacce_qfrt type;
	int ret = uacce_region_check(ctx, vma);

	if (ret)
		return ret;
	type = vma->vm_pgoff;
	region = uacce_region_alloc(ctx, type);
	if (!region)
		return -ENOMEM;

	ret = type == UACCE_QFRT_MMIO ? uacce_window_map(ctx) : 0;
	if (ret)
		goto err_free_region;
	region->window = type == UACCE_QFRT_MMIO;
	mutex_lock(&ctx->map_lock);
	ret = uacce_region_attach(region, bytes);
	mutex_unlock(&ctx->map_lock);
	if (ret)
		goto err_free_region;
	vma->vm_private_data = region;
	if (type == UACCE_QFRT_MMIO) {
		vm_flags_set(vma, flags | VM_PFNMAP);
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
		vma->vm_ops = &uacce_mmio_vm_ops;
	} else {
		vm_flags_set(vma, flags | VM_MIXEDMAP);
		vma->vm_ops = &uacce_dus_vm_ops;
		uacce_dus_populate(vma, region->dus);
	}
	return 0;

err_free_region:
	uacce_region_free(region);
	return ret;
}

/*
 * Unmaps the window from every process. The context is a zombie, so the next access maps the
 * idle page. Ring pages are unmapped too, and mapped again by a fault.
 */
void uacce_region_revoke(struct uacce_ctx *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	unmap_mapping_range(ctx->inode->i_mapping, 0, 0, 1);
}
