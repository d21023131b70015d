// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Live migration of a VF: its pause, and its start from what a pause leaves in registers and memory. */
#include "internal.h"

#define WDM_PAUSE_NS	1000000000ull	/* as long as drivers wait for the command */

void wdm_pause_begin(struct wdm_device *dev, struct wdm_function *f)
{
	u32 i;

	if (f->pause == WDM_PAUSED)
		return;
	/* The last look: doorbells are not part of what moves. */
	if (dev->attr.no_isolation)
		wdm_doorbell_poll_shared(dev, f);
	for (i = 0; i < dev->nr_active && !dev->attr.no_isolation; i++)
		if (dev->queues[dev->active[i]].fn == f->index)
			wdm_doorbell_poll(dev, f, &dev->queues[dev->active[i]]);
	f->pause = WDM_PAUSING;
	f->pause_until = dev->now + WDM_PAUSE_NS;
}

/* Of a queue that can't complete any more, only what workers have is waited for. */
static bool wdm_queue_rests(const struct wdm_queue *q)
{
	return q->overflow || !q->sq_valid || !q->cq_valid ? !q->jobs_out : !q->first;
}

static bool wdm_function_rests(const struct wdm_device *dev, const struct wdm_function *f)
{
	u32 i;

	for (i = 0; i < dev->nr_active; i++) {
		const struct wdm_queue *q = &dev->queues[dev->active[i]];

		if (q->fn == f->index && !wdm_queue_rests(q))
			return false;
	}
	return true;
}

int wdm_pause_poll(struct wdm_device *dev, struct wdm_function *f)
{
	if (f->pause == WDM_PAUSED)
		return 0;
	/* Nothing can be completed while the bus master is closed, which may last. */
	if (f->pause == WDM_RUNNING || dev->master_closed || dev->now >= f->pause_until) {
		wdm_refuse(dev, WDM_REFUSE_MIGRATE, f->index, 0, QM_MB_CMD_PAUSE_QM);
		wdm_pause_end(f);
		return -EBUSY;
	}
	if (!wdm_function_rests(dev, f)) {
		wdm_wake_at(dev, f->pause_until);
		return -EAGAIN;
	}
	f->pause = WDM_PAUSED;
	wdm_images_show(f);
	wdm_doorbell_forget(f);
	return 0;
}

/* Both contexts of one queue; a queue whose contexts are wrong stays without, and the others start. */
static void wdm_queue_resume(struct wdm_device *dev, struct wdm_function *f, u32 rel)
{
	u64 at = (u64)rel * QM_QC_SIZE;
	u8 sqc[QM_QC_SIZE], cqc[QM_QC_SIZE];

	if (wdm_dma_read(dev, f->index, f->sqc_bt + at, sqc, sizeof(sqc)) ||
	    wdm_dma_read(dev, f->index, f->cqc_bt + at, cqc, sizeof(cqc)) ||
	    wdm_queue_load(dev, f, rel, sqc, cqc))
		wdm_refuse(dev, WDM_REFUSE_MIGRATE, f->index, rel, f->sqc_bt + at);
}

static bool wdm_function_load(struct wdm_device *dev, struct wdm_function *f)
{
	u8 eqc[QM_EQC_SIZE], aeqc[QM_EQC_SIZE];
	u32 rel;

	wdm_images_read(f, eqc, aeqc);
	if (!f->sqc_bt || !f->cqc_bt || !wdm_eqc_loads(eqc) || !wdm_eqc_loads(aeqc)) {
		wdm_refuse(dev, WDM_REFUSE_MIGRATE, f->index, 0, QM_DB_SQ_CQ);
		wdm_doorbell_forget(f);
		return false;
	}
	wdm_eqc_load(&f->eq, eqc);
	wdm_eqc_load(&f->aeq, aeqc);
	for (rel = 0; wdm_queue_find(dev, f, rel); rel++)
		wdm_queue_resume(dev, f, rel);
	return true;
}

/*
 * A host rings once for each queue, in a register that is memory here, so only the last of these doorbells is sure to
 * be seen. Each of them starts all queues.
 */
void wdm_migrate_poll(struct wdm_device *dev, struct wdm_function *f)
{
	static const u8 none[QM_EQC_SIZE];

	if (!wdm_doorbell_starts(dev, f))
		return;
	if (f->pause == WDM_PAUSED)
		wdm_pause_end(f);
	else if (!wdm_function_load(dev, f))
		return;
	wdm_images_write(f, none, none);
}
