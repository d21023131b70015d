// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of a function in use, and requests for its work items: restart, isolation after an
 * error, retries for queues that stop late.
 *
 * The work items (reset.c) run only while the function is started: qm_started() allows them,
 * qm_ending() cancels them.
 */
#include <linux/pci.h>
#include <linux/workqueue.h>
#include "internal.h"

/**
 * qm_state_set - set the function's state
 * @qm: the function
 * @state: its new state; before a reset, waits for readers of registers
 */
void qm_state_set(struct hisi_qm *qm, enum qm_state state)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->state, state);
	mutex_unlock(&qm->state_lock);
	if (state != QM_RESETTING)
		return;
	down_write(&qm->regs_lock);
	up_write(&qm->regs_lock);
}

/**
 * hisi_qm_look_begin - keep resets away while a file reads or writes a few registers
 * @qm: the function
 *
 * 0, or -EAGAIN during a reset, or while the function is suspended: a device doesn't always answer then. Doesn't wait.
 */
int hisi_qm_look_begin(struct hisi_qm *qm)
{
	if (!down_read_trylock(&qm->regs_lock))
		return -EAGAIN;
	if (READ_ONCE(qm->state) != QM_RESETTING && !READ_ONCE(qm->asleep))
		return 0;
	up_read(&qm->regs_lock);
	return -EAGAIN;
}
EXPORT_SYMBOL_GPL(hisi_qm_look_begin);

/**
 * hisi_qm_look_end - undo hisi_qm_look_begin()
 * @qm: the function
 */
void hisi_qm_look_end(struct hisi_qm *qm)
{
	up_read(&qm->regs_lock);
}
EXPORT_SYMBOL_GPL(hisi_qm_look_end);

/**
 * qm_started - mark the function as started
 * @qm: the function, in the device
 *
 * From here on, qm_break() schedules its work. If qm_break() was called before, this returns
 * -EIO.
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
 * qm_ending - cancel the work items, and allow none until the function is started again
 * @qm: the function
 */
void qm_ending(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->ending, true);
	mutex_unlock(&qm->state_lock);
	cancel_work_sync(&qm->restart_work);
	cancel_delayed_work_sync(&qm->stuck_work);
	cancel_delayed_work_sync(&qm->end_work);
}

/**
 * qm_falls_asleep - let the function be suspended, unless something is going on
 * @qm: the function, without queues
 *
 * From here on no work item begins, so that waiting for none can't wait for one that waits for the suspended function.
 */
bool qm_falls_asleep(struct hisi_qm *qm)
{
	bool idle;

	mutex_lock(&qm->state_lock);
	idle = !qm->ending && !qm->broken && qm->state == QM_STARTED && !READ_ONCE(qm->mb_busy) &&
	       !work_busy(&qm->restart_work);
	if (idle) {
		WRITE_ONCE(qm->ending, true);
		WRITE_ONCE(qm->asleep, true);
	}
	mutex_unlock(&qm->state_lock);
	return idle;
}

/**
 * qm_freeze - refuse new queues, or allow them again
 * @qm: the function
 * @freeze: refuse
 */
void qm_freeze(struct hisi_qm *qm, bool freeze)
{
	mutex_lock(&qm->state_lock);
	qm->frozen = freeze;
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_restart_schedule - schedule a stop and start of the function, which kills all queues
 * @qm: the function; nothing happens if it is ending
 */
void qm_restart_schedule(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	if (!qm->ending && qm->state == QM_STARTED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_break - mark the device as broken until a reset: all queues are killed soon, none can be
 * opened
 * @qm: the function
 * @why: reason, for the log
 *
 * If the device can't be reset, it counts as one whose reset has failed, so it is isolated. Its
 * queues are stuck, since a broken device gets no commands, and its contexts would take effect
 * again if its bus master were opened.
 */
void qm_break(struct hisi_qm *qm, const char *why)
{
	bool before;

	mutex_lock(&qm->state_lock);
	before = qm->broken;
	/* The work items read it without the lock. */
	WRITE_ONCE(qm->broken, true);
	/* Scheduled once, however often the error is reported; not during a start, since qm_started() checks broken. */
	if (!before && !qm->ending && qm->state != QM_STOPPED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
	if (!before)
		pci_err(qm->pdev, "%s: no queues until the device is reset%s\n", why,
			qm_reset_follows(qm) ? "" : " or its driver is rebound");
}

/**
 * qm_vanished - the same for a device that is gone from the bus, which no reset brings back
 * @qm: the function
 */
void qm_vanished(struct hisi_qm *qm)
{
	WRITE_ONCE(qm->gone, true);
	qm_break(qm, "the device is gone from the bus");
}

/* ------ reset of the device ------ */

/**
 * qm_reset_follows - is a function that is broken going to be reset with its device?
 * @qm: the function
 */
bool qm_reset_follows(const struct hisi_qm *qm)
{
	if (qm->pf)
		return qm->can_reset && !READ_ONCE(qm->gone) && !READ_ONCE(qm->isolated);
	return qm->physical && READ_ONCE(qm->physical->broken) && qm_reset_follows(qm->physical);
}

/**
 * qm_is_isolated - may the function's queues not be used any more?
 * @qm: the function
 */
bool qm_is_isolated(const struct hisi_qm *qm)
{
	return READ_ONCE(qm->isolated) || (READ_ONCE(qm->broken) && !qm_reset_follows(qm)) ||
	       (qm->physical && qm_is_isolated(qm->physical));
}

/**
 * qm_reset_schedule - schedule the reset of a broken device
 * @qm: the physical function; nothing happens while resets aren't allowed
 * @ms: delay
 */
void qm_reset_schedule(struct hisi_qm *qm, unsigned int ms)
{
	mutex_lock(&qm->state_lock);
	if (qm->reset_allowed && qm->broken)
		queue_delayed_work(system_long_wq, &qm->reset_work, msecs_to_jiffies(ms));
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_reset_allow - allow resets of the device after errors
 * @qm: the function, whose probe is complete
 */
void qm_reset_allow(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	qm->reset_allowed = qm->can_reset;
	mutex_unlock(&qm->state_lock);
	/* For an error of the time before. */
	qm_reset_schedule(qm, 0);
}

/**
 * qm_reset_forbid - undo qm_reset_allow(); waits for the end of a reset
 * @qm: the function
 */
void qm_reset_forbid(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	qm->reset_allowed = false;
	mutex_unlock(&qm->state_lock);
	cancel_delayed_work_sync(&qm->reset_work);
}

/**
 * qm_isolation_changed - report the device's isolation, or its threshold, to the virtual functions that have asked
 * @qm: the physical function, with messages or without
 */
void qm_isolation_changed(struct hisi_qm *qm)
{
	WRITE_ONCE(qm->isolation_news, true);
	mutex_lock(&qm->state_lock);
	/* Otherwise qm_message_start() does it. */
	if (qm->messages_on)
		irq_wake_thread(qm_message_irq_number(qm), qm);
	mutex_unlock(&qm->state_lock);
}

/* ------ queues that failed to stop ------ */

/**
 * qm_stuck_after - schedule the next attempt to stop stuck queues
 * @qm: the function; nothing happens if it is ending or broken
 * @seconds: delay
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
 * qm_stuck_schedule - schedule an early attempt to stop stuck queues and to check a busy
 * mailbox
 * @qm: the function; nothing happens if it is ending or broken
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

/* ------ queues that the device has ended ------ */

/**
 * qm_end_schedule - schedule the end of queues that the device doesn't serve any more
 * @qm: the function; nothing happens if it is ending, as all queues end then
 * @ms: delay
 */
void qm_end_schedule(struct hisi_qm *qm, unsigned int ms)
{
	mutex_lock(&qm->state_lock);
	if (!qm->ending)
		queue_delayed_work(system_long_wq, &qm->end_work, msecs_to_jiffies(ms));
	mutex_unlock(&qm->state_lock);
}

/* ------ virtual functions of this driver ------ */

/**
 * qm_vfs_break - break the virtual functions of a device whose bus master is closed
 * @qm: the physical function
 */
void qm_vfs_break(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	mutex_lock(&qm->vfs_list_lock);
	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_break(vf, QM_PHYSICAL_BROKEN);
	mutex_unlock(&qm->vfs_list_lock);
}

/**
 * qm_vfs_add - count a virtual function among those of its physical one
 * @vf: the virtual function; it has nothing to do if no physical function is known
 */
void qm_vfs_add(struct hisi_qm *vf)
{
	struct hisi_qm *qm = vf->physical;

	if (!qm)
		return;
	/* A driver in a guest may have had it before. */
	atomic64_andnot(BIT_ULL(qm_function_number(vf->pdev)), &qm->vfs_follow_isolation);
	mutex_lock(&qm->vfs_list_lock);
	list_add_tail(&vf->vf_node, &qm->vfs);
	if (READ_ONCE(qm->broken))
		qm_break(vf, QM_PHYSICAL_BROKEN);
	mutex_unlock(&qm->vfs_list_lock);
}

/**
 * qm_vfs_remove - undo qm_vfs_add()
 * @vf: the virtual function
 */
void qm_vfs_remove(struct hisi_qm *vf)
{
	struct hisi_qm *qm = vf->physical;

	if (!qm)
		return;
	mutex_lock(&qm->vfs_list_lock);
	list_del_init(&vf->vf_node);
	mutex_unlock(&qm->vfs_list_lock);
}
