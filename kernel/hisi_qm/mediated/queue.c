// SPDX-License-Identifier: GPL-2.0-or-later
/* A mediated queue: its rings, its objects from start to end, and what the framework calls. */
#include <linux/io.h>
#include <linux/slab.h>
#include "mediated.h"

/* ------ start and end ------ */

/**
 * qm_mediated_start - the object of a queue that is being started by its owner
 * @qp: the queue, locked
 */
int qm_mediated_start(struct hisi_qp *qp)
{
	struct qm_mediated *mediated = qp->mediated;
	struct med_run *run;

	if (!mediated)
		return 0;
	run = med_run_alloc(qp);
	if (!run)
		return -ENOMEM;
	INIT_DELAYED_WORK(&run->look, med_look_work);
	memset(mediated->cq->va, 0, mediated->cq->size);
	spin_lock_irq(&qp->event_lock);
	mediated->run = run;
	mediated->published = mediated->seen = 0;
	spin_unlock_irq(&qp->event_lock);
	return 0;
}

/**
 * qm_mediated_set_rings - qm_qp_set_rings(), not while requests are being committed
 * @qp: the queue, locked
 * @rings: its owner's calls may submit
 *
 * A device that polls its registers looks for descriptors whose doorbell it missed. One that is written when a stop has
 * begun, and so isn't rung for, would be taken for such, and executed while the queue's contexts go.
 */
void qm_mediated_set_rings(struct hisi_qp *qp, bool rings)
{
	struct med_run *run = qp->mediated ? qp->mediated->run : NULL;

	if (!run) {
		qm_qp_set_rings(qp, rings);
		return;
	}
	spin_lock(&run->lock);
	qm_qp_set_rings(qp, rings);
	med_commit_ready(run);
	spin_unlock(&run->lock);
}

/**
 * qm_mediated_keep - the queue failed to stop: all that is mapped stays so
 * @qp: the queue, locked
 */
void qm_mediated_keep(struct hisi_qp *qp)
{
	struct med_run *run = qp->mediated ? qp->mediated->run : NULL;

	if (!run)
		return;
	spin_lock(&run->lock);
	run->held = true;
	spin_unlock(&run->lock);
}

/* Requests that nobody else has any more. One that a thread translates stays with it. */
static void med_end_request(struct med_run *run, u64 index, u32 status)
{
	struct med_request *r = med_request_at(run, index);
	bool mine = r->index == index, mapped = mine && (r->state == MED_DEVICE || r->state == MED_READY);
	bool done = mine && r->state == MED_DONE;

	if (mapped) {
		med_unmap(run, r);
		med_drop(run, r);
	}
	spin_lock(&run->lock);
	if (done && r->status)
		status = r->status;
	med_answer(run, index, done && !r->status ? r : NULL, status);
	if (mapped || done)
		r->state = MED_FREE;
	spin_unlock(&run->lock);
}

static void med_end(struct med_run *run)
{
	u32 status = tr_status(&run->q, TR_WHY_STOPPED);

	spin_lock(&run->lock);
	run->over = true;
	spin_unlock(&run->lock);
	med_busy_wait(run);
	med_reap(run, true);
	while (run->published < run->wanted)
		med_end_request(run, run->published, status);
	med_slots_unmap(run);
}

/**
 * qm_mediated_end - end what is in flight, and give back all that it uses
 * @qp: the queue, locked; the device has let go of it
 */
void qm_mediated_end(struct hisi_qp *qp)
{
	struct med_run *run = qp->mediated ? qp->mediated->run : NULL;

	if (!run)
		return;
	med_end(run);
	spin_lock_irq(&qp->event_lock);
	qp->mediated->run = NULL;
	spin_unlock_irq(&qp->event_lock);
	if (cancel_delayed_work(&run->look))
		med_run_put(run);
	med_run_put(run);
}

/* ------ open and close ------ */

/**
 * qm_mediated_open - the device's rings for a queue
 * @qp: the queue, reserved for its owner
 * @file: its owner's
 *
 * NULL: the queue isn't mediated.
 */
struct qm_mediated *qm_mediated_open(const struct hisi_qp *qp, struct uacce_queue *file)
{
	struct hisi_qm *qm = qp->qm;
	struct qm_mediated *mediated;
	int err;

	if (!hisi_qm_mediated(qm))
		return NULL;
	mediated = kzalloc(sizeof(*mediated), GFP_KERNEL_ACCOUNT);
	if (!mediated)
		return ERR_PTR(-ENOMEM);
	mediated->sq = uacce_ring_alloc(file, &qm->pdev->dev, med_sq_bytes(qm));
	err = PTR_ERR_OR_ZERO(mediated->sq);
	if (err)
		goto err_free_mediated;
	mediated->cq = uacce_ring_alloc(file, &qm->pdev->dev, med_cq_bytes(qm));
	err = PTR_ERR_OR_ZERO(mediated->cq);
	if (err)
		goto err_free_sq;
	if (qm->isolated_doorbells) {
		mediated->doorbell = ioremap(qm_qp_window(qp) + QM_DB_SQ_CQ, sizeof(u64));
		err = mediated->doorbell ? 0 : -ENOMEM;
	}
	if (err)
		goto err_free_cq;
	return mediated;

err_free_cq:
	uacce_dus_free(mediated->cq);
err_free_sq:
	uacce_dus_free(mediated->sq);
err_free_mediated:
	kfree(mediated);
	return ERR_PTR(err);
}

/**
 * qm_mediated_close - undo qm_mediated_open()
 * @qp: the queue; the device has let go of it
 */
void qm_mediated_close(struct hisi_qp *qp)
{
	struct qm_mediated *mediated = qp->mediated;

	if (!mediated)
		return;
	qm_mediated_end(qp);
	spin_lock_irq(&qp->event_lock);
	qp->mediated = NULL;
	qp->doorbell = NULL;
	spin_unlock_irq(&qp->event_lock);
	if (mediated->doorbell)
		iounmap(mediated->doorbell);
	uacce_dus_free(mediated->cq);
	uacce_dus_free(mediated->sq);
	kfree(mediated);
}

/**
 * qm_mediated_rings - where the device's rings are
 * @qp: an owned queue
 * @sq: for the device
 * @cq: the same
 */
void qm_mediated_rings(const struct hisi_qp *qp, dma_addr_t *sq, dma_addr_t *cq)
{
	if (!qp->mediated)
		return;
	*sq = qp->mediated->sq->dma;
	*cq = qp->mediated->cq->dma;
}

/**
 * qm_qp_sq_depth - entries of the device's submission ring
 * @qp: an owned queue, mediated or not
 */
u32 qm_qp_sq_depth(const struct hisi_qp *qp)
{
	return qp->mediated ? med_device_depth(qp->qm) : qp->qm->caps[QM_CAP_ID_SQ_DEPTH];
}

/**
 * qm_mediated_doorbell - the register that the kernel rings for a queue
 * @qp: an owned queue
 *
 * NULL: the one that all queues of the function share.
 */
void __iomem *qm_mediated_doorbell(const struct hisi_qp *qp)
{
	return qp->mediated ? qp->mediated->doorbell : NULL;
}

/**
 * qm_mediated_cq - the device's completion ring, which the owner may map
 * @qp: an owned queue
 *
 * NULL: the queue isn't mediated.
 */
struct uacce_dus *qm_mediated_cq(const struct hisi_qp *qp)
{
	return qp->mediated ? qp->mediated->cq : NULL;
}

/* ------ the framework's calls ------ */

/**
 * qm_mediated_hold - a reference of a queue's object
 * @qp: the queue
 */
void *qm_mediated_hold(struct hisi_qp *qp)
{
	struct med_run *run;
	unsigned long flags;

	spin_lock_irqsave(&qp->event_lock, flags);
	run = qp->mediated ? qp->mediated->run : NULL;
	if (run)
		kref_get(&run->ref);
	spin_unlock_irqrestore(&qp->event_lock, flags);
	return run;
}

/**
 * qm_mediated_drop - undo qm_mediated_hold()
 * @held: the object
 */
void qm_mediated_drop(void *held)
{
	med_run_put(held);
}

/**
 * qm_mediated_look - complete what the device has completed
 * @held: the object
 */
void qm_mediated_look(void *held)
{
	med_reap(held, false);
}

/**
 * qm_mediated_updated - are there completions that the last call hasn't seen?
 * @qp: the queue
 */
bool qm_mediated_updated(struct hisi_qp *qp)
{
	struct qm_mediated *mediated;
	unsigned long flags;
	bool updated = false;
	u64 published;

	spin_lock_irqsave(&qp->event_lock, flags);
	mediated = qp->mediated;
	if (mediated) {
		published = READ_ONCE(mediated->published);
		updated = published != mediated->seen;
		mediated->seen = published;
	}
	spin_unlock_irqrestore(&qp->event_lock, flags);
	return updated;
}

/**
 * qm_mediated_memory - UACCE_CMD_QM_GET_MEMORY
 * @qp: the queue
 * @memory: the answer
 */
void qm_mediated_memory(const struct hisi_qp *qp, struct hisi_qp_memory *memory)
{
	struct tr_queue q = { .engine = qp->qm->engine->translation };

	*memory = (struct hisi_qp_memory) {
		.flat_bytes = MED_FLAT_MAX, .request_pages = tr_pages(&q), .pinned_bytes = med_max_pinned(qp),
	};
}
