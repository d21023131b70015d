// SPDX-License-Identifier: Apache-2.0
/*
 * Counters. Only the thread that drains a context writes the context's counters and each session's row for it; readers
 * take the same lock. Requests in flight are not counted but derived by readers, so that a submit costs nothing. On the
 * software path no lock is held at a request's end: the first thread that uses a session there has counters that only
 * it writes, and the other threads add to shared counters, at the cost of a locked addition each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/likely.h"
#include "request/tally.h"

static WD_THREAD_LOCAL char self;	/* its address identifies the thread */

struct wd_row *wd_tally_row(struct wd_session *s, unsigned int i)
{
	struct wd_row *more;

	if (!i)
		return &s->row;
	more = atomic_load_explicit(&s->more, memory_order_acquire);
	return more && i <= WD_MORE_ROWS ? &more[i - 1] : NULL;
}

/* Allocates the other rows; most sessions end all their requests on one context. */
static bool rows_make(struct wd_session *s)
{
	struct wd_row *none = NULL, *more;

	if (atomic_load_explicit(&s->more, memory_order_relaxed))
		return false;
	more = calloc(WD_MORE_ROWS, sizeof(*more));
	/* A completion on another context may have been faster. */
	if (more && !atomic_compare_exchange_strong(&s->more, &none, more))
		free(more);
	return more;
}

static struct wd_row *row_made(struct wd_session *s, unsigned int i)
{
	struct wd_row *row = wd_tally_row(s, i);

	return row || !rows_make(s) ? row : wd_tally_row(s, i);
}

/* The session's counts for that context; NULL: there is no row left. */
static struct wd_tally *row_of(struct wd_session *s, struct wd_queue *q)
{
	struct wd_row *row;
	unsigned int i;

	for (i = 0; (row = row_made(s, i)); i++) {
		struct wd_queue *owner = atomic_load_explicit(&row->q, memory_order_acquire);

		/* Completions on other contexts may take a row at the same time. */
		if (!owner && atomic_compare_exchange_strong(&row->q, &owner, q))
			return &row->tally;
		if (owner == q)
			return &row->tally;
	}
	return NULL;
}

static void tally_add(struct wd_tally *t, const struct wd_tally *one)
{
	t->in += one->in;
	t->out += one->out;
	t->good += one->good;
	t->errors += one->errors;
}

static struct wd_tally tally_of(const struct wd_msg *msg)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;

	return msg->status ? (struct wd_tally){ .errors = 1 } :
	       (struct wd_tally){ .good = 1, .in = ends->consumed, .out = ends->produced };
}

/* A locked addition of 0 costs as much as any other. */
static inline void shared_count(_Atomic __u64 *to, __u64 n)
{
	if (n)
		atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

static void shared_add(struct wd_session *s, unsigned int path, const struct wd_tally *t)
{
	struct wd_shared_tally *to = &s->shared[path - WD_PATH_HW];

	shared_count(&to->good, t->good);
	shared_count(&to->errors, t->errors);
	shared_count(&to->in, t->in);
	shared_count(&to->out, t->out);
}

static bool own_is_mine(struct wd_own_tally *own)
{
	const void *thread = atomic_load_explicit(&own->thread, memory_order_relaxed);

	return thread == &self || (!thread && atomic_compare_exchange_strong(&own->thread, &thread, &self));
}

/* Called only by the counter's one writer. */
static inline void own_count(_Atomic __u64 *to, __u64 n)
{
	atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void soft_good(struct wd_session *s, __u64 in, __u64 out)
{
	struct wd_shared_tally *to = &s->own.tally;

	if (unlikely(!own_is_mine(&s->own))) {
		shared_add(s, WD_PATH_SOFT, &(struct wd_tally){ .good = 1, .in = in, .out = out });
		return;
	}
	own_count(&to->good, 1);
	own_count(&to->in, in);
	own_count(&to->out, out);
}

void wd_session_count_soft(struct wd_session *s, int status, size_t consumed, size_t produced)
{
	if (unlikely(status < 0))
		shared_add(s, WD_PATH_SOFT, &(struct wd_tally){ .errors = 1 });
	else
		soft_good(s, consumed, produced);
}

void wd_tally_soft(const struct wd_msg *msg)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;

	wd_session_count_soft(msg->sess, msg->status, ends->consumed, ends->produced);
}

void wd_tally_slow(struct wd_queue *q, struct wd_session *s, const struct wd_tally *one)
{
	struct wd_tally *t = row_of(s, q);

	tally_add(&q->tally, one);
	if (t)
		tally_add(t, one);
	else
		shared_add(s, q->pub.path, one);
}

void wd_tally_slow_msg(struct wd_queue *q, const struct wd_msg *msg)
{
	struct wd_tally one = tally_of(msg);

	wd_tally_slow(q, msg->sess, &one);
}

/* Moves the rows of contexts that will never end a request again to the shared counters, to make room for others. */
void wd_tally_fold(struct wd_session *s)
{
	struct wd_row *row;
	unsigned int i;

	/* A reader must see each request in either counter: it retries while this is odd, or if it changed. */
	atomic_fetch_add(&s->folds, 1);
	for (i = 0; (row = wd_tally_row(s, i)); i++) {
		struct wd_queue *q = atomic_load(&row->q);

		if (!q || atomic_load(&q->state) != -ENODEV)
			continue;
		wd_drain_lock(q);
		if (q->settled && !wd_queue_in_flight(q)) {
			shared_add(s, q->pub.path, &row->tally);
			memset(&row->tally, 0, sizeof(row->tally));
			atomic_store_explicit(&row->q, NULL, memory_order_release);
		}
		wd_drain_unlock(q);
	}
	atomic_fetch_add(&s->folds, 1);
}

static void shared_forget(struct wd_shared_tally *t)
{
	atomic_store(&t->good, 0);
	atomic_store(&t->errors, 0);
	atomic_store(&t->wrong, 0);
	atomic_store(&t->in, 0);
	atomic_store(&t->out, 0);
}

void wd_tally_forget(struct wd_session *s)
{
	struct wd_row *row;
	unsigned int i;

	for (i = 0; (row = wd_tally_row(s, i)); i++) {
		memset(&row->tally, 0, sizeof(row->tally));
		atomic_store(&row->q, NULL);
	}
	for (i = 0; i < WD_PATH_SOFT; i++)
		shared_forget(&s->shared[i]);
	shared_forget(&s->own.tally);
	atomic_store(&s->own.thread, NULL);
}
