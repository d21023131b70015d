// SPDX-License-Identifier: GPL-2.0-or-later
/* Device access to memory at bus addresses: any address may be wrong, none may harm the kernel. */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "internal.h"

/*
 * With SVA bus addresses are physical addresses: the functions have neither an IOMMU nor an offset. Only
 * pages that the kernel manages are accessed, and faults are caught, since some pages (module
 * text, guard pages) are read-only or absent in the direct map.
 */
static void *bus_to_virt(u64 addr, bool write)
{
	struct page *page = pfn_to_online_page(addr >> PAGE_SHIFT);

	if (!page || (write && PageReserved(page)))
		return NULL;
	return page_address(page) + offset_in_page(addr);
}

#define STORE_WHILE(dst, src, len, type, fault)				\
	for (; (len) >= sizeof(type); (len) -= sizeof(type)) {		\
		__put_kernel_nofault(dst, src, type, fault);		\
		(dst) += sizeof(type);					\
		(src) += sizeof(type);					\
	}

/*
 * The counterpart of copy_from_kernel_nofault(), which is exported to modules while
 * copy_to_kernel_nofault() isn't. Widest stores first.
 */
static int store_nofault(void *dst, const void *src, size_t len)
{
	pagefault_disable();
	STORE_WHILE(dst, src, len, u64, fault);
	STORE_WHILE(dst, src, len, u32, fault);
	STORE_WHILE(dst, src, len, u16, fault);
	STORE_WHILE(dst, src, len, u8, fault);
	pagefault_enable();
	return 0;
fault:
	pagefault_enable();
	return -EFAULT;
}

/* Between begin and end interrupts are off, and no mapping ends. */
static bool access_begin(struct sim_fn *fn, unsigned long *flags)
{
	if (!sim_config_dma_begin(fn, flags))
		return false;
	if (!fn->sdev->shape.sva)
		raw_spin_lock(&fn->memory.lock);
	return true;
}

static void access_end(struct sim_fn *fn, unsigned long flags)
{
	if (!fn->sdev->shape.sva)
		raw_spin_unlock(&fn->memory.lock);
	sim_config_dma_end(fn, flags);
}

/* The memory behind @addr; @len is cut to what is consecutive, and in one page. */
static void *memory_at(struct sim_fn *fn, u64 addr, bool write, size_t *len)
{
	*len = min_t(size_t, *len, PAGE_SIZE - offset_in_page(addr));
	if (fn->sdev->shape.sva)
		return bus_to_virt(addr, write);
	return sim_mapped_reach(fn, addr, write, len);
}

int sim_dma_lost(struct sim_fn *fn, u64 addr, size_t len, bool write)
{
	if (!fn->sdev->shape.sva) {
		sim_mapped_fault(fn, addr, len, write);
		sim_worker_kick(fn->sdev);
	}
	return -EFAULT;
}

static int dma_access(struct sim_fn *fn, u64 addr, void *buf, size_t len, bool write)
{
	while (len) {
		size_t part = len;
		unsigned long flags;
		int err = -EFAULT;
		void *va;

		if (!access_begin(fn, &flags))
			return -EFAULT;
		va = memory_at(fn, addr, write, &part);
		if (va)
			err = write ? store_nofault(va, buf, part) : copy_from_kernel_nofault(buf, va, part);
		access_end(fn, flags);
		if (err)
			return sim_dma_lost(fn, addr, len, write);
		addr += part;
		buf += part;
		len -= part;
	}
	return 0;
}

int sim_dma_read(struct sim_fn *fn, u64 addr, void *buf, size_t len)
{
	return dma_access(fn, addr, buf, len, false);
}

int sim_dma_write(struct sim_fn *fn, u64 addr, const void *buf, size_t len)
{
	return dma_access(fn, addr, (void *)buf, len, true);
}

/*
 * No atomic exchange of the kernel survives a fault on a page that is read-only. The model swaps words only of rings
 * that it has written, and a page that is gone from the direct map is found by the read.
 */
int sim_dma_swap(struct sim_fn *fn, u64 addr, u32 old, u32 new)
{
	size_t len = sizeof(u32);
	unsigned long flags;
	int err = -EFAULT;
	u32 *va, word;

	if (!IS_ALIGNED(addr, sizeof(u32)) || !access_begin(fn, &flags))
		return -EFAULT;
	va = memory_at(fn, addr, true, &len);
	if (va && len == sizeof(u32) && !copy_from_kernel_nofault(&word, va, sizeof(word)))
		err = cmpxchg(va, old, new) == old ? 0 : -EAGAIN;
	access_end(fn, flags);
	return err == -EFAULT ? sim_dma_lost(fn, addr, sizeof(u32), true) : err;
}
