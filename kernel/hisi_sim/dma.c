// SPDX-License-Identifier: GPL-2.0-or-later
/* Device access to memory at bus addresses: any address may be wrong, none may harm the kernel. */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "internal.h"

/*
 * Bus addresses are physical addresses: the functions have neither an IOMMU nor an offset. Only
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

int sim_dma_read(struct sim_fn *fn, u64 addr, void *buf, size_t len)
{
	while (len) {
		size_t part = min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
		const void *va = bus_to_virt(addr, false);
		unsigned long flags;
		int err = -EFAULT;

		if (!sim_config_dma_begin(fn, &flags))
			return -EFAULT;
		if (va)
			err = copy_from_kernel_nofault(buf, va, part);
		sim_config_dma_end(fn, flags);
		if (err)
			return -EFAULT;
		addr += part;
		buf += part;
		len -= part;
	}
	return 0;
}

int sim_dma_write(struct sim_fn *fn, u64 addr, const void *buf, size_t len)
{
	while (len) {
		size_t part = min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
		void *va = bus_to_virt(addr, true);
		unsigned long flags;
		int err = -EFAULT;

		if (!sim_config_dma_begin(fn, &flags))
			return -EFAULT;
		if (va)
			err = store_nofault(va, buf, part);
		sim_config_dma_end(fn, flags);
		if (err)
			return -EFAULT;
		addr += part;
		buf += part;
		len -= part;
	}
	return 0;
}

/*
 * No atomic exchange of the kernel survives a fault on a page that is read-only. The model swaps words only of rings
 * that it has written, and a page that is gone from the direct map is found by the read.
 */
int sim_dma_swap(struct sim_fn *fn, u64 addr, u32 old, u32 new)
{
	u32 *va = IS_ALIGNED(addr, sizeof(u32)) ? bus_to_virt(addr, true) : NULL;
	unsigned long flags;
	int err = -EFAULT;
	u32 word;

	if (!va || !sim_config_dma_begin(fn, &flags))
		return -EFAULT;
	if (!copy_from_kernel_nofault(&word, va, sizeof(word)))
		err = cmpxchg(va, old, new) == old ? 0 : -EAGAIN;
	sim_config_dma_end(fn, flags);
	return err;
}
