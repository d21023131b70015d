// SPDX-License-Identifier: GPL-2.0-or-later
/* Since 6.16 the domain of the vectors is an MSI parent: PCI creates a domain for each function below it. */
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/msi.h>

#include "internal.h"

static bool init_dev_msi_info(struct device *dev, struct irq_domain *domain, struct irq_domain *parent,
			      struct msi_domain_info *info)
{
	if (info->bus_token != DOMAIN_BUS_PCI_DEVICE_MSI && info->bus_token != DOMAIN_BUS_PCI_DEVICE_MSIX)
		return false;
	info->flags |= MSI_FLAG_USE_DEF_DOM_OPS | MSI_FLAG_USE_DEF_CHIP_OPS;
	info->chip->irq_ack = irq_chip_ack_parent;
	return true;
}

static const struct msi_parent_ops parent_ops = {
	.supported_flags = MSI_GENERIC_FLAGS_MASK | MSI_FLAG_MULTI_PCI_MSI | MSI_FLAG_PCI_MSIX,
	.prefix = "hisi_sim-",
	.init_dev_msi_info = init_dev_msi_info,
};

int sim_msi_domain_init(struct sim_msi *msi, const struct irq_domain_ops *ops)
{
	struct irq_domain_info info = {
		.fwnode = msi->fwnode,
		.ops = ops,
		.size = msi->lines,
		.host_data = msi,
	};

	msi->inner = msi_create_parent_irq_domain(&info, &parent_ops);
	msi->domain = msi->inner;
	return msi->inner ? 0 : -ENOMEM;
}

void sim_msi_domain_exit(struct sim_msi *msi)
{
	irq_domain_remove(msi->inner);
}
