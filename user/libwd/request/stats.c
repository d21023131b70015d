// SPDX-License-Identifier: Apache-2.0
/* Counters of contexts and sessions, read with their locks held. */
#include <sched.h>
#include <string.h>

#include "request/tally.h"

static void counts_add(struct wd_counts *c, const struct wd_tally *t, __u64 in_flight)
{
	c->submitted += t->good + t->errors + in_flight;
	c->completed += t->good + t->errors;
	c->errors += t->errors;
	c->bytes_in += t->in;
	c->bytes_out += t->out;
}

/* No thread submits or drains meanwhile. */
static void queue_freeze(struct wd_queue *q)
{
	wd_lock(&q->produce);
	wd_drain_lock(q);
}

static void queue_thaw(struct wd_queue *q)
{
	wd_drain_unlock(q);
	wd_unlock(&q->produce);
}

int wd_ctx_stats(unsigned int i, struct wd_ctx_stats *stats)
{
	struct wd_queue *q;

	wd_fork_now();
	if (!stats)
		return wd_fail(NULL, EINVAL, "stats is NULL");
	if (i >= atomic_load_explicit(&wd_engine.nr, memory_order_acquire))
		return wd_fail_num(NULL, ENOENT, "there is no context %u", i, 0);
	q = wd_engine.queue[i];
	if (atomic_load(&q->state) == -ESTALE)
		return wd_fail_num(NULL, ESTALE, "context %u was inherited over a fork", i, 0);
	memset(stats, 0, sizeof(*stats));
	stats->path = q->pub.path;
	queue_freeze(q);
	stats->in_flight = wd_queue_in_flight(q);
	counts_add(&stats->all, &q->tally, stats->in_flight);
	queue_thaw(q);
	return 0;
}

static __u64 in_flight_on(struct wd_session *s, struct wd_queue *q)
{
	__u64 nr = q == atomic_load(&s->soft) ? s->computing : 0;
	__u32 i;

	if (!wd_queue_in_flight(q))
		return 0;
	for (i = 0; i < q->pub.depth; i++)
		nr += atomic_load_explicit(&q->pub.slots[i].state, memory_order_acquire) != WD_SLOT_FREE &&
		      q->pub.slots[i].sess == s;
	return nr;
}

static void count_on(struct wd_session *s, struct wd_queue *q, struct wd_sess_stats *stats)
{
	static const struct wd_tally none;
	const struct wd_tally *t = &none;
	struct wd_row *row;
	unsigned int i;

	queue_freeze(q);
	for (i = 0; (row = wd_tally_row(s, i)); i++)
		if (atomic_load(&row->q) == q)
			t = &row->tally;
	counts_add(&stats->path[q->pub.path], t, in_flight_on(s, q));
	queue_thaw(q);
}

static void count_shared(struct wd_counts *c, const struct wd_shared_tally *shared)
{
	struct wd_tally t = {
		.good = atomic_load(&shared->good), .errors = atomic_load(&shared->errors),
		.in = atomic_load(&shared->in), .out = atomic_load(&shared->out),
	};

	counts_add(c, &t, 0);
	c->wrong += atomic_load(&shared->wrong);
}

/*
 * Without the engine's lock: this waits for a context that is being stopped, and fork() and new sessions must not wait
 * with it.
 */
static void count_all(struct wd_session *s, struct wd_sess_stats *stats)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; i < nr; i++)
		if (wd_engine.queue[i]->cls == s->cls && atomic_load(&wd_engine.queue[i]->state) != -ESTALE)
			count_on(s, wd_engine.queue[i], stats);
	for (i = 0; i < WD_PATH_SOFT; i++)
		count_shared(&stats->path[WD_PATH_HW + i], &s->shared[i]);
	count_shared(&stats->path[WD_PATH_SOFT], &s->own.tally);
}

int wd_sess_stats(handle_t sess, struct wd_sess_stats *stats)
{
	struct wd_session *s = (struct wd_session *)wd_handle_any(sess);
	__u32 folds;

	if (!s || sess >> WD_HANDLE_KIND_SHIFT < WD_KIND_COMP)
		return wd_handle_bad(sess, "a session");
	if (!stats)
		return wd_fail(&s->obj, EINVAL, "stats is NULL");
	if (wd_session_inherited(s))
		wd_session_rebind(s);
	do {
		folds = atomic_load(&s->folds);
		count_all(s, stats);
		if (folds & 1)
			sched_yield();
	} while (folds & 1 || atomic_load(&s->folds) != folds);
	return 0;
}
