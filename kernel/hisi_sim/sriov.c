// SPDX-License-Identifier: GPL-2.0-or-later
/* The SR-IOV capability of a physical function: its registers, and the virtual functions that they enable. */
#include <linux/minmax.h>
#include <linux/pci.h>

#include "config.h"
#include "hw/qm_hw.h"

#define CAP_SRIOV	PCI_CFG_SPACE_SIZE
#define CAP_VERSION	1
#define CONTROL		(CAP_SRIOV + PCI_SRIOV_CTRL)
#define NUM_VF		(CAP_SRIOV + PCI_SRIOV_NUM_VF)
#define PAGE_SIZES	0x553	/* 4, 8, 64, 256 KiB, 1 and 4 MiB, which every device must support */
#define PAGE_SIZE_4K	0x1

void sim_sriov_init(struct sim_fn *pf)
{
	const struct sim_dev *sdev = pf->sdev;
	u16 vfs = sdev->shape.vfs;

	if (!vfs)
		return;
	config_set32(pf, CAP_SRIOV, PCI_EXT_CAP_ID_SRIOV | CAP_VERSION << 16, 0);
	config_set16(pf, CONTROL, 0, PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE);
	config_set16(pf, CAP_SRIOV + PCI_SRIOV_INITIAL_VF, vfs, 0);
	config_set16(pf, CAP_SRIOV + PCI_SRIOV_TOTAL_VF, vfs, 0);
	config_set16(pf, NUM_VF, 0, 0xffff);
	/* The drivers take a VF's devfn as its number. */
	config_set16(pf, CAP_SRIOV + PCI_SRIOV_VF_OFFSET, 1, 0);
	config_set16(pf, CAP_SRIOV + PCI_SRIOV_VF_STRIDE, 1, 0);
	config_set16(pf, CAP_SRIOV + PCI_SRIOV_VF_DID, sdev->shape.type->vf_device, 0);
	config_set32(pf, CAP_SRIOV + PCI_SRIOV_SUP_PGSIZE, PAGE_SIZES, 0);
	config_set32(pf, CAP_SRIOV + PCI_SRIOV_SYS_PGSIZE, PAGE_SIZE_4K, PAGE_SIZES);
	config_set_bar(pf, CAP_SRIOV + PCI_SRIOV_BAR, QM_BAR_REGS, sdev->vf_regs.phys, sdev->vf_regs.size / vfs);
	config_set_bar(pf, CAP_SRIOV + PCI_SRIOV_BAR, QM_BAR_DB, sdev->vf_db.phys, sdev->vf_db.size / vfs);
}

static u16 sriov_control(const struct sim_fn *pf)
{
	return pf->sdev->shape.vfs ? get_unaligned_le16(pf->cfg + CONTROL) : 0;
}

/* Is this byte read-only now? The number of VFs can't change while they are enabled. */
bool sim_sriov_fixed(const struct sim_fn *pf, int at)
{
	return (at == NUM_VF || at == NUM_VF + 1) && sriov_control(pf) & PCI_SRIOV_CTRL_VFE;
}

/* Number of enabled virtual functions; the first ones are enabled. */
unsigned int sim_sriov_enabled(const struct sim_fn *pf)
{
	if (!(sriov_control(pf) & PCI_SRIOV_CTRL_VFE))
		return 0;
	return min_t(unsigned int, get_unaligned_le16(pf->cfg + NUM_VF), pf->sdev->shape.vfs);
}

/* Does the memory of enabled virtual functions answer? Their own command registers have no bit for that. */
bool sim_sriov_mapped(const struct sim_fn *pf)
{
	return sriov_control(pf) & PCI_SRIOV_CTRL_MSE;
}
