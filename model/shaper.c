// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Limits of bandwidth: of the whole device, and of each function and class of queues by its shaper. */
#include "internal.h"

#define WDM_LIMIT_AHEAD_NS	10000000ull
#define WDM_NS_PER_S		1000000000ull
#define WDM_BYTES_PER_MBIT	125000u
#define WDM_SHAPER_FULL_MBPS	100000u		/* a shaper's rate that is the whole device */
#define WDM_SHAPER_CIR_DIVISOR	768u
#define WDM_SHAPER_CFG_BITS	(QM_SHAPER_CFG_ENABLE | ((1u << 2 * QM_SHAPER_CFG_RATE1_SHIFT) - 1))
#define WDM_SHAPER_ENTRY_BITS	24
#define WDM_BURST_MAX		(1ull << 32)	/* bytes; products with WDM_NS_PER_S fit in 64 bits */

/* ------ one limit ------ */

static u64 wdm_before(u64 when, u64 ns)
{
	return when > ns ? when - ns : 0;
}

/*
 * A request that was accepted under the old limit keeps its time. Unused tokens are bytes, at most a full new bucket: a
 * limit that is written again doesn't fill it.
 */
static void wdm_limit_set(struct wdm_limit *l, u64 now, u64 rate, u64 burst)
{
	u64 unused = wdm_before(now, l->free_ns), tokens = burst;

	if (l->rate && unused < l->burst_ns)
		tokens = unused * l->rate / WDM_NS_PER_S;
	if (tokens > burst)
		tokens = burst;
	l->burst_ns = rate ? burst * WDM_NS_PER_S / rate : 0;
	if (!rate || !l->rate)
		l->free_ns = 0;
	else if (l->free_ns <= now)
		l->free_ns = wdm_before(now, tokens * WDM_NS_PER_S / rate);
	l->rate = rate;
	l->rest = 0;
}

/*
 * Returns the time that the bytes take. The remainder goes to the next ones, so the rate is exact for small requests.
 */
static u64 wdm_limit_charge(struct wdm_limit *l, u64 now, u32 bytes)
{
	u64 begin = wdm_before(now, l->burst_ns), product, ns;

	if (!l->rate)
		return 0;
	if (l->free_ns < begin) {
		l->free_ns = begin;
		l->rest = 0;
	}
	product = (u64)bytes * WDM_NS_PER_S + l->rest;
	ns = product / l->rate;
	l->rest = product % l->rate;
	l->free_ns += ns;
	return ns;
}

static void wdm_limit_refund(struct wdm_limit *l, u64 now, u64 ns)
{
	u64 owed = wdm_before(l->free_ns, now);

	l->free_ns -= ns < owed ? ns : owed;
}

/* ------ limits of functions ------ */

static u64 wdm_shaper_field(u64 entry, u32 shift, u32 end)
{
	return entry >> shift & ((1u << (end - shift)) - 1);
}

static u64 wdm_shaper_cir_b(u64 entry)
{
	return wdm_shaper_field(entry, 0, QM_VFT_SHAPER_CIR_U_SHIFT);
}

static u64 wdm_shaper_cbs_b(u64 entry)
{
	return wdm_shaper_field(entry, QM_VFT_SHAPER_CBS_B_SHIFT, QM_VFT_SHAPER_CBS_S_SHIFT);
}

/* Bytes per second. With a limit of the device, a function's is its share of that. */
static u64 wdm_shaper_rate(const struct wdm_device *dev, u64 entry)
{
	u64 u = wdm_shaper_field(entry, QM_VFT_SHAPER_CIR_U_SHIFT, QM_VFT_SHAPER_CIR_S_SHIFT);
	u64 s = wdm_shaper_field(entry, QM_VFT_SHAPER_CIR_S_SHIFT, QM_VFT_SHAPER_CBS_B_SHIFT);
	u64 rate = (wdm_shaper_cir_b(entry) << u) * WDM_NS_PER_S / (WDM_SHAPER_CIR_DIVISOR << s);

	if (dev->attr.bandwidth_mbps)
		rate = rate * dev->attr.bandwidth_mbps / WDM_SHAPER_FULL_MBPS;
	return rate ? rate : 1;
}

static u64 wdm_shaper_burst(u64 entry)
{
	u64 s = wdm_shaper_field(entry, QM_VFT_SHAPER_CBS_S_SHIFT, WDM_SHAPER_ENTRY_BITS);
	u64 burst = wdm_shaper_cbs_b(entry) << s;

	return burst < WDM_BURST_MAX ? burst : WDM_BURST_MAX;
}

static void wdm_shapers_apply(struct wdm_device *dev, struct wdm_function *f)
{
	u32 i;

	for (i = 0; i < WDM_SHAPERS; i++) {
		u64 entry = dev->shaping ? f->vft.shaper[i] : 0;

		wdm_limit_set(&f->limit[i], dev->now, entry ? wdm_shaper_rate(dev, entry) : 0,
			      wdm_shaper_burst(entry));
	}
}

static void wdm_shapers_apply_all(struct wdm_device *dev)
{
	u32 i;

	for (i = 0; i < dev->attr.functions; i++)
		wdm_shapers_apply(dev, &dev->fns[i]);
}

/* A rate or a burst of 0 would stop the function for ever; 0 as a whole is no limit. */
static bool wdm_shaper_valid(u64 entry)
{
	return !entry || (!(entry >> WDM_SHAPER_ENTRY_BITS) && wdm_shaper_cir_b(entry) && wdm_shaper_cbs_b(entry));
}

void wdm_shaper_set(struct wdm_device *dev, struct wdm_function *f, u32 i, u64 entry)
{
	u32 cfg = wdm_reg_read(&dev->fns[WDM_PF], QM_SHAPER_CFG);

	if (!wdm_shaper_valid(entry) || (cfg & ~WDM_SHAPER_CFG_BITS)) {
		wdm_refuse(dev, WDM_REFUSE_SHAPER, f->index, 0, wdm_shaper_valid(entry) ? cfg : entry);
		return;
	}
	f->vft.shaper[i] = entry;
	wdm_shapers_apply(dev, f);
}

void wdm_shaper_poll(struct wdm_device *dev, const struct wdm_function *pf)
{
	bool shaping = wdm_reg_read(pf, QM_SHAPER_CFG) & QM_SHAPER_CFG_ENABLE;

	if (shaping == dev->shaping)
		return;
	dev->shaping = shaping;
	wdm_shapers_apply_all(dev);
}

void wdm_shaper_empty(struct wdm_device *dev, struct wdm_function *f)
{
	u32 i;

	wdm_shapers_apply(dev, f);
	for (i = 0; i < WDM_SHAPERS; i++)
		if (f->limit[i].rate)
			f->limit[i].free_ns = dev->now;
}

/* ------ limit of the device ------ */

void wdm_bandwidth_set(struct wdm_device *dev, u32 mbps)
{
	dev->attr.bandwidth_mbps = mbps;
	memset(&dev->limit, 0, sizeof(dev->limit));
	dev->limit.rate = (u64)mbps * WDM_BYTES_PER_MBIT;
	wdm_shapers_apply_all(dev);
}

/* ------ jobs ------ */

static struct wdm_limit *wdm_limit_of(struct wdm_device *dev, u32 fn, u32 alg_type)
{
	return &dev->fns[fn].limit[alg_type];
}

/*
 * Each limit is a line of jobs with their times on the wire. Jobs are accepted only while the line is shorter than a
 * few milliseconds, so a host that looks late loses no bandwidth.
 */
static bool wdm_limit_full(const struct wdm_limit *l, u64 now)
{
	return l->free_ns > now + WDM_LIMIT_AHEAD_NS;
}

bool wdm_device_full(const struct wdm_device *dev)
{
	return wdm_limit_full(&dev->limit, dev->now);
}

/*
 * A function that waits for its own limit has no more jobs than it leaves free: its small requests don't keep other
 * functions from the pool.
 */
bool wdm_function_full(struct wdm_device *dev, const struct wdm_queue *q)
{
	const struct wdm_limit *l = wdm_limit_of(dev, q->fn, q->alg_type);

	if (l->free_ns <= dev->now)
		return false;
	return wdm_limit_full(l, dev->now) ||
	       (l->free_ns > dev->limit.free_ns && dev->fns[q->fn].jobs >= dev->attr.jobs - dev->jobs_out);
}

void wdm_limits_wake(struct wdm_device *dev, const struct wdm_queue *q)
{
	const struct wdm_limit *l = wdm_limit_of(dev, q->fn, q->alg_type);

	if (wdm_device_full(dev))
		wdm_wake_at(dev, dev->limit.free_ns - WDM_LIMIT_AHEAD_NS);
	else if (wdm_limit_full(l, dev->now))
		wdm_wake_at(dev, l->free_ns - WDM_LIMIT_AHEAD_NS);
}

void wdm_limits_charge(struct wdm_device *dev, const struct wdm_queue *q, struct wdm_job *job)
{
	struct wdm_limit *l = wdm_limit_of(dev, q->fn, q->alg_type);
	u32 bytes;

	job->due_ns = dev->now + dev->attr.latency_ns;
	job->device_ns = 0;
	job->function_ns = 0;
	if (!dev->limit.rate && !l->rate)
		return;
	bytes = dev->engine->bytes(job->sqe);
	job->device_ns = wdm_limit_charge(&dev->limit, dev->now, bytes);
	job->function_ns = wdm_limit_charge(l, dev->now, bytes);
	if (dev->limit.free_ns > job->due_ns)
		job->due_ns = dev->limit.free_ns;
	if (l->free_ns > job->due_ns)
		job->due_ns = l->free_ns;
}

/* A dropped job returns its time, so no job waits long for the bytes of a removed queue. */
void wdm_limits_refund(struct wdm_device *dev, const struct wdm_queue *q, const struct wdm_job *job)
{
	wdm_limit_refund(&dev->limit, dev->now, job->device_ns);
	wdm_limit_refund(wdm_limit_of(dev, q->fn, q->alg_type), dev->now, job->function_ns);
}
