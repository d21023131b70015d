// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Event queues and interrupts. */
#include "internal.h"

void wdm_irq(struct wdm_device *dev, const struct wdm_function *f, u32 vector)
{
	dev->stats.irqs++;
	dev->env->irq(dev->host, f->index, vector);
}

void wdm_eq_reset(struct wdm_function *f)
{
	f->eq = (struct wdm_eq){
		.source_reg = QM_EQ_INT_SOURCE, .mask_reg = QM_EQ_INT_MASK, .vector = WDM_IRQ_EQ,
	};
	f->aeq = (struct wdm_eq){
		.source_reg = QM_AEQ_INT_SOURCE, .mask_reg = QM_AEQ_INT_MASK, .vector = WDM_IRQ_AEQ,
	};
}

void wdm_images_read(const struct wdm_function *f, u8 *eqc, u8 *aeqc)
{
	u32 i;

	for (i = 0; i < QM_EQC_SIZE; i += 4) {
		wdm_put32(eqc + i, wdm_reg_read(f, QM_EQC_IMAGE + i));
		wdm_put32(aeqc + i, wdm_reg_read(f, QM_AEQC_IMAGE + i));
	}
}

void wdm_images_write(struct wdm_function *f, const u8 *eqc, const u8 *aeqc)
{
	u32 i;

	for (i = 0; i < QM_EQC_SIZE; i += 4) {
		wdm_reg_write(f, QM_EQC_IMAGE + i, wdm_get32(eqc + i));
		wdm_reg_write(f, QM_AEQC_IMAGE + i, wdm_get32(aeqc + i));
	}
}

void wdm_images_show(struct wdm_function *f)
{
	u8 eqc[QM_EQC_SIZE], aeqc[QM_EQC_SIZE];

	wdm_eqc_get(&f->eq, eqc);
	wdm_eqc_get(&f->aeq, aeqc);
	wdm_images_write(f, eqc, aeqc);
}

/* Fields that neither a driver nor a device uses. */
static bool wdm_eqc_reserved(const u8 *qc)
{
	return wdm_get32(qc + 12) || wdm_get64(qc + 16) || (wdm_get32(qc + 24) & ~(0xffffu | QM_EQC_DW6_PHASE));
}

bool wdm_eqc_loads(const u8 *qc)
{
	u32 last = wdm_get32(qc + 24) & 0xffff;

	return !wdm_eqc_reserved(qc) && wdm_get64(qc + 4) && last && wdm_get16(qc) <= last && wdm_get16(qc + 2) <= last;
}

static void wdm_eqc_take(struct wdm_eq *eq, const u8 *qc)
{
	u32 dw6 = wdm_get32(qc + 24);

	eq->base = wdm_get64(qc + 4);
	eq->depth = (dw6 & 0xffff) + 1;
	eq->phase = dw6 & QM_EQC_DW6_PHASE ? 1 : 0;
	eq->raised = false;
	eq->want = false;
	eq->full_since = 0;
	eq->overflow = false;
	eq->valid = true;
}

void wdm_eqc_load(struct wdm_eq *eq, const u8 *qc)
{
	wdm_eqc_take(eq, qc);
	/* An even number of passes: the phase is that of the next entry. */
	eq->tail = wdm_get16(qc + 2) + 2ull * eq->depth;
	eq->head = eq->tail - (wdm_get16(qc + 2) + eq->depth - wdm_get16(qc)) % eq->depth;
	/* The interrupt of an entry that hasn't been read may not have reached its handler. */
	eq->want = eq->head != eq->tail;
}

int wdm_eqc_set(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq, const u8 *qc)
{
	u32 i;

	if (wdm_get32(qc) || wdm_eqc_reserved(qc)) {
		wdm_refuse(dev, WDM_REFUSE_QC_FIELD, f->index, 0, wdm_get32(qc + 24));
		return -EINVAL;
	}
	wdm_eqc_take(eq, qc);
	eq->head = eq->tail = 0;
	for (i = 0; eq == &f->eq && i < dev->nr_active; i++) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];

		if (q->fn == f->index) {
			q->eqe_out = false;
			q->eqe_pos = 0;
		}
	}
	if (f->pause == WDM_PAUSED)
		wdm_images_show(f);
	return 0;
}

void wdm_eqc_get(const struct wdm_eq *eq, u8 *qc)
{
	memset(qc, 0, QM_EQC_SIZE);
	if (!eq->valid)
		return;
	wdm_put16(qc, (u32)(eq->head % eq->depth));
	wdm_put16(qc + 2, (u32)(eq->tail % eq->depth));
	wdm_put64(qc + 4, eq->base);
	wdm_put32(qc + 24, (eq->depth - 1) | (eq->phase ^ (eq->tail / eq->depth & 1)) << 16);
}

static void wdm_eq_raise(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq)
{
	wdm_reg_write(f, eq->source_reg, 1);
	if (wdm_reg_read(f, eq->mask_reg) & 1) {
		eq->want = true;
		return;
	}
	eq->want = false;
	eq->raised = true;
	eq->retry_at = dev->now + (WDM_IRQ_RETRY_NS << eq->retries);
	wdm_irq(dev, f, eq->vector);
}

static bool wdm_eq_put(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq, u32 dw0)
{
	u8 entry[4];

	if (!eq->valid || eq->tail - eq->head >= eq->depth - 1)
		return false;
	wdm_put32(entry, dw0 | (eq->phase ^ (u32)(eq->tail / eq->depth & 1)) << 16);
	wdm_wmb();
	if (wdm_dma_write(dev, f->index, eq->base + eq->tail % eq->depth * 4, entry, 4)) {
		wdm_refuse(dev, WDM_REFUSE_RING_DMA, f->index, 0, eq->base);
		eq->valid = false;
		return false;
	}
	wdm_wmb();
	eq->tail++;
	eq->retries = 0;
	if (!eq->raised)
		wdm_eq_raise(dev, f, eq);
	return true;
}

void wdm_async_event(struct wdm_device *dev, struct wdm_function *f, u32 queue, enum qm_aeqe_type type)
{
	if (wdm_eq_put(dev, f, &f->aeq, queue | (u32)type << QM_AEQE_TYPE_SHIFT))
		dev->stats.async_events++;
}

/* Acknowledges the entries that the driver has read, so that their queues may raise the next event. */
static void wdm_eq_ack(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq, u32 index)
{
	u32 behind, i;

	if (!eq->valid || index >= eq->depth) {
		if (index)
			wdm_refuse(dev, WDM_REFUSE_DB_INDEX, f->index, 0, index);
		return;
	}
	behind = ((u32)(eq->tail % eq->depth) + eq->depth - index) % eq->depth;
	if (behind > eq->tail - eq->head) {
		wdm_refuse(dev, WDM_REFUSE_DB_INDEX, f->index, 0, index);
		return;
	}
	eq->head = eq->tail - behind;
	eq->raised = false;
	eq->retries = 0;
	eq->full_since = 0;
	wdm_reg_write(f, eq->source_reg, 0);
	for (i = 0; eq == &f->eq && i < dev->nr_active; i++) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];

		if (q->fn == f->index && q->eqe_pos < eq->head)
			q->eqe_out = false;
	}
	if (behind)
		wdm_eq_raise(dev, f, eq);
}

static void wdm_eq_doorbell_poll(struct wdm_device *dev, struct wdm_function *f)
{
	u64 v = wdm_readq((u8 WDM_IOMEM *)f->bar2 + QM_DB_EQ_AEQ);
	u32 cmd = v >> QM_DB_CMD_SHIFT & 0xf, index = v >> QM_DB_INDEX_SHIFT & 0xffff;

	if (v == f->eq_db_seen)
		return;
	f->eq_db_seen = v;
	wdm_dfx_doorbell(dev, f);
	dev->worked = true;
	if (cmd != QM_DB_CMD_EQ && cmd != QM_DB_CMD_AEQ) {
		wdm_refuse(dev, WDM_REFUSE_DB_CMD, f->index, 0, v);
		return;
	}
	if ((v & QM_DB_QN_MASK) || (v >> QM_DB_RAND_SHIFT & 0xffff) || v >> QM_DB_PRIO_SHIFT)
		wdm_refuse(dev, WDM_REFUSE_DB_RESERVED, f->index, 0, v);
	else
		wdm_eq_ack(dev, f, cmd == QM_DB_CMD_EQ ? &f->eq : &f->aeq, index);
	if (f->pause == WDM_PAUSED)
		wdm_images_show(f);
}

/*
 * EQ and AEQ doorbells share a register too, so an acknowledgement can be lost. The interrupt
 * is then raised again: a handler that finds no entry rings its doorbell too.
 */
static void wdm_eq_retry(struct wdm_device *dev, struct wdm_function *f, struct wdm_eq *eq)
{
	if (!eq->valid || eq->head == eq->tail)
		return;
	if (eq->want && !(wdm_reg_read(f, eq->mask_reg) & 1)) {
		wdm_eq_raise(dev, f, eq);
		dev->worked = true;
		return;
	}
	if (!eq->raised || eq->retries >= WDM_IRQ_RETRIES)
		return;
	if (dev->now >= eq->retry_at) {
		eq->retries++;
		wdm_eq_raise(dev, f, eq);
	}
	wdm_wake_at(dev, eq->retry_at);
}

void wdm_eq_poll(struct wdm_device *dev, struct wdm_function *f)
{
	wdm_eq_doorbell_poll(dev, f);
	if (f->pause == WDM_PAUSED)
		return;
	wdm_eq_retry(dev, f, &f->eq);
	wdm_eq_retry(dev, f, &f->aeq);
}

/*
 * The event queue is full. The event remains pending; a driver that doesn't read events for a
 * while gets an overflow event.
 */
static void wdm_eq_full(struct wdm_device *dev, struct wdm_function *f)
{
	struct wdm_eq *eq = &f->eq;

	if (!eq->valid || eq->overflow)
		return;
	if (!eq->full_since)
		eq->full_since = dev->now;
	if (dev->now - eq->full_since < wdm_settle_overflow(dev)) {
		wdm_wake_at(dev, eq->full_since + wdm_settle_overflow(dev));
		return;
	}
	eq->overflow = true;
	dev->worked = true;
	wdm_async_event(dev, f, 0, QM_AEQE_EQ_OVERFLOW);
}

static void wdm_event_fire(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	u64 pos = f->eq.tail;

	if (!wdm_eq_put(dev, f, &f->eq, q->rel)) {
		wdm_eq_full(dev, f);
		return;
	}
	if (!q->armed)
		dev->stats.arm_recovered++;
	q->eqe_out = true;
	q->eqe_pos = pos;
	q->event_tail = q->cq_tail;
	q->armed = false;
	dev->stats.events++;
	dev->worked = true;
}

/*
 * May an SQ doorbell have overwritten the CQ doorbell that arms, unseen by the host? Then completions that no event has
 * covered raise one after a while, as lost events aren't allowed. But then an event may come to a queue that its owner
 * is still working on. Drivers hand all entries that an interrupt finds to one thread, which the first of them
 * chooses, so an event beside others could bring a second thread to the queue. Alone, it comes to the first thread.
 */
static bool wdm_arm_may_hide(const struct wdm_device *dev)
{
	return dev->attr.hidden_passes;
}

/*
 * Is an event owed for a queue, which is armed and has unconsumed completions, and may it be raised now? The next event
 * waits until the EQ doorbell has acknowledged this one, because interrupt handlers collect events of distinct queues.
 */
static bool wdm_event_due(struct wdm_device *dev, const struct wdm_function *f, const struct wdm_queue *q)
{
	if (!q->cq_valid || q->eqe_out || q->cq_tail == q->cq_head || !f->eq.valid || dev->master_closed)
		return false;
	if (wdm_arm_may_hide(dev) && f->eq.head != f->eq.tail)
		return false;
	if (q->armed)
		return true;
	if (!wdm_arm_may_hide(dev) || q->cq_tail == q->event_tail)
		return false;
	if (dev->now - q->quiet_since >= wdm_settle(dev))
		return true;
	wdm_wake_at(dev, q->quiet_since + wdm_settle(dev));
	return false;
}

void wdm_event_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	if (wdm_event_due(dev, f, q))
		wdm_event_fire(dev, f, q);
}

/* Where there is room for one, the queue whose last event is the oldest comes first. */
void wdm_events_poll(struct wdm_device *dev)
{
	struct wdm_function *f;
	u32 i;

	for (i = 0; i < dev->nr_active; i++) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];

		f = &dev->fns[q->fn];
		if (f->pause == WDM_PAUSED || !wdm_event_due(dev, f, q))
			continue;
		if (!wdm_arm_may_hide(dev))
			wdm_event_fire(dev, f, q);
		else if (!f->event_next || q->eqe_pos < f->event_next->eqe_pos)
			f->event_next = q;
	}
	for (f = dev->fns; f < dev->fns + dev->attr.functions; f++) {
		if (f->event_next)
			wdm_event_fire(dev, f, f->event_next);
		f->event_next = NULL;
	}
}
