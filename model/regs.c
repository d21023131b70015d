// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Registers outside the rings: reset values, the queue table (VFT), memory init, caches, errors. */
#include "internal.h"

/* Registers that a driver may have written and that a reset clears; the rest of the BAR is never read. */
static const struct { u32 first, end; } wdm_reg_ranges[] = {
	{ 0x0, 0x400 },
	{ 0x1000, 0x1010 },
	{ 0x2000, 0x2010 },
	{ 0x3100, 0x3180 },
	{ 0x8000, 0x8040 },
	{ 0x100000, 0x100200 },
	{ 0x104000, 0x104200 },
	{ 0x300000, 0x300200 },
	{ 0x301000, 0x302000 },
	{ 0x302000, 0x302300 },
	{ 0x303000, 0x303200 },
	{ 0x304000, 0x304200 },
	{ 0x305000, 0x305200 },
	{ 0x306000, 0x306100 },
	{ 0x307000, 0x307100 },
	{ 0x308000, 0x308100 },
	{ 0x309000, 0x309100 },
};

static void wdm_regs_load(struct wdm_function *f, const struct wdm_reg *regs)
{
	for (; regs->offset; regs++)
		wdm_reg_write(f, regs->offset, regs->value);
}

static u32 wdm_error_vector(const struct wdm_device *dev)
{
	return WDM_IRQ_MSG + WDM_IRQ_ABNORMAL - dev->attr.message_vector;
}

/* A VF has as many vectors as it needs for messages. */
static void wdm_vectors_show(const struct wdm_device *dev, struct wdm_function *f)
{
	wdm_reg_write(f, QM_CAP_ABNORMAL_IRQ, 1 << 16 | wdm_error_vector(dev));
	wdm_reg_write(f, QM_CAP_MSG_IRQ, 1 << 16 | dev->attr.message_vector);
	wdm_reg_write(f, QM_CAP_IRQ_NUM, WDM_IRQ_NR << 16 | (dev->attr.message_vector + 1));
}

void wdm_regs_reset(struct wdm_device *dev, struct wdm_function *f)
{
	u32 i, reg;

	for (i = 0; i < sizeof(wdm_reg_ranges) / sizeof(wdm_reg_ranges[0]); i++) {
		if (wdm_reg_ranges[i].first >= wdm_regs_size(dev, f->index))
			continue;
		for (reg = wdm_reg_ranges[i].first; reg < wdm_reg_ranges[i].end; reg += 4)
			wdm_reg_write(f, reg, 0);
	}
	wdm_reg_write(f, QM_MB_LAST, WDM_MB_POISON);
	wdm_regs_load(f, dev->generation->regs);
	wdm_regs_load(f, dev->variant->regs);
	if (dev->attr.cap_version_0)
		wdm_reg_write(f, QM_CAP_VERSION, 0);
	if (dev->generation->capable) {
		wdm_vectors_show(dev, f);
		wdm_reg_write(f, QM_SUB_VERSION_ID, dev->attr.sub_version);
	}
	wdm_reg_write(f, QM_QUE_ISO_CFG, !dev->attr.no_isolation);
	if (f->index == WDM_PF) {
		if (dev->generation->capable)
			wdm_reg_write(f, QM_QUEUE_NUM,
				      dev->attr.queues | dev->attr.per_fn_max << QM_QUEUE_NUM_MAX_SHIFT);
		wdm_reg_write(f, QM_VFT_RDY, 1);
		wdm_reg_write(f, QM_ABNORMAL_INT_MASK, 0x7fff);
	}
	f->db_seen = 0;
	f->eq_db_seen = 0;
}

static void wdm_absent_clear(struct wdm_device *dev, struct wdm_function *f, const struct wdm_reg_range *absent)
{
	u32 reg;

	for (; absent && absent->end; absent++) {
		if (absent->first >= wdm_regs_size(dev, f->index))
			continue;
		for (reg = absent->first; reg < absent->end; reg += 4) {
			if (!wdm_reg_read(f, reg))
				continue;
			wdm_reg_write(f, reg, 0);
			wdm_refuse(dev, WDM_REFUSE_REG, f->index, 0, reg);
		}
	}
}

void wdm_absent_poll(struct wdm_device *dev, struct wdm_function *f)
{
	wdm_absent_clear(dev, f, dev->generation->absent);
	wdm_absent_clear(dev, f, dev->variant->absent);
}

static bool wdm_vft_fits(const struct wdm_device *dev, u32 fn, u64 entry)
{
	u64 base = entry >> QM_VFT_SQC_BASE_SHIFT & QM_VFT_SQC_BASE_MASK;
	u64 num = (entry >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK) + 1;
	u32 i;

	if (!(entry & QM_VFT_SQC_VALID))
		return entry == 0;
	if (base + num > dev->attr.queues)
		return false;
	/* Each queue has a window of the function's BAR4. */
	if (!dev->attr.no_isolation && num > dev->attr.per_fn_max)
		return false;
	for (i = 0; i < dev->attr.functions; i++) {
		const struct wdm_function *f = &dev->fns[i];
		u64 other = f->vft.sqc;
		u64 first = other >> QM_VFT_SQC_BASE_SHIFT & QM_VFT_SQC_BASE_MASK;

		if (i == fn || !(other & QM_VFT_SQC_VALID))
			continue;
		if (base < first + (other >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK) + 1 && first < base + num)
			return false;
	}
	return true;
}

static void wdm_vft_set(struct wdm_device *dev, struct wdm_function *f, u32 type, u32 shaper, u64 data)
{
	u32 i;

	if (type == QM_VFT_TYPE_SHAPER) {
		wdm_shaper_set(dev, f, shaper, data);
		return;
	}
	if ((type == QM_VFT_TYPE_CQC ? f->vft.cqc : f->vft.sqc) == data)
		return;
	wdm_dfx_forget_share(dev, f);
	if (type == QM_VFT_TYPE_CQC) {
		f->vft.cqc = data;
		return;
	}
	/* Queues have absolute numbers, so those of the old range become invalid. */
	for (i = dev->nr_active; i-- > 0;)
		if (dev->queues[dev->active[i]].fn == f->index)
			wdm_queue_drop(dev, &dev->queues[dev->active[i]]);
	wdm_pause_end(f);
	f->vft.sqc = data;
}

static void wdm_vft_access(struct wdm_device *dev, struct wdm_function *pf)
{
	u32 type = wdm_reg_read(pf, QM_VFT_TYPE), sel = wdm_reg_read(pf, QM_VFT_FUNC);
	u64 data = wdm_reg_read(pf, QM_VFT_DATA_L) | (u64)wdm_reg_read(pf, QM_VFT_DATA_H) << 32;
	u32 fn = type == QM_VFT_TYPE_SHAPER ? sel & 0x3f : sel;
	u32 shaper = type == QM_VFT_TYPE_SHAPER ? sel >> 6 : 0;
	struct wdm_function *f;

	if (type > (dev->generation->shapers ? QM_VFT_TYPE_SHAPER : QM_VFT_TYPE_CQC) || fn >= dev->attr.functions ||
	    shaper > 1) {
		wdm_refuse(dev, WDM_REFUSE_VFT, WDM_PF, 0, (u64)type << 32 | sel);
		return;
	}
	f = &dev->fns[fn];
	if (wdm_reg_read(pf, QM_VFT_OP_WR)) {
		data = type == QM_VFT_TYPE_SQC ? f->vft.sqc :
		       type == QM_VFT_TYPE_CQC ? f->vft.cqc : f->vft.shaper[shaper];
		wdm_reg_write(pf, QM_VFT_DATA_L, (u32)data);
		wdm_reg_write(pf, QM_VFT_DATA_H, (u32)(data >> 32));
	} else if (type == QM_VFT_TYPE_SQC && !wdm_vft_fits(dev, fn, data)) {
		wdm_refuse(dev, WDM_REFUSE_VFT, fn, 0, data);
	} else {
		wdm_vft_set(dev, f, type, shaper, data);
	}
}

static void wdm_table_write(struct wdm_device *dev, const struct wdm_function *f, u64 table, u32 rel, const u8 *qc)
{
	u64 at = table + (u64)rel * QM_QC_SIZE;

	if (table && wdm_dma_write(dev, f->index, at, qc, QM_QC_SIZE))
		wdm_refuse(dev, WDM_REFUSE_MB_DMA, f->index, rel, at);
}

/*
 * Writes contexts to the backing tables, in the format of a mailbox dump. An entry of a queue that has ended becomes
 * empty, or a start from the tables would bring it back.
 */
static void wdm_cache_writeback(struct wdm_device *dev, struct wdm_function *f)
{
	u8 sqc[QM_QC_SIZE], cqc[QM_QC_SIZE];
	struct wdm_queue *q;
	u32 rel;

	for (rel = 0; (q = wdm_queue_find(dev, f, rel)); rel++) {
		if (!q->active && !q->tabled)
			continue;
		memset(sqc, 0, sizeof(sqc));
		memset(cqc, 0, sizeof(cqc));
		/* A queue that has overflowed has ended: its completions can't be told any more. */
		if (q->sq_valid && !q->overflow)
			wdm_sqc_get(dev, q, sqc);
		if (q->cq_valid && !q->overflow)
			wdm_cqc_get(dev, q, cqc);
		wdm_table_write(dev, f, f->sqc_bt, rel, sqc);
		wdm_table_write(dev, f, f->cqc_bt, rel, cqc);
		q->tabled = q->active;
	}
}

static const struct wdm_error_block wdm_qm_errors = {
	.source = QM_ABNORMAL_INT_SOURCE,
	.mask = QM_ABNORMAL_INT_MASK,
	.set = QM_ABNORMAL_INT_SET,
	.status = QM_ABNORMAL_INT_STATUS,
	.shutdown = QM_OOO_SHUTDOWN_SEL,
};

const struct wdm_error_block *wdm_error_block(const struct wdm_device *dev, enum wdm_errors which)
{
	return which == WDM_ERRORS_QM ? &wdm_qm_errors : dev->engine->errors;
}

void wdm_errors_show(struct wdm_device *dev, struct wdm_function *pf)
{
	wdm_reg_write(pf, wdm_error_block(dev, WDM_ERRORS_QM)->status, pf->abnormal[WDM_ERRORS_QM]);
	wdm_reg_write(pf, wdm_error_block(dev, WDM_ERRORS_ENGINE)->status, pf->abnormal[WDM_ERRORS_ENGINE]);
}

/* Those of the errors that close the bus master; without a register that selects them, it is always the same ones. */
static u32 wdm_errors_close(const struct wdm_device *dev, const struct wdm_function *pf, enum wdm_errors which,
			    u32 errors)
{
	const struct wdm_error_block *e = wdm_error_block(dev, which);

	if (e->shutdown_on && !(wdm_reg_read(pf, e->shutdown_on) & e->shutdown_bit))
		return 0;
	return errors & (dev->generation->capable ? wdm_reg_read(pf, e->shutdown) : dev->variant->closes[which]);
}

void wdm_error_raise(struct wdm_device *dev, enum wdm_errors which, u32 bits)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];
	const struct wdm_error_block *e = wdm_error_block(dev, which);

	if (bits && pf->attached)
		wdm_reg_write(pf, e->set, wdm_reg_read(pf, e->set) | bits);
}

/* Assumption: an error that has closed the bus master keeps it closed until it is acknowledged. */
static void wdm_errors_poll(struct wdm_device *dev, struct wdm_function *pf, enum wdm_errors which)
{
	const struct wdm_error_block *e = wdm_error_block(dev, which);
	u32 clear = wdm_reg_read(pf, e->source), set = wdm_reg_read(pf, e->set), reported;

	if (!clear && !set)
		return;
	dev->worked = true;
	if (clear)
		wdm_reg_write(pf, e->source, 0);
	if (set)
		wdm_reg_write(pf, e->set, 0);
	pf->abnormal[which] = (pf->abnormal[which] & ~clear) | set;
	pf->shut_by[which] &= ~clear;
	pf->shut_by[which] |= wdm_errors_close(dev, pf, which, set);
	wdm_reg_write(pf, e->status, pf->abnormal[which]);
	reported = wdm_reg_read(pf, e->mask);
	if (set & (e->mask_enables ? reported : ~reported))
		wdm_irq(dev, pf, wdm_error_vector(dev));
}

static void wdm_master_poll(struct wdm_device *dev, struct wdm_function *pf)
{
	bool error = pf->shut_by[WDM_ERRORS_QM] || pf->shut_by[WDM_ERRORS_ENGINE];
	bool close = error || (wdm_reg_read(pf, ACC_MASTER_GLOBAL_CTRL) & 1);
	u32 i, running = 0;

	if (close != dev->master_closed) {
		dev->master_closed = close;
		dev->worked = true;
		if (!close)
			wdm_reg_write(pf, ACC_MASTER_TRANS_RETURN, 0);
	}
	/* When the driver closes the bus master, running jobs finish; after an error they are made to end. */
	if (error)
		wdm_jobs_end(dev);
	if (!close || wdm_reg_read(pf, ACC_MASTER_TRANS_RETURN))
		return;
	for (i = 0; i < dev->attr.functions; i++)
		running += dev->fns[i].running;
	if (!running)
		wdm_reg_write(pf, ACC_MASTER_TRANS_RETURN, ACC_MASTER_TRANS_IDLE);
}

static const struct wdm_init wdm_qm_inits[] = {
	{ QM_MEM_START_INIT, QM_MEM_INIT_DONE, 1, 0 },
	{ 0, 0, 0, 0 },
};

static void wdm_inits_poll(struct wdm_device *dev, struct wdm_function *pf, const struct wdm_init *inits)
{
	for (; inits->start; inits++) {
		if (!wdm_reg_read(pf, inits->start))
			continue;
		wdm_reg_write(pf, inits->start, 0);
		wdm_reg_write(pf, inits->done, inits->of ? inits->value & wdm_reg_read(pf, inits->of) : inits->value);
		dev->worked = true;
	}
}

/* Returns a register of which only a part, or not the same as of the others, is set; 0: all or none of the bits are. */
static u32 wdm_sva_mixed(const struct wdm_device *dev, bool *on)
{
	const struct wdm_function *pf = &dev->fns[WDM_PF];
	const struct wdm_reg *sva = dev->variant->sva;
	u32 first, bits;

	*on = pf->attached && wdm_reg_read(pf, sva->offset) & sva->value;
	if (!pf->attached)
		return 0;
	for (first = *on; sva->offset; sva++) {
		bits = wdm_reg_read(pf, sva->offset) & sva->value;
		if (bits != (first ? sva->value : 0))
			return sva->offset;
	}
	return 0;
}

bool wdm_queue_sva(const struct wdm_device *dev, const struct wdm_queue *q)
{
	bool on;

	if (!dev->variant->sva)
		return q->pasid_valid;
	wdm_sva_mixed(dev, &on);
	return on;
}

static u32 wdm_engine_look(struct wdm_device *dev, u32 alg_type)
{
	const struct wdm_function *pf = &dev->fns[WDM_PF];
	const struct wdm_need *need = dev->variant->needs;
	bool sva;

	if (!dev->memory_ready)
		return QM_MEM_START_INIT;
	if (!dev->timeout_ready && !dev->attr.any_db_timeout)
		return QM_DB_TIMEOUT_CFG;
	for (; need && need->reg; need++)
		if ((need->classes & WDM_CLASS(alg_type)) && !(wdm_reg_read(pf, need->reg) & need->mask))
			return need->reg;
	return dev->variant->sva ? wdm_sva_mixed(dev, &sva) : 0;
}

u32 wdm_engine_lacks(struct wdm_device *dev, u32 alg_type)
{
	u32 lacks = 0;

	/* Registers are read once per poll, unless one of them isn't set. */
	if ((dev->looked & WDM_CLASS(alg_type)) && !(dev->unready & WDM_CLASS(alg_type)))
		return 0;
	if (dev->fns[WDM_PF].attached)
		lacks = wdm_engine_look(dev, alg_type);
	dev->looked |= WDM_CLASS(alg_type);
	dev->unready &= ~WDM_CLASS(alg_type);
	if (lacks)
		dev->unready |= WDM_CLASS(alg_type);
	return lacks;
}

static void wdm_pf_regs_poll(struct wdm_device *dev, struct wdm_function *pf)
{
	/* Assumption: the counters are in this memory, too. */
	if (wdm_reg_read(pf, QM_MEM_START_INIT))
		wdm_dfx_forget(dev);
	wdm_inits_poll(dev, pf, wdm_qm_inits);
	/* Survives a function's reset, after which drivers don't initialise the memory again. */
	dev->memory_ready |= wdm_reg_read(pf, QM_MEM_INIT_DONE) & 1;
	/* The same, although mainline's drivers don't set it again after a reset of the device. */
	dev->timeout_ready |= wdm_reg_read(pf, QM_DB_TIMEOUT_CFG) == QM_DB_TIMEOUT_NS;
	if (dev->variant->inits)
		wdm_inits_poll(dev, pf, dev->variant->inits);
	if (dev->generation->shapers)
		wdm_shaper_poll(dev, pf);
	if (wdm_reg_read(pf, QM_VFT_OP_ENABLE)) {
		wdm_vft_access(dev, pf);
		/* In this order: after ready is set the driver may start the next operation. */
		wdm_reg_write(pf, QM_VFT_OP_ENABLE, 0);
		wdm_reg_write(pf, QM_VFT_RDY, 1);
		dev->worked = true;
	}
	wdm_errors_poll(dev, pf, WDM_ERRORS_QM);
	wdm_errors_poll(dev, pf, WDM_ERRORS_ENGINE);
	wdm_master_poll(dev, pf);
}

void wdm_regs_poll(struct wdm_device *dev, struct wdm_function *f)
{
	if (f->index == WDM_PF)
		wdm_pf_regs_poll(dev, f);
	if (wdm_reg_read(f, QM_CACHE_WB_START)) {
		wdm_reg_write(f, QM_CACHE_WB_DONE, 0);
		wdm_cache_writeback(dev, f);
		wdm_reg_write(f, QM_CACHE_WB_START, 0);
		wdm_reg_write(f, QM_CACHE_WB_DONE, 1);
		dev->worked = true;
	}
}
