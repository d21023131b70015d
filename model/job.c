// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Descriptors from acceptance to completion. */
#include "internal.h"

#define WDM_STRIDE	(1u << 16)
#define WDM_DUPLICATE_SETTLES 1000

bool wdm_jobs_pending(const struct wdm_queue *q)
{
	return q->sq_valid && q->cq_valid && !q->overflow && !q->stuck && q->head != q->tail;
}

void wdm_job_free(struct wdm_device *dev, struct wdm_job *job)
{
	job->state = WDM_JOB_FREE;
	job->next = dev->free_jobs;
	dev->free_jobs = job;
	dev->jobs_out--;
	dev->fns[job->fn].jobs--;
}

static void wdm_queue_break(struct wdm_device *dev, struct wdm_queue *q, u64 addr)
{
	wdm_refuse(dev, WDM_REFUSE_RING_DMA, q->fn, q->rel, addr);
	q->sq_valid = false;
	wdm_async_event(dev, &dev->fns[q->fn], q->rel, QM_AEQE_CQE_ERROR);
}

static void wdm_cqe_failed(struct wdm_device *dev, struct wdm_queue *q, u64 addr)
{
	dev->dfx.cqe_errors++;
	wdm_queue_break(dev, q, addr);
}

/* Is the CQ full? A CQ doorbell may have been overwritten, so a full CQ counts as overflowed only after a while. */
static bool wdm_cq_full(struct wdm_device *dev, struct wdm_queue *q)
{
	u64 settle = wdm_settle_overflow(dev);

	/* Duplicates take entries that no submission implies to be consumed: only a CQ doorbell does. */
	if (q->skew)
		settle *= WDM_DUPLICATE_SETTLES;
	if (wdm_cq_unconsumed(dev, q) < q->cq_depth - 1) {
		q->cq_full_since = 0;
		return false;
	}
	/* The doorbells that make room aren't looked at. */
	if (dev->fns[q->fn].pause)
		return true;
	if (!q->cq_full_since)
		q->cq_full_since = dev->now;
	if (dev->now - q->cq_full_since >= settle) {
		q->overflow = true;
		dev->worked = true;
		wdm_async_event(dev, &dev->fns[q->fn], q->rel, QM_AEQE_CQ_OVERFLOW);
	} else {
		wdm_wake_at(dev, q->cq_full_since + settle);
	}
	return true;
}

/* Writes back the descriptor, then the completion, with its phase bit last. */
bool wdm_answer(struct wdm_device *dev, struct wdm_queue *q, u32 slot, const u32 *sqe)
{
	u32 bytes = 1u << dev->engine->sqe_shift;
	u64 sq_at = q->sq_base + (u64)slot * bytes, cq_at;
	u8 cqe[sizeof(struct qm_cqe)] = { 0 };

	if (wdm_cq_full(dev, q))
		return false;
	if (wdm_dma_write(dev, q->fn, sq_at, sqe, bytes)) {
		wdm_queue_break(dev, q, sq_at);
		return false;
	}
	q->digest[slot] = wdm_slot_digest(sqe, bytes);
	cq_at = q->cq_base + (q->cq_tail % q->cq_depth) * sizeof(cqe);
	wdm_put16(cqe + 8, slot);
	wdm_put16(cqe + 10, q->rel);
	wdm_put16(cqe + 14, q->cq_phase ^ (q->cq_tail / q->cq_depth & 1));
	wdm_wmb();
	if (wdm_dma_write(dev, q->fn, cq_at, cqe, 12)) {
		wdm_cqe_failed(dev, q, cq_at);
		return false;
	}
	wdm_wmb();
	if (wdm_dma_write(dev, q->fn, cq_at + 12, cqe + 12, 4)) {
		wdm_cqe_failed(dev, q, cq_at);
		return false;
	}
	q->cq_tail++;
	q->answered_at[slot] = (u32)q->cq_tail;
	q->quiet_since = dev->now;
	wdm_dfx_answered(dev, q);
	dev->worked = true;
	return true;
}

void wdm_jobs_complete(struct wdm_device *dev, struct wdm_queue *q)
{
	struct wdm_job *job;

	while ((job = q->first) && job->state == WDM_JOB_DONE && q->sq_valid && !q->overflow && !dev->master_closed) {
		if (!wdm_queue_hurries(dev, q) && job->due_ns > dev->now) {
			wdm_wake_at(dev, job->due_ns);
			return;
		}
		if (job->faults ? !wdm_fault_answer(dev, q, job) : !wdm_answer(dev, q, job->slot, job->sqe))
			return;
		q->done++;
		if (job->due_ns > dev->now)
			wdm_limits_refund(dev, q, job);
		dev->dfx.finished++;
		if (job->refused) {
			wdm_refuse(dev, WDM_REFUSE_SQE, q->fn, q->rel, job->slot);
			wdm_error_raise(dev, WDM_ERRORS_ENGINE, dev->variant->refused);
		}
		dev->stats.bytes_in += job->bytes_in;
		dev->stats.bytes_out += job->bytes_out;
		q->first = job->next;
		if (!q->first)
			q->last = NULL;
		q->jobs--;
		wdm_job_free(dev, job);
	}
}

static void wdm_queue_end_jobs(struct wdm_queue *q)
{
	struct wdm_job *job;

	for (job = q->first; job; job = job->next)
		if (job->state == WDM_JOB_READY)
			wdm_store(&job->abort, 1);
}

/* Makes all running jobs end. */
void wdm_jobs_end(struct wdm_device *dev)
{
	u32 i;

	for (i = 0; i < dev->nr_active; i++)
		wdm_queue_end_jobs(&dev->queues[dev->active[i]]);
}

/* Makes running jobs end, and answers descriptors that haven't started once all earlier ones are answered. */
void wdm_jobs_abort(struct wdm_device *dev, struct wdm_queue *q)
{
	u32 bytes = 1u << dev->engine->sqe_shift, sqe[WDM_SQE_MAX / 4], i;
	u64 at;

	wdm_queue_end_jobs(q);
	if (q->first || dev->master_closed)
		return;
	for (i = 0; i < WDM_ABORTS_PER_POLL && wdm_jobs_pending(q); i++) {
		at = q->sq_base + q->head % q->sq_depth * bytes;
		if (wdm_dma_read(dev, q->fn, at, sqe, bytes)) {
			wdm_queue_break(dev, q, at);
			return;
		}
		wdm_slot_take(dev, q, (u32)(q->head % q->sq_depth), sqe);
		dev->engine->abort(sqe);
		if (!wdm_answer(dev, q, (u32)(q->head % q->sq_depth), sqe))
			return;
		q->done++;
		q->head++;
		q->fetched++;
	}
}

static bool wdm_queue_held(const struct wdm_device *dev, const struct wdm_queue *q)
{
	return dev->env->hold && wdm_queue_sva(dev, q) && dev->env->hold(dev->host, q->fn, q->pasid);
}

/* Smallest virtual time first; a queue's virtual time advances more slowly the higher its priority. */
static struct wdm_queue *wdm_queue_next(struct wdm_device *dev)
{
	bool full = wdm_device_full(dev);
	struct wdm_queue *best = NULL;
	u32 i;

	for (i = 0; i < dev->nr_active; i++) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];

		/*
		 * At most as many jobs as are still free, so deep queues, however many, can't keep
		 * another queue from being served.
		 */
		if (!wdm_jobs_pending(q) || q->jobs >= dev->attr.jobs - dev->jobs_out || dev->fns[q->fn].pause)
			continue;
		/* A stopping queue finishes its short jobs regardless of the limits. */
		if (!q->stopping && wdm_function_full(dev, q)) {
			/* It doesn't catch up on other functions' queues later. */
			if (q->pass < dev->vtime)
				q->pass = dev->vtime;
			continue;
		}
		if (full && !q->stopping)
			continue;
		if ((!best || q->pass < best->pass) && !wdm_queue_held(dev, q))
			best = q;
	}
	return best;
}

/* Would wdm_job_next() return a job? If only a limit prevents it, schedules a poll for when it doesn't. */
bool wdm_jobs_ready(struct wdm_device *dev)
{
	bool full = wdm_device_full(dev), ready = false;
	u32 i;

	if (!dev->free_jobs || dev->master_closed)
		return false;
	for (i = 0; i < dev->nr_active && !ready; i++) {
		const struct wdm_queue *q = &dev->queues[dev->active[i]];

		if (!wdm_jobs_pending(q) || dev->fns[q->fn].pause)
			continue;
		ready = q->stopping || (!full && !wdm_function_full(dev, q));
		if (!ready)
			wdm_limits_wake(dev, q);
	}
	return ready;
}

static bool wdm_job_unready(struct wdm_device *dev, const struct wdm_queue *q)
{
	u32 lacks = wdm_engine_lacks(dev, q->alg_type);

	if (lacks)
		wdm_refuse(dev, WDM_REFUSE_ENGINE, q->fn, q->rel, lacks);
	return lacks;
}

static u8 wdm_job_checks(const struct wdm_device *dev)
{
	const struct wdm_function *pf = &dev->fns[WDM_PF];

	return dev->engine->checks && pf->attached ? dev->engine->checks(pf) : 0;
}

struct wdm_job *wdm_job_next(struct wdm_device *dev)
{
	u32 bytes = 1u << dev->engine->sqe_shift;
	struct wdm_job *job = dev->free_jobs;
	struct wdm_queue *q;
	u64 at;

	if (!job || dev->master_closed)
		return NULL;
	q = wdm_queue_next(dev);
	if (!q)
		return NULL;
	at = q->sq_base + q->head % q->sq_depth * bytes;
	if (wdm_dma_read(dev, q->fn, at, job->sqe, bytes)) {
		wdm_queue_break(dev, q, at);
		return NULL;
	}
	job->slot = (u32)(q->head % q->sq_depth);
	wdm_limits_charge(dev, q, job);
	job->faults = 0;
	if (dev->faults.on && !wdm_fault_accept(dev, q, job)) {
		wdm_limits_refund(dev, q, job);
		return NULL;
	}
	wdm_slot_take(dev, q, job->slot, job->sqe);
	dev->free_jobs = job->next;
	dev->jobs_out++;
	job->fn = q->fn;
	job->queue = q->rel;
	job->abs_queue = q->abs;
	job->pasid = q->pasid;
	job->pasid_valid = wdm_queue_sva(dev, q);
	job->alg_type = q->alg_type;
	job->generation = (u8)dev->attr.generation;
	job->checks = wdm_job_checks(dev);
	job->sqe_bytes = (u8)bytes;
	job->abort = 0;
	job->state = WDM_JOB_READY;
	job->owner_gen = q->gen;
	job->bytes_in = 0;
	job->bytes_out = 0;
	job->refused = false;
	job->unready = wdm_job_unready(dev, q);
	job->env = dev->env;
	job->env_host = dev->host;
	job->engine = dev->engine;
	job->next = NULL;
	if (q->last)
		q->last->next = job;
	else
		q->first = job;
	q->last = job;
	q->jobs++;
	q->jobs_out++;
	q->head++;
	dev->vtime = q->pass;
	q->pass += WDM_STRIDE / (q->prio + 1u);
	dev->fns[q->fn].running++;
	dev->fns[q->fn].jobs++;
	wdm_dfx_sent(dev, q, job);
	return job;
}

void wdm_job_run(struct wdm_job *job, struct wdm_scratch *scratch)
{
	if (job->unready)
		job->engine->abort(job->sqe);
	else if (!job->faults || !wdm_fault_fails(job))
		job->engine->execute(job, scratch);
}

void wdm_job_done(struct wdm_device *dev, struct wdm_job *job)
{
	struct wdm_queue *q = &dev->queues[job->abs_queue];

	dev->now = dev->env->now_ns(dev->host);
	dev->fns[job->fn].running--;
	wdm_dfx_ended(dev, job);
	if (job->owner_gen != q->gen) {
		wdm_job_free(dev, job);
		return;
	}
	q->jobs_out--;
	job->state = WDM_JOB_DONE;
	wdm_jobs_complete(dev, q);
	wdm_event_poll(dev, &dev->fns[q->fn], q);
}
