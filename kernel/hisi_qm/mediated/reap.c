// SPDX-License-Identifier: GPL-2.0-or-later
/* Completions: from the device's ring, by calls, to the owner's ring, in its order. */
#include "mediated.h"

/* ------ publish ------ */

/* The answer to request @index: result words, then the completion, of which the phase is last. */
static void med_complete(struct med_run *run, u64 index, u32 slot)
{
	struct qm_cqe *cqe = run->qp->dus->va + (size_t)run->sqe_bytes * run->sq_depth;
	u16 phase = index / run->cq_depth & 1 ? 0 : QM_CQE_PHASE;

	cqe += index % run->cq_depth;
	WRITE_ONCE(cqe->sq_head, cpu_to_le16(slot));
	WRITE_ONCE(cqe->sq_num, cpu_to_le16(run->qp->id));
	smp_store_release(&cqe->w7, cpu_to_le16(phase));
}

/**
 * med_answer - give the owner the next completion
 * @run: its run, locked
 * @index: the request
 * @r: its memory, if the device has completed it
 * @status: else its status
 */
void med_answer(struct med_run *run, u64 index, const struct med_request *r, u32 status)
{
	u32 slot = index % run->sq_depth;
	__le32 *sqe = run->qp->dus->va + slot * run->sqe_bytes;

	lockdep_assert_held(&run->lock);
	if (r)
		tr_results(&r->tr, r->sqe, sqe);
	else
		tr_fail(&run->q, status, sqe);
	med_complete(run, index, slot);
	run->published = index + 1;
	WRITE_ONCE(run->qp->mediated->published, run->published);
}

/**
 * med_publish - give the owner all completions that are next
 * @run: its run, locked
 */
void med_publish(struct med_run *run)
{
	u64 before = run->published;
	struct med_request *r;

	lockdep_assert_held(&run->lock);
	while (run->published < run->committed) {
		r = med_request_at(run, run->published);
		if (r->state != MED_DONE)
			break;
		med_answer(run, run->published, r->status ? NULL : r, r->status);
		r->state = MED_FREE;
	}
	if (before == run->published || !run->armed)
		return;
	run->armed = false;
	qm_qp_notify(run->qp);
}

/* ------ finish ------ */

static void med_deliver(struct med_run *run, struct med_request *r)
{
	const struct tr_access *a;
	struct med_access *m;
	const void *from;
	u32 i;

	for (i = 0; i < r->tr.nr; i++) {
		a = &r->tr.access[i];
		m = &r->access[i];
		from = a->form == HW_SMALL ? med_slot(run, r) + a->at : med_copy_of(m);
		if (a->dir & HW_WRITE && from)
			med_copy(r, m, (void *)from, min(m->bytes, tr_deliver(&r->tr, i, r->sqe)), false);
	}
}

/* The device has let go of the request, whose descriptor was copied from its ring. */
static void med_finish(struct med_run *run, struct med_request *r)
{
	med_deliver(run, r);
	med_unmap(run, r);
	med_drop(run, r);
}

/* ------ reap ------ */

static struct med_request *med_completed(struct med_run *run, const struct qm_cqe *cqe)
{
	u32 slot = le16_to_cpu(READ_ONCE(cqe->sq_head));
	struct med_request *r;

	if (slot >= run->device_depth)
		return NULL;
	r = &run->request[run->by_slot[slot]];
	return r->state == MED_DEVICE && r->at == slot ? r : NULL;
}

/* The device has a slot of its ring no more once it has completed it. */
static void med_claim(struct med_run *run, struct med_request *r)
{
	memcpy(r->sqe, run->qp->mediated->sq->va + r->at * run->sqe_bytes, run->sqe_bytes);
	r->state = MED_REAPED;
}

static bool med_next(struct med_run *run, struct med_request **r)
{
	const struct qm_cqe *cqe = (const struct qm_cqe *)run->qp->mediated->cq->va + run->cq_head;

	if (!!(le16_to_cpu(READ_ONCE(cqe->w7)) & QM_CQE_PHASE) != run->cq_phase)
		return false;
	/* The rest of the completion, and the results, are as old or newer. */
	dma_rmb();
	*r = med_completed(run, cqe);
	run->unacked++;
	if (++run->cq_head == run->cq_depth) {
		run->cq_head = 0;
		run->cq_phase = !run->cq_phase;
	}
	return true;
}

/*
 * The ring has room for all that is in flight, so the device needn't be told each time. But a simulated device whose
 * queues share one doorbell may see another queue's in place of this one: a few in a row may be lost.
 */
static void med_acknowledge(struct med_run *run)
{
	struct hisi_qp_doorbell db = { .cq_head = run->cq_head, .flags = HISI_QP_DB_CQ };

	if (run->unacked >= run->cq_depth / MED_ACKS && !qm_qp_ring(run->qp, &db))
		run->unacked = 0;
}

/* Returns how many completions the device had. */
static u32 med_reap_take(struct med_run *run, struct med_request **batch, u32 *nr)
{
	struct med_request *r;
	u32 seen;

	lockdep_assert_held(&run->lock);
	*nr = 0;
	for (seen = 0; seen < MED_BATCH && med_next(run, &r); seen++) {
		if (r) {
			med_claim(run, r);
			batch[(*nr)++] = r;
		} else {
			dev_err_ratelimited(run->dev, "queue %u: a completion without a request\n", run->qp->id);
		}
	}
	med_acknowledge(run);
	return seen;
}

static u32 med_reap_batch(struct med_run *run, bool last)
{
	struct med_request *batch[MED_BATCH] __uninitialized;
	u32 seen, nr, i;

	spin_lock(&run->lock);
	if (!last && (run->over || run->held)) {
		spin_unlock(&run->lock);
		return 0;
	}
	seen = med_reap_take(run, batch, &nr);
	run->busy += nr && !last;
	spin_unlock(&run->lock);
	for (i = 0; i < nr; i++)
		med_finish(run, batch[i]);
	if (!nr)
		return seen;
	spin_lock(&run->lock);
	for (i = 0; i < nr; i++)
		batch[i]->state = MED_DONE;
	med_publish(run);
	spin_unlock(&run->lock);
	if (!last)
		med_busy_end(run);
	return seen;
}

/**
 * med_reap - complete what the device has completed
 * @run: a run
 * @last: by the end of it, when no other thread reaps
 */
void med_reap(struct med_run *run, bool last)
{
	u32 left = run->nr;
	u32 seen;

	/* The owner may submit all the time: what comes after as many as can be in flight is for the next call. */
	do {
		seen = med_reap_batch(run, last);
		left -= min(left, seen);
	} while (seen == MED_BATCH && left);
}

/* ------ the work item ------ */

/* For a process that never looks. */
void med_look_work(struct work_struct *work)
{
	struct med_run *run = container_of(to_delayed_work(work), struct med_run, look);
	u64 before, after;

	spin_lock(&run->lock);
	before = run->published;
	spin_unlock(&run->lock);
	med_reap(run, false);
	spin_lock(&run->lock);
	after = run->published;
	if (after != before && !run->over)
		qm_qp_notify(run->qp);
	run->looking = false;
	if (after != run->committed)
		med_look_later(run);
	spin_unlock(&run->lock);
	med_run_put(run);
}

/* Under the run's lock. */
void med_look_later(struct med_run *run)
{
	lockdep_assert_held(&run->lock);
	if (run->looking || run->over || run->held)
		return;
	run->looking = true;
	kref_get(&run->ref);
	queue_delayed_work(med_wq, &run->look, MED_REAP_PERIOD);
}
