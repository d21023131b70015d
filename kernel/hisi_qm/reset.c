// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery of a function in use: restart after a lost event, its part in a reset, the end of its
 * queues after an error that needs a reset, and queues that stop late.
 *
 * state.c decides when the work items here run. A PCI reset holds the device lock, which the
 * work items never take.
 */
#include <linux/workqueue.h>
#include "qm_trace.h"

#define QM_STUCK_PERIOD_MAX_S	64
#define QM_DRAIN_PERIOD_MAX_S	8	/* of a queue whose requests aren't done */
#define QM_END_PERIOD_MS	20

/* ------ restart after a lost event, end of all queues after an error ------ */

/*
 * Not every generation closes its bus master by itself, and none reports when accesses in flight have ended. The bus
 * master is the device's, so virtual functions are silent with the physical one only.
 */
static void qm_silence(struct hisi_qm *qm)
{
	if (qm->pf) {
		qm_ecc_close(qm);
		WRITE_ONCE(qm->silent, !qm_master_close(qm));
		qm_vfs_break(qm);
	} else if (qm->physical) {
		WRITE_ONCE(qm->silent, READ_ONCE(qm->physical->silent));
	}
}

/* The work item that resets a device sees to all its functions, also if it can't be reset after all. */
static void qm_restart_broken(struct hisi_qm *qm)
{
	if (qm->pf && qm->can_reset) {
		qm_reset_schedule(qm, 0);
	} else if (!qm_reset_follows(qm)) {
		qm_state_set(qm, QM_STOPPED);
		qm_isolate(qm);
	}
}

static void qm_queues_end(struct hisi_qm *qm)
{
	qm_queues_close(qm);
	if (qm->uacce)
		uacce_kill_queues(qm->uacce);
	/* A queue that was just being opened wasn't on the framework's list. */
	qm_queues_kill(qm);
}

/**
 * qm_start_failed - a function that was suspended doesn't start: it needs a reset
 * @qm: the function
 */
void qm_start_failed(struct hisi_qm *qm)
{
	qm_break(qm, "did not start again");
	qm_restart_broken(qm);
}

static void qm_restart_work(struct work_struct *work)
{
	struct hisi_qm *qm = container_of(work, struct hisi_qm, restart_work);
	bool broken = READ_ONCE(qm->broken);

	qm_state_set(qm, QM_RESETTING);
	qm_ending_begin(qm);
	if (broken)
		qm_silence(qm);
	qm_queues_end(qm);
	if (broken) {
		qm_restart_broken(qm);
		return;
	}
	/* Broken since the check above: this work runs again, and closes the bus master first. */
	if (READ_ONCE(qm->broken))
		return;

	qm_function_stop(qm);
	if (qm_function_start(qm)) {
		qm_break(qm, "restart failed");
		return;
	}
	qm_state_set(qm, QM_STARTED);
	if (qm->uacce)
		uacce_reset_done(qm->uacce);
	qm_stuck_after(qm, 0);
}

/* ------ queues that failed to stop ------ */

/* Returns 0 if no queue is stuck any more, or else the error of one that is. */
static int qm_stuck_ask(struct hisi_qm *qm)
{
	int refused = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < qm->qp_num && !READ_ONCE(qm->ending); i++) {
		struct hisi_qp *qp = &qm->qps[i];

		if (!READ_ONCE(qp->stuck) && !READ_ONCE(qp->left))
			continue;
		ret = qm_qp_recover(qp);
		/* The mailbox is busy: the other queues wouldn't get it either. */
		if (ret == -EBUSY || ret == -ETIMEDOUT)
			return ret;
		if (ret)
			refused = ret;
	}
	return refused;
}

static void qm_stuck_work(struct work_struct *work)
{
	struct hisi_qm *qm = container_of(to_delayed_work(work), struct hisi_qm, stuck_work);
	unsigned int period = READ_ONCE(qm->stuck_period_s);
	int ret;

	ret = qm_mailbox_look(qm);
	if (!ret)
		ret = qm_stuck_ask(qm);
	if (!ret)
		return;
	/*
	 * A busy mailbox may become free at any time, but a queue that failed to stop will probably
	 * fail again for a while.
	 */
	if (ret == -EBUSY || ret == -ETIMEDOUT)
		period = QM_STUCK_PERIOD_S;
	else if (ret == -EAGAIN || ret == -EINPROGRESS)
		period = clamp_t(unsigned int, 2 * period, QM_STUCK_PERIOD_S, QM_DRAIN_PERIOD_MAX_S);
	else
		period = clamp_t(unsigned int, 2 * period, QM_STUCK_PERIOD_S, QM_STUCK_PERIOD_MAX_S);
	qm_stuck_after(qm, period);
}

/* ------ queues that the device has ended ------ */

static void qm_end_work(struct work_struct *work)
{
	struct hisi_qm *qm = container_of(to_delayed_work(work), struct hisi_qm, end_work);
	bool all = true;
	unsigned int i;

	for (i = 0; i < qm->qp_num && !READ_ONCE(qm->ending); i++)
		all &= qm_qp_end_doomed(&qm->qps[i]);
	if (!all)
		qm_end_schedule(qm, QM_END_PERIOD_MS);
}

/* ------ init ------ */

/**
 * qm_reset_init - initialise the work items; they don't run before the function is started
 * @qm: a new function
 */
void qm_reset_init(struct hisi_qm *qm)
{
	qm->ending = true;
	INIT_WORK(&qm->restart_work, qm_restart_work);
	INIT_DELAYED_WORK(&qm->stuck_work, qm_stuck_work);
	INIT_DELAYED_WORK(&qm->end_work, qm_end_work);
}

/* ------ reset: the function loses all its state ------ */

/**
 * qm_close - let no queue start any more, and no owner send
 * @qm: a function that was started, broken or not; its queues are killed next
 */
void qm_close(struct hisi_qm *qm)
{
	qm_ending(qm);
	qm_ending_begin(qm);
	qm_queues_close(qm);
}

/**
 * qm_reset_prepare - take all queues from their users, and stop the function
 * @qm: a function that was started, broken or not
 */
void qm_reset_prepare(struct hisi_qm *qm)
{
	qm_ending(qm);
	qm_state_set(qm, QM_RESETTING);
	trace_reset_begin(qm);
	qm_queues_end(qm);
	qm_function_stop(qm);
	qm_error_exit(qm);
	/* The PCI core restores the bit as it is now: off until the function starts. */
	pci_clear_master(qm->pdev);
}

/**
 * qm_reset_start - start a function that has lost all its state
 * @qm: the function
 */
int qm_reset_start(struct hisi_qm *qm)
{
	int ret;

	/* As after probe: a reset of the physical function clears the engine's registers. */
	ret = qm->pf ? qm_hw_init(qm) : 0;
	if (!ret && qm->pf)
		ret = qm->engine->hw_init(qm);
	return ret ? ret : qm_start(qm);
}

/**
 * qm_reset_failed - leave a function without queues after a reset
 * @qm: the function, after qm_reset_prepare()
 * @why: reason, for the log
 *
 * A virtual function whose device broke again meanwhile waits for the next reset of that.
 */
void qm_reset_failed(struct hisi_qm *qm, const char *why)
{
	pci_clear_master(qm->pdev);
	if (!qm->pf && qm_reset_follows(qm)) {
		trace_reset_end(qm, -EAGAIN);
		qm_break(qm, why);
		return;
	}
	WRITE_ONCE(qm->isolated, true);
	trace_reset_end(qm, -EIO);
	qm_break(qm, why);
	qm_state_set(qm, QM_STOPPED);
	qm_isolate(qm);
}

/**
 * qm_reset_done - restart the function after a reset
 * @qm: the function, after qm_reset_prepare()
 *
 * After a reset that failed, the device doesn't start.
 */
void qm_reset_done(struct hisi_qm *qm)
{
	bool isolate = (qm->physical ? qm->physical : qm)->isolate_next;
	int ret;

	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->broken, false);
	mutex_unlock(&qm->state_lock);
	WRITE_ONCE(qm->silent, false);
	WRITE_ONCE(qm->gone, false);
	/* Not a moment of use in between, if this was one reset too many. */
	WRITE_ONCE(qm->isolated, isolate);
	qm_mailbox_reset(qm);
	qm_queues_forgotten(qm);

	ret = qm_reset_start(qm);
	if (ret) {
		qm_reset_failed(qm, "reset failed");
		return;
	}
	trace_reset_end(qm, isolate ? -EIO : 0);
	if (isolate)
		qm_isolate(qm);
	else if (qm->uacce)
		uacce_reset_done(qm->uacce);
	pci_info(qm->pdev, "reset and restarted\n");
}
