// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For kernels before 6.16: one PCI/MSI domain, which all functions of a device share, above the domain of the vectors.
 */
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/msi.h>

#include "internal.h"

static struct irq_chip msi_chip = {
	.name = "hisi_sim-MSI",
	.irq_ack = irq_chip_ack_parent,
	.irq_mask = pci_msi_mask_irq,
	.irq_unmask = pci_msi_unmask_irq,
};

static struct msi_domain_info msi_info = {
	.flags = MSI_FLAG_USE_DEF_DOM_OPS | MSI_FLAG_USE_DEF_CHIP_OPS |
		 MSI_FLAG_MULTI_PCI_MSI | MSI_FLAG_PCI_MSIX,
	.chip = &msi_chip,
};

int sim_msi_domain_init(struct sim_msi *msi, const struct irq_domain_ops *ops)
{
	msi->inner = irq_domain_create_linear(msi->fwnode, msi->lines, ops, msi);
	if (!msi->inner)
		return -ENOMEM;
	irq_domain_update_bus_token(msi->inner, DOMAIN_BUS_NEXUS);
	msi->domain = pci_msi_create_irq_domain(msi->fwnode, &msi_info, msi->inner);
	if (msi->domain)
		return 0;
	irq_domain_remove(msi->inner);
	return -ENOMEM;
}

void sim_msi_domain_exit(struct sim_msi *msi)
{
	irq_domain_remove(msi->domain);
	irq_domain_remove(msi->inner);
}
