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

	qm_claim(qm);
	if (state == pci_channel_io_frozen)
		qm_device_freeze(qm);
	else if (!READ_ONCE(qm->broken))
		qm_error_handle(qm);
	qm_claim_end(qm);
	/* The queues end before the function is reset. */
	flush_work(&qm->restart_work);
	if (!READ_ONCE(qm->broken))
		return PCI_ERS_RESULT_RECOVERED;

	/* It would take the device for gone from the bus during the reset. */
	cancel_delayed_work_sync(&qm->stuck_work);
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

	qm_claim(qm);
	qm_functions_recover(qm);
	qm_claim_end(qm);
	return qm_is_isolated(qm) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}
