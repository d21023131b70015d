// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors of PCI Express, handled as the PCI core does for an endpoint that is integrated in the root complex. The
 * core's own entry isn't for modules on all kernels: later ones free the registers that they are given into a pool of
 * GHES.
 */
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "internal.h"

static const struct pci_error_handlers *handlers_of(struct pci_dev *pdev)
{
	return pdev->dev.driver ? to_pci_driver(pdev->dev.driver)->err_handler : NULL;
}

static const pci_channel_state_t states[] = {
	[SIM_AER_NONFATAL] = pci_channel_io_normal,
	[SIM_AER_FATAL] = pci_channel_io_frozen,
	[SIM_AER_LOST] = pci_channel_io_frozen,
	[SIM_AER_FAILURE] = pci_channel_io_perm_failure,
};

static int aer_recover(struct pci_dev *pdev, const struct pci_error_handlers *handlers, enum sim_aer aer)
{
	pci_ers_result_t result;
	int err;

	pdev->error_state = states[aer];
	result = handlers->error_detected(pdev, states[aer]);
	if (aer == SIM_AER_LOST || aer == SIM_AER_FAILURE)
		return 0;
	err = aer == SIM_AER_FATAL ? pcie_flr(pdev) : 0;
	if (err)
		return err;
	if (result == PCI_ERS_RESULT_NEED_RESET && handlers->slot_reset)
		result = handlers->slot_reset(pdev);
	if (result != PCI_ERS_RESULT_RECOVERED)
		return -EIO;
	pdev->error_state = pci_channel_io_normal;
	return 0;
}

/* Returns -EIO if the driver has given the function up, -EOPNOTSUPP if it doesn't handle errors. */
int sim_aer_report(struct sim_dev *sdev, enum sim_aer aer)
{
	struct pci_dev *pdev = pci_get_slot(sim_bridge_bus(sdev, sdev->bridge->bus), PCI_DEVFN(0, SIM_PF));
	const struct pci_error_handlers *handlers;
	int err = 0;

	if (!pdev)
		return -ENODEV;
	pm_runtime_get_sync(&pdev->dev);
	device_lock(&pdev->dev);
	handlers = handlers_of(pdev);
	if (!handlers || !handlers->error_detected)
		err = -EOPNOTSUPP;
	else
		err = aer_recover(pdev, handlers, aer);
	device_unlock(&pdev->dev);
	pm_runtime_put(&pdev->dev);
	pci_dev_put(pdev);
	return err;
}
