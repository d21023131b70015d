/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space under construction: initial values and write masks of its registers. */
#ifndef HISI_SIM_CONFIG_H
#define HISI_SIM_CONFIG_H

#include <linux/pci_regs.h>
#include <linux/unaligned.h>

#include "internal.h"

static inline void config_set8(struct sim_fn *fn, int at, u8 val, u8 mask)
{
	fn->init[at] = val;
	fn->wmask[at] = mask;
}

static inline void config_set16(struct sim_fn *fn, int at, u16 val, u16 mask)
{
	put_unaligned_le16(val, fn->init + at);
	put_unaligned_le16(mask, fn->wmask + at);
}

static inline void config_set32(struct sim_fn *fn, int at, u32 val, u32 mask)
{
	put_unaligned_le32(val, fn->init + at);
	put_unaligned_le32(mask, fn->wmask + at);
}

/*
 * The write mask implements the sizing protocol: address bits below the BAR's size are
 * read-only. @bars: the first BAR register. A BAR of size 0 doesn't exist.
 */
static inline void config_set_bar(struct sim_fn *fn, int bars, int nr, phys_addr_t phys, size_t size)
{
	u64 mask = ~((u64)size - 1);
	int at = bars + nr * 4;

	if (!size)
		return;
	config_set32(fn, at, lower_32_bits(phys) | PCI_BASE_ADDRESS_MEM_TYPE_64 |
		     PCI_BASE_ADDRESS_MEM_PREFETCH, lower_32_bits(mask));
	config_set32(fn, at + 4, upper_32_bits(phys), upper_32_bits(mask));
}

#endif
