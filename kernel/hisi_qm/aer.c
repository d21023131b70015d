// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery from errors that PCI Express or the firmware reports.
 *
 * The PCI core calls these under the device lock: qm_error_detected(), and qm_slot_reset() if that asks for it. In
 * between, after a fatal error, the core resets the function, without the calls around a reset by PCI and without its
 * config space. If that reset fails, no call follows.
 */
#include <linux/pci.h>
#include <linux/workqueue.h>
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

/* The reset of the device waits for the core's reset of the function, but not for ever. */
static void qm_device_freeze(struct hisi_qm *qm)
{
	qm->device_frozen = true;
	qm->reset_after = jiffies + msecs_to_jiffies(QM_SLOT_RESET_MS);
	qm_break(qm, "fatal PCI Express error");
}

/**
 * qm_device_thaw - restore config space that a fatal error may have cost
 * @qm: the physical function, whose vfs_lock is held; nothing happens without such an error
 */
void qm_device_thaw(struct hisi_qm *qm)
{
	lockdep_assert_held(&qm->vfs_lock);
	if (!qm->device_frozen)
		return;
	qm->device_frozen = false;
	if (qm_configs_restore(qm))
		WRITE_ONCE(qm->isolated, true);
}

/**
 * qm_error_detected - react to an error that PCI Express or the firmware reports
 * @qm: the function
 * @state: how much of it can still be reached
 *
 * The physical function handles the errors of virtual functions.
 */
pci_ers_result_t qm_error_detected(struct hisi_qm *qm, pci_channel_state_t state)
{
	if (state == pci_channel_io_perm_failure) {
		qm_vanished(qm);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	if (!qm->pf)
		return PCI_ERS_RESULT_NONE;

	mutex_lock(&qm->vfs_lock);
	if (state == pci_channel_io_frozen)
		qm_device_freeze(qm);
	else if (!READ_ONCE(qm->broken))
		qm_error_handle(qm);
	mutex_unlock(&qm->vfs_lock);
	/* The queues end before the function is reset. */
	flush_work(&qm->restart_work);

	if (!READ_ONCE(qm->broken))
		return PCI_ERS_RESULT_RECOVERED;
	return qm_reset_follows(qm) ? PCI_ERS_RESULT_NEED_RESET : PCI_ERS_RESULT_DISCONNECT;
}

/**
 * qm_slot_reset - reset the device after an error, unless that has been done meanwhile
 * @qm: the function
 */
pci_ers_result_t qm_slot_reset(struct hisi_qm *qm)
{
	if (!qm->pf)
		return PCI_ERS_RESULT_RECOVERED;

	mutex_lock(&qm->vfs_lock);
	qm_functions_recover(qm);
	mutex_unlock(&qm->vfs_lock);
	return qm_is_isolated(qm) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}
