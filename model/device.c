// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A model device: memory, functions, reset, and polling of all parts. */
#include "internal.h"

#define WDM_ALIGN		64
#define WDM_FUNCTIONS_MAX	(QM_MAX_VFS + 1)
#define WDM_JOBS_MAX		65536
#define WDM_JOBS_DEFAULT	256
#define WDM_SETTLE_DEFAULT	100000

/* Fills in defaults; returns false when a value is out of range. */
static bool wdm_attr_settle(struct wdm_attr *attr)
{
	const struct wdm_personality *engine = wdm_engine(attr->type);
	const struct wdm_generation *generation = wdm_generation(attr->generation);

	if (!engine || !generation)
		return false;
	if (!attr->generation)
		attr->generation = WDM_GENERATION_LAST;
	attr->no_isolation |= !generation->isolated;
	if (!attr->queues)
		attr->queues = engine->queues_default;
	if (!attr->functions)
		attr->functions = 1;
	if (!attr->per_fn_max)
		attr->per_fn_max = attr->queues;
	if (!attr->jobs)
		attr->jobs = WDM_JOBS_DEFAULT;
	if (!attr->settle_ns)
		attr->settle_ns = WDM_SETTLE_DEFAULT;
	if (!attr->message_vector || !generation->capable)
		attr->message_vector = WDM_IRQ_MSG;
	return attr->queues >= 2 && attr->queues <= QM_MAX_QUEUES_V2 &&
	       attr->message_vector >= WDM_IRQ_MSG && attr->message_vector <= WDM_IRQ_ABNORMAL &&
	       attr->per_fn_max <= attr->queues && attr->functions <= WDM_FUNCTIONS_MAX && attr->jobs <= WDM_JOBS_MAX;
}

static size_t wdm_align(size_t n)
{
	return (n + WDM_ALIGN - 1) & ~(size_t)(WDM_ALIGN - 1);
}

struct wdm_layout {
	size_t fns, queues, active, jobs, slots, kept, marked, total;
};

static void wdm_layout(const struct wdm_attr *attr, struct wdm_layout *l)
{
	l->fns = wdm_align(sizeof(struct wdm_device));
	l->queues = l->fns + wdm_align(attr->functions * sizeof(struct wdm_function));
	l->active = l->queues + wdm_align(attr->queues * sizeof(struct wdm_queue));
	l->jobs = l->active + wdm_align(attr->queues * sizeof(u16));
	l->slots = l->jobs + wdm_align(attr->jobs * sizeof(struct wdm_job));
	l->kept = l->slots + (size_t)attr->queues * 2 * QM_SQ_DEPTH_V2 * sizeof(u32);
	l->marked = l->kept + (size_t)attr->queues * QM_SQ_DEPTH_V2 * WDM_MARKS_MAX * sizeof(u16);
	l->total = l->marked + (size_t)attr->queues * QM_SQ_DEPTH_V2 * sizeof(bool);
}

size_t wdm_device_size(const struct wdm_attr *attr)
{
	struct wdm_attr full = *attr;
	struct wdm_layout l;

	if (!wdm_attr_settle(&full))
		return 0;
	wdm_layout(&full, &l);
	return l.total;
}

struct wdm_device *wdm_device_init(void *mem, const struct wdm_attr *attr, const struct wdm_env *env, void *host)
{
	struct wdm_attr full = *attr;
	struct wdm_device *dev = mem;
	struct wdm_layout l;
	u8 *base = mem;
	u32 *slots;
	u32 i;

	if (!wdm_attr_settle(&full))
		return NULL;
	wdm_layout(&full, &l);
	memset(mem, 0, l.total);
	dev->env = env;
	dev->host = host;
	dev->engine = wdm_engine(full.type);
	dev->generation = wdm_generation(full.generation);
	dev->variant = &dev->engine->variant[WDM_ROW(full.generation)];
	dev->attr = full;
	dev->fns = (struct wdm_function *)(base + l.fns);
	dev->queues = (struct wdm_queue *)(base + l.queues);
	dev->active = (u16 *)(base + l.active);
	dev->jobs = (struct wdm_job *)(base + l.jobs);
	slots = (u32 *)(base + l.slots);
	for (i = 0; i < full.functions; i++)
		dev->fns[i].index = i;
	for (i = 0; i < full.queues; i++) {
		dev->queues[i].abs = i;
		dev->queues[i].digest = slots + (size_t)i * 2 * QM_SQ_DEPTH_V2;
		dev->queues[i].answered_at = dev->queues[i].digest + QM_SQ_DEPTH_V2;
		dev->queues[i].kept = (u16 *)(base + l.kept) + (size_t)i * QM_SQ_DEPTH_V2 * WDM_MARKS_MAX;
		dev->queues[i].marked = (bool *)(base + l.marked) + (size_t)i * QM_SQ_DEPTH_V2;
	}
	for (i = full.jobs; i-- > 0;) {
		dev->jobs[i].next = dev->free_jobs;
		dev->free_jobs = &dev->jobs[i];
	}
	wdm_bandwidth_set(dev, full.bandwidth_mbps);
	return dev;
}

void wdm_device_set_latency(struct wdm_device *dev, u64 latency_ns)
{
	dev->attr.latency_ns = latency_ns;
}

void wdm_device_set_bandwidth(struct wdm_device *dev, u32 mbps)
{
	wdm_bandwidth_set(dev, mbps);
}

u64 wdm_bar_size(const struct wdm_device *dev, u32 fn, int bar)
{
	if (bar == QM_BAR_REGS)
		return wdm_regs_size(dev, fn);
	if (bar == QM_BAR_DB && !dev->attr.no_isolation)
		return (u64)dev->attr.per_fn_max * QM_DB_WINDOW;
	return 0;
}

static void wdm_function_clear(struct wdm_device *dev, struct wdm_function *f, bool gone)
{
	u32 i;

	for (i = dev->nr_active; i-- > 0;) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];

		if (q->fn == f->index)
			wdm_queue_drop(dev, q);
	}
	wdm_eq_reset(f);
	wdm_message_reset(dev, f, gone);
	wdm_dfx_reset(dev, f);
	wdm_shaper_empty(dev, f);
	f->sqc_bt = 0;
	f->cqc_bt = 0;
	f->mb_state = WDM_MB_IDLE;
	wdm_pause_end(f);
	dev->looked = 0;
}

static void wdm_errors_clear(struct wdm_device *dev)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];

	memset(pf->abnormal, 0, sizeof(pf->abnormal));
	memset(pf->shut_by, 0, sizeof(pf->shut_by));
	dev->master_closed = false;
}

static void wdm_function_restart(struct wdm_device *dev, struct wdm_function *f)
{
	u32 mask = wdm_reg_read(f, QM_IFC_INT_MASK) & 1;

	wdm_function_clear(dev, f, false);
	wdm_regs_reset(dev, f);
	/* A VF's driver unmasks messages once, and not after each reset. */
	if (f->index != WDM_PF)
		wdm_reg_write(f, QM_IFC_INT_MASK, mask);
}

/* All functions from @first on; and all shares of queues, which the PF's driver writes again. */
static void wdm_functions_restart(struct wdm_device *dev, u32 first)
{
	u32 i;

	for (i = dev->attr.functions; i-- > 0;) {
		if (i >= first && dev->fns[i].attached)
			wdm_function_restart(dev, &dev->fns[i]);
		memset(&dev->fns[i].vft, 0, sizeof(dev->fns[i].vft));
		wdm_shaper_empty(dev, &dev->fns[i]);
	}
}

int wdm_function_attach(struct wdm_device *dev, u32 fn, void WDM_IOMEM *bar2, void WDM_IOMEM *bar4)
{
	struct wdm_function *f;

	if (fn >= dev->attr.functions || !bar2 || (!bar4 && !dev->attr.no_isolation))
		return -EINVAL;
	f = &dev->fns[fn];
	if (f->attached)
		return -EBUSY;
	f->bar2 = bar2;
	f->bar4 = bar4;
	wdm_function_clear(dev, f, true);
	if (fn == WDM_PF)
		wdm_errors_clear(dev);
	wdm_regs_reset(dev, f);
	f->attached = true;
	return 0;
}

void wdm_function_reset(struct wdm_device *dev, u32 fn)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];

	if (fn >= dev->attr.functions || !dev->fns[fn].attached)
		return;
	if (fn != WDM_PF) {
		wdm_function_restart(dev, &dev->fns[fn]);
		return;
	}
	wdm_functions_restart(dev, WDM_PF);
	wdm_errors_show(dev, pf);
	dev->master_closed = pf->shut_by[WDM_ERRORS_QM] || pf->shut_by[WDM_ERRORS_ENGINE];
}

void wdm_device_reset(struct wdm_device *dev)
{
	u32 i;

	wdm_functions_restart(dev, WDM_PF);
	for (i = 0; i < dev->attr.functions; i++)
		if (dev->fns[i].attached)
			wdm_reg_write(&dev->fns[i], QM_IFC_INT_MASK, 1);
	wdm_errors_clear(dev);
	dev->memory_ready = false;
	dev->timeout_ready = false;
	wdm_bandwidth_set(dev, dev->attr.bandwidth_mbps);
}

bool wdm_function_busy(const struct wdm_device *dev, u32 fn)
{
	u32 i;

	if (fn != WDM_PF)
		return fn < dev->attr.functions && dev->fns[fn].running;
	for (i = 0; i < dev->attr.functions; i++)
		if (dev->fns[i].running)
			return true;
	return false;
}

void wdm_function_detach(struct wdm_device *dev, u32 fn)
{
	struct wdm_function *f;

	if (fn >= dev->attr.functions || !dev->fns[fn].attached)
		return;
	f = &dev->fns[fn];
	if (fn == WDM_PF) {
		wdm_functions_restart(dev, WDM_PF + 1);
		wdm_errors_clear(dev);
	}
	wdm_function_clear(dev, f, true);
	memset(&f->vft, 0, sizeof(f->vft));
	wdm_shaper_empty(dev, f);
	f->attached = false;
	f->bar2 = NULL;
	f->bar4 = NULL;
}

static void wdm_queues_poll(struct wdm_device *dev)
{
	u32 i;

	/* Backwards: a removed entry is replaced by the last one, which has been visited already. */
	for (i = dev->nr_active; i-- > 0;) {
		struct wdm_queue *q = &dev->queues[dev->active[i]];
		struct wdm_function *f = &dev->fns[q->fn];

		if (f->pause == WDM_PAUSED)
			continue;
		if (!dev->attr.no_isolation && !f->pause)
			wdm_doorbell_poll(dev, f, q);
		if (!f->pause) {
			wdm_slots_mark(dev, q);
			wdm_lost_sq_poll(dev, f, q);
		}
		wdm_jobs_complete(dev, q);
	}
	wdm_events_poll(dev);
}

void wdm_poll(struct wdm_device *dev, struct wdm_look *look)
{
	u32 i;

	dev->now = dev->env->now_ns(dev->host);
	dev->next_ns = WDM_NEVER;
	dev->worked = false;
	dev->looked = 0;
	for (i = 0; i < dev->attr.functions; i++) {
		struct wdm_function *f = &dev->fns[i];

		if (!f->attached)
			continue;
		wdm_regs_poll(dev, f);
		wdm_mailbox_poll(dev, f);
		wdm_message_poll(dev, f);
		wdm_eq_poll(dev, f);
		wdm_migrate_poll(dev, f);
		if (dev->attr.no_isolation && !f->pause)
			wdm_doorbell_poll_shared(dev, f);
	}
	wdm_queues_poll(dev);
	wdm_dfx_poll(dev);

	look->jobs = wdm_jobs_ready(dev);
	look->worked = dev->worked;
	look->next_ns = dev->next_ns;
	look->busy = dev->jobs_out;
}

const struct wdm_stats *wdm_device_stats(const struct wdm_device *dev)
{
	return &dev->stats;
}
