// SPDX-License-Identifier: GPL-2.0-or-later
/* Config space of a device's functions, which a fatal error may cost: kept since probe, restored before a reset. */
#include <linux/pci.h>
#include "internal.h"

/* The PCI core waits a minute for a function after its reset. */
#define QM_SLOT_RESET_MS	(90 * MSEC_PER_SEC)

/**
 * qm_config_save - keep a function's config space for the time after a fatal error
 * @qm: the function, whose probe is complete
 *
 * Later, it might be unreadable.
 */
void qm_config_save(struct hisi_qm *qm)
{
	if (!pci_save_state(qm->pdev))
		qm->config = pci_store_saved_state(qm->pdev);
	if (!qm->config)
		pci_warn(qm->pdev, "no memory to keep config space: a fatal error will isolate the device\n");
}

static void qm_config_restore(struct hisi_qm *qm)
{
	if (!pci_load_saved_state(qm->pdev, qm->config))
		pci_restore_state(qm->pdev);
}

/* The reset of the physical function has reset the virtual ones as well. */
static int qm_configs_restore(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	list_for_each_entry(vf, &qm->vfs, vf_node)
		if (!vf->config)
			return -ENOMEM;
	if (!qm->config)
		return -ENOMEM;
	qm_config_restore(qm);
	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_config_restore(vf);
	return 0;
}

/**
 * qm_device_freeze - break a device that has had a fatal error
 * @qm: the physical function, whose functions are claimed
 *
 * The reset of the device waits for the PCI core's reset of the function, but not for ever.
 */
void qm_device_freeze(struct hisi_qm *qm)
{
	qm_assert_claimed(qm);
	qm->device_frozen = true;
	qm->reset_after = jiffies + msecs_to_jiffies(QM_SLOT_RESET_MS);
	qm_break(qm, "fatal PCI Express error");
}

/**
 * qm_device_thaw - restore config space that a fatal error may have cost
 * @qm: the physical function, whose functions are claimed; nothing happens without such an error
 */
void qm_device_thaw(struct hisi_qm *qm)
{
	qm_assert_claimed(qm);
	if (!qm->device_frozen)
		return;
	qm->device_frozen = false;
	WRITE_ONCE(qm->gone, false);
	if (qm_configs_restore(qm))
		WRITE_ONCE(qm->isolated, true);
}
