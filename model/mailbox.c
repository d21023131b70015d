// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The mailbox: one command at a time for each function. */
#include "internal.h"

/* Values of the status field; those of hardware aren't public. */
enum wdm_mb_status {
	WDM_MB_OK = 0,
	WDM_MB_BAD_CMD = 1,
	WDM_MB_BAD_QUEUE = 2,
	WDM_MB_BAD_DMA = 3,
	WDM_MB_REFUSED = 4,
};

static void wdm_mailbox_finish(struct wdm_function *f, u32 status)
{
	/* The busy bit last: after it is clear the driver may write the next command. */
	wdm_reg_write(f, QM_MB_LAST, WDM_MB_POISON);
	wdm_wmb();
	wdm_reg_write(f, QM_MB, (f->mb_w0 & ~(QM_MB_BUSY | QM_MB_STATUS_MASK)) | status << QM_MB_STATUS_SHIFT |
		      f->mb_queue << 16);
	f->mb_state = WDM_MB_IDLE;
}

static void wdm_mailbox_result(struct wdm_function *f, u64 value)
{
	wdm_reg_write(f, QM_MB_DATA_L, (u32)value);
	wdm_reg_write(f, QM_MB_DATA_H, (u32)(value >> 32));
}

static u32 wdm_mb_queue_context(struct wdm_device *dev, struct wdm_function *f, u32 cmd, bool get, u64 base)
{
	struct wdm_queue *q = wdm_queue_find(dev, f, f->mb_queue);
	u8 qc[QM_QC_SIZE];
	int err;

	if (!q) {
		wdm_refuse(dev, WDM_REFUSE_MB_QUEUE, f->index, f->mb_queue, cmd);
		return WDM_MB_BAD_QUEUE;
	}
	wdm_queue_look(dev, f, q);
	if (get) {
		if (cmd == QM_MB_CMD_SQC)
			wdm_sqc_get(dev, q, qc);
		else
			wdm_cqc_get(dev, q, qc);
		err = wdm_dma_write(dev, f->index, base, qc, sizeof(qc));
	} else {
		err = wdm_dma_read(dev, f->index, base, qc, sizeof(qc));
	}
	if (err) {
		wdm_refuse(dev, WDM_REFUSE_MB_DMA, f->index, f->mb_queue, base);
		return WDM_MB_BAD_DMA;
	}
	if (get)
		return WDM_MB_OK;
	err = cmd == QM_MB_CMD_SQC ? wdm_sqc_set(dev, f, q, qc) : wdm_cqc_set(dev, f, q, qc);
	return err ? WDM_MB_REFUSED : WDM_MB_OK;
}

static u32 wdm_mb_event_context(struct wdm_device *dev, struct wdm_function *f, u32 cmd, bool get, u64 base)
{
	struct wdm_eq *eq = cmd == QM_MB_CMD_EQC ? &f->eq : &f->aeq;
	u8 qc[QM_EQC_SIZE];
	int err;

	if (get) {
		wdm_eqc_get(eq, qc);
		err = wdm_dma_write(dev, f->index, base, qc, sizeof(qc));
	} else {
		err = wdm_dma_read(dev, f->index, base, qc, sizeof(qc));
	}
	if (err) {
		wdm_refuse(dev, WDM_REFUSE_MB_DMA, f->index, 0, base);
		return WDM_MB_BAD_DMA;
	}
	if (!get && wdm_eqc_set(dev, f, eq, qc))
		return WDM_MB_REFUSED;
	return WDM_MB_OK;
}

static void wdm_mb_stop_all(struct wdm_device *dev, struct wdm_function *f)
{
	u32 i;

	for (i = dev->nr_active; i-- > 0;)
		if (dev->queues[dev->active[i]].fn == f->index)
			wdm_queue_stop(dev, &dev->queues[dev->active[i]]);
}

static u32 wdm_mb_stop(struct wdm_device *dev, struct wdm_function *f, u32 cmd)
{
	struct wdm_queue *q;

	if (cmd == QM_MB_CMD_FLUSH_QM) {
		wdm_pause_end(f);
		wdm_mb_stop_all(dev, f);
	} else {
		q = wdm_queue_find(dev, f, f->mb_queue);
		if (!q) {
			wdm_refuse(dev, WDM_REFUSE_MB_QUEUE, f->index, f->mb_queue, cmd);
			return WDM_MB_BAD_QUEUE;
		}
		wdm_queue_stop(dev, q);
	}
	f->mb_state = WDM_MB_STOPPING;
	return WDM_MB_OK;
}

static u32 wdm_mb_pause(struct wdm_device *dev, struct wdm_function *f)
{
	wdm_pause_begin(dev, f);
	f->mb_state = WDM_MB_PAUSING;
	return WDM_MB_OK;
}

static u32 wdm_mb_table(struct wdm_function *f, u32 cmd, bool get, u64 base)
{
	u64 *table = cmd == QM_MB_CMD_SQC_BT ? &f->sqc_bt : &f->cqc_bt;

	if (get)
		wdm_mailbox_result(f, *table);
	else
		*table = base;
	return WDM_MB_OK;
}

static u32 wdm_mb_message(struct wdm_device *dev, struct wdm_function *f, u32 cmd, u64 base)
{
	u64 text;

	if (cmd == QM_MB_CMD_SRC)
		return wdm_message_source(dev, f, f->mb_queue, base) ? WDM_MB_REFUSED : WDM_MB_OK;
	if (wdm_message_fetch(dev, f, f->mb_queue, &text))
		return WDM_MB_REFUSED;
	wdm_mailbox_result(f, text);
	return WDM_MB_OK;
}

static u32 wdm_mailbox_run(struct wdm_device *dev, struct wdm_function *f, u64 base)
{
	u32 cmd = f->mb_w0 & QM_MB_CMD_MASK;
	bool get = f->mb_w0 & QM_MB_OP_GET;

	switch (cmd < 32 && wdm_has(dev, cmd) ? cmd : QM_MB_CMD_MASK) {
	case QM_MB_CMD_SQC:
	case QM_MB_CMD_CQC:
		return wdm_mb_queue_context(dev, f, cmd, get, base);
	case QM_MB_CMD_EQC:
	case QM_MB_CMD_AEQC:
		return wdm_mb_event_context(dev, f, cmd, get, base);
	case QM_MB_CMD_SQC_BT:
	case QM_MB_CMD_CQC_BT:
		return wdm_mb_table(f, cmd, get, base);
	case QM_MB_CMD_SQC_VFT:
		if (get) {
			wdm_mailbox_result(f, f->vft.sqc);
			return WDM_MB_OK;
		}
		break;
	case QM_MB_CMD_STOP_QP:
	case QM_MB_CMD_FLUSH_QM:
		if (!get)
			return wdm_mb_stop(dev, f, cmd);
		break;
	case QM_MB_CMD_PAUSE_QM:
		if (!get && f->index != WDM_PF && wdm_has_images(dev, f) && !f->mb_queue && !base)
			return wdm_mb_pause(dev, f);
		break;
	case QM_MB_CMD_SRC:
	case QM_MB_CMD_DST:
		/* Some drivers set the bit for DST. */
		if (dev->attr.functions > 1 && !(get && cmd == QM_MB_CMD_SRC))
			return wdm_mb_message(dev, f, cmd, base);
		break;
	default:
		break;
	}
	wdm_refuse(dev, WDM_REFUSE_MB_CMD, f->index, f->mb_queue, f->mb_w0);
	return WDM_MB_BAD_CMD;
}

static void wdm_mailbox_wait_pause(struct wdm_device *dev, struct wdm_function *f)
{
	int err = wdm_pause_poll(dev, f);

	if (err == -EAGAIN)
		return;
	dev->worked = true;
	wdm_mailbox_finish(f, err ? WDM_MB_REFUSED : WDM_MB_OK);
}

static void wdm_mailbox_wait_stop(struct wdm_device *dev, struct wdm_function *f)
{
	struct wdm_queue *q;
	u32 i;

	if ((f->mb_w0 & QM_MB_CMD_MASK) == QM_MB_CMD_STOP_QP) {
		q = wdm_queue_find(dev, f, f->mb_queue);
		if (q && !wdm_queue_stopped(dev, q))
			return;
	} else {
		bool all = true;

		for (i = dev->nr_active; i-- > 0;)
			if (dev->queues[dev->active[i]].fn == f->index)
				all &= wdm_queue_stopped(dev, &dev->queues[dev->active[i]]);
		if (!all)
			return;
	}
	dev->worked = true;
	wdm_mailbox_finish(f, WDM_MB_OK);
}

/* Does a command wait for queues? If so, ends it when they have come to rest. */
static bool wdm_mailbox_waits(struct wdm_device *dev, struct wdm_function *f)
{
	if (f->mb_state == WDM_MB_STOPPING)
		wdm_mailbox_wait_stop(dev, f);
	else if (f->mb_state == WDM_MB_PAUSING)
		wdm_mailbox_wait_pause(dev, f);
	else
		return false;
	return true;
}

/*
 * A driver without 128-bit stores writes four dwords, the one with the busy bit first. So the
 * last dword is poisoned after each command, and a command is complete only when the last dword
 * has been written, too.
 */
void wdm_mailbox_poll(struct wdm_device *dev, struct wdm_function *f)
{
	u32 w, last, status;
	u64 base;

	if (wdm_mailbox_waits(dev, f))
		return;
	if (f->mb_state == WDM_MB_HUNG && dev->now < f->mb_until) {
		wdm_wake_at(dev, f->mb_until);
		return;
	}
	if (!(wdm_reg_read(f, QM_MB) & QM_MB_BUSY))
		return;
	last = wdm_reg_read(f, QM_MB_LAST);
	if (last == WDM_MB_POISON)
		return;
	if (dev->faults.on && f->mb_state == WDM_MB_IDLE && wdm_fault_mailbox(dev, &f->mb_until)) {
		f->mb_state = WDM_MB_HUNG;
		return;
	}
	f->mb_state = WDM_MB_IDLE;
	wdm_message_poll(dev, f);
	w = wdm_reg_read(f, QM_MB);
	base = wdm_reg_read(f, QM_MB_DATA_L) | (u64)wdm_reg_read(f, QM_MB_DATA_H) << 32;
	f->mb_w0 = w & 0xffff;
	f->mb_queue = w >> 16;
	wdm_dfx_mailbox(dev, f);
	wdm_absent_poll(dev, f);
	dev->worked = true;
	/* An earlier write-back is outdated now. A driver that starts the next must not see the end of the last one. */
	wdm_reg_write(f, QM_CACHE_WB_DONE, 0);
	if (last || (f->mb_w0 & ~(QM_MB_CMD_MASK | QM_MB_BUSY | QM_MB_OP_GET))) {
		wdm_refuse(dev, WDM_REFUSE_MB_CMD, f->index, f->mb_queue, last ? last : f->mb_w0);
		status = WDM_MB_BAD_CMD;
	} else {
		status = wdm_mailbox_run(dev, f, base);
	}
	if (!wdm_mailbox_waits(dev, f))
		wdm_mailbox_finish(f, status);
}
