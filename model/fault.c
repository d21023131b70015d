// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Injected faults: drawn when a descriptor or command is accepted, applied when it is answered. */
#include "internal.h"

#define WDM_REORDER_NS	100000ull
#define WDM_ECC_MBIT	2	/* bit of QM_ERR_ECC_MBIT */
#define WDM_ANSWERED	(1u << WDM_FAULT_NR)	/* answered before an earlier job that is still the queue's first */

int wdm_fault_check(const struct wdm_attr *attr, enum wdm_fault kind, const struct wdm_fault_rule *rule)
{
	const struct wdm_personality *engine = wdm_engine(attr->type);

	if (!engine || (u32)kind >= WDM_FAULT_NR)
		return -EINVAL;
	if (rule->queue != WDM_FAULT_ANY && (kind == WDM_FAULT_MAILBOX || rule->queue >= attr->queues))
		return -EINVAL;
	if (kind == WDM_FAULT_FAIL && rule->value && (rule->value > ~0u || !engine->failure((u32)rule->value)))
		return -EINVAL;
	return 0;
}

int wdm_fault_set(struct wdm_device *dev, enum wdm_fault kind, const struct wdm_fault_rule *rule)
{
	struct wdm_faults *f = &dev->faults;
	u32 i;

	if (wdm_fault_check(&dev->attr, kind, rule))
		return -EINVAL;
	f->rule[kind] = *rule;
	f->state[kind] = (struct wdm_fault_state){ 0 };
	f->on = false;
	for (i = 0; i < WDM_FAULT_NR; i++)
		f->on |= wdm_fault_may(&f->rule[i]);
	return 0;
}

const struct wdm_fault_rule *wdm_fault_rules(const struct wdm_device *dev)
{
	return dev->faults.rule;
}

int wdm_fault_error(struct wdm_device *dev, enum wdm_errors which, u32 bit)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];

	if ((u32)which >= WDM_ERRORS_NR || bit > 31 || !pf->attached)
		return -EINVAL;
	if (!(dev->variant->errors[which] & WDM_BIT(bit)))
		return -EINVAL;
	wdm_error_raise(dev, which, WDM_BIT(bit));
	return 0;
}

int wdm_fault_overflow(struct wdm_device *dev)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];

	if (!pf->attached)
		return -EINVAL;
	wdm_async_event(dev, pf, 0, QM_AEQE_EQ_OVERFLOW);
	return 0;
}

void wdm_fault_seed(struct wdm_device *dev, u64 seed)
{
	dev->faults.random = seed;
	memset(dev->faults.count, 0, sizeof(dev->faults.count));
	memset(dev->faults.state, 0, sizeof(dev->faults.state));
}

const u64 *wdm_fault_counts(const struct wdm_device *dev)
{
	return dev->faults.count;
}

static bool wdm_fault_begins(const struct wdm_fault_rule *r, struct wdm_fault_state *s, u64 now_ns, u64 *random)
{
	if (!r->every_ns)
		return r->one_in && wdm_random(random) % r->one_in == 0;
	if (now_ns < s->due)
		return false;
	s->due = now_ns + r->every_ns;
	return true;
}

bool wdm_fault_happens(struct wdm_fault_rule *r, struct wdm_fault_state *s, u64 now_ns, u64 *random)
{
	if (r->next) {
		r->next--;
		return true;
	}
	if (s->left) {
		s->left--;
		return true;
	}
	if (!wdm_fault_begins(r, s, now_ns, random))
		return false;
	s->left = r->burst ? r->burst - 1 : 0;
	return true;
}

static bool wdm_fault_draw(struct wdm_device *dev, enum wdm_fault kind, u32 queue)
{
	struct wdm_faults *f = &dev->faults;
	struct wdm_fault_rule *r = &f->rule[kind];

	if (r->queue != WDM_FAULT_ANY && r->queue != queue)
		return false;
	return wdm_fault_happens(r, &f->state[kind], dev->now, &f->random);
}

/* Faults of the whole device. */
static void wdm_fault_device(struct wdm_device *dev, u32 queue)
{
	u32 kind;

	for (kind = WDM_FAULT_ERROR; kind <= WDM_FAULT_REMOVE; kind++) {
		if (!wdm_fault_draw(dev, kind, queue))
			continue;
		if (kind == WDM_FAULT_ERROR && wdm_fault_error(dev, WDM_ERRORS_QM, WDM_ECC_MBIT))
			continue;
		dev->faults.count[kind]++;
		if (dev->env->fault)
			dev->env->fault(dev->host, kind);
	}
}

bool wdm_fault_accept(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job)
{
	struct wdm_faults *f = &dev->faults;
	u32 kind;

	if (wdm_fault_draw(dev, WDM_FAULT_STUCK, q->abs)) {
		f->count[WDM_FAULT_STUCK]++;
		q->stuck = true;
		return false;
	}
	for (kind = WDM_FAULT_FAIL; kind <= WDM_FAULT_CORRUPT; kind++)
		if (wdm_fault_draw(dev, kind, q->abs))
			job->faults |= WDM_BIT(kind);
	if (job->faults & WDM_BIT(WDM_FAULT_FAIL)) {
		job->fail_status = (u32)f->rule[WDM_FAULT_FAIL].value;
		f->count[WDM_FAULT_FAIL]++;
	}
	if (job->faults & WDM_BIT(WDM_FAULT_DELAY)) {
		job->due_ns += f->rule[WDM_FAULT_DELAY].value;
		f->count[WDM_FAULT_DELAY]++;
	}
	if (wdm_fault_corrupts(job))
		f->count[WDM_FAULT_CORRUPT]++;
	/* The slot stays unchanged, and must not be taken for a new descriptor whose doorbell was lost. */
	if (job->faults & WDM_BIT(WDM_FAULT_DROP))
		q->digest[job->slot] = wdm_slot_digest(job->sqe, 1u << dev->engine->sqe_shift);
	wdm_fault_device(dev, q->abs);
	return true;
}

bool wdm_fault_fails(struct wdm_job *job)
{
	if (!(job->faults & WDM_BIT(WDM_FAULT_FAIL)))
		return false;
	if (job->fail_status)
		job->engine->fail(job->sqe, job->fail_status);
	else
		job->engine->abort(job->sqe);
	return true;
}

/* Answers finished jobs behind @job first. Returns false if there is none and there is still time to wait. */
static bool wdm_fault_overtake(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job)
{
	u64 wait = dev->faults.rule[WDM_FAULT_REORDER].value;
	bool any = false;
	struct wdm_job *next;

	for (next = job->next; next; next = next->next) {
		if (next->faults || next->state != WDM_JOB_DONE || next->due_ns > dev->now)
			continue;
		if (!wdm_answer(dev, q, next->slot, next->sqe))
			return false;
		next->faults = WDM_ANSWERED;
		q->skew++;
		any = true;
	}
	wait = job->due_ns + (wait ? wait : WDM_REORDER_NS);
	if (!any && dev->now < wait) {
		wdm_wake_at(dev, wait);
		return false;
	}
	dev->faults.count[WDM_FAULT_REORDER] += any;
	return true;
}

bool wdm_fault_answer(struct wdm_device *dev, struct wdm_queue *q, struct wdm_job *job)
{
	u64 *count = dev->faults.count;
	u32 first;

	if (job->faults & WDM_ANSWERED) {
		q->skew--;
		return true;
	}
	if ((job->faults & WDM_BIT(WDM_FAULT_REORDER)) && !wdm_queue_hurries(dev, q)) {
		if (!wdm_fault_overtake(dev, q, job))
			return false;
		job->faults &= ~WDM_BIT(WDM_FAULT_REORDER);
	}
	if (job->faults & WDM_BIT(WDM_FAULT_DROP)) {
		count[WDM_FAULT_DROP]++;
		q->skew--;
		return true;
	}
	if (!wdm_answer(dev, q, job->slot, job->sqe))
		return false;
	first = q->answered_at[job->slot];
	if ((job->faults & WDM_BIT(WDM_FAULT_DUPLICATE)) && wdm_answer(dev, q, job->slot, job->sqe)) {
		q->answered_at[job->slot] = first;
		count[WDM_FAULT_DUPLICATE]++;
		q->skew++;
	}
	return true;
}

bool wdm_fault_mailbox(struct wdm_device *dev, u64 *until)
{
	u64 late = dev->faults.rule[WDM_FAULT_MAILBOX].value;

	if (!wdm_fault_draw(dev, WDM_FAULT_MAILBOX, WDM_FAULT_ANY))
		return false;
	dev->faults.count[WDM_FAULT_MAILBOX]++;
	*until = late ? dev->now + late : WDM_NEVER;
	return true;
}
