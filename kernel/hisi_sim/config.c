// SPDX-License-Identifier: GPL-2.0-or-later
/* Config space of a simulated function: its bytes, their write mask, and the effects of writes. */
/*
 * Lock		protects		taken under
 * fn->lock	cfg, flr, gone, msi_todo pci_lock, where the architecture has it; the device's threads.
 *					Raw: config accesses may run with interrupts off.
 */
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "internal.h"
#include "hw/qm_hw.h"

#define CLASS_ACCELERATOR	0x1200	/* processing accelerator */
#define CAP_PCIE		0x40
#define CAP_MSI			0x80
#define MSI_CTRL		(CAP_MSI + PCI_MSI_FLAGS)

static void config_set8(struct sim_fn *fn, int at, u8 val, u8 mask)
{
	fn->init[at] = val;
	fn->wmask[at] = mask;
}

static void config_set16(struct sim_fn *fn, int at, u16 val, u16 mask)
{
	put_unaligned_le16(val, fn->init + at);
	put_unaligned_le16(mask, fn->wmask + at);
}

static void config_set32(struct sim_fn *fn, int at, u32 val, u32 mask)
{
	put_unaligned_le32(val, fn->init + at);
	put_unaligned_le32(mask, fn->wmask + at);
}

/* The write mask implements the sizing protocol: address bits below the BAR's size are read-only. */
static void set_bar(struct sim_fn *fn, int nr, const struct sim_bar *bar)
{
	u64 mask = ~((u64)bar->size - 1);
	int at = PCI_BASE_ADDRESS_0 + nr * 4;

	config_set32(fn, at, lower_32_bits(bar->phys) | PCI_BASE_ADDRESS_MEM_TYPE_64 |
		     PCI_BASE_ADDRESS_MEM_PREFETCH, lower_32_bits(mask));
	config_set32(fn, at + 4, upper_32_bits(bar->phys), upper_32_bits(mask));
}

static void set_header(struct sim_fn *fn)
{
	u16 device = fn->sdev->shape.type->device;

	config_set16(fn, PCI_VENDOR_ID, QM_PCI_VENDOR_HUAWEI, 0);
	config_set16(fn, PCI_DEVICE_ID, device, 0);
	config_set16(fn, PCI_COMMAND, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
		     PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	config_set16(fn, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	config_set8(fn, PCI_REVISION_ID, QM_HW_V3, 0);
	config_set16(fn, PCI_CLASS_DEVICE, CLASS_ACCELERATOR, 0);
	config_set8(fn, PCI_CACHE_LINE_SIZE, 0, 0xff);
	config_set8(fn, PCI_HEADER_TYPE, PCI_HEADER_TYPE_NORMAL, 0);
	config_set16(fn, PCI_SUBSYSTEM_VENDOR_ID, QM_PCI_VENDOR_HUAWEI, 0);
	config_set16(fn, PCI_SUBSYSTEM_ID, device, 0);
	config_set8(fn, PCI_CAPABILITY_LIST, CAP_PCIE, 0);
	config_set8(fn, PCI_INTERRUPT_LINE, 0, 0xff);
	set_bar(fn, QM_BAR_REGS, &fn->regs);
	set_bar(fn, QM_BAR_DB, &fn->db);
}

static void set_capabilities(struct sim_fn *fn)
{
	config_set8(fn, CAP_PCIE, PCI_CAP_ID_EXP, 0);
	config_set8(fn, CAP_PCIE + PCI_CAP_LIST_NEXT, CAP_MSI, 0);
	config_set16(fn, CAP_PCIE + PCI_EXP_FLAGS, 2 | (PCI_EXP_TYPE_RC_END << 4), 0);
	config_set32(fn, CAP_PCIE + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER, 0);
	config_set16(fn, CAP_PCIE + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN,
		     0xffff & ~PCI_EXP_DEVCTL_BCR_FLR);
	config_set16(fn, CAP_PCIE + PCI_EXP_DEVCTL2, 0, 0xffff);

	config_set8(fn, CAP_MSI, PCI_CAP_ID_MSI, 0);
	config_set16(fn, MSI_CTRL, (ilog2(SIM_MSI_VECTORS) << 1) | PCI_MSI_FLAGS_64BIT |
		     PCI_MSI_FLAGS_MASKBIT, PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE);
	config_set32(fn, CAP_MSI + PCI_MSI_ADDRESS_LO, 0, 0xfffffffc);
	config_set32(fn, CAP_MSI + PCI_MSI_ADDRESS_HI, 0, 0xffffffff);
	config_set16(fn, CAP_MSI + PCI_MSI_DATA_64, 0, 0xffff);
	config_set32(fn, CAP_MSI + PCI_MSI_MASK_64, 0, 0xffffffff);
}

int sim_config_init(struct sim_fn *fn)
{
	fn->cfg = kcalloc(3, SIM_CFG_SIZE, GFP_KERNEL);
	if (!fn->cfg)
		return -ENOMEM;
	fn->init = fn->cfg + SIM_CFG_SIZE;
	fn->wmask = fn->init + SIM_CFG_SIZE;
	raw_spin_lock_init(&fn->lock);
	set_header(fn);
	set_capabilities(fn);
	memcpy(fn->cfg, fn->init, SIM_CFG_SIZE);
	return 0;
}

void sim_config_exit(struct sim_fn *fn)
{
	kfree(fn->cfg);
}

static u32 cfg_get(const u8 *cfg, int where, int size)
{
	return size == 1 ? cfg[where] : size == 2 ? get_unaligned_le16(cfg + where) :
	       get_unaligned_le32(cfg + where);
}

u32 sim_config_read(struct sim_fn *fn, int where, int size)
{
	unsigned long flags;
	u32 val;

	raw_spin_lock_irqsave(&fn->lock, flags);
	/* All ones during a reset, since the PCI core waits for an answer, and for ever when the function is gone. */
	val = fn->flr || fn->gone ? ~0u : cfg_get(fn->cfg, where, size);
	raw_spin_unlock_irqrestore(&fn->lock, flags);
	return val;
}

/*
 * Begins an access to memory, which the function may make only as a bus master; false means
 * don't access. Nothing sleeps between begin and end. A write that clears the bus master bit
 * waits for the end, since the driver may then free the memory that the device was writing to.
 * The writer holds locks that interrupt handlers take: those of the device's own message, and of
 * any config access. So interrupts are off between begin and end.
 */
bool sim_config_dma_begin(struct sim_fn *fn, unsigned long *flags)
{
	local_irq_save(*flags);
	atomic_inc(&fn->dma);
	/* Pairs with the barrier in wait_dma(): one of the two sides sees the other. */
	smp_mb__after_atomic();
	if (READ_ONCE(fn->cfg[PCI_COMMAND]) & PCI_COMMAND_MASTER)
		return true;
	sim_config_dma_end(fn, *flags);
	return false;
}

void sim_config_dma_end(struct sim_fn *fn, unsigned long flags)
{
	smp_mb__before_atomic();
	atomic_dec(&fn->dma);
	local_irq_restore(flags);
}

static void wait_dma(struct sim_fn *fn)
{
	lockdep_assert_held(&fn->lock);
	smp_mb();
	while (atomic_read(&fn->dma))
		cpu_relax();
}

static bool write_hits(int where, int size, int field, int len)
{
	return where < field + len && field < where + size;
}

void sim_config_write(struct sim_fn *fn, int where, int size, u32 val)
{
	bool kick = false;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&fn->lock, flags);
	if (fn->flr || fn->gone)
		goto unlock;
	for (i = 0; i < size; i++) {
		u8 byte = val >> (8 * i), mask = fn->wmask[where + i];

		fn->cfg[where + i] = (fn->cfg[where + i] & ~mask) | (byte & mask);
		/* The trigger bit reads as zero, so it isn't in the write mask. */
		if (where + i == CAP_PCIE + PCI_EXP_DEVCTL + 1 &&
		    byte & (PCI_EXP_DEVCTL_BCR_FLR >> 8))
			fn->flr = kick = true;
	}
	if (write_hits(where, size, PCI_COMMAND, 2)) {
		kick = true;
		if (!(fn->cfg[PCI_COMMAND] & PCI_COMMAND_MASTER))
			wait_dma(fn);
	}
	if (write_hits(where, size, CAP_MSI, PCI_MSI_PENDING_64))
		sim_msi_config_changed(fn);
unlock:
	raw_spin_unlock_irqrestore(&fn->lock, flags);
	if (kick)
		sim_worker_kick(fn->sdev);
}

/* Has a function-level reset been requested? sim_config_flr_done() ends it. */
bool sim_config_flr_wanted(struct sim_fn *fn)
{
	return READ_ONCE(fn->flr);
}

void sim_config_flr_done(struct sim_fn *fn)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&fn->lock, flags);
	memcpy(fn->cfg, fn->init, SIM_CFG_SIZE);
	fn->flr = false;
	raw_spin_unlock_irqrestore(&fn->lock, flags);
}

/* Surprise removal: from here on no config access is answered, and no memory access is in flight. */
void sim_config_vanish(struct sim_fn *fn)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&fn->lock, flags);
	fn->gone = true;
	put_unaligned_le16(0, fn->cfg + PCI_COMMAND);
	wait_dma(fn);
	raw_spin_unlock_irqrestore(&fn->lock, flags);
}

bool sim_config_memory_enabled(struct sim_fn *fn)
{
	return READ_ONCE(fn->cfg[PCI_COMMAND]) & PCI_COMMAND_MEMORY;
}

/*
 * Called with fn->lock held. Returns those of @vectors that may be delivered now; the others
 * become pending. @base is the function's first line.
 */
unsigned long sim_config_msi_filter(struct sim_fn *fn, unsigned long vectors, u16 *base)
{
	u16 control = get_unaligned_le16(fn->cfg + MSI_CTRL);
	u32 mask = get_unaligned_le32(fn->cfg + CAP_MSI + PCI_MSI_MASK_64);
	u32 pending = get_unaligned_le32(fn->cfg + CAP_MSI + PCI_MSI_PENDING_64);
	unsigned int count = 1u << ((control & PCI_MSI_FLAGS_QSIZE) >> 4);

	lockdep_assert_held(&fn->lock);
	/* MSI is disabled, or the function isn't a bus master: the message is lost, as in hardware. */
	if (!(control & PCI_MSI_FLAGS_ENABLE) || !(fn->cfg[PCI_COMMAND] & PCI_COMMAND_MASTER))
		vectors = pending = 0;
	vectors = (vectors | pending) & GENMASK_ULL(min(count, 32u) - 1, 0);
	put_unaligned_le32(vectors & mask, fn->cfg + CAP_MSI + PCI_MSI_PENDING_64);
	*base = get_unaligned_le16(fn->cfg + CAP_MSI + PCI_MSI_DATA_64) & ~(count - 1);
	return vectors & ~mask;
}
