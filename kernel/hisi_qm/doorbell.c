// SPDX-License-Identifier: GPL-2.0-or-later
/* What any context may do with a queue: report its events, and ring for its owner. */
#include <linux/io.h>
#include "internal.h"

/* ------ events ------ */

/**
 * qm_qp_notify - wake up the processes that poll a queue
 * @qp: the queue, owned or not; any context
 */
void qm_qp_notify(struct hisi_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->event_lock, flags);
	if (qp->file)
		uacce_wake_up(qp->file);
	spin_unlock_irqrestore(&qp->event_lock, flags);
}

/**
 * qm_qp_doom - the device has reported an error of the queue, which it doesn't serve any more
 * @qp: the queue, owned or not
 *
 * Its owner is told at once. The work item takes the queue from it, since that may take long.
 */
void qm_qp_doom(struct hisi_qp *qp)
{
	unsigned long flags;
	bool owned;

	spin_lock_irqsave(&qp->event_lock, flags);
	owned = qp->file && !qp->doomed;
	if (owned) {
		qp->doomed = true;
		qp->rings = false;
		qm_qp_word(qp, QM_DUS_TX_STOP(qp->qm->dus_size));
		uacce_queue_failed(qp->file, -EIO);
		uacce_wake_up(qp->file);
	}
	spin_unlock_irqrestore(&qp->event_lock, flags);
	if (owned)
		qm_end_schedule(qp->qm, 0);
}

/* ------ doorbells ------ */

/**
 * qm_qp_set_rings - let the owner of a queue ring by ioctl, or not
 * @qp: the queue
 * @rings: let it
 */
void qm_qp_set_rings(struct hisi_qp *qp, bool rings)
{
	spin_lock_irq(&qp->event_lock);
	qp->rings = rings && !qp->doomed;
	spin_unlock_irq(&qp->event_lock);
}

/**
 * qm_qp_ring - ring for the owner of a queue
 * @qp: the queue, which is mediated, or shares one doorbell register with the function's others; any context
 * @db: the indices, below the depths of their rings
 *
 * -ESHUTDOWN from the beginning of a stop, so that an owner that keeps ringing doesn't keep the device from finishing.
 */
int qm_qp_ring(struct hisi_qp *qp, const struct hisi_qp_doorbell *db)
{
	void __iomem *reg;
	unsigned long flags;
	bool rings;

	spin_lock_irqsave(&qp->event_lock, flags);
	reg = qp->doorbell ?: qp->qm->io + QM_DB_SQ_CQ;
	rings = qp->rings;
	/* A submission last: it implies a CQ head, if the device polls the register and sees one of them only. */
	if (rings && db->flags & HISI_QP_DB_CQ)
		writeq(qm_db_value(qp->id, QM_DB_CMD_CQ, db->cq_head,
				   db->flags & HISI_QP_DB_EVENT ? QM_DB_C_FLAG : 0), reg);
	if (rings && db->flags & HISI_QP_DB_SQ) {
		writeq(qm_db_value(qp->id, QM_DB_CMD_SQ, db->sq_tail, 0), reg);
		WRITE_ONCE(qp->rung, db->sq_tail);
	}
	spin_unlock_irqrestore(&qp->event_lock, flags);
	return rings ? 0 : -ESHUTDOWN;
}
