// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Counters that an administrator reads in registers: of functions, queues, the device, and the engine's cores. */
#include "internal.h"

enum wdm_dfx_reg {
	WDM_DFX_MAILBOXES,
	WDM_DFX_DOORBELLS,
	WDM_DFX_FETCHED,
	WDM_DFX_ANSWERED,
	WDM_DFX_SENT,
	WDM_DFX_WRITTEN,
	WDM_DFX_FINISHED,
	WDM_DFX_CQE_ERRORS,
	WDM_DFX_IDLE,
};

static const u32 wdm_dfx_regs[WDM_DFX_NR] = {
	[WDM_DFX_MAILBOXES] = QM_DFX_MB_CNT,
	[WDM_DFX_DOORBELLS] = QM_DFX_DB_CNT,
	[WDM_DFX_FETCHED] = QM_DFX_SQE_CNT,
	[WDM_DFX_ANSWERED] = QM_DFX_CQE_CNT,
	[WDM_DFX_SENT] = QM_DFX_SEND_SQE_CNT,
	[WDM_DFX_WRITTEN] = QM_DFX_WB_SQE_CNT,
	[WDM_DFX_FINISHED] = QM_DFX_FINISH_CNT,
	[WDM_DFX_CQE_ERRORS] = QM_DFX_CQE_ERR_CNT,
	[WDM_DFX_IDLE] = QM_DFX_IDLE_ST,
};

/* ------ counting ------ */

void wdm_dfx_mailbox(struct wdm_device *dev, struct wdm_function *f)
{
	dev->stats.mailboxes++;
	f->mailboxes++;
}

void wdm_dfx_doorbell(struct wdm_device *dev, struct wdm_function *f)
{
	dev->stats.doorbells++;
	f->doorbells++;
}

/* Cores of the first algorithm types */
static u32 wdm_cores(const struct wdm_variant *v, u32 alg_types)
{
	u32 i, nr = 0;

	for (i = 0; i < alg_types; i++)
		nr += v->cores[i];
	return nr;
}

/* Assumption: the cores of each algorithm type get its descriptors in turn. */
static u32 wdm_core(const struct wdm_variant *v, u32 alg_type, u32 turn)
{
	return wdm_cores(v, alg_type) + turn % v->cores[alg_type];
}

/* The engine gets a descriptor. */
void wdm_dfx_sent(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job)
{
	struct wdm_dfx *dfx = &dev->dfx;

	dev->stats.descriptors++;
	q->fetched++;
	dfx->sent++;
	job->taken_ns = dev->now;
	job->dfx_round = dfx->round;
	if (!dev->engine->core_show)
		return;
	job->core = (u8)wdm_core(dev->variant, job->alg_type, dfx->turn[job->alg_type]++);
	dfx->core[job->core].taken++;
	dfx->core_changed = true;
}

static void wdm_core_delay(struct wdm_core *core, u64 ns)
{
	u32 delay = ns < ~0u ? (u32)ns : ~0u;

	if (!core->done || delay < core->delay_min)
		core->delay_min = delay;
	if (delay > core->delay_max)
		core->delay_max = delay;
	core->busy += delay;
}

/* The engine has ended a job, whose queue may have gone meanwhile. */
void wdm_dfx_ended(struct wdm_device *dev, const struct wdm_job *job)
{
	struct wdm_core *core = &dev->dfx.core[job->core];

	/* Taken before a reset: it would be more than were taken. */
	if (!dev->engine->core_show || job->dfx_round != dev->dfx.round)
		return;
	wdm_core_delay(core, dev->now - job->taken_ns);
	core->done++;
	core->wrong += job->refused || job->unready;
	core->in += job->bytes_in;
	core->out += job->bytes_out;
	dev->dfx.core_changed = true;
}

/* A completion entry has been written, after its descriptor. */
void wdm_dfx_answered(struct wdm_device *dev, struct wdm_queue *q)
{
	dev->stats.completions++;
	dev->dfx.written++;
	q->answered++;
}

/* ------ forgetting ------ */

static void wdm_dfx_forget_queue(struct wdm_queue *q)
{
	q->fetched = 0;
	q->answered = 0;
}

/* The next owner of the queues begins with 0. */
void wdm_dfx_forget_share(struct wdm_device *dev, const struct wdm_function *f)
{
	struct wdm_queue *q;
	u32 rel;

	for (rel = 0; (q = wdm_queue_find(dev, f, rel)); rel++)
		wdm_dfx_forget_queue(q);
}

static void wdm_dfx_forget_device(struct wdm_device *dev)
{
	struct wdm_dfx *dfx = &dev->dfx;

	dfx->sent = 0;
	dfx->written = 0;
	dfx->finished = 0;
	dfx->cqe_errors = 0;
}

static void wdm_dfx_forget_cores(struct wdm_device *dev)
{
	memset(dev->dfx.core, 0, sizeof(dev->dfx.core));
	dev->dfx.core_changed = true;
}

void wdm_dfx_forget(struct wdm_device *dev)
{
	u32 i;

	for (i = 0; i < dev->attr.functions; i++) {
		dev->fns[i].mailboxes = 0;
		dev->fns[i].doorbells = 0;
	}
	for (i = 0; i < dev->attr.queues; i++)
		wdm_dfx_forget_queue(&dev->queues[i]);
	wdm_dfx_forget_device(dev);
	wdm_dfx_forget_cores(dev);
	dev->dfx.round++;
}

/* A reset of a function, before its registers are cleared. That of the PF is one of all functions. */
void wdm_dfx_reset(struct wdm_device *dev, struct wdm_function *f)
{
	f->active_shown = false;
	f->mailboxes = 0;
	f->doorbells = 0;
	wdm_dfx_forget_share(dev, f);
	if (f->index != WDM_PF)
		return;
	wdm_dfx_forget(dev);
	memset(dev->dfx.shown, 0, sizeof(dev->dfx.shown));
	dev->dfx.core_changed = false;
}

/* ------ showing ------ */

/* NULL: there is no such function. */
static struct wdm_function *wdm_dfx_function(struct wdm_device *dev, u32 fn)
{
	return fn < dev->attr.functions ? &dev->fns[fn] : NULL;
}

/* NULL: the function, if there is one, has no such queue. */
static struct wdm_queue *wdm_dfx_queue(struct wdm_device *dev, u32 select)
{
	struct wdm_function *f = wdm_dfx_function(dev, select & QM_DFX_SELECT_FUNC_MASK);

	return f ? wdm_queue_find(dev, f, select >> QM_DFX_SELECT_QUEUE_SHIFT) : NULL;
}

/* @value is what a register shows. While a read would clear it, which nobody sees, it stays 0. */
static u32 wdm_dfx_value(u32 *value, bool clear)
{
	if (!value)
		return 0;
	if (clear)
		*value = 0;
	return *value;
}

static void wdm_dfx_look(struct wdm_device *dev, struct wdm_function *pf, u32 *value)
{
	struct wdm_function *mb = wdm_dfx_function(dev, wdm_reg_read(pf, QM_DFX_MB_SELECT));
	struct wdm_function *db = wdm_dfx_function(dev, wdm_reg_read(pf, QM_DFX_DB_SELECT));
	struct wdm_queue *sq = wdm_dfx_queue(dev, wdm_reg_read(pf, QM_DFX_SQE_SELECT));
	struct wdm_queue *cq = wdm_dfx_queue(dev, wdm_reg_read(pf, QM_DFX_CQE_SELECT));
	bool clear = wdm_reg_read(pf, QM_DFX_CNT_CLR_CE) & 1;

	if (clear)
		wdm_dfx_forget_device(dev);
	value[WDM_DFX_MAILBOXES] = wdm_dfx_value(mb ? &mb->mailboxes : NULL, clear);
	value[WDM_DFX_DOORBELLS] = wdm_dfx_value(db ? &db->doorbells : NULL, clear);
	value[WDM_DFX_FETCHED] = wdm_dfx_value(sq ? &sq->fetched : NULL, clear);
	value[WDM_DFX_ANSWERED] = wdm_dfx_value(cq ? &cq->answered : NULL, clear);
	value[WDM_DFX_SENT] = dev->dfx.sent;
	value[WDM_DFX_WRITTEN] = dev->dfx.written;
	value[WDM_DFX_FINISHED] = dev->dfx.finished;
	value[WDM_DFX_CQE_ERRORS] = dev->dfx.cqe_errors;
}

/* Does the device do nothing at all? Each function shows whether jobs of its own run. */
static bool wdm_dfx_activity(struct wdm_device *dev)
{
	bool idle = !dev->jobs_out;
	u32 i;

	for (i = 0; i < dev->attr.functions; i++) {
		struct wdm_function *f = &dev->fns[i];

		if (!f->attached)
			continue;
		idle &= f->mb_state == WDM_MB_IDLE && !f->running;
		if (f->active_shown == (f->running > 0))
			continue;
		f->active_shown = f->running > 0;
		wdm_reg_write(f, QM_DFX_FUNS_ACTIVE_ST, f->active_shown);
	}
	return idle;
}

static void wdm_dfx_cores(struct wdm_device *dev, struct wdm_function *pf)
{
	const struct wdm_personality *engine = dev->engine;

	if (!engine->core_show)
		return;
	if ((wdm_reg_read(pf, engine->clear_reg) & engine->clear_bits) == engine->clear_bits)
		wdm_dfx_forget_cores(dev);
	if (!dev->dfx.core_changed)
		return;
	dev->dfx.core_changed = false;
	engine->core_show(pf, dev->dfx.core, wdm_cores(dev->variant, WDM_ALG_TYPES_MAX));
}

/* The end of a look: one write for each register whose value is new. */
void wdm_dfx_poll(struct wdm_device *dev)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];
	u32 value[WDM_DFX_NR], i;
	bool idle = wdm_dfx_activity(dev);

	if (!pf->attached)
		return;
	value[WDM_DFX_IDLE] = idle;
	wdm_dfx_look(dev, pf, value);
	for (i = 0; i < WDM_DFX_NR; i++) {
		if (value[i] == dev->dfx.shown[i])
			continue;
		dev->dfx.shown[i] = value[i];
		wdm_reg_write(pf, wdm_dfx_regs[i], value[i]);
	}
	wdm_dfx_cores(dev, pf);
}
