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
 * A loaded ring has its marks from the device that it comes from. Slots are marked when their completion is consumed,
 * and of which this is true isn't known. A slot that has neither a mark nor an answer is a request whose doorbell may
 * be lost, so it must differ from what is known of it.
 */
static void wdm_slot_loaded(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, const u32 *sqe, u32 bytes)
{
	u32 digest = wdm_slot_digest(sqe, bytes);
	bool marked = wdm_marked(dev, sqe), request = !marked && !dev->engine->answered(sqe);

	q->digest[slot] = request ? ~digest : digest;
	q->marked[slot] = false;
	if (marked || request)
		wdm_slot_keep(dev, q, slot, sqe);
}

/*
 * Marks every slot, and records its digest. So from the first pass on, a new descriptor whose doorbell was lost can be
 * distinguished from an old one and from an incomplete one.
 */
static int wdm_ring_begin(struct wdm_device *dev, struct wdm_queue *q, bool load)
{
	u32 bytes = 1u << dev->engine->sqe_shift, per_read = WDM_SAMPLE_BYTES / bytes, slot, nr, i;
	u32 buf[WDM_SAMPLE_BYTES / 4];

	for (slot = 0; slot < q->sq_depth; slot += nr) {
		u64 at = q->sq_base + (u64)slot * bytes;

		nr = q->sq_depth - slot < per_read ? q->sq_depth - slot : per_read;
		if (wdm_dma_read(dev, q->fn, at, buf, nr * bytes))
			return -EFAULT;
		for (i = 0; i < nr; i++) {
			u32 *sqe = buf + i * bytes / 4;

			if (load)
				wdm_slot_loaded(dev, q, slot + i, sqe, bytes);
			else
				wdm_slot_begin(dev, q, slot + i, sqe);
		}
		if (!load && wdm_dma_write(dev, q->fn, at, buf, nr * bytes))
			return -EFAULT;
	}
	return 0;
}

/* Queues start empty; only those that were paused have something between head and tail. */
static bool wdm_indices_fit(const u8 *qc, u32 depth, bool load)
{
	u32 head = wdm_get16(qc), tail = wdm_get16(qc + 2);

	return head < depth && tail < depth && (load || head == tail);
}

static enum wdm_refusal wdm_sqc_check(const struct wdm_device *dev, const struct wdm_queue *q, const u8 *qc, u32 rel,
				      bool load)
{
	u32 dw3 = wdm_get32(qc + 12), w11 = wdm_get16(qc + 22), w13 = wdm_get16(qc + 26);
	u32 depth = (dw3 & QM_QC_DEPTH_MASK) + 1;

	if (q->first || q->head != q->tail)
		return WDM_REFUSE_MB_BUSY;
	if (depth < 2 || depth > WDM_SQ_DEPTH_MAX)
		return WDM_REFUSE_QC_DEPTH;
	if (dw3 >> QM_QC_ENTRY_SHIFT != dev->engine->sqe_shift)
		return WDM_REFUSE_QC_ENTRY;
	if (!wdm_indices_fit(qc, depth, load) ||
	    wdm_get16(qc + 24) != rel || wdm_get16(qc + 18) || wdm_get32(qc + 28) ||
	    (w11 & ~((dev->generation->pasid_bits ? QM_SQC_W11_PASID : 0) | QM_QC_W11_TAIL_WRAP)) ||
	    (w13 >> QM_SQC_W13_ALG_SHIFT) >= dev->variant->alg_types ||
	    (dev->generation->pasid_bits && !(w11 & QM_SQC_W11_PASID) && wdm_get16(qc + 20)))
		return WDM_REFUSE_QC_FIELD;
	return WDM_REFUSE_NONE;
}

/* The totals of a ring whose indices a context has. Their base is above any difference between head and tail. */
static u64 wdm_total_tail(const u8 *qc, u32 depth)
{
	u32 wrap = wdm_get16(qc + 22) & QM_QC_W11_TAIL_WRAP ? 1 : 0;

	return wdm_get16(qc + 2) + (u64)depth * (2 + wrap);
}

static u64 wdm_total_head(const u8 *qc, u32 depth)
{
	return wdm_total_tail(qc, depth) - (wdm_get16(qc + 2) + depth - wdm_get16(qc)) % depth;
}

static void wdm_sqc_take(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, u32 rel, const u8 *qc)
{
	q->fn = f->index;
	q->rel = rel;
	q->gen++;
	q->sqe_shift = (u8)dev->engine->sqe_shift;
	q->sq_base = wdm_get64(qc + 4);
	q->sq_depth = (wdm_get32(qc + 12) & QM_QC_DEPTH_MASK) + 1;
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
}

/* No submission implies that a completion was consumed, until slots have been answered. */
static void wdm_slots_consumed(struct wdm_queue *q)
{
	u32 i;

	for (i = 0; i < WDM_SQ_DEPTH_MAX; i++)
		q->answered_at[i] = (u32)q->cq_head;
}

/* Returns a negative error after a refusal for @why, or after one of the ring. */
static int wdm_sqc_install(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, u32 rel, const u8 *qc,
			   bool load)
{
	wdm_sqc_take(dev, f, q, rel, qc);
	q->loaded = load;
	q->tail = load ? wdm_total_tail(qc, q->sq_depth) : wdm_get16(qc);
	q->head = q->done = load ? wdm_total_head(qc, q->sq_depth) : wdm_get16(qc);
	if (wdm_ring_begin(dev, q, load)) {
		wdm_refuse(dev, WDM_REFUSE_MB_DMA, f->index, rel, q->sq_base);
		return -EFAULT;
	}
	q->free = q->done + q->sq_depth;
	q->sq_valid = true;
	if (q->cq_valid)
		wdm_slots_consumed(q);
	wdm_queue_activate(dev, q);
	/*
	 * A driver can't ring before the command that starts its queue ends. A value that the window's last owner
	 * left must neither look like this owner's first doorbell nor hide it.
	 */
	wdm_doorbell_clear(dev, f, q);
	return 0;
}

int wdm_sqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc)
{
	u32 rel = f->mb_queue;
	enum wdm_refusal why = wdm_sqc_check(dev, q, qc, rel, false);

	if (why) {
		wdm_refuse(dev, why, f->index, rel, wdm_get32(qc + 12));
		return -EINVAL;
	}
	/* A driver takes a queue out of service by this bit: doorbells have no effect any more. */
	if (wdm_get16(qc + 26) & QM_SQC_W13_DISABLED) {
		wdm_queue_drop(dev, q);
		return 0;
	}
	return wdm_sqc_install(dev, f, q, rel, qc, false);
}

static enum wdm_refusal wdm_cqc_check(const struct wdm_device *dev, const struct wdm_queue *q, const u8 *qc, bool load)
{
	u32 dw3 = wdm_get32(qc + 12), depth = (dw3 & QM_QC_DEPTH_MASK) + 1;

	if (q->first || (!load && q->head != q->tail))
		return WDM_REFUSE_MB_BUSY;
	if (depth < 2)
		return WDM_REFUSE_QC_DEPTH;
	if (dw3 >> QM_QC_ENTRY_SHIFT != WDM_CQE_SHIFT)
		return WDM_REFUSE_QC_ENTRY;
	if (!wdm_indices_fit(qc, depth, load) || wdm_get16(qc + 18) || wdm_get32(qc + 28) ||
	    (wdm_get32(qc + 24) & ~(QM_CQC_DW6_PHASE | QM_CQC_DW6_C_FLAG)) ||
	    (wdm_get16(qc + 22) & ~((dev->generation->pasid_bits ? QM_CQC_W11_PASID : 0) | QM_QC_W11_TAIL_WRAP)))
		return WDM_REFUSE_QC_FIELD;
	return WDM_REFUSE_NONE;
}

static void wdm_cqc_install(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, u32 rel, const u8 *qc,
			    bool load)
{
	u32 dw6 = wdm_get32(qc + 24);

	q->fn = f->index;
	q->rel = rel;
	q->cq_base = wdm_get64(qc + 4);
	q->cq_depth = (wdm_get32(qc + 12) & QM_QC_DEPTH_MASK) + 1;
	q->cq_tail = load ? wdm_total_tail(qc, q->cq_depth) : wdm_get16(qc);
	q->cq_head = q->event_tail = load ? wdm_total_head(qc, q->cq_depth) : wdm_get16(qc);
	/* The phase of the first pass; a context has that of the next entry. */
	q->cq_phase = (dw6 & QM_CQC_DW6_PHASE) ^ (load ? q->cq_tail / q->cq_depth & 1 : 0);
	q->cq_w11 = (u16)wdm_get16(qc + 22) & QM_CQC_W11_PASID;
	q->cq_pasid = (u16)wdm_get16(qc + 20);
	wdm_slots_consumed(q);
	q->cq_full_since = 0;
	q->skew = 0;
	q->armed = dw6 & QM_CQC_DW6_C_FLAG;
	q->eqe_out = false;
	q->cq_valid = true;
	wdm_queue_activate(dev, q);
}

int wdm_cqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q, const u8 *qc)
{
	enum wdm_refusal why = wdm_cqc_check(dev, q, qc, false);

	if (why) {
		wdm_refuse(dev, why, f->index, f->mb_queue, wdm_get32(qc + 12));
		return -EINVAL;
	}
	wdm_cqc_install(dev, f, q, f->mb_queue, qc, false);
	return 0;
}

/*
 * The totals of SQ and CQ are equal if both began at 0, and then a submission implies a CQ head. A context has only
 * indices; if these can belong to one total, they do.
 */
static bool wdm_queue_align(struct wdm_queue *q)
{
	u64 by = q->cq_tail - q->done;

	if (q->cq_tail % q->sq_depth != q->done % q->sq_depth || ((q->cq_tail ^ q->done) / q->sq_depth & 1))
		return false;
	q->done += by;
	q->head += by;
	q->tail += by;
	q->free += by;
	return true;
}

/* Each of the last completions belongs to the slot of its number, so those that are consumed can be marked. */
static void wdm_slots_answered(struct wdm_queue *q)
{
	u32 i;

	for (i = 0; i < q->sq_depth; i++)
		q->answered_at[(q->done - 1 - i) % q->sq_depth] = (u32)(q->cq_tail - i);
	q->free = q->tail;
}

static bool wdm_context_empty(const u8 *qc)
{
	return !wdm_get32(qc + 12);
}

int wdm_queue_load(struct wdm_device *dev, struct wdm_function *f, u32 rel, const u8 *sqc, const u8 *cqc)
{
	struct wdm_queue *q = wdm_queue_find(dev, f, rel);
	bool sq = !wdm_context_empty(sqc), cq = !wdm_context_empty(cqc);

	if (wdm_get16(sqc + 26) & QM_SQC_W13_DISABLED)
		return 0;
	if (sq && wdm_sqc_check(dev, q, sqc, rel, true))
		return -EINVAL;
	if (cq && wdm_cqc_check(dev, q, cqc, true))
		return -EINVAL;
	if (sq && wdm_sqc_install(dev, f, q, rel, sqc, true))
		return -EFAULT;
	if (cq)
		wdm_cqc_install(dev, f, q, rel, cqc, true);
	if (sq && cq && wdm_queue_align(q))
		wdm_slots_answered(q);
	q->tabled = sq || cq;
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

/*
 * Drivers without STOP_QP go by the tails of dumps. So a doorbell that was rung before the dump counts in it, and so
 * does one that was overwritten, although what it stands for is accepted a little later.
 */
void wdm_queue_look(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	if (wdm_has(dev, QM_MB_CMD_STOP_QP))
		return;
	wdm_doorbell_poll_shared(dev, f);
	wdm_lost_sq_poll(dev, f, q);
}

static u64 wdm_sq_tail_shown(const struct wdm_device *dev, const struct wdm_queue *q)
{
	return wdm_has(dev, QM_MB_CMD_STOP_QP) ? q->tail : q->tail + q->lost_nr;
}

void wdm_sqc_get(const struct wdm_device *dev, const struct wdm_queue *q, u8 *qc)
{
	u64 tail = wdm_sq_tail_shown(dev, q);

	memset(qc, 0, QM_QC_SIZE);
	if (!q->sq_depth)
		return;
	wdm_put16(qc, wdm_index(q->head, q->sq_depth));
	wdm_put16(qc + 2, wdm_index(tail, q->sq_depth));
	wdm_put64(qc + 4, q->sq_base);
	wdm_put32(qc + 12, (q->sq_depth - 1) | (u32)q->sqe_shift << QM_QC_ENTRY_SHIFT);
	wdm_put16(qc + 16, q->rand);
	wdm_put16(qc + 20, q->pasid);
	wdm_put16(qc + 22, (q->pasid_valid ? QM_SQC_W11_PASID : 0) | wdm_wrap_flag(tail, q->sq_depth));
	wdm_put16(qc + 24, q->rel);
	wdm_put16(qc + 26, q->w13);
}

/*
 * Where drivers compare the dumps of SQ and CQ to find a queue idle, the tail is that of the completions that
 * descriptors have: those that faults have added or left out would keep the queue from ever being idle.
 */
static u64 wdm_cq_tail_shown(const struct wdm_device *dev, const struct wdm_queue *q)
{
	return wdm_has(dev, QM_MB_CMD_STOP_QP) ? q->cq_tail : q->cq_tail - q->skew;
}

void wdm_cqc_get(const struct wdm_device *dev, const struct wdm_queue *q, u8 *qc)
{
	u64 tail = wdm_cq_tail_shown(dev, q);

	memset(qc, 0, QM_QC_SIZE);
	if (!q->cq_depth)
		return;
	wdm_put16(qc, wdm_index(q->cq_head, q->cq_depth));
	wdm_put16(qc + 2, wdm_index(tail, q->cq_depth));
	wdm_put64(qc + 4, q->cq_base);
	wdm_put32(qc + 12, (q->cq_depth - 1) | WDM_CQE_SHIFT << QM_QC_ENTRY_SHIFT);
	wdm_put16(qc + 20, q->cq_w11 || !dev->generation->pasid_bits ? q->cq_pasid : 0);
	wdm_put16(qc + 22, q->cq_w11 | wdm_wrap_flag(tail, q->cq_depth));
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
