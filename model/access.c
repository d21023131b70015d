// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Shared by all parts of a device: its engine and queues, memory, digests of slots, CQ heads, and refusals. */
#include "internal.h"

const struct wdm_personality *wdm_engine(enum wdm_type type)
{
	switch (type) {
	case WDM_ZIP:
		return &wdm_zip;
	case WDM_SEC:
		return &wdm_sec;
	case WDM_HPRE:
		return &wdm_hpre;
	}
	return NULL;
}

u32 wdm_vft_base(const struct wdm_function *f)
{
	return f->vft.sqc >> QM_VFT_SQC_BASE_SHIFT & QM_VFT_SQC_BASE_MASK;
}

u32 wdm_vft_num(const struct wdm_function *f)
{
	if (!(f->vft.sqc & QM_VFT_SQC_VALID) || !(f->vft.cqc & QM_VFT_CQC_VALID))
		return 0;
	return (f->vft.sqc >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK) + 1;
}

struct wdm_queue *wdm_queue_find(struct wdm_device *dev, const struct wdm_function *f, u32 rel)
{
	return rel < wdm_vft_num(f) ? &dev->queues[wdm_vft_base(f) + rel] : NULL;
}

u32 wdm_slot_digest(const u32 *sqe, u32 bytes)
{
	u32 h = 0x811c9dc5, i;

	for (i = 0; i < bytes / 4; i++)
		h = (h ^ sqe[i]) * 0x01000193 + (h >> 15);
	return h;
}

/*
 * Only CQ doorbells move the head, unless the host doesn't see each of them. Then a submission implies a head, since a
 * driver reuses a slot only after it has consumed its completion. One slot remains free: the next one, whose completion
 * was consumed, too. Completions that faults have added or left out don't matter, as each slot has the place of its
 * own. The attribute bounds how far submissions alone move the head, so an owner that never rings overflows in the end.
 */
static u64 wdm_cq_head(const struct wdm_device *dev, const struct wdm_queue *q)
{
	u64 implied = q->cq_tail - ((u32)q->cq_tail - q->answered_at[q->tail % q->sq_depth]);
	u64 most = q->cq_head + (u64)dev->attr.hidden_passes * q->cq_depth;

	if (implied > most)
		implied = most;
	return implied > q->cq_head ? implied : q->cq_head;
}

u64 wdm_cq_unconsumed(const struct wdm_device *dev, const struct wdm_queue *q)
{
	return q->cq_tail - wdm_cq_head(dev, q);
}

int wdm_dma_read(struct wdm_device *dev, u32 fn, u64 addr, void *buf, u32 len)
{
	return dev->env->dma_read(dev->host, fn, addr, buf, len);
}

int wdm_dma_write(struct wdm_device *dev, u32 fn, u64 addr, const void *buf, u32 len)
{
	return dev->env->dma_write(dev->host, fn, addr, buf, len);
}

void wdm_refuse(struct wdm_device *dev, enum wdm_refusal reason, u32 fn, u32 queue, u64 value)
{
	dev->stats.refused[reason]++;
	dev->refused = (struct wdm_refused){ .reason = reason, .fn = fn, .queue = queue, .value = value };
}

void wdm_last_refusal(const struct wdm_device *dev, struct wdm_refused *refused)
{
	*refused = dev->refused;
}

const char *wdm_refusal_name(enum wdm_refusal reason)
{
	static const char * const names[WDM_REFUSE_NR] = {
		[WDM_REFUSE_NONE] = "none",
		[WDM_REFUSE_MB_CMD] = "mailbox command or reserved bits",
		[WDM_REFUSE_MB_QUEUE] = "mailbox for a queue outside the function's range",
		[WDM_REFUSE_MB_DMA] = "context memory not reachable",
		[WDM_REFUSE_MB_BUSY] = "context of a busy queue replaced",
		[WDM_REFUSE_MIGRATE] = "pause, start or context of a migration",
		[WDM_REFUSE_MSG_FN] = "message for or from a function that has none",
		[WDM_REFUSE_MSG_NONE] = "message fetched that nobody sent",
		[WDM_REFUSE_MSG_SEND] = "message interrupt without its message",
		[WDM_REFUSE_QC_DEPTH] = "queue depth",
		[WDM_REFUSE_QC_ENTRY] = "queue entry size",
		[WDM_REFUSE_QC_FIELD] = "queue context field",
		[WDM_REFUSE_REG] = "register that doesn't exist",
		[WDM_REFUSE_VFT] = "virtual function table entry",
		[WDM_REFUSE_SHAPER] = "shaper entry or configuration",
		[WDM_REFUSE_DB_QUEUE] = "doorbell queue number",
		[WDM_REFUSE_DB_CMD] = "doorbell command",
		[WDM_REFUSE_DB_RANDOM] = "doorbell random tag",
		[WDM_REFUSE_DB_INDEX] = "doorbell index",
		[WDM_REFUSE_DB_RESERVED] = "doorbell reserved bits",
		[WDM_REFUSE_SQE] = "descriptor",
		[WDM_REFUSE_ENGINE] = "engine not initialised",
		[WDM_REFUSE_RING_DMA] = "ring memory not reachable",
	};

	return (unsigned int)reason < WDM_REFUSE_NR ? names[reason] : "unknown";
}
