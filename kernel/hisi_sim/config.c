// SPDX-License-Identifier: GPL-2.0-or-later
/* Config space of a simulated function: its bytes, their write mask, and the effects of writes. */
/*
 * Lock		protects		taken under
 * fn->lock	cfg, flr, gone, enabled, pci_lock, where the architecture has it; the device's threads;
 *		mapped, changes,	that of a virtual function also under its physical function's.
 *		msi_base, msi_todo	Raw: config accesses may run with interrupts off.
 */
#include <linux/pci.h>
#include <linux/slab.h>

#include "config.h"
#include "hw/qm_hw.h"

#define CLASS_ACCELERATOR	0x1200	/* processing accelerator */
#define CAP_PCIE		0x40
#define CAP_MSI			0x80
#define MSI_CTRL		(CAP_MSI + PCI_MSI_FLAGS)

static void set_header(struct sim_fn *fn)
{
	const struct sim_type *type = fn->sdev->shape.type;

	config_set16(fn, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	config_set8(fn, PCI_REVISION_ID, fn->sdev->shape.generation == 2 ? QM_HW_V2 : QM_HW_V3, 0);
	config_set16(fn, PCI_CLASS_DEVICE, CLASS_ACCELERATOR, 0);
	config_set8(fn, PCI_CACHE_LINE_SIZE, 0, 0xff);
	config_set8(fn, PCI_HEADER_TYPE, PCI_HEADER_TYPE_NORMAL, 0);
	config_set16(fn, PCI_SUBSYSTEM_VENDOR_ID, QM_PCI_VENDOR_HUAWEI, 0);
	config_set16(fn, PCI_SUBSYSTEM_ID, fn->index == SIM_PF ? type->device : type->vf_device, 0);
	config_set8(fn, PCI_CAPABILITY_LIST, CAP_PCIE, 0);
	config_set8(fn, PCI_INTERRUPT_LINE, 0, 0xff);
	if (fn->index != SIM_PF) {
		/* The physical function's SR-IOV capability has the device id, the BARs and the memory bit. */
		config_set32(fn, PCI_VENDOR_ID, ~0, 0);
		config_set16(fn, PCI_COMMAND, 0, PCI_COMMAND_MASTER);
		return;
	}
	config_set16(fn, PCI_VENDOR_ID, QM_PCI_VENDOR_HUAWEI, 0);
	config_set16(fn, PCI_DEVICE_ID, type->device, 0);
	config_set16(fn, PCI_COMMAND, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
		     PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	config_set_bar(fn, PCI_BASE_ADDRESS_0, QM_BAR_REGS, fn->regs.phys, fn->regs.size);
	config_set_bar(fn, PCI_BASE_ADDRESS_0, QM_BAR_DB, fn->db.phys, fn->db.size);
	sim_sriov_init(fn);
}

static void set_capabilities(struct sim_fn *fn)
{
	u16 type = fn->sdev->shape.bridge ? PCI_EXP_TYPE_ENDPOINT : PCI_EXP_TYPE_RC_END;

	config_set8(fn, CAP_PCIE, PCI_CAP_ID_EXP, 0);
	config_set8(fn, CAP_PCIE + PCI_CAP_LIST_NEXT, CAP_MSI, 0);
	config_set16(fn, CAP_PCIE + PCI_EXP_FLAGS, 2 | type << 4, 0);
	config_set32(fn, CAP_PCIE + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER, 0);
	config_set16(fn, CAP_PCIE + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN,
		     0xffff & ~PCI_EXP_DEVCTL_BCR_FLR);
	config_set16(fn, CAP_PCIE + PCI_EXP_DEVCTL2, 0, 0xffff);

	config_set8(fn, CAP_MSI, PCI_CAP_ID_MSI, 0);
	config_set16(fn, MSI_CTRL, (ilog2(sim_vectors(fn)) << 1) | PCI_MSI_FLAGS_64BIT |
		     PCI_MSI_FLAGS_MASKBIT, PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE);
	config_set32(fn, CAP_MSI + PCI_MSI_ADDRESS_LO, 0, 0xfffffffc);
	config_set32(fn, CAP_MSI + PCI_MSI_ADDRESS_HI, 0, 0xffffffff);
	config_set16(fn, CAP_MSI + PCI_MSI_DATA_64, 0, 0xffff);
	config_set32(fn, CAP_MSI + PCI_MSI_MASK_64, 0, 0xffffffff);
}

static void set_initial(struct sim_fn *fn)
{
	/* A virtual function has no extended capabilities. */
	memcpy(fn->cfg, fn->init, fn->index == SIM_PF ? SIM_CFG_SIZE : PCI_CFG_SPACE_SIZE);
	if (fn->index == SIM_PF)
		fn->sdev->reset = 0;
	fn->flr = false;
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
	set_initial(fn);
	fn->enabled = fn->index == SIM_PF;
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

static bool fn_answers(const struct sim_fn *fn)
{
	lockdep_assert_held(&fn->lock);
	return fn->enabled && !fn->flr && !fn->gone;
}

u32 sim_config_read(struct sim_fn *fn, int where, int size)
{
	unsigned long flags;
	u32 val;

	raw_spin_lock_irqsave(&fn->lock, flags);
	/* All ones during a reset, since the PCI core waits for an answer, and for ever when the function is gone. */
	val = fn_answers(fn) ? cfg_get(fn->cfg, where, size) : ~0u;
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

/* A virtual function appears in its initial state, and reaches no memory any more once it is disabled. */
static bool vf_set(struct sim_fn *vf, bool enabled, bool mapped)
{
	bool changed;

	raw_spin_lock_nested(&vf->lock, SINGLE_DEPTH_NESTING);
	changed = vf->enabled != enabled || vf->mapped != mapped;
	if (vf->enabled != enabled) {
		set_initial(vf);
		wait_dma(vf);
	}
	WRITE_ONCE(vf->enabled, enabled);
	WRITE_ONCE(vf->mapped, mapped);
	/* Pairs with the read in sim_config_changes(). */
	if (changed)
		smp_store_release(&vf->changes, vf->changes + 1);
	raw_spin_unlock(&vf->lock);
	return changed;
}

/*
 * Enables the virtual functions that the physical function's registers enable now, and disables
 * the others. Config space answers at once; the control thread makes the model follow.
 */
static bool vfs_set(struct sim_fn *pf)
{
	unsigned int nr = pf->flr ? 0 : sim_sriov_enabled(pf), i;
	struct sim_dev *sdev = pf->sdev;
	bool changed = false;

	lockdep_assert_held(&pf->lock);
	for (i = SIM_PF + 1; i < sdev->nr_fns; i++)
		changed |= vf_set(&sdev->fns[i], i <= nr, i <= nr && sim_sriov_mapped(pf));
	return changed;
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
	if (!fn_answers(fn))
		goto unlock;
	for (i = 0; i < size; i++) {
		u8 byte = val >> (8 * i), mask = sim_sriov_fixed(fn, where + i) ? 0 : fn->wmask[where + i];

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
	if (fn->index == SIM_PF && (fn->flr || where >= PCI_CFG_SPACE_SIZE))
		kick |= vfs_set(fn);
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
	/* A virtual function may have been disabled, and enabled again, meanwhile. */
	if (fn->flr)
		set_initial(fn);
	raw_spin_unlock_irqrestore(&fn->lock, flags);
}

/* The reset of a bus is one of the physical function, which all others depend on. */
void sim_config_bus_reset(struct sim_dev *sdev)
{
	struct sim_fn *pf = sim_pf(sdev);
	unsigned long flags;

	raw_spin_lock_irqsave(&pf->lock, flags);
	if (!pf->gone) {
		pf->flr = true;
		vfs_set(pf);
	}
	raw_spin_unlock_irqrestore(&pf->lock, flags);
	sim_worker_kick(sdev);
}

/* A reset of the device, after the model's. */
void sim_config_reset_vf(struct sim_fn *vf)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vf->lock, flags);
	set_initial(vf);
	wait_dma(vf);
	raw_spin_unlock_irqrestore(&vf->lock, flags);
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

/* May a driver access registers of any function? */
bool sim_config_any_memory(struct sim_dev *sdev)
{
	struct sim_fn *pf = sim_pf(sdev);

	return sim_config_memory_enabled(pf) ||
	       (!READ_ONCE(pf->gone) && sim_sriov_enabled(pf) && sim_sriov_mapped(pf));
}

/*
 * Counts the changes of a virtual function's state, and tells whether its registers answer now.
 * Without the lock: a change in between is one more change for the next call.
 */
u32 sim_config_changes(struct sim_fn *fn, bool *mapped)
{
	u32 changes = smp_load_acquire(&fn->changes);

	*mapped = READ_ONCE(fn->enabled) && READ_ONCE(fn->mapped) && !READ_ONCE(fn->gone);
	return changes;
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
	unsigned int count = min(1u << ((control & PCI_MSI_FLAGS_QSIZE) >> 4), sim_vectors(fn));

	lockdep_assert_held(&fn->lock);
	/* MSI is disabled, or the function isn't a bus master: the message is lost, as in hardware. */
	if (!(control & PCI_MSI_FLAGS_ENABLE) || !(fn->cfg[PCI_COMMAND] & PCI_COMMAND_MASTER))
		vectors = pending = 0;
	vectors = (vectors | pending) & GENMASK_ULL(count - 1, 0);
	put_unaligned_le32(vectors & mask, fn->cfg + CAP_MSI + PCI_MSI_PENDING_64);
	*base = get_unaligned_le16(fn->cfg + CAP_MSI + PCI_MSI_DATA_64) & ~(count - 1);
	return vectors & ~mask;
}
