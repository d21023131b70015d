// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The number of requests that a queue has completed, from the device's counter of its completions.
 *
 * One register shows the counter of one queue of one function at a time, and only the physical function has it. A
 * device may show another queue's counter a moment later than that queue was selected: once it has answered two
 * mailbox commands, it does. Start and stop of a queue send two commands anyway.
 *
 * Functions share the register, so nobody waits for a mailbox while the selection is reserved, nor for the selection
 * while a mailbox is locked.
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

/* Selects the queue, with the selection reserved; that ends if it can't be done now. */
static bool qm_requests_select(struct hisi_qp *qp, struct hisi_qm *pf, struct qm_selection *sel)
{
	struct hisi_qm *qm = qp->qm;

	if (!qm_requests_access(pf, qm)) {
		qm_counters_unlock(pf);
		return false;
	}
	sel->before = hisi_qm_read(pf, QM_DFX_CQE_SELECT);
	hisi_qm_write(pf, QM_DFX_CQE_SELECT, qp->id << QM_DFX_SELECT_QUEUE_SHIFT | qm_function_number(qm->pdev));
	qm_requests_leave(pf, qm);
	sel->pf = pf;
	return true;
}

/* Others need the mailbox, so it is unlocked while another function counts. */
static bool qm_requests_reserve(struct hisi_qm *qm, struct hisi_qm *pf)
{
	bool reserved = !down_trylock(&pf->count_lock);

	if (reserved)
		return true;
	mutex_unlock(&qm->mb_lock);
	reserved = !qm_counters_lock(pf);
	if (mutex_trylock(&qm->mb_lock))
		return reserved;
	if (reserved)
		qm_counters_unlock(pf);
	mutex_lock(&qm->mb_lock);
	return !down_trylock(&pf->count_lock);
}

/**
 * qm_requests_begin - select the queue
 * @qp: the queue, locked, as is the mailbox of its function
 * @sel: filled in, for qm_requests_end()
 *
 * Two commands, and qm_requests_end(), follow; the mailbox may have been unlocked meanwhile. Where the queue can't be
 * selected now, nothing is counted.
 */
void qm_requests_begin(struct hisi_qp *qp, struct qm_selection *sel)
{
	struct hisi_qm *qm = qp->qm, *pf = qm->pf ? qm : qm->physical;

	lockdep_assert_held(&qm->mb_lock);
	sel->pf = NULL;
	if (pf && qm_requests_reserve(qm, pf))
		qm_requests_select(qp, pf, sel);
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
 *
 * False: the counter could not be read.
 */
bool qm_requests_end(struct hisi_qp *qp, struct qm_selection *sel, bool answered)
{
	struct hisi_qm *qm = qp->qm, *pf = sel->pf;
	bool read = false;
	u32 now;

	lockdep_assert_held(&qp->lock);
	if (!pf)
		return false;
	if (qm_requests_access(pf, qm)) {
		now = hisi_qm_read(pf, QM_DFX_CQE_CNT);
		hisi_qm_write(pf, QM_DFX_CQE_SELECT, sel->before);
		read = answered && !qm_gone(pf, now);
		if (read && qp->counting)
			qp->requests += qm_requests_more(now, qp->counted);
		if (read) {
			qp->counted = now;
			qp->counting = true;
		}
		qm_requests_leave(pf, qm);
	}
	qm_counters_unlock(pf);
	return read;
}

static bool qm_requests_ask(struct hisi_qp *qp)
{
	struct qm_sqc sqc;
	int ret;

	ret = qm_context_dump_locked(qp->qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	if (!ret)
		ret = qm_context_dump_locked(qp->qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	return !ret;
}

static void qm_requests_look(struct hisi_qp *qp, struct hisi_qm *pf)
{
	struct qm_selection sel;

	if (qm_counters_lock(pf))
		return;
	if (!qm_mailbox_try(qp->qm)) {
		qm_counters_unlock(pf);
		return;
	}
	if (qm_requests_select(qp, pf, &sel))
		qm_requests_end(qp, &sel, qm_requests_ask(qp));
	qm_mailbox_end(qp->qm);
}

/**
 * qm_requests_update - count what a queue has completed so far
 * @qp: the queue; nothing happens if it isn't started, or if another call has it or the mailbox
 */
void qm_requests_update(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm, *pf = qm->pf ? qm : qm->physical;

	if (!mutex_trylock(&qp->lock))
		return;
	if (pf && qp->started && !qm_is_ending(qm))
		qm_requests_look(qp, pf);
	mutex_unlock(&qp->lock);
}
