// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs of a function: their owners, and their start in the device. */
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "internal.h"

#define QM_CQE_SHIFT		4

/* ------ reservation ------ */

static struct hisi_qp *qm_qp_reserve(struct hisi_qm *qm)
{
	struct hisi_qp *qp;
	unsigned long id;

	mutex_lock(&qm->state_lock);
	if (qm->state != QM_STARTED || qm->broken || qm->frozen) {
		qp = ERR_PTR(-EPERM);
		goto unlock;
	}

	id = find_next_zero_bit(qm->qp_map, qm->qp_num, qm->qp_next);
	if (id >= qm->qp_num)
		id = find_first_zero_bit(qm->qp_map, qm->qp_num);
	if (id >= qm->qp_num) {
		qp = ERR_PTR(-EBUSY);
		goto unlock;
	}

	__set_bit(id, qm->qp_map);
	qm->qp_used++;
	qm->qp_next = (id + 1) % qm->qp_num;
	qp = &qm->qps[id];
unlock:
	mutex_unlock(&qm->state_lock);
	return qp;
}

static void qm_qp_release(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;

	mutex_lock(&qm->state_lock);
	qm->qp_used--;
	if (qp->stuck)
		qm->qp_stuck++;
	else
		__clear_bit(qp->id, qm->qp_map);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_queues_available - number of queues that can still be opened
 * @qm: the function
 */
int qm_queues_available(struct hisi_qm *qm)
{
	int nr;

	mutex_lock(&qm->state_lock);
	nr = qm->qp_num - qm->qp_used - qm->qp_stuck;
	mutex_unlock(&qm->state_lock);
	return nr;
}

/* ------ contexts ------ */

static void qm_sqc_fill(struct hisi_qp *qp, struct qm_sqc *sqc, dma_addr_t base, u32 pasid, u8 priority)
{
	struct hisi_qm *qm = qp->qm;
	u32 depth = qm_qp_sq_depth(qp);

	*sqc = (struct qm_sqc) {
		.base_l = cpu_to_le32(lower_32_bits(base)),
		.base_h = cpu_to_le32(upper_32_bits(base)),
		.dw3 = cpu_to_le32((depth - 1) | ilog2(qm->engine->sqe_size) << QM_QC_ENTRY_SHIFT),
		.cq_num = cpu_to_le16(qp->id),
		.w13 = cpu_to_le16((priority & QM_SQC_W13_PRIO_MASK) | QM_SQC_W13_ORDER_ONE |
				   qp->qc_type << QM_SQC_W13_ALG_SHIFT),
	};
	if (pasid == UACCE_PASID_NONE)
		return;
	sqc->pasid = cpu_to_le16(pasid);
	if (qm->gen->pasid_in_context)
		sqc->w11 = cpu_to_le16(QM_SQC_W11_PASID);
}

static void qm_cqc_fill(struct hisi_qp *qp, struct qm_cqc *cqc, dma_addr_t base, u32 pasid)
{
	struct hisi_qm *qm = qp->qm;
	u32 depth = qm->caps[QM_CAP_ID_CQ_DEPTH];

	*cqc = (struct qm_cqc) {
		.base_l = cpu_to_le32(lower_32_bits(base)),
		.base_h = cpu_to_le32(upper_32_bits(base)),
		.dw3 = cpu_to_le32((depth - 1) | QM_CQE_SHIFT << QM_QC_ENTRY_SHIFT),
		.dw6 = cpu_to_le32(QM_CQC_DW6_PHASE | QM_CQC_DW6_C_FLAG),
	};
	if (pasid == UACCE_PASID_NONE)
		return;
	cqc->pasid = cpu_to_le16(pasid);
	if (qm->gen->pasid_in_context)
		cqc->w11 = cpu_to_le16(QM_CQC_W11_PASID);
}

static void qm_contexts_fill(struct hisi_qp *qp, struct qm_sqc *sqc, struct qm_cqc *cqc, u32 pasid, u8 priority)
{
	dma_addr_t sq = qp->dus->dma, cq = sq + qm_sq_bytes(qp->qm);

	qm_mediated_rings(qp, &sq, &cq);
	qm_sqc_fill(qp, sqc, sq, pasid, priority);
	qm_cqc_fill(qp, cqc, cq, pasid);
}

/* ------ start ------ */

static void qm_qp_wipe(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;
	void *cq = qp->dus->va + qm_sq_bytes(qm);

	/* A new owner's memory is zeroed; an owner that starts again has old phase bits in the ring. */
	if (qp->used_before)
		memset(cq, 0, sizeof(struct qm_cqe) * qm->caps[QM_CAP_ID_CQ_DEPTH]);
	qp->used_before = true;

	spin_lock_irq(&qp->event_lock);
	qp->cq_head = 0;
	qp->cq_phase = true;
	WRITE_ONCE(qp->rung, -1);
	spin_unlock_irq(&qp->event_lock);
}

/**
 * qm_qp_start - hand the queue to the device
 * @qp: an owned queue
 * @pasid: address space of its payload, or UACCE_PASID_NONE
 * @priority: 0..7
 *
 * -EPERM while the function is stopped. -EINTR (the process was killed) and -EAGAIN (the device
 * is finishing another queue): nothing was sent to the device. Otherwise an error of the
 * device.
 */
int qm_qp_start(struct hisi_qp *qp, u32 pasid, u8 priority)
{
	struct hisi_qm *qm = qp->qm;
	struct qm_selection sel;
	struct qm_sqc sqc;
	struct qm_cqc cqc;
	bool asked;
	int ret;

	ret = mutex_lock_killable(&qp->lock);
	if (ret)
		return ret;
	/* qm_queues_kill() runs after the state has changed, and takes this lock. */
	if (qm_is_ending(qm)) {
		ret = -EPERM;
		goto unlock;
	}
	if (qp->failed || READ_ONCE(qp->doomed) || qp->stuck || qp->started) {
		ret = qp->started ? -EINVAL : -EIO;
		goto unlock;
	}

	ret = qm_mediated_start(qp);
	if (ret)
		goto unlock;
	ret = qm_mailbox_begin(qm);
	if (ret)
		goto err_end;
	qm_requests_begin(qp, &sel);
	qm_qp_wipe(qp);
	qm_contexts_fill(qp, &sqc, &cqc, pasid, priority);
	ret = qm_context_load_locked(qm, QM_MB_CMD_SQC, qp->id, &sqc, sizeof(sqc));
	asked = ret != -EBUSY;
	if (!ret)
		ret = qm_context_load_locked(qm, QM_MB_CMD_CQC, qp->id, &cqc, sizeof(cqc));
	qm_requests_end(qp, &sel, !ret);
	qm_mailbox_end(qm);

	qp->started = !ret;
	qm_qp_set_rings(qp, qp->started);
	/* How much of the contexts the device has taken isn't known. */
	if (ret && asked && qm_qp_park(qp))
		qm_qp_stuck(qp, ret);
err_end:
	if (ret && !qp->stuck)
		qm_mediated_end(qp);
unlock:
	mutex_unlock(&qp->lock);
	return ret;
}

/* ------ owners ------ */

/* The device has let go of the queue. */
static void qm_qp_free_memory(struct hisi_qp *qp)
{
	qm_mediated_close(qp);
	uacce_dus_free(qp->dus);
	qp->dus = NULL;
}

/**
 * qm_qp_get - reserve a queue and its memory for a new owner
 * @qm: the function
 * @file: the owner's queue in the framework
 *
 * -EBUSY when all queues are in use, -EPERM while the function is stopped.
 */
struct hisi_qp *qm_qp_get(struct hisi_qm *qm, struct uacce_queue *file)
{
	struct qm_mediated *mediated;
	struct uacce_dus *dus;
	struct hisi_qp *qp;
	int ret;

	ret = qm_power_get(qm);
	if (ret) {
		qp = ERR_PTR(ret);
		goto err_count;
	}
	qp = qm_qp_reserve(qm);
	if (IS_ERR(qp))
		goto err_put_power;

	dus = uacce_dus_alloc(file, &qm->pdev->dev, qm->dus_size);
	if (IS_ERR(dus)) {
		qm_qp_release(qp);
		qp = ERR_CAST(dus);
		goto err_put_power;
	}

	mediated = qm_mediated_open(qp, file);
	if (IS_ERR(mediated)) {
		uacce_dus_free(dus);
		qm_qp_release(qp);
		qp = ERR_CAST(mediated);
		goto err_put_power;
	}

	mutex_lock(&qp->lock);
	qp->dus = dus;
	qp->mediated = mediated;
	qp->doorbell = qm_mediated_doorbell(qp);
	qp->requests = 0;
	qp->qc_type = 0;
	qp->used_before = false;
	qp->failed = false;
	qp->draining = false;
	/* poll() reads these before the start, too */
	qp->cq_head = 0;
	qp->cq_phase = true;
	mutex_unlock(&qp->lock);
	return qp;

err_put_power:
	qm_power_put(qm);
err_count:
	qm_count(qm, QM_COUNT_CREATE_QP_ERR);
	return qp;
}

/**
 * qm_qp_put - release a queue from its owner
 * @qp: the queue, stopped unless it is stuck
 * @file: the owner's queue in the framework
 *
 * Returns false when the queue is stuck: the device may go on using its memory and its PASID,
 * until uacce_queue_recovered() is called for @file.
 */
bool qm_qp_put(struct hisi_qp *qp, struct uacce_queue *file)
{
	bool stopped;

	mutex_lock(&qp->lock);
	qm_qp_end_locked(qp, file->waited_us);
	WRITE_ONCE(file->requests, qp->requests);
	mutex_unlock(&qp->lock);
	qm_aeq_drain(qp->qm);

	mutex_lock(&qp->lock);
	/* qm_stuck_work() may have stopped the queue meanwhile. */
	stopped = !qp->stuck;
	if (stopped) {
		qm_qp_free_memory(qp);
	} else {
		qp->left = file;
	}
	qm_qp_release(qp);
	mutex_unlock(&qp->lock);
	if (stopped)
		qm_power_put(qp->qm);
	return stopped;
}

/* If the queue has no owner and the device has let go of it, makes it available again. */
static struct uacce_queue *qm_qp_give_back(struct hisi_qp *qp)
{
	struct uacce_queue *file = qp->left;
	struct hisi_qm *qm = qp->qm;

	lockdep_assert_held(&qp->lock);
	if (!file || qp->stuck)
		return NULL;
	qp->left = NULL;
	/* A process that still maps the queue has had no answer so far. */
	qm_qp_word(qp, QM_DUS_RX_STOP(qm->dus_size));
	qm_qp_free_memory(qp);

	mutex_lock(&qm->state_lock);
	qm->qp_stuck--;
	__clear_bit(qp->id, qm->qp_map);
	mutex_unlock(&qm->state_lock);
	qm_power_put(qm);
	return file;
}

/**
 * qm_qp_recover - try to stop a stuck queue again
 * @qp: the queue
 *
 * 0: the queue isn't stuck any more; -EBUSY, -ETIMEDOUT: the device takes no commands; -EAGAIN, -EINPROGRESS: it is
 * still at the queue's requests.
 */
int qm_qp_recover(struct hisi_qp *qp)
{
	struct uacce_queue *file;
	int ret;

	mutex_lock(&qp->lock);
	ret = qm_qp_stop_stuck(qp);
	mutex_unlock(&qp->lock);
	if (ret)
		return ret;
	qm_aeq_drain(qp->qm);

	mutex_lock(&qp->lock);
	file = qm_qp_give_back(qp);
	mutex_unlock(&qp->lock);
	if (file)
		uacce_queue_recovered(file);
	return 0;
}

/**
 * qm_queues_forgotten - release every stuck queue
 * @qm: the function; the device was reset, and can't access memory
 */
void qm_queues_forgotten(struct hisi_qm *qm)
{
	struct uacce_queue *file;
	struct hisi_qp *qp;
	unsigned int i;

	for (i = 0; i < qm->qp_num; i++) {
		qp = &qm->qps[i];
		mutex_lock(&qp->lock);
		if (qp->dus && qp->stuck)
			qm_qp_word(qp, QM_DUS_RX_STOP(qm->dus_size));
		qp->stuck = false;
		qm_mediated_end(qp);
		/* The counters begin again, too. */
		qp->counted = 0;
		qp->counting = true;
		file = qm_qp_give_back(qp);
		mutex_unlock(&qp->lock);
		if (file)
			uacce_queue_recovered(file);
	}
}

/* Under this lock an owner's memory stays: a queue that is put has lost its file before. */
static void qm_qp_close(struct hisi_qp *qp)
{
	spin_lock_irq(&qp->event_lock);
	if (qp->file)
		qm_qp_word(qp, QM_DUS_TX_STOP(qp->qm->dus_size));
	spin_unlock_irq(&qp->event_lock);
}

/**
 * qm_queues_close - tell the owners of all queues not to send any more
 * @qm: the function, where no queue is started any more; qm_queues_kill() follows
 *
 * Stopping the queues takes a while, one after the other. A request that a stop has ended would otherwise be sent
 * again by the next queue, and ended again.
 */
void qm_queues_close(struct hisi_qm *qm)
{
	unsigned int i;

	for (i = 0; i < qm->qp_num; i++)
		qm_qp_close(&qm->qps[i]);
}

/**
 * qm_queues_kill - kill every queue of the function that has an owner
 * @qm: the function; its state isn't QM_STARTED any more
 */
void qm_queues_kill(struct hisi_qm *qm)
{
	unsigned int i;

	for (i = 0; i < qm->qp_num; i++)
		qm_qp_kill(&qm->qps[i], NULL);
}

/**
 * qm_queues_init - allocate the queues
 * @qm: the function; the number and depths of its queues are known
 */
int qm_queues_init(struct hisi_qm *qm)
{
	unsigned int i;

	qm->dus_size = PAGE_ALIGN(qm_sq_bytes(qm) +
				  sizeof(struct qm_cqe) * qm->caps[QM_CAP_ID_CQ_DEPTH]) + PAGE_SIZE;

	qm->qp_map = bitmap_zalloc(qm->qp_num, GFP_KERNEL);
	if (!qm->qp_map)
		return -ENOMEM;
	qm->qps = kvcalloc(qm->qp_num, sizeof(*qm->qps), GFP_KERNEL);
	if (!qm->qps)
		goto err_free_map;

	for (i = 0; i < qm->qp_num; i++) {
		mutex_init(&qm->qps[i].lock);
		spin_lock_init(&qm->qps[i].event_lock);
		qm->qps[i].qm = qm;
		qm->qps[i].id = i;
	}
	return 0;

err_free_map:
	bitmap_free(qm->qp_map);
	return -ENOMEM;
}

/**
 * qm_queues_exit - undo qm_queues_init()
 * @qm: the function; the device can't access memory any more
 */
void qm_queues_exit(struct hisi_qm *qm)
{
	struct hisi_qp *qp;
	unsigned int i;

	for (i = 0; i < qm->qp_num; i++) {
		qp = &qm->qps[i];
		if (!qp->dus)
			continue;
		/* A process that still maps the queue has had no answer so far. */
		qm_qp_word(qp, QM_DUS_RX_STOP(qm->dus_size));
		qm_qp_free_memory(qp);
		pm_runtime_put_noidle(&qm->pdev->dev);
	}
	kvfree(qm->qps);
	bitmap_free(qm->qp_map);
}
