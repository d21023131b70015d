// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queues that stop: drain, stop and parking in the device, by their owners or without them.
 *
 * Nobody waits for the same queue twice: what a stop without the owner has waited counts for the next one. Queues that
 * end together, with their function or with their process, have one limit.
 */
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include "internal.h"

#define QM_CQE_SHIFT		4
#define QM_DRAIN_PERIOD_US	100
#define QM_DRAIN_PERIOD_MAX_US	10000
#define QM_SEEN_TIMEOUT_US	(100 * USEC_PER_MSEC)
#define QM_BUSY_PERIOD_MS	50
#define QM_SAME_STOP_MS		100
#define QM_ENDING_LIMIT_US	(10 * USEC_PER_SEC)
#define QM_TURN_LIMIT		(10 * HZ)

/* ------ parking ------ */

/**
 * qm_qp_park - replace the contexts of a queue by disabled ones
 * @qp: the queue, locked
 *
 * A stopped queue keeps its contexts, and its next owner can ring the doorbell before the queue
 * is started. Without parking, that doorbell would make the device use the last owner's address
 * space and rings, which are free memory by then.
 */
int qm_qp_park(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;
	struct qm_sqc sqc = {
		.base_l = cpu_to_le32(lower_32_bits(qm->parking)),
		.base_h = cpu_to_le32(upper_32_bits(qm->parking)),
		.dw3 = cpu_to_le32((QM_PARKING_DEPTH - 1) |
				   ilog2(qm->engine->sqe_size) << QM_QC_ENTRY_SHIFT),
		.w8 = cpu_to_le16(QM_QC_RAND_PARKED),
		.cq_num = cpu_to_le16(qp->id),
		.w13 = cpu_to_le16(QM_SQC_W13_ORDER_ONE | QM_SQC_W13_DISABLED),
	};
	struct qm_cqc cqc = {
		.base_l = sqc.base_l,
		.base_h = sqc.base_h,
		.dw3 = cpu_to_le32((QM_PARKING_DEPTH - 1) | QM_CQE_SHIFT << QM_QC_ENTRY_SHIFT),
		.w8 = cpu_to_le16(QM_QC_RAND_PARKED),
		.dw6 = cpu_to_le32(QM_CQC_DW6_PHASE),
	};
	struct qm_selection sel;
	int ret;

	mutex_lock(&qm->mb_lock);
	qm_requests_begin(qp, &sel);
	/* The SQC last: loading it ends the queue. */
	ret = qm_context_load_locked(qm, QM_MB_CMD_CQC, qp->id, &cqc, sizeof(cqc));
	if (!ret)
		ret = qm_context_load_locked(qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	/* Requests that weren't counted must not count for the next owner. */
	if (!qm_requests_end(qp, &sel, !ret))
		qp->counting = false;
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/* ------ drain ------ */

/* The party that stops a queue, and what the stop waits for. */
enum qm_stop {
	QM_STOP_OWNER,	/* a live owner, who can be killed: waits */
	QM_STOP_END,	/* nobody uses it any more: waits */
	QM_STOP_LOOK,	/* the same for a work item, which doesn't wait for requests */
};

/* How far a ring's tail has come in two passes of it. */
static u32 qm_tail(__le16 tail, __le16 w11, u32 depth)
{
	return le16_to_cpu(tail) + (w11 & cpu_to_le16(QM_QC_W11_TAIL_WRAP) ? depth : 0);
}

/* The completion ring is as deep as the submission ring, or several times as deep. */
static bool qm_qp_is_drained(const struct hisi_qp *qp, const struct qm_sqc *sqc, const struct qm_cqc *cqc)
{
	u32 depth = qm_qp_sq_depth(qp), cq_tail = qm_tail(cqc->tail, cqc->w11, qp->qm->caps[QM_CAP_ID_CQ_DEPTH]);

	return qm_tail(sqc->tail, sqc->w11, depth) == cq_tail % (2 * depth);
}

/*
 * A device that polls its registers may not have seen the last doorbell yet, which is written no more. It may also have
 * refused that one as wrong, so this isn't waited for as long as for requests.
 */
static bool qm_qp_has_seen(struct hisi_qp *qp, const struct qm_sqc *sqc)
{
	int rung = READ_ONCE(qp->rung);

	return rung < 0 || le16_to_cpu(sqc->tail) == rung || qp->waited_us > QM_SEEN_TIMEOUT_US;
}

/* For devices without STOP_QP. -EINPROGRESS: not everything submitted has completed. */
static int qm_qp_look_drained(struct hisi_qp *qp)
{
	struct qm_sqc sqc;
	struct qm_cqc cqc;
	int ret;

	ret = qm_context_dump(qp->qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	if (!ret)
		ret = qm_context_dump(qp->qm, QM_MB_CMD_CQC, qp->id, &cqc, sizeof(cqc));
	if (ret)
		return ret;
	/* The time of the mailbox commands counts, too. */
	qp->waited_us += qm_looked(&qp->seen, QM_MB_LOOK_MAX_US);
	return qm_qp_is_drained(qp, &sqc, &cqc) && qm_qp_has_seen(qp, &sqc) ? 0 : -EINPROGRESS;
}

/* A close may have waited for the queue a moment ago, as its owner. */
static bool qm_qp_goes_on_draining(const struct hisi_qp *qp, enum qm_stop how)
{
	return qp->draining || (how != QM_STOP_OWNER && ktime_ms_delta(ktime_get(), qp->seen) < QM_SAME_STOP_MS);
}

static void qm_qp_drain_begin(struct hisi_qp *qp, enum qm_stop how)
{
	bool goes_on = qm_qp_goes_on_draining(qp, how);

	qp->draining = goes_on || how != QM_STOP_OWNER;
	if (goes_on)
		return;
	qp->waited_us = 0;
	qp->seen = ktime_get();
}

/* -EAGAIN: it has some time left, and the caller doesn't wait. */
static int qm_qp_drain(struct hisi_qp *qp, enum qm_stop how)
{
	unsigned int period = QM_DRAIN_PERIOD_US;
	int ret;

	qm_qp_drain_begin(qp, how);
	while ((ret = qm_qp_look_drained(qp)) == -EINPROGRESS && qp->waited_us <= QM_DRAIN_TIMEOUT_US) {
		if (how == QM_STOP_LOOK)
			return -EAGAIN;
		usleep_range(period, 2 * period);
		period = min(2 * period, QM_DRAIN_PERIOD_MAX_US);
	}
	return ret == -EINPROGRESS && how == QM_STOP_OWNER ? -ETIMEDOUT : ret;
}

/* ------ stop ------ */

/*
 * One stop at a time waits for the mailbox, so that a start that competes with many stops waits
 * for one queue to finish, not for all. -EAGAIN: others are still before it after as long as one
 * of them may take.
 */
static int qm_turn_begin(struct hisi_qm *qm, enum qm_stop how)
{
	long left;

	if (how == QM_STOP_OWNER)
		left = wait_event_killable_timeout(qm->turn_wait, !xchg(&qm->turn_taken, true), QM_TURN_LIMIT);
	else
		left = wait_event_timeout(qm->turn_wait, !xchg(&qm->turn_taken, true), QM_TURN_LIMIT);
	if (left < 0)
		return -EINTR;
	return left ? 0 : -EAGAIN;
}

static void qm_turn_end(struct hisi_qm *qm)
{
	smp_store_release(&qm->turn_taken, false);
	wake_up(&qm->turn_wait);
}

static int qm_qp_finish_and_park(struct hisi_qp *qp, enum qm_stop how)
{
	struct hisi_qm *qm = qp->qm;
	int ret;

	ret = qm_turn_begin(qm, how);
	if (ret)
		return ret;
	if (hisi_qm_has(qm, QM_CAP_STOP_QP))
		ret = qm_mailbox_stop_qp(qm, qp->id, how == QM_STOP_OWNER);
	if (!ret)
		ret = qm_qp_park(qp);
	qm_turn_end(qm);
	return ret;
}

/* After an error the queue is unchanged, and may be stopped again. */
static int qm_qp_stop_locked(struct hisi_qp *qp, enum qm_stop how)
{
	int ret = 0;

	lockdep_assert_held(&qp->lock);
	if (!qp->started && !qp->stuck)
		return 0;
	/* A broken device gets no commands. */
	if (READ_ONCE(qp->qm->broken))
		return -EIO;

	qm_mediated_set_rings(qp, false);
	if (!hisi_qm_has(qp->qm, QM_CAP_STOP_QP))
		ret = qm_qp_drain(qp, how);
	if (!ret)
		ret = qm_qp_finish_and_park(qp, how);
	if (ret) {
		/* The owner may go on, if there is one. */
		qm_mediated_set_rings(qp, how == QM_STOP_OWNER && qp->started);
		return ret;
	}
	qp->started = false;
	qp->stuck = false;
	qm_mediated_end(qp);
	return 0;
}

/**
 * qm_qp_stop - drain the queue and take it from the device
 * @qp: the queue
 *
 * After an error the queue counts as started. -EBUSY: the device took no command; -EAGAIN: it
 * is finishing another queue; -EINTR: the process was killed before the device got the command.
 */
int qm_qp_stop(struct hisi_qp *qp)
{
	int ret;

	ret = mutex_lock_killable(&qp->lock);
	if (ret)
		return ret;
	ret = qm_qp_stop_locked(qp, QM_STOP_OWNER);
	mutex_unlock(&qp->lock);
	return ret;
}

/* ------ stop without the owner ------ */

/**
 * qm_qp_stuck - keep a queue that didn't stop from being used again
 * @qp: the queue, locked
 * @err: why; for a device that is broken or unplugged, its own message is enough
 */
void qm_qp_stuck(struct hisi_qp *qp, int err)
{
	if (!qp->stuck && err != -ENODEV && !READ_ONCE(qp->qm->broken))
		pci_err(qp->qm->pdev, "queue %u did not stop (%d): it stays reserved until it does\n",
			qp->id, err);
	qp->started = false;
	qp->stuck = true;
	qm_mediated_keep(qp);
	qm_stuck_schedule(qp->qm);
}

/*
 * A device that doesn't answer gets the time of one hung mailbox command; a device that is
 * finishing another queue isn't waited for.
 */
static int qm_qp_stop_patiently(struct hisi_qp *qp)
{
	int ret;

	while ((ret = qm_qp_stop_locked(qp, QM_STOP_END)) == -EBUSY && qm_mailbox_may_recover(qp->qm))
		msleep(QM_BUSY_PERIOD_MS);
	return ret;
}

/*
 * The time for that is over: a queue without requests stops, and nothing else is waited for. STOP_QP would wait for
 * requests, so the device is asked for them before.
 */
static int qm_qp_stop_at_once(struct hisi_qp *qp)
{
	bool asks = (qp->started || qp->stuck) && !READ_ONCE(qp->qm->broken) && hisi_qm_has(qp->qm, QM_CAP_STOP_QP);
	int ret = asks ? qm_qp_look_drained(qp) : 0;

	if (ret)
		return ret == -EINPROGRESS ? -EAGAIN : ret;
	return qm_qp_stop_locked(qp, QM_STOP_LOOK);
}

/* With many queues, a reset, a removal or a process that ends must not wait for one after the other. */
static int qm_qp_stop_among_many(struct hisi_qp *qp, atomic64_t *waited_us)
{
	ktime_t began = ktime_get();
	int ret;

	if (atomic64_read(waited_us) > QM_ENDING_LIMIT_US)
		return qm_qp_stop_at_once(qp);
	ret = qm_qp_stop_patiently(qp);
	atomic64_add(qm_looked(&began, QM_ENDING_LIMIT_US), waited_us);
	return ret;
}

/**
 * qm_ending_begin - the queues of functions that end have their full time again
 * @qm: the function
 */
void qm_ending_begin(struct hisi_qm *qm)
{
	atomic64_set(&qm_device(qm)->ending_us, 0);
}

/**
 * qm_qp_end_locked - the last stop of a queue, which is stuck if that fails
 * @qp: the queue, locked
 * @waited_us: how long others have waited that end with it, without its function; NULL: it ends alone
 */
int qm_qp_end_locked(struct hisi_qp *qp, atomic64_t *waited_us)
{
	int ret;

	if (qm_is_ending(qp->qm))
		waited_us = &qm_device(qp->qm)->ending_us;
	ret = waited_us ? qm_qp_stop_among_many(qp, waited_us) : qm_qp_stop_patiently(qp);
	if (ret)
		qm_qp_stuck(qp, ret);
	return ret;
}

/* "Don't receive" means that the device has let go of the owner's memory. */
static void qm_qp_taken(struct hisi_qp *qp, bool stopped)
{
	if (stopped || READ_ONCE(qp->qm->silent))
		qm_qp_word(qp, QM_DUS_RX_STOP(qp->qm->dus_size));
	qp->failed = true;
}

/**
 * qm_qp_kill - take the queue from a live owner
 * @qp: the queue; nothing happens if it has no owner
 * @waited_us: see qm_qp_end_locked()
 *
 * The owner sees "do not send" before and "do not receive" after the stop. The latter means
 * that the device has let go of the owner's memory, so a stuck queue gets it only once the
 * device can't access any memory.
 */
void qm_qp_kill(struct hisi_qp *qp, atomic64_t *waited_us)
{
	mutex_lock(&qp->lock);
	qm_mediated_set_rings(qp, false);
	if (qp->dus) {
		qm_qp_word(qp, QM_DUS_TX_STOP(qp->qm->dus_size));
		/* a sender that misses the word has rung the doorbell before the stop begins */
		smp_mb();
		/* also for a queue that failed to stop before: its owner must see the words */
		qm_qp_taken(qp, !qm_qp_end_locked(qp, waited_us));
	}
	mutex_unlock(&qp->lock);
	qm_qp_notify(qp);
}

static bool qm_qp_is_doomed(struct hisi_qp *qp)
{
	return READ_ONCE(qp->doomed) && !READ_ONCE(qp->failed);
}

/* -EAGAIN: later. */
static int qm_qp_end_doomed_locked(struct hisi_qp *qp)
{
	int ret;

	if (!qm_qp_is_doomed(qp) || !qp->dus)
		return 0;
	ret = qm_qp_stop_locked(qp, QM_STOP_LOOK);
	if (ret == -EBUSY && qm_mailbox_may_recover(qp->qm))
		ret = -EAGAIN;
	if (ret == -EAGAIN)
		return ret;
	if (ret)
		qm_qp_stuck(qp, ret);
	qm_qp_taken(qp, !ret);
	return 0;
}

/**
 * qm_qp_end_doomed - take a queue from its owner, if the device has ended it
 * @qp: the queue
 *
 * Doesn't wait for requests, nor for others who stop the queue. Returns false if it must be tried again.
 */
bool qm_qp_end_doomed(struct hisi_qp *qp)
{
	int ret;

	if (!qm_qp_is_doomed(qp))
		return true;
	if (!mutex_trylock(&qp->lock))
		return false;
	ret = qm_qp_end_doomed_locked(qp);
	mutex_unlock(&qp->lock);
	if (!ret)
		qm_qp_notify(qp);
	return !ret;
}

/**
 * qm_qp_stop_stuck - try to stop a stuck queue again
 * @qp: the queue, locked
 */
int qm_qp_stop_stuck(struct hisi_qp *qp)
{
	return qp->stuck ? qm_qp_stop_locked(qp, QM_STOP_LOOK) : 0;
}
