// SPDX-License-Identifier: Apache-2.0
/* Places for contexts: as many as a slot grants, or as WD_CTXS says outside of sections. */
#include <string.h>

#include "section/ctxs.h"
#include "section/section.h"

#define REFRESH_NS	100000000ull

static const struct wd_grant *grant_find(const char *dev)
{
	unsigned int i;

	for (i = 0; i < wd_section.nr; i++)
		if (!strcmp(wd_section.grants[i].dev, dev))
			return &wd_section.grants[i];
	return NULL;
}

static bool grant_of(const char *dev, const struct wd_grant **g)
{
	*g = grant_find(dev);
	return *g && (*g)->share[0] + (*g)->share[1];
}

bool wd_grant_has(const char *dev)
{
	const struct wd_grant *g;
	bool has;

	if (wd_section_state() != WD_USER_SECTION)
		return true;
	wd_grant_lock();
	has = grant_of(dev, &g);
	wd_grant_unlock();
	return has;
}

void wd_grant_look(const struct uacce_dev_list *list)
{
	const struct wd_grant *g;

	wd_grant_lock();
	while (list && grant_of(list->info->name, &g))
		list = list->next;
	if (list && wd_now_ns() > wd_section.read_at + REFRESH_NS)
		wd_attach_refresh(&wd_section);
	wd_grant_unlock();
}

/* --- places that are held while a device is asked --- */

static __u32 moves;
static WD_THREAD_LOCAL __u32 own_moves;

void wd_grant_hold(struct wd_queue *q)
{
	atomic_store(&q->held, true);
	if (wd_engine.queue[q->index] == q)
		return;
	q->next = wd_engine.opening;
	wd_engine.opening = q;
}

void wd_grant_let_go(struct wd_queue *q)
{
	struct wd_queue **link = &wd_engine.opening;

	while (*link && *link != q)
		link = &(*link)->next;
	if (*link)
		*link = q->next;
	atomic_store(&q->held, false);
	moves++;
	own_moves++;
	wd_grant_wake();
}

bool wd_grant_moving(const char *dev)
{
	const struct wd_queue *q = NULL;

	while ((q = wd_table_next(q)))
		if (atomic_load(&q->held) && (!dev || !strcmp(q->dev_name, dev)))
			return true;
	return false;
}

__u32 wd_grant_moves(void)
{
	return moves - own_moves;
}

/* --- how many --- */

void wd_grant_count(const char *dev, __u32 open[2])
{
	const struct wd_queue *q = NULL;

	open[0] = open[1] = 0;
	while ((q = wd_table_next(q)))
		if (wd_holds_place_on(q, dev))
			open[q->async]++;
}

/* Whether any queue of this mode uses the device's other queue type. */
static bool has_other_type(const struct wd_queue *q)
{
	const struct wd_queue *o = NULL;

	while ((o = wd_table_next(o)))
		if (wd_holds_place_on(o, q->dev_name) && o->async == q->async && o->pub.qc_type != q->pub.qc_type)
			return true;
	return false;
}

/* --- beyond the grants --- */

/* The device's open contexts, without q, beyond the granted places. */
static __u32 extras_on(const struct wd_grant *g, const struct wd_queue *q, __u32 open[2])
{
	__u32 share = g->share[0] + g->share[1];

	wd_grant_count(g->dev, open);
	/* It has its place still. */
	if (wd_holds_place_on(q, g->dev))
		open[q->async]--;
	return open[0] + open[1] > share ? open[0] + open[1] - share : 0;
}

/*
 * The kernel's count also includes contexts that this library didn't open, and each context counts as what it was
 * charged to: after a refusal the next attempt waits for a while.
 */
static bool extra_is_left(const struct wd_queue *q)
{
	__u32 open[2], extras = 0;
	unsigned int i;

	if (!wd_section.max_extra || wd_now_ns() < wd_section.no_extra_until)
		return false;
	for (i = 0; i < wd_section.nr; i++)
		extras += extras_on(&wd_section.grants[i], q, open);
	return extras < wd_section.max_extra;
}

static bool would_be_extra(const struct wd_queue *q)
{
	const struct wd_grant *g = grant_find(q->dev_name);
	__u32 open[2];

	if (!g)
		return false;
	extras_on(g, q, open);
	return open[0] + open[1] >= g->share[0] + g->share[1];
}

/* --- outside of sections --- */

/* The limit of WD_CTXS per device and kind: whether one more context is within it. */
static bool pool_allows(const struct wd_place_kind *k, enum wd_place how, __u32 share[2])
{
	const struct wd_queue *q = NULL;
	__u32 open[2] = { 0 };

	while ((q = wd_table_next(q)))
		if (wd_holds_place_on(q, k->dev) && !q->owner && q->cls == k->cls && q->pub.qc_type == k->qc_type &&
		    q->for_cq == k->for_cq)
			open[q->async]++;
	wd_ctxs_of(k->node, share);
	return open[0] + open[1] < share[0] + share[1] && (how != WD_PLACE_SPARE || open[k->async] < share[k->async]);
}

bool wd_grant_may_spare(const struct wd_place_kind *kind)
{
	__u32 share[2];
	bool may;

	if (wd_section_state() == WD_USER_SECTION)
		return true;
	wd_grant_lock();
	may = pool_allows(kind, WD_PLACE_SPARE, share);
	wd_grant_unlock();
	return may;
}

/* A context keeps its place when WD_CTXS is lowered. */
static int pool_place(const struct wd_queue *q, enum wd_place how)
{
	const struct wd_place_kind kind = {
		.dev = q->dev_name, .node = q->numa_node, .cls = q->cls, .qc_type = q->pub.qc_type, .async = q->async,
		.for_cq = q->for_cq,
	};
	__u32 share[2];

	if (how == WD_PLACE_OWN || q->owner || wd_holds_place(q) || pool_allows(&kind, how, share))
		return 0;
	return how == WD_PLACE_SPARE ? -EDQUOT :
	       wd_fail_all(NULL, EDQUOT, "%s: the process has all its %u+%u contexts there", q->dev_name, share[0],
			   share[1]);
}

int wd_grant_refuse(const struct wd_queue *q)
{
	const struct wd_grant *g = grant_find(q->dev_name);

	return wd_fail_all(NULL, EDQUOT, "%s: all %u contexts of the slot are in use", q->dev_name,
			   g ? g->share[0] + g->share[1] : 0, 0);
}

int wd_grant_place(const struct wd_queue *q, enum wd_place how)
{
	const struct wd_grant *g;
	__u32 open[2];
	int ret = wd_section_usable();

	if (ret)
		return ret;
	if (wd_section_state() != WD_USER_SECTION)
		return pool_place(q, how);
	if (!grant_of(q->dev_name, &g))
		return wd_fail_all(NULL, EACCES, "section %s grants no context of this device", wd_section.name, 0, 0);
	extras_on(g, q, open);
	if (how == WD_PLACE_SPARE)
		return open[q->async] + !has_other_type(q) < g->share[q->async] ? 0 : -EDQUOT;
	if (open[0] + open[1] < g->share[0] + g->share[1])
		return 0;
	if (how >= WD_PLACE_EXTRA && extra_is_left(q))
		return 0;
	return how == WD_PLACE_EXCHANGE ? WD_PLACE_TAKEN : wd_grant_refuse(q);
}

/* An older context with the number of q's file has lost its own. */
static void file_takes_number(struct wd_queue *q)
{
	struct wd_queue *other = NULL;

	atomic_store(&q->file_lost, false);
	while (q->pub.fd >= 0 && (other = wd_table_next(other)))
		if (other != q && other->pub.fd == q->pub.fd)
			atomic_store(&other->file_lost, true);
}

int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info, bool *refused)
{
	bool extra = wd_section_state() == WD_USER_SECTION && would_be_extra(q);
	int ret;

	wd_grant_unlock();
	ret = q->drv.open(q, info);
	wd_file_identify(ret ? -1 : q->pub.fd, &q->file);
	wd_grant_lock();
	if (!ret)
		file_takes_number(q);
	*refused = extra && (ret == -EBUSY || ret == -EDQUOT);
	if (*refused)
		wd_section.no_extra_until = wd_now_ns() + REFRESH_NS;
	if (wd_section_state() == WD_USER_SECTION && !wd_attach_alive(&wd_section))
		atomic_store(&wd_section.state, WD_USER_LOST);
	if (wd_section_state() != WD_USER_LOST)
		return ret;
	/* The context came out of the pool: not the one that was asked for. */
	if (!ret) {
		wd_grant_unlock();
		q->drv.close(q);
		wd_grant_lock();
	}
	return wd_section_usable();
}

bool wd_grant_overdrawn(const char *dev)
{
	const struct wd_grant *g = grant_find(dev);
	const struct wd_queue *q = NULL;
	__u32 open = 0;

	if (wd_section_state() != WD_USER_SECTION || !g)
		return true;
	/* Those that are being closed are as good as gone. */
	while ((q = wd_table_next(q)))
		open += wd_holds_place_on(q, dev) && !atomic_load(&q->wanted);
	return open > g->share[0] + g->share[1];
}
