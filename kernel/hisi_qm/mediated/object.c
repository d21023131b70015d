// SPDX-License-Identifier: GPL-2.0-or-later
/* The translation object: its memory, and the parts of calls that a stop waits for. */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "mediated.h"

struct workqueue_struct *med_wq;

/* ------ bounded parts ------ */

/* False: the queue ends, and nothing of it may be mapped any more. */
bool med_busy_begin(struct med_run *run)
{
	bool open;

	spin_lock(&run->lock);
	open = med_is_open(run);
	run->busy += open;
	spin_unlock(&run->lock);
	return open;
}

void med_busy_end(struct med_run *run)
{
	spin_lock(&run->lock);
	if (!--run->busy)
		wake_up_all(&run->idle);
	spin_unlock(&run->lock);
}

static bool med_is_idle(struct med_run *run)
{
	bool idle;

	spin_lock(&run->lock);
	idle = !run->busy;
	spin_unlock(&run->lock);
	return idle;
}

/* What runs waits neither for a process nor for the device. */
void med_busy_wait(struct med_run *run)
{
	wait_event(run->idle, med_is_idle(run));
}

/* Do all others wait for it? */
bool med_is_oldest(struct med_run *run, const struct med_request *r)
{
	bool oldest;

	spin_lock(&run->lock);
	oldest = r->index == run->published;
	spin_unlock(&run->lock);
	return oldest;
}

/* ------ memory ------ */

/* Slots are 1,024, 1,536 and 3,072 bytes long: with pages of 4 KiB nothing is left at the end. */
static size_t med_chunk_bytes(u32 slot_bytes)
{
	return PAGE_ALIGN(slot_bytes % 3 ? 16384 : 12288);
}

static u32 med_chunks(const struct med_run *run)
{
	return DIV_ROUND_UP(run->nr, run->per_chunk);
}

void med_slots_unmap(struct med_run *run)
{
	u32 i;

	for (i = 0; i < med_chunks(run); i++)
		if (run->chunk[i])
			uacce_dus_unmap(run->chunk[i]);
	if (run->zeroes_mapped)
		dma_unmap_page(run->dev, run->zeroes, PAGE_SIZE, DMA_TO_DEVICE);
}

static int med_memory_alloc(struct med_run *run)
{
	struct uacce_dus *chunk;
	u32 i;

	run->by_slot = kvcalloc(run->device_depth, sizeof(*run->by_slot), GFP_KERNEL_ACCOUNT);
	if (!run->by_slot)
		return -ENOMEM;
	for (i = 0; i < med_chunks(run); i++) {
		chunk = uacce_ring_alloc(run->qp->file, run->dev, med_chunk_bytes(run->slot_bytes));
		if (IS_ERR(chunk))
			return PTR_ERR(chunk);
		run->chunk[i] = chunk;
	}
	run->zeroes = dma_map_page(run->dev, ZERO_PAGE(0), 0, PAGE_SIZE, DMA_TO_DEVICE);
	run->zeroes_mapped = !dma_mapping_error(run->dev, run->zeroes);
	return run->zeroes_mapped ? 0 : -ENOMEM;
}

static void med_run_free(struct kref *ref)
{
	struct med_run *run = container_of(ref, struct med_run, ref);
	u32 i;

	for (i = 0; i < med_chunks(run); i++)
		if (run->chunk[i])
			uacce_dus_free(run->chunk[i]);
	if (run->spare)
		free_pages_exact(run->spare, run->spare_bytes);
	kvfree(run->by_slot);
	mmdrop(run->mm);
	vfree(run);
}

void med_run_put(struct med_run *run)
{
	kref_put(&run->ref, med_run_free);
}

static u32 med_bounce_at(enum tr_engine engine)
{
	return engine == TR_HPRE ? TR_SLOT_HPRE : engine == TR_SEC ? TR_SLOT_SEC : 0;
}

static u32 med_slot_bytes(enum tr_engine engine)
{
	return med_bounce_at(engine) + (engine == TR_HPRE ? 0 : 2 * MED_BOUNCE);
}

/* Fewer than the rings have room for. */
static u32 med_slots(const struct hisi_qm *qm)
{
	return min3(MED_SLOTS, med_device_depth(qm) - 1, qm->caps[QM_CAP_ID_CQ_DEPTH] - 1);
}

static void med_run_shape(struct med_run *run, struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;

	run->q = (struct tr_queue) {
		.engine = qm->engine->translation, .generation = qm->gen->version >= QM_HW_V3 ? 3 : 2,
		.qc_type = qp->qc_type,
	};
	run->sqe_bytes = qm->engine->sqe_size;
	run->sq_depth = qm->caps[QM_CAP_ID_SQ_DEPTH];
	run->device_depth = med_device_depth(qm);
	run->cq_depth = qm->caps[QM_CAP_ID_CQ_DEPTH];
	run->max_pinned = med_max_pinned(qp);
	run->bounce_at = med_bounce_at(run->q.engine);
	run->slot_bytes = med_slot_bytes(run->q.engine);
	run->per_chunk = med_chunk_bytes(run->slot_bytes) / run->slot_bytes;
}

struct med_run *med_run_alloc(struct hisi_qp *qp)
{
	struct hisi_qm *qm = qp->qm;
	u32 nr = med_slots(qm), i;
	struct med_run *run;

	/* Pages as they are needed: kmalloc() would round 110 KiB up to 128. */
	run = __vmalloc(struct_size(run, request, nr), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!run)
		return NULL;
	kref_init(&run->ref);
	spin_lock_init(&run->lock);
	init_waitqueue_head(&run->idle);
	run->dev = &qm->pdev->dev;
	run->qp = qp;
	run->nr = nr;
	run->cq_phase = true;
	med_run_shape(run, qp);
	for (i = 0; i < nr; i++) {
		run->request[i].piece = run->request[i].inline_piece;
		run->request[i].room = MED_PIECES;
	}
	mmgrab(current->mm);
	run->mm = current->mm;
	if (!med_memory_alloc(run))
		return run;
	med_slots_unmap(run);
	med_run_put(run);
	return NULL;
}

/**
 * qm_mediated_memory_needs - the blocks that a mediated queue takes by uacce_ring_alloc()
 * @qm: the function
 * @rings: room for three kinds
 */
void qm_mediated_memory_needs(struct hisi_qm *qm, struct uacce_rings *rings)
{
	u32 slot_bytes = med_slot_bytes(qm->engine->translation);
	size_t chunk = med_chunk_bytes(slot_bytes);

	rings[0] = (struct uacce_rings){ med_sq_bytes(qm), 1 };
	rings[1] = (struct uacce_rings){ med_cq_bytes(qm), 1 };
	rings[2] = (struct uacce_rings){ chunk, DIV_ROUND_UP(med_slots(qm), chunk / slot_bytes) };
}

/* ------ work items ------ */

int __init qm_mediated_init(void)
{
	med_wq = alloc_workqueue("hisi_qm_mediated", WQ_UNBOUND, 0);
	return med_wq ? 0 : -ENOMEM;
}

/* Waits for what work items do: they end with the last page. */
void qm_mediated_exit(void)
{
	destroy_workqueue(med_wq);
}
