// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Queue contexts: install, read back, stop, drop. */
#include "internal.h"

#define WDM_CQE_SHIFT	4
#define WDM_SQ_DEPTH_MAX QM_SQ_DEPTH_V2
#define WDM_SAMPLE_BYTES 512

static void wdm_queue_activate(struct wdm_device *dev, struct wdm_queue *q)
{
	if (q->active)
		return;
	q->active = true;
	dev->active[dev->nr_active++] = (u16)q->abs;
}

static void wdm_queue_deactivate(struct wdm_device *dev, struct wdm_queue *q)
{
	u32 i;

	if (!q->active)
		return;
	for (i = 0; dev->active[i] != q->abs; i++)
		;
	dev->active[i] = dev->active[--dev->nr_active];
	q->active = false;
}

/*
 * Marks every slot as if its last descriptor had been completed, and records its digest. So
 * from the first pass on, a new descriptor whose doorbell was lost can be distinguished from an
 * old one and from an incomplete one.
 */
static int wdm_ring_begin(struct wdm_device *dev, struct wdm_queue *q)
{
	u32 bytes = 1u << dev->engine->sqe_shift, per_read = WDM_SAMPLE_BYTES / bytes, slot, nr, i;
	u32 buf[WDM_SAMPLE_BYTES / 4];

	for (slot = 0; slot < q->sq_depth; slot += nr) {
		u64 at = q->sq_base + (u64)slot * bytes;

		nr = q->sq_depth - slot < per_read ? q->sq_depth - slot : per_read;
		if (wdm_dma_read(dev, q->fn, at, buf, nr * bytes))
			return -EFAULT;
		for (i = 0; i < nr; i++) {
			dev->engine->mark(buf + i * bytes / 4);
			q->digest[slot + i] = wdm_slot_digest(buf + i * bytes / 4, bytes);
		}
		if (wdm_dma_write(dev, q->fn, at, buf, nr * bytes))
			return -EFAULT;
	}
	return 0;
}

static enum wdm_refusal wdm_sqc_check(const struct wdm_device *dev, const struct wdm_queue *q, const u8 *qc, u32 rel)
{
	u32 dw3 = wdm_get32(qc + 12), w11 = wdm_get16(qc + 22), w13 = wdm_get16(qc + 26);
	u32 depth = (dw3 & QM_QC_DEPTH_MASK) + 1;

	if (q->first || q->head != q->tail)
		return WDM_REFUSE_MB_BUSY;
	if (depth < 2 || depth > WDM_SQ_DEPTH_MAX)
		return WDM_REFUSE_QC_DEPTH;
	if (dw3 >> QM_QC_ENTRY_SHIFT != dev->engine->sqe_shift)
		return WDM_REFUSE_QC_ENTRY;
	if (wdm_get16(qc) != wdm_get16(qc + 2) || wdm_get16(qc) >= depth ||
	    wdm_get16(qc + 24) != rel || wdm_get16(qc + 18) || wdm_get32(qc + 28) ||
	    (w11 & ~(QM_SQC_W11_PASID | QM_QC_W11_TAIL_WRAP)) ||
	    (w13 >> QM_SQC_W13_ALG_SHIFT) >= dev->engine->alg_types ||
	    (!(w11 & QM_SQC_W11_PASID) && wdm_get16(qc + 20)))
		return WDM_REFUSE_QC_FIELD;
	return WDM_REFUSE_NONE;
}

int wdm_sqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc)
{
	u32 rel = f->mb_queue;
	enum wdm_refusal why = wdm_sqc_check(dev, q, qc, rel);

	if (why) {
		wdm_refuse(dev, why, f->index, rel, wdm_get32(qc + 12));
		return -EINVAL;
	}
	/* A driver takes a queue out of service by this bit: doorbells have no effect any more. */
	if (wdm_get16(qc + 26) & QM_SQC_W13_DISABLED) {
		wdm_queue_drop(dev, q);
		return 0;
	}
	q->fn = f->index;
	q->rel = rel;
	q->gen++;
	q->sqe_shift = (u8)dev->engine->sqe_shift;
	q->sq_base = wdm_get64(qc + 4);
	q->sq_depth = (wdm_get32(qc + 12) & QM_QC_DEPTH_MASK) + 1;
	q->head = q->tail = q->done = wdm_get16(qc);
	q->rand = (u16)wdm_get16(qc + 16);
	q->pasid = wdm_get16(qc + 20);
	q->pasid_valid = wdm_get16(qc + 22) & QM_SQC_W11_PASID;
	q->w13 = (u16)wdm_get16(qc + 26);
	q->prio = q->w13 & QM_SQC_W13_PRIO_MASK;
	q->alg_type = q->w13 >> QM_SQC_W13_ALG_SHIFT;
	q->stopping = false;
	q->overflow = false;
	q->skew = 0;
	q->lost_nr = 0;
	q->quiet_since = dev->now;
	q->pass = dev->vtime;
	if (wdm_ring_begin(dev, q)) {
		wdm_refuse(dev, WDM_REFUSE_MB_DMA, f->index, rel, q->sq_base);
		return -EFAULT;
	}
	q->sq_valid = true;
	wdm_queue_activate(dev, q);
	/*
	 * The driver can't ring before this command ends. A value that the window's last owner
	 * left must neither look like this owner's first doorbell nor hide it.
	 */
	wdm_doorbell_clear(dev, f, q);
	return 0;
}

int wdm_cqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc)
{
	u32 dw3 = wdm_get32(qc + 12), dw6 = wdm_get32(qc + 24), rel = f->mb_queue;
	u32 depth = (dw3 & QM_QC_DEPTH_MASK) + 1;
	enum wdm_refusal why = WDM_REFUSE_NONE;

	if (q->first || q->head != q->tail)
		why = WDM_REFUSE_MB_BUSY;
	else if (depth < 2)
		why = WDM_REFUSE_QC_DEPTH;
	else if (dw3 >> QM_QC_ENTRY_SHIFT != WDM_CQE_SHIFT)
		why = WDM_REFUSE_QC_ENTRY;
	else if (wdm_get16(qc) != wdm_get16(qc + 2) || wdm_get16(qc) >= depth ||
		 wdm_get16(qc + 18) || wdm_get32(qc + 28) ||
		 (dw6 & ~(QM_CQC_DW6_PHASE | QM_CQC_DW6_C_FLAG)) ||
		 (wdm_get16(qc + 22) & ~(QM_CQC_W11_PASID | QM_QC_W11_TAIL_WRAP)))
		why = WDM_REFUSE_QC_FIELD;
	if (why) {
		wdm_refuse(dev, why, f->index, rel, dw3);
		return -EINVAL;
	}
	q->fn = f->index;
	q->rel = rel;
	q->cq_base = wdm_get64(qc + 4);
	q->cq_depth = depth;
	q->cq_phase = dw6 & QM_CQC_DW6_PHASE;
	q->cq_w11 = (u16)wdm_get16(qc + 22) & QM_CQC_W11_PASID;
	q->cq_head = q->cq_tail = q->event_tail = wdm_get16(qc);
	q->cq_full_since = 0;
	q->skew = 0;
	q->armed = dw6 & QM_CQC_DW6_C_FLAG;
	q->eqe_out = false;
	q->cq_valid = true;
	wdm_queue_activate(dev, q);
	return 0;
}

static u32 wdm_index(u64 total, u32 depth)
{
	return depth ? (u32)(total % depth) : 0;
}

static u32 wdm_wrap_flag(u64 total, u32 depth)
{
	return depth && (total / depth & 1) ? QM_QC_W11_TAIL_WRAP : 0;
}

void wdm_sqc_get(const struct wdm_queue *q, u8 *qc)
{
	memset(qc, 0, QM_QC_SIZE);
	if (!q->sq_depth)
		return;
	wdm_put16(qc, wdm_index(q->head, q->sq_depth));
	wdm_put16(qc + 2, wdm_index(q->tail, q->sq_depth));
	wdm_put64(qc + 4, q->sq_base);
	wdm_put32(qc + 12, (q->sq_depth - 1) | (u32)q->sqe_shift << QM_QC_ENTRY_SHIFT);
	wdm_put16(qc + 16, q->rand);
	wdm_put16(qc + 20, q->pasid);
	wdm_put16(qc + 22, (q->pasid_valid ? QM_SQC_W11_PASID : 0) | wdm_wrap_flag(q->tail, q->sq_depth));
	wdm_put16(qc + 24, q->rel);
	wdm_put16(qc + 26, q->w13);
}

void wdm_cqc_get(const struct wdm_queue *q, u8 *qc)
{
	memset(qc, 0, QM_QC_SIZE);
	if (!q->cq_depth)
		return;
	wdm_put16(qc, wdm_index(q->cq_head, q->cq_depth));
	wdm_put16(qc + 2, wdm_index(q->cq_tail, q->cq_depth));
	wdm_put64(qc + 4, q->cq_base);
	wdm_put32(qc + 12, (q->cq_depth - 1) | WDM_CQE_SHIFT << QM_QC_ENTRY_SHIFT);
	wdm_put16(qc + 20, q->cq_w11 ? q->pasid : 0);
	wdm_put16(qc + 22, q->cq_w11 | wdm_wrap_flag(q->cq_tail, q->cq_depth));
	wdm_put32(qc + 24, (q->cq_phase ^ (q->cq_tail / q->cq_depth & 1)) | (q->armed ? QM_CQC_DW6_C_FLAG : 0));
}

void wdm_queue_stop(struct wdm_device *dev, struct wdm_queue *q)
{
	if (!q->active || q->stopping)
		return;
	if (q->sq_valid && q->cq_valid && !dev->attr.no_isolation)
		wdm_doorbell_poll(dev, &dev->fns[q->fn], q);
	q->stopping = true;
	q->stop_at = dev->now + WDM_STOP_GRACE_NS;
}

/* Advances a stop; returns true when no descriptor of the queue is left in the device. */
bool wdm_queue_stopped(struct wdm_device *dev, struct wdm_queue *q)
{
	bool mute = q->overflow || !q->sq_valid || !q->cq_valid || dev->master_closed;

	if (!q->active)
		return true;
	if (q->stuck)
		return false;
	if (!mute)
		wdm_jobs_complete(dev, q);
	if (mute || dev->now >= q->stop_at)
		wdm_jobs_abort(dev, q);
	else
		wdm_wake_at(dev, q->stop_at);
	/* No completion can be written, so wait only for the workers. */
	mute |= q->overflow || !q->sq_valid;
	if (mute ? !!q->jobs_out : q->first || q->head != q->tail)
		return false;
	wdm_queue_drop(dev, q);
	return true;
}

/* Drops a queue at once; jobs that workers still run are dropped when they return. */
void wdm_queue_drop(struct wdm_device *dev, struct wdm_queue *q)
{
	struct wdm_job *job;

	while ((job = q->first)) {
		q->first = job->next;
		wdm_limits_refund(dev, q, job);
		if (job->state == WDM_JOB_DONE)
			wdm_job_free(dev, job);
		else
			wdm_store(&job->abort, 1);
	}
	q->last = NULL;
	q->jobs = 0;
	q->jobs_out = 0;
	q->gen++;
	q->sq_valid = false;
	q->cq_valid = false;
	q->stopping = false;
	q->overflow = false;
	q->stuck = false;
	q->eqe_out = false;
	q->head = q->tail = q->done;
	wdm_queue_deactivate(dev, q);
}
