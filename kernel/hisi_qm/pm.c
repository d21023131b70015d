// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power: a function that nobody uses may be suspended, and all functions stop while the system sleeps.
 *
 * A reference keeps a function awake: an open queue has one until the device has let go of it, virtual functions have
 * one of their physical function, and so has other code that gives the device commands. The callbacks at run time don't
 * take the lock of the functions: opening a queue wakes the function, under a lock for which a reset waits while it
 * holds that one.
 */
#include "internal.h"

#define QM_AUTOSUSPEND_MS	3000	/* as mainline */

static bool qm_power_managed(struct hisi_qm *qm)
{
	return hisi_qm_has(qm, qm->pf ? QM_CAP_PM_PF : QM_CAP_PM_VF);
}

/**
 * qm_power_init - let a function be suspended while nobody uses it, if the device can do that
 * @qm: the function, whose probe is complete
 *
 * The administrator allows it by power/control.
 */
void qm_power_init(struct hisi_qm *qm)
{
	/* Of an earlier driver. */
	if (qm->pf && pci_num_vf(qm->pdev) && !qm->vfs_awake) {
		pm_runtime_get_noresume(&qm->pdev->dev);
		qm->vfs_awake = true;
	}
	if (!qm_power_managed(qm))
		return;
	pm_runtime_set_autosuspend_delay(&qm->pdev->dev, QM_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(&qm->pdev->dev);
	/* The reference of the PCI core. */
	qm_power_put(qm);
}

/**
 * qm_power_exit - undo qm_power_init()
 * @qm: the function, which is awake
 */
void qm_power_exit(struct hisi_qm *qm)
{
	if (!qm_power_managed(qm))
		return;
	pm_runtime_get_noresume(&qm->pdev->dev);
	pm_runtime_dont_use_autosuspend(&qm->pdev->dev);
}

/* ------ callbacks ------ */

/* Without queues or errors to lose: a device that waits for a reset, or is isolated, keeps its state. */
static int qm_runtime_suspend(struct device *dev)
{
	struct hisi_qm *qm = dev_get_drvdata(dev);

	if (!qm_falls_asleep(qm))
		return -EBUSY;
	/* Waits for readers of registers. */
	qm_state_set(qm, QM_RESETTING);
	qm_message_stop(qm);
	qm_stop(qm);
	if (qm->pf)
		qm->engine->hw_exit(qm);
	pci_clear_master(qm->pdev);
	return 0;
}

/* An error would forbid all later attempts. */
static int qm_runtime_resume(struct device *dev)
{
	struct hisi_qm *qm = dev_get_drvdata(dev);
	int ret = qm_reset_start(qm);

	WRITE_ONCE(qm->asleep, false);
	if (ret)
		qm_start_failed(qm);
	else
		qm_message_start(qm);
	return 0;
}

static int qm_suspend(struct device *dev)
{
	qm_functions_sleep(dev_get_drvdata(dev));
	return 0;
}

static int qm_resume(struct device *dev)
{
	qm_functions_wake(dev_get_drvdata(dev));
	return 0;
}

/* The device starts as after a reset, since it isn't known what a sleep keeps of it. */
const struct dev_pm_ops hisi_qm_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(qm_suspend, qm_resume)
	RUNTIME_PM_OPS(qm_runtime_suspend, qm_runtime_resume, NULL)
};
EXPORT_SYMBOL_GPL(hisi_qm_pm_ops);
