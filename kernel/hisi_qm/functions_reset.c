// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resets of functions of one device: of one function by PCI, and of the whole device after an error.
 *
 * A reset of the physical function resets the virtual ones as well, and their config spaces. A reset claims the
 * functions of the device from its beginning to its end, which keeps other resets and their binding away. The work item
 * only tries to claim them, because removing the driver of a virtual function does, and removing that of the physical
 * function waits for the work item.
 *
 * A reset of a bus reaches all functions, and the PCI core calls for each of them, the physical one first. That one's
 * call stops all of them. Virtual ones start when the core has restored their config space, at their own call.
 */
#include <linux/pci.h>
#include <linux/workqueue.h>
#include "internal.h"

#define QM_RESET_RETRY_MS	10
/* A device with a lasting error must not keep the machine busy. */
#define QM_RESET_PERIOD_MS	200

/* ------ the functions ------ */

static void qm_vf_stop(struct hisi_qm *vf)
{
	if (vf->in_reset)
		return;
	vf->in_reset = true;
	qm_reset_prepare(vf);
	pci_save_state(vf->pdev);
}

static void qm_functions_stop(struct hisi_qm *qm, bool device)
{
	struct hisi_qm *vf;

	/* Those that are suspended, too, start afterwards. */
	list_for_each_entry(vf, &qm->vfs, vf_node)
		pm_runtime_get_sync(&vf->pdev->dev);
	qm_message_stop(qm);
	/* A request that one function's stop has ended must not be sent again by another function that stops next. */
	list_for_each_entry(vf, &qm->vfs, vf_node)
		if (!vf->in_reset)
			qm_close(vf);
	qm_close(qm);
	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_vf_stop(vf);
	/* An error of a virtual function that is being reset is no error of the device. */
	qm->holds_errors = qm->physical;
	if (qm->holds_errors)
		qm_error_suspend(qm->physical);
	if (qm->pf)
		qm_error_hold(qm);
	qm->in_reset = true;
	qm_reset_prepare(qm);
	/* Last, since it may take long, and other drivers limit the time from their stop to their start. */
	if (qm->pf)
		qm_vfs_order_stop(qm, device);
}

static void qm_vf_reset_done(struct hisi_qm *vf)
{
	if (READ_ONCE(vf->physical->broken))
		qm_reset_failed(vf, QM_PHYSICAL_BROKEN);
	else
		qm_reset_done(vf);
	/* Broken meanwhile, which qm_reset_done() has undone. */
	if (READ_ONCE(vf->physical->broken))
		qm_break(vf, QM_PHYSICAL_BROKEN);
}

/* Virtual functions that a reset waits for: they are resetting, and no longer broken, until they start. */
static void qm_vfs_mended(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	list_for_each_entry(vf, &qm->vfs, vf_node) {
		mutex_lock(&vf->state_lock);
		WRITE_ONCE(vf->broken, false);
		mutex_unlock(&vf->state_lock);
	}
}

/* A reset by PCI of the physical function leaves the bus master closed that an error has closed. */
static void qm_pf_start(struct hisi_qm *qm)
{
	if (READ_ONCE(qm->broken) && qm_device_reset(qm, true)) {
		qm_reset_failed(qm, "reset failed");
		return;
	}
	/* First: otherwise they would seem to be broken alone. */
	qm_vfs_mended(qm);
	qm_ecc_clear(qm);
	qm_reset_done(qm);
	qm_ecc_end(qm);
}

static void qm_vf_start(struct hisi_qm *vf)
{
	/* The PCI core is about to restore its config space, and calls then. */
	if (!vf->by_pci) {
		vf->in_reset = false;
		pci_restore_state(vf->pdev);
		qm_vf_reset_done(vf);
	}
	qm_power_put(vf);
}

static void qm_errors_resume(struct hisi_qm *qm)
{
	if (!qm->holds_errors)
		return;
	qm->holds_errors = false;
	if (qm->physical->in_reset)
		qm_error_release(qm->physical);
	else
		qm_error_resume(qm->physical);
}

static void qm_functions_start(struct hisi_qm *qm)
{
	unsigned int vfs = pci_num_vf(qm->pdev);
	struct hisi_qm *vf;

	qm->in_reset = false;
	if (qm->pf)
		qm_pf_start(qm);
	else if (qm->physical)
		qm_vf_reset_done(qm);
	else
		qm_reset_done(qm);
	qm_errors_resume(qm);
	if (vfs && !READ_ONCE(qm->broken)) {
		if (qm_vfs_set_shares(qm, vfs))
			pci_err(qm->pdev, "its virtual functions have lost their queues\n");
		qm_vfs_order_start(qm);
	}
	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_vf_start(vf);
	if (qm->pf)
		qm_error_release(qm);
}

/* ------ reset by PCI ------ */

/**
 * qm_functions_reset_prepare - stop a function before its reset, and all functions that are reset with it
 * @qm: the function; nothing happens if its physical function has stopped it for the same reset
 */
void qm_functions_reset_prepare(struct hisi_qm *qm)
{
	pm_runtime_get_sync(&qm->pdev->dev);
	qm_claim(qm_device(qm));
	qm->by_pci = true;
	if (qm->in_reset)
		return;
	if (qm->pf)
		qm_device_thaw(qm);
	qm_functions_stop(qm, false);
}

static void qm_functions_restart(struct hisi_qm *qm)
{
	qm_functions_start(qm);
	/* The administrator has looked at it. */
	if (qm->pf)
		qm_isolate_forget(qm);
	if (!READ_ONCE(qm->broken))
		qm_message_start(qm);
}

/**
 * qm_functions_reset_done - restart what qm_functions_reset_prepare() has stopped
 * @qm: the function
 */
void qm_functions_reset_done(struct hisi_qm *qm)
{
	qm->by_pci = false;
	if (qm->physical && qm->physical->in_reset)
		qm_errors_resume(qm);
	else
		qm_functions_restart(qm);
	qm_claim_end(qm_device(qm));
	qm_power_put(qm);
}

/* ------ sleep of the system ------ */

/**
 * qm_functions_sleep - stop a function, and all that depend on it, before the system sleeps
 * @qm: the function; nothing happens for one that its physical function stops
 */
void qm_functions_sleep(struct hisi_qm *qm)
{
	if (qm->physical)
		return;
	qm_reset_forbid(qm);
	qm_claim(qm);
	qm_device_thaw(qm);
	qm_functions_stop(qm, false);
	qm_claim_end(qm);
}

/**
 * qm_functions_wake - undo qm_functions_sleep(): the functions start as after a reset
 * @qm: the function
 */
void qm_functions_wake(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	if (qm->physical)
		return;
	qm_claim(qm);
	/* The PCI core may have restored a virtual function before it existed again. */
	list_for_each_entry(vf, &qm->vfs, vf_node)
		pci_load_saved_state(vf->pdev, vf->config);
	/* No sleep ends an isolation. */
	qm->isolate_next = READ_ONCE(qm->isolated);
	qm_functions_start(qm);
	qm->isolate_next = false;
	if (!READ_ONCE(qm->broken))
		qm_message_start(qm);
	qm_claim_end(qm);
	qm_reset_allow(qm);
}

/* ------ reset of the device after an error ------ */

static void qm_give_up(struct hisi_qm *qm)
{
	if (qm->state == QM_STOPPED)
		return;
	qm_state_set(qm, QM_STOPPED);
	qm_isolate(qm);
}

/* The device is gone from the bus, or was isolated by another reset, before this one began. */
static void qm_device_give_up(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	qm_give_up(qm);
	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_give_up(vf);
}

static void qm_device_recover(struct hisi_qm *qm)
{
	pci_info(qm->pdev, "resetting the device\n");
	qm->isolate_next = qm_isolate_count(qm);
	if (qm->isolate_next)
		pci_err(qm->pdev, "isolated after more than %u resets within an hour\n", qm->isolate_threshold);
	qm_last_words(qm);
	qm_functions_stop(qm, true);
	qm_functions_start(qm);
	qm->isolate_next = false;
	if (!READ_ONCE(qm->broken))
		qm_message_start(qm);
}

/**
 * qm_functions_recover - reset the device if it is broken
 * @qm: the physical function, whose functions are claimed
 *
 * A device that can't be reset any more is isolated.
 */
void qm_functions_recover(struct hisi_qm *qm)
{
	qm_assert_claimed(qm);
	qm_device_thaw(qm);
	if (!READ_ONCE(qm->broken))
		return;
	if (!qm_reset_follows(qm)) {
		qm_device_give_up(qm);
		return;
	}
	qm_device_recover(qm);
	qm->reset_ended = jiffies;
}

static bool qm_device_too_early(struct hisi_qm *qm)
{
	if (qm->vfs_changing || (qm->device_frozen && time_before(jiffies, qm->reset_after)))
		return true;
	return qm->reset_ended && time_before(jiffies, qm->reset_ended + msecs_to_jiffies(QM_RESET_PERIOD_MS));
}

/* Returns false if it must be tried again later. */
static bool qm_device_try_recover(struct hisi_qm *qm)
{
	bool done = false;

	if (qm_power_get(qm))
		return false;
	if (qm_claim_try(qm)) {
		done = !qm_device_too_early(qm);
		if (done)
			qm_functions_recover(qm);
		qm_claim_end(qm);
	}
	qm_power_put(qm);
	return done;
}

static void qm_reset_work(struct work_struct *work)
{
	struct hisi_qm *qm = container_of(to_delayed_work(work), struct hisi_qm, reset_work);

	if (!qm_device_try_recover(qm))
		qm_reset_schedule(qm, QM_RESET_RETRY_MS);
}

/**
 * qm_functions_reset_init - initialise the work item
 * @qm: a new function
 */
void qm_functions_reset_init(struct hisi_qm *qm)
{
	INIT_DELAYED_WORK(&qm->reset_work, qm_reset_work);
}
