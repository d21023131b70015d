// SPDX-License-Identifier: Apache-2.0
/*
 * Places for contexts: how many a slot's grants leave, and whose is taken when
 * none is left.
 *
 * The lock is held while a context is opened, so that no two threads open the
 * last one. It comes after all locks of the context that is to be opened. Of one
 * that is to be closed the drain lock comes after it, and the others are only
 * tried: who holds them may wait here.
 */
#include <sched.h>
#include <string.h>

#include "pollers.h"
#include "section.h"

#define REFRESH_NS	100000000ull
#define EXCHANGE_NS	100000000ull	/* how long to wait for a context that only short work keeps busy */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void wd_grant_lock(void)
{
	pthread_mutex_lock(&lock);
}

void wd_grant_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void wd_grant_fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
}

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

/* Open, or stopped and to be opened again. */
static bool holds_place(const struct wd_queue *q)
{
	int state = atomic_load(&q->state);

	return q->pub.path != WD_PATH_SOFT && (!state || state == -EIO);
}

static bool is_open(const struct wd_queue *q, const char *dev)
{
	return holds_place(q) && !strcmp(q->dev_name, dev);
}

void wd_grant_count(const char *dev, __u32 open[2])
{
	unsigned int i;

	open[0] = open[1] = 0;
	for (i = 0; i < atomic_load(&wd_engine.nr); i++)
		if (is_open(wd_engine.queue[i], dev))
			open[wd_engine.queue[i]->async]++;
}

static bool same_group(const struct wd_queue *a, const struct wd_queue *b)
{
	return a->cls == b->cls && a->pub.qc_type == b->pub.qc_type && a->async == b->async && a->cq == b->cq &&
	       a->for_cq == b->for_cq && !strcmp(a->dev_name, b->dev_name);
}

/* Does anybody of this mode use the device's other queue type? */
static bool has_other_type(const struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		const struct wd_queue *o = wd_engine.queue[i];

		if (is_open(o, q->dev_name) && o->async == q->async && o->pub.qc_type != q->pub.qc_type)
			return true;
	}
	return false;
}

static bool has_group(const struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++)
		if (wd_engine.queue[i] != q && holds_place(wd_engine.queue[i]) && same_group(wd_engine.queue[i], q))
			return true;
	return false;
}

/* --- taking another's --- */

/* What waits for a poller may wait for long; the rest is over soon. */
static bool has_only_short_work(struct wd_queue *q)
{
	return !wd_queue_async_nr(q) && !atomic_load(&q->ready_nr);
}

/* No more requests from now on. */
static bool queue_shut(struct wd_queue *q)
{
	bool shut = false;

	if (!wd_trylock(&q->produce))
		return false;
	if (holds_place(q) && has_only_short_work(q)) {
		/* The file of one that was stopped is closed anew when it is closed already. */
		shut = !atomic_load(&q->state) || !wd_queue_in_flight(q);
		if (shut)
			atomic_store(&q->state, -EDQUOT);
	}
	wd_unlock(&q->produce);
	return shut;
}

/* Under the drain lock: close it, once nothing is in flight. Its number stays, for when it is opened again. */
static bool queue_close(struct wd_queue *q)
{
	if (wd_queue_in_flight(q) && !q->settled) {
		q->pub.self = NULL;
		q->drv.pull(q, wd_queue_in_flight(q));
		wd_room_made();
	}
	if (wd_queue_in_flight(q) || !wd_sleeper_enter(q))
		return false;
	wd_cq_unwatch(q);
	q->drv.close(q);
	atomic_store(&q->deadline, 0);
	q->retry_at = 0;
	q->settled = true;
	wd_sleeper_leave(q);
	return true;
}

/*
 * Its owners wait for their requests meanwhile, and others at the grants' lock.
 * When it takes too long it goes on as if nothing had been.
 */
static bool queue_evict(struct wd_queue *q, __u64 until)
{
	bool closed, late;
	int shut;

	if (!queue_shut(q))
		return false;
	atomic_store(&q->wanted, true);
	/* One who sleeps on its file has the role. */
	wd_pollers_due(q);
	do {
		late = wd_now_ns() >= until;
		wd_drain_lock(q);
		closed = queue_close(q);
		shut = -EDQUOT;
		if (!closed && late && !q->settled)
			atomic_compare_exchange_strong(&q->state, &shut, 0);
		wd_drain_unlock(q);
		if (!closed && !late)
			sched_yield();
	} while (!closed && !late);
	atomic_store(&q->wanted, false);
	return closed;
}

/* A context of the device, in turn, of those that aren't the only ones of their kind first. */
static bool evict_any(const struct wd_queue *q, __u64 until, bool *busy)
{
	static unsigned int turn;
	unsigned int nr = atomic_load(&wd_engine.nr), pass, i;

	*busy = false;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < nr; i++) {
			struct wd_queue *o = wd_engine.queue[(turn + i) % nr];

			if (o == q || !is_open(o, q->dev_name) || same_group(o, q) || has_group(o) == pass ||
			    !has_only_short_work(o))
				continue;
			*busy = true;
			if (queue_evict(o, until)) {
				turn += i + 1;
				return true;
			}
		}
	return false;
}

static int exchange(struct wd_queue *q)
{
	__u64 until = wd_now_ns() + EXCHANGE_NS;
	bool busy;

	/* Those of its kind that are open do as well. */
	if (has_group(q))
		return -EDQUOT;
	while (!evict_any(q, until, &busy)) {
		if (!busy || wd_now_ns() >= until)
			return -EDQUOT;
		sched_yield();
	}
	return 0;
}

/* --- beyond the grants --- */

/* Contexts of other queues than q that the device has no granted place for. */
static __u32 extras_on(const struct wd_grant *g, const struct wd_queue *q, __u32 open[2])
{
	__u32 share = g->share[0] + g->share[1];

	wd_grant_count(g->dev, open);
	/* It has its place still. */
	if (!strcmp(g->dev, q->dev_name) && holds_place(q) && q->half[0])
		open[q->async]--;
	return open[0] + open[1] > share ? open[0] + open[1] - share : 0;
}

/*
 * The kernel counts them by what each was charged to, and those that this library
 * didn't open, too: what it refuses isn't asked for again for a while.
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

int wd_grant_place(struct wd_queue *q, enum wd_place how)
{
	const struct wd_grant *g;
	__u32 open[2];
	int ret = wd_section_usable();

	if (ret || wd_section_state() != WD_USER_SECTION)
		return ret;
	if (!grant_of(q->dev_name, &g))
		return wd_fail_all(NULL, EACCES, "section %s grants nothing of this device", wd_section.name, 0, 0);
	extras_on(g, q, open);
	if (how == WD_PLACE_SPARE)
		return open[q->async] + !has_other_type(q) < g->share[q->async] ? 0 : -EDQUOT;
	if (open[0] + open[1] < g->share[0] + g->share[1])
		return 0;
	if (how >= WD_PLACE_EXTRA && extra_is_left(q))
		return 0;
	ret = how == WD_PLACE_EXCHANGE ? exchange(q) : -EDQUOT;
	return ret ? wd_fail_all(NULL, EDQUOT, "%s: the slot's %u contexts are in use", q->dev_name,
				 g->share[0] + g->share[1], 0) : 0;
}

int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info)
{
	bool extra = wd_section_state() == WD_USER_SECTION && would_be_extra(q);
	int ret = q->drv.open(q, info);

	if (extra && (ret == -EBUSY || ret == -EDQUOT))
		wd_section.no_extra_until = wd_now_ns() + REFRESH_NS;
	if (wd_section_state() != WD_USER_SECTION || wd_attach_alive(&wd_section))
		return ret;
	/* What was opened came out of the pool: not what was asked for. */
	if (!ret)
		q->drv.close(q);
	atomic_store(&wd_section.state, WD_USER_LOST);
	return wd_section_usable();
}

/* Nobody submits: what keeps one busy, a sleeper most often, is over soon. */
void wd_grant_close_all(void)
{
	unsigned int i;

	wd_grant_lock();
	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		while (holds_place(q) && !queue_evict(q, wd_now_ns() + EXCHANGE_NS))
			sched_yield();
	}
	wd_grant_unlock();
}
