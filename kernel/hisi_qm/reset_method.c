// SPDX-License-Identifier: GPL-2.0-or-later
/* The reset of a whole device, by a method of the firmware, which keeps config space of the physical function only. */
#include <linux/acpi.h>
#include <linux/delay.h>
#include <linux/pci.h>
#include "internal.h"

#define QM_CONFIG_US		USEC_PER_SEC
#define QM_CONFIG_PERIOD_US	100

#define QM_PEH_BUSY		0x5	/* of QM_PEH_DFX_INFO0 */
#define QM_PEH_BUSY_V2		0xffffffff
#define QM_PEH_MSI_BUSY		0xf0000	/* of QM_PEH_DFX_INFO1 */

/* ------ the method ------ */

static acpi_handle qm_acpi_method(struct hisi_qm *qm)
{
	acpi_handle handle = ACPI_HANDLE(&qm->pdev->dev);

	return handle && acpi_has_method(handle, (char *)qm->engine->reset_method) ? handle : NULL;
}

/**
 * qm_reset_method_init - find the device's reset method
 * @qm: a new physical function
 */
void qm_reset_method_init(struct hisi_qm *qm)
{
	if (!qm->pf)
		return;
	qm->can_reset = qm_acpi_method(qm);
}

/* Waits until the bits @mask of the dword of config space at @at are clear. */
static int qm_config_wait(struct hisi_qm *qm, int at, u32 mask, u64 limit_us, u32 *value)
{
	ktime_t seen = ktime_get();
	u64 waited_us = 0;

	for (;;) {
		if (pci_read_config_dword(qm->pdev, at, value) || PCI_POSSIBLE_ERROR(*value))
			return -ENODEV;
		if (!(*value & mask))
			return 0;
		if (waited_us > limit_us)
			return -ETIMEDOUT;
		usleep_range(QM_CONFIG_PERIOD_US / 2, QM_CONFIG_PERIOD_US);
		waited_us += qm_looked(&seen, QM_LOOK_MAX_US);
	}
}

static int qm_reset_by_acpi(struct hisi_qm *qm)
{
	acpi_handle handle = qm_acpi_method(qm);
	unsigned long long result = 0;
	acpi_status status;

	if (!handle)
		return -EINVAL;
	status = acpi_evaluate_integer(handle, (char *)qm->engine->reset_method, NULL, &result);
	if (ACPI_FAILURE(status) || result) {
		pci_err(qm->pdev, "reset by %s failed (%llu)\n", qm->engine->reset_method, result);
		return -EIO;
	}
	return 0;
}

/* ------ around it ------ */

/* The physical function's memory, and that of all virtual functions. */
static void qm_memory_enable(struct hisi_qm *qm, bool on)
{
	int sriov = pci_num_vf(qm->pdev) ? pci_find_ext_capability(qm->pdev, PCI_EXT_CAP_ID_SRIOV) : 0;
	u16 value;

	if (sriov) {
		pci_read_config_word(qm->pdev, sriov + PCI_SRIOV_CTRL, &value);
		value = on ? value | PCI_SRIOV_CTRL_MSE : value & ~PCI_SRIOV_CTRL_MSE;
		pci_write_config_word(qm->pdev, sriov + PCI_SRIOV_CTRL, value);
	}
	pci_read_config_word(qm->pdev, PCI_COMMAND, &value);
	value = on ? value | PCI_COMMAND_MEMORY : value & ~PCI_COMMAND_MEMORY;
	pci_write_config_word(qm->pdev, PCI_COMMAND, value);
	/* A read comes back when the writes have arrived. */
	pci_read_config_word(qm->pdev, PCI_COMMAND, &value);
}

/* Where the mask of interrupt messages is, with that of pending ones behind it; 0: the capability has neither. */
static int qm_msi_mask_at(struct hisi_qm *qm)
{
	int at = qm->pdev->msi_cap;
	u16 flags;

	pci_read_config_word(qm->pdev, at + PCI_MSI_FLAGS, &flags);
	if (!(flags & PCI_MSI_FLAGS_MASKBIT))
		return 0;
	return at + (flags & PCI_MSI_FLAGS_64BIT ? PCI_MSI_MASK_64 : PCI_MSI_MASK_32);
}

/* Messages in flight would be lost in the middle. */
static void qm_msi_drain(struct hisi_qm *qm)
{
	int mask_at = qm_msi_mask_at(qm);
	u32 value;

	if (hisi_qm_wait(qm, QM_PEH_DFX_INFO0, QM_PEH_BUSY, 0) ||
	    hisi_qm_wait(qm, QM_PEH_DFX_INFO1, QM_PEH_MSI_BUSY, 0) ||
	    (mask_at && qm_config_wait(qm, mask_at + sizeof(u32), ~0u, QM_CONFIG_US, &value)))
		pci_warn(qm->pdev, "interrupts did not drain before the reset\n");
}

/* Generation 2: a value that comes back has passed all doorbells and commands on the way to the device. */
static void qm_requests_drain(struct hisi_qm *qm)
{
	static const u32 values[] = { 0x5a5a, QM_PCI_VENDOR_HUAWEI };
	unsigned int i;

	for (i = 0; qm->gen->resets_by_mask && i < ARRAY_SIZE(values); i++) {
		hisi_qm_write(qm, QM_PEH_VENDOR_ID, values[i]);
		if (hisi_qm_wait(qm, QM_PEH_VENDOR_ID, ~0u, values[i]))
			pci_warn(qm->pdev, "it does not answer before the reset\n");
	}
}

/* Generation 2. Returns the mask of before. */
static u32 qm_msi_mask(struct hisi_qm *qm)
{
	int at = qm_msi_mask_at(qm);
	u32 mask = 0;

	if (at) {
		pci_read_config_dword(qm->pdev, at, &mask);
		pci_write_config_dword(qm->pdev, at, ~0u);
	}
	/* With a memory error, messages never drain. */
	if (!qm->ecc && hisi_qm_wait(qm, QM_PEH_DFX_INFO0, QM_PEH_BUSY_V2, 0))
		pci_warn(qm->pdev, "interrupts did not drain before the reset\n");
	return mask;
}

/* Returns the register's value of before. */
static u16 qm_msi_disable(struct hisi_qm *qm)
{
	u16 flags;

	pci_read_config_word(qm->pdev, qm->pdev->msi_cap + PCI_MSI_FLAGS, &flags);
	pci_write_config_word(qm->pdev, qm->pdev->msi_cap + PCI_MSI_FLAGS, flags & ~PCI_MSI_FLAGS_ENABLE);
	qm_msi_drain(qm);
	return flags;
}

/**
 * qm_device_reset - reset the device, i.e. all its functions, if it has a method for that
 * @qm: the physical function, which isn't started, as are all virtual functions
 * @used: its engine is initialised, and ends once the bus master is closed
 *
 * Opens the bus master that an error has closed.
 */
int qm_device_reset(struct hisi_qm *qm, bool used)
{
	u32 msi;
	int ret;

	if (!qm->can_reset)
		return 0;
	qm_requests_drain(qm);
	msi = qm->gen->resets_by_mask ? qm_msi_mask(qm) : qm_msi_disable(qm);
	ret = qm_master_close(qm);
	if (used)
		qm->engine->hw_exit(qm);
	if (!ret) {
		qm_memory_enable(qm, false);
		ret = qm_reset_by_acpi(qm);
		qm_memory_enable(qm, true);
	}
	if (qm->gen->resets_by_mask && qm_msi_mask_at(qm))
		pci_write_config_dword(qm->pdev, qm_msi_mask_at(qm), msi);
	else if (!qm->gen->resets_by_mask)
		pci_write_config_word(qm->pdev, qm->pdev->msi_cap + PCI_MSI_FLAGS, msi);
	return ret;
}
