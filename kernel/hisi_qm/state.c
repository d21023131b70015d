// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of a function in use, and what it is asked for: a restart, its end after an
 * error, a look at queues that stop late.
 *
 * The works that do it (reset.c) begin and end with a started function: qm_ending()
 * cancels them, qm_started() lets them come.
 */
#include <linux/workqueue.h>
#include "internal.h"

/**
 * qm_state_set - say what the function does
 * @qm: the function
 * @state: its new state
 */
void qm_state_set(struct hisi_qm *qm, enum qm_state state)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->state, state);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_started - the function works from now on
 * @qm: the function, in the device
 *
 * From here on qm_break() has its work done; until here it has only been noted,
 * and the result is -EIO.
 */
int qm_started(struct hisi_qm *qm)
{
	int ret = 0;

	mutex_lock(&qm->state_lock);
	if (qm->broken) {
		ret = -EIO;
	} else {
		WRITE_ONCE(qm->ending, false);
		WRITE_ONCE(qm->state, QM_STARTED);
	}
	mutex_unlock(&qm->state_lock);
	return ret;
}

/**
 * qm_ending - no restart and no look at stuck queues any more, until the function is started again
 * @qm: the function
 */
void qm_ending(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->ending, true);
	mutex_unlock(&qm->state_lock);
	cancel_work_sync(&qm->restart_work);
	cancel_delayed_work_sync(&qm->stuck_work);
}

/**
 * qm_restart_schedule - stop and start the function soon, all queues end
 * @qm: the function; nothing happens when it is about to end anyway
 */
void qm_restart_schedule(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	if (!qm->ending && qm->state == QM_STARTED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_break - only a reset helps the device: all queues end soon, none is opened
 * @qm: the function
 * @why: for the log
 *
 * That is a reset that failed, until there is one, so the device is isolated.
 * The queues are stuck, since a device in that state is asked for nothing, and
 * what is in its contexts would be used by whoever opens its bus master again.
 */
void qm_break(struct hisi_qm *qm, const char *why)
{
	bool before;

	mutex_lock(&qm->state_lock);
	before = qm->broken;
	/* The works look without the lock. */
	WRITE_ONCE(qm->broken, true);
	/* Once, however often it is reported; not while it starts: qm_started() looks. */
	if (!before && !qm->ending && qm->state != QM_STOPPED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
	if (!before)
		pci_err(qm->pdev, "%s: no queues until it is reset, or its driver bound again\n", why);
}

/**
 * qm_stuck_after - look after stuck queues again
 * @qm: the function; nothing happens when it is about to end anyway
 * @seconds: when
 */
void qm_stuck_after(struct hisi_qm *qm, unsigned int seconds)
{
	mutex_lock(&qm->state_lock);
	qm->stuck_period_s = seconds;
	if (!qm->ending && !qm->broken)
		mod_delayed_work(system_long_wq, &qm->stuck_work, seconds * HZ);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_stuck_schedule - look after stuck queues and a mailbox that was given up
 * @qm: the function; nothing happens when it is about to end anyway
 */
void qm_stuck_schedule(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	if (!qm->ending && !qm->broken && qm->stuck_period_s > QM_STUCK_PERIOD_S)
		mod_delayed_work(system_long_wq, &qm->stuck_work, QM_STUCK_PERIOD_S * HZ);
	else if (!qm->ending && !qm->broken)
		queue_delayed_work(system_long_wq, &qm->stuck_work, QM_STUCK_PERIOD_S * HZ);
	qm->stuck_period_s = QM_STUCK_PERIOD_S;
	mutex_unlock(&qm->state_lock);
}
