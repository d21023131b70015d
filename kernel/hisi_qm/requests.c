// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many requests a queue has completed, from the device's counter of its completions.
 *
 * One register shows the counter of one queue of one function at a time, and only the physical function has it. A
 * device may show another queue's counter a moment later than that queue was selected: once it has answered two
 * mailbox commands, it does. Start and stop of a queue send two commands anyway.
 */
#include "internal.h"

/* How long one function waits while another one counts; these are two mailbox commands. */
#define QM_COUNT_WAIT_MS	100

/**
 * qm_counters_lock - reserve the selection of the queue whose counters are shown
 * @qm: the physical function
 *
 * 0, or -EAGAIN if it takes too long.
 */
int qm_counters_lock(struct hisi_qm *qm)
{
	return down_timeout(&qm->count_lock, msecs_to_jiffies(QM_COUNT_WAIT_MS)) ? -EAGAIN : 0;
}

/**
 * qm_counters_unlock - undo qm_counters_lock()
 * @qm: the physical function
 */
void qm_counters_unlock(struct hisi_qm *qm)
{
	up(&qm->count_lock);
}

/* A function that holds a queue's lock keeps its own resets away, but not those of its physical function. */
static bool qm_requests_access(struct hisi_qm *pf, struct hisi_qm *qm)
{
	return pf == qm || !hisi_qm_look_begin(pf);
}

static void qm_requests_leave(struct hisi_qm *pf, struct hisi_qm *qm)
{
	if (pf != qm)
		hisi_qm_look_end(pf);
}

/**
 * qm_requests_begin - select the queue
 * @qp: the queue, locked
 * @sel: filled in, for qm_requests_end()
 *
 * Two commands of the queue's function, and qm_requests_end(), follow. False: it can't be selected now.
 */
bool qm_requests_begin(struct hisi_qp *qp, struct qm_selection *sel)
{
	struct hisi_qm *qm = qp->qm, *pf = qm->pf ? qm : qm->physical;
	u32 select = qp->id << QM_DFX_SELECT_QUEUE_SHIFT | qm_function_number(qm->pdev);

	sel->pf = NULL;
	if (!pf || qm_counters_lock(pf))
		return false;
	if (!qm_requests_access(pf, qm)) {
		qm_counters_unlock(pf);
		return false;
	}
	sel->before = hisi_qm_read(pf, QM_DFX_CQE_SELECT);
	hisi_qm_write(pf, QM_DFX_CQE_SELECT, select);
	qm_requests_leave(pf, qm);
	sel->pf = pf;
	return true;
}

/* An administrator may have cleared the counter: it has less, but not as after 2^32. */
static u32 qm_requests_more(u32 now, u32 then)
{
	return now < then && then - now < 1u << 31 ? now : now - then;
}

/**
 * qm_requests_end - count what the queue has completed since the last time, and restore the selection
 * @qp: the queue, locked
 * @sel: from qm_requests_begin(), successful or not
 * @answered: the device has answered both commands
 */
void qm_requests_end(struct hisi_qp *qp, struct qm_selection *sel, bool answered)
{
	struct hisi_qm *qm = qp->qm, *pf = sel->pf;
	u32 now;

	lockdep_assert_held(&qp->lock);
	if (!pf)
		return;
	if (qm_requests_access(pf, qm)) {
		now = hisi_qm_read(pf, QM_DFX_CQE_CNT);
		hisi_qm_write(pf, QM_DFX_CQE_SELECT, sel->before);
		answered &= !qm_gone(pf, now);
		if (answered && qp->counting)
			qp->requests += qm_requests_more(now, qp->counted);
		if (answered) {
			qp->counted = now;
			qp->counting = true;
		}
		qm_requests_leave(pf, qm);
	}
	qm_counters_unlock(pf);
}

/* Waits for no other queue. */
static bool qm_requests_ask(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;
	struct qm_sqc sqc;
	int ret;

	if (qm_mailbox_begin(qm))
		return false;
	ret = qm_context_dump_locked(qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	if (!ret)
		ret = qm_context_dump_locked(qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	qm_mailbox_end(qm);
	return !ret;
}

/**
 * qm_requests_update - count what a queue has completed so far
 * @qp: the queue; nothing happens if another call has it locked, or if it isn't started
 */
void qm_requests_update(struct hisi_qp *qp)
{
	struct qm_selection sel;

	if (!mutex_trylock(&qp->lock))
		return;
	if (qp->started && !qm_is_ending(qp->qm) && qm_requests_begin(qp, &sel))
		qm_requests_end(qp, &sel, qm_requests_ask(qp));
	mutex_unlock(&qp->lock);
}
