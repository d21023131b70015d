// SPDX-License-Identifier: Apache-2.0
/*
 * Callbacks: requests that are complete are copied out of their slots in rows,
 * under the drain lock, and delivered without any lock.
 *
 * A callback may leave by an exception or by pthread_exit(). This file and its
 * callers, up to the program's, are compiled with -fexceptions: row_unwind() then
 * ends the row.
 */
#include "base/likely.h"
#include "base/probes.h"
#include "request/aside.h"
#include "request/pollers.h"
#include "request/tally.h"

#define BUSY_NS		2000000ull	/* a context that is full has room soon */
#define ROW_MSGS	16		/* messages in one row, each of which needs stack */

/* A row that is being delivered. A callback that polls must not wait for the requests behind it in its own row. */
struct row {
	struct wd_queue *q;
	struct wd_due *next;
	struct wd_due *end;
	struct wd_due *first;	/* first request of the current session not yet subtracted from its count */
	unsigned int waiting;	/* requests passed over that will be redone, and delivered again */
	struct row *outer;
	int cancel;
	struct wd_due_row all;	/* req is NULL where the message is needed, at the same place: only at the beginning */
	_Alignas(max_align_t) char msg[ROW_MSGS][WD_MSG_BYTES_MAX];
};

static WD_THREAD_LOCAL struct row *rows;

static struct wd_msg *row_msg(struct row *row, unsigned int i)
{
	return (struct wd_msg *)row->msg[i];
}

/* All of it is still to be delivered. */
static void row_begin(struct row *row)
{
	row->first = row->next = row->all.due;
	row->waiting = 0;
	row->end = row->next + row->all.nr;
	row->end->sess = NULL;
}

/* Whether a request that no context takes now waits for one. The delivering thread itself never waits. */
static bool redo_waits(struct wd_queue *q, struct wd_msg *msg, int why)
{
	__u64 at = wd_now_ns();

	if (msg->sess->soft_ok)
		return false;
	if (why == -EBUSY) {
		at += BUSY_NS;
	} else if (wd_queue_reset_refused(q, why)) {
		at += WD_REOPENED_NS;
	} else if ((why == -EIO || why == -EDQUOT) && !msg->waited) {
		msg->waited = true;
		at += WD_REOPENED_NS;
	} else {
		return false;
	}
	if (msg->deadline && msg->deadline < at)
		at = msg->deadline;
	if (!wd_aside_wait(q, msg, at))
		return false;
	wd_deadline_note(q, at);
	return true;
}

static bool is_late(const struct wd_msg *msg)
{
	return msg->deadline && wd_now_ns() >= msg->deadline;
}

enum wd_redone wd_deliver_redo(struct wd_queue *q, struct wd_msg *msg)
{
	struct wd_session *s = msg->sess;

	if (wd_is_cancelled(msg) || is_late(msg)) {
		msg->status = wd_is_cancelled(msg) ? -ECANCELED : -ETIMEDOUT;
		return WD_REDONE_OVER;
	}
	if (msg->redo > 1) {
		int ret = wd_request_again(msg);

		if (!ret)
			return WD_REDONE_FLIES;
		if (ret == -ECANCELED) {
			msg->status = ret;
			return WD_REDONE_OVER;
		}
		if (redo_waits(q, msg, ret))
			return WD_REDONE_WAITS;
	}
	if (msg->redo && s->soft_ok && !s->cls->fill(s, msg->req, msg)) {
		s->cls->soft->exec(msg);
		wd_tally_soft(msg);
		msg->reason = WD_REASON_GONE;
	} else {
		msg->status = atomic_load(&q->state) == -ENODEV ? -ENODEV : -EIO;
	}
	return WD_REDONE_OVER;
}

/*
 * Counts go down before the callback, because the callback of the last request
 * may free the session; once for each run of one session, as earlier requests
 * aren't its last. Returns how many requests of the session end now.
 */
static inline unsigned int row_over(struct row *row, const struct wd_session *s)
{
	unsigned int over;

	/* No session stands behind the last. */
	if (likely(row->next->sess == s))
		return 0;
	if (row->next == row->end)
		atomic_fetch_add(&row->q->async_over, row->all.nr - row->waiting);
	over = (unsigned int)(row->next - row->first);
	row->first = row->next;
	return over;
}

/*
 * Subtracts the requests before the current one: once it is redone, it may end
 * in another thread, whose callback may take it for the session's last.
 */
static void row_settle(struct row *row, struct wd_session *s)
{
	unsigned int over = (unsigned int)(row->next - 1 - row->first);

	row->first += over;
	atomic_fetch_sub(&s->in_flight, over);
}

static void complete(const struct wd_class *cls, struct wd_msg *msg)
{
	void *req = msg->req;

	WD_PROBE(libwd, request_done, wd_probe_text(cls->name), msg->path, msg->reason, msg->status,
		 ((struct wd_arg *)req)->src_len, 0);
	cls->ended(msg);
	wd_request_over(msg);
	/* The session may be gone. */
	cls->call(req);
}

/* false: the session's count still includes the request, which is in flight again or waits. */
static __attribute__((noinline)) bool deliver_msg(struct row *row, struct wd_msg *msg)
{
	enum wd_redone redone = WD_REDONE_OVER;

	if (msg->status == WD_STOPPED) {
		row_settle(row, msg->sess);
		redone = wd_deliver_redo(row->q, msg);
		row->waiting += redone == WD_REDONE_WAITS;
	}
	msg->over = row_over(row, msg->sess);
	if (redone == WD_REDONE_OVER)
		complete(row->q->cls, msg);
	else
		row->first = row->next;
	return redone == WD_REDONE_OVER;
}

static inline void deliver_told(struct row *row, const struct wd_due *due, void (*call)(void *req))
{
	struct wd_session *s = due->sess;
	unsigned int over = row_over(row, s);

	if (over)
		atomic_fetch_sub(&s->in_flight, over);
	call(due->req);
}

static inline void callback_over(struct wd_session **outer)
{
	wd_in_callback_of = *outer;
}

static unsigned int deliver_row(struct row *row, unsigned int max)
{
	struct wd_session *outer __attribute__((cleanup(callback_over))) = wd_in_callback_of;
	void (*call)(void *req) = row->q->cls->call;
	struct wd_due *stop = row->end - row->next > (ptrdiff_t)max ? row->next + max : row->end;
	unsigned int ran = 0;

	/* A callback's own poll may run some of these. */
	while (row->next < stop) {
		struct wd_due *due = row->next++;

		wd_in_callback_of = due->sess;
		if (likely(due->req != NULL)) {
			deliver_told(row, due, call);
			ran++;
		} else {
			ran += deliver_msg(row, row_msg(row, due - row->all.due));
		}
	}
	(void)outer;
	return ran;
}

unsigned int wd_deliver_outer(unsigned int max)
{
	unsigned int ran = 0;
	struct row *row;

	for (row = rows; row; row = row->outer)
		ran += deliver_row(row, max - ran);
	return ran;
}

static inline struct row *rows_push(struct row *row, struct wd_queue *q)
{
	row->q = q;
	row->next = row->end = NULL;
	row->outer = rows;
	rows = row;
	/* Cancellation stays disabled in callbacks unless they enable it themselves. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &row->cancel);
	return row;
}

static void rows_pop(struct row *row)
{
	pthread_setcancelstate(row->cancel, NULL);
	rows = row->outer;
}

/*
 * A callback left by unwinding. Its request and those before it count as
 * delivered; those behind it become ready for the next poll of any thread.
 */
static __attribute__((noinline, cold)) void row_unwind(struct row *row)
{
	unsigned int at = (unsigned int)(row->next - row->all.due), over = (unsigned int)(row->next - row->first);
	struct wd_queue *q = row->q;

	/* The callback may have enabled it. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	if (row->next != row->end) {
		/* All of one session, which the next request keeps alive. */
		atomic_fetch_sub(&row->first->sess->in_flight, over);
		wd_aside_back(q->lane, row->next, row->msg + (at < ROW_MSGS ? at : ROW_MSGS), row->all.nr - at);
		atomic_fetch_add(&q->async_over, at - row->waiting);
		wd_pollers_due(q);
	}
	wd_async_done();
	rows_pop(row);
}

/* Cleanup of a function that pushed a row. NULL: the row is popped already. */
static inline void row_leave(struct row **pushed)
{
	if (*pushed)
		row_unwind(*pushed);
}

/* Takes requests that other threads made ready, then completions. Under the drain lock; returns pull()'s result. */
static int row_take_locked(struct row *row, struct wd_queue *q, __u32 *left)
{
	struct wd_due_row *all = &row->all;
	__u32 n = *left;
	int ret = 0;

	if (unlikely(atomic_load_explicit(&q->ready_nr, memory_order_relaxed))) {
		while (all->nr < all->room && all->nr < ROW_MSGS &&
		       wd_ready_pop(q->lane, row_msg(row, all->nr), &all->due[all->nr]))
			all->nr++;
		/* More may be ready, which are older than the ring's. */
		if (all->nr == ROW_MSGS)
			return 0;
	}
	if (n > all->room - all->nr)
		n = all->room - all->nr;
	if (!n)
		return 0;
	if (likely(!atomic_load_explicit(&q->state, memory_order_relaxed))) {
		q->due = all;
		ret = q->drv.pull(q, n);
		q->due = NULL;
		wd_queue_failed(q, ret);
	} else {
		wd_queue_shed(q);
	}
	*left = ret == (int)n ? *left - n : 0;
	return ret;
}

/* Fills a row with at most room requests. left: completions to take off the ring; other threads may take some. */
static int row_take(struct row *row, struct wd_queue *q, unsigned int room, __u32 *left)
{
	int ret;

	row->all.nr = 0;
	row->all.room = room < WD_DUE_MAX ? room : WD_DUE_MAX;
	if (!wd_drain_trylock(q)) {
		*left = 0;
		/*
		 * The lock's holder takes the ring's completions, but requests that are ready may have no other taker.
		 */
		if (!atomic_load_explicit(&q->ready_nr, memory_order_acquire))
			return 0;
		wd_drain_lock(q);
	}
	ret = row_take_locked(row, q, left);
	wd_drain_unlock(q);
	return ret;
}

/* Whether there is nothing to deliver and no reason to check again. */
static bool row_is_last(const struct row *row, struct wd_queue *q, int pulled)
{
	return !row->all.nr && !pulled && !atomic_load_explicit(&q->ready_nr, memory_order_acquire);
}

/* Notifies threads that wait for room or for completions, and handles a broken queue. */
static void row_tell_others(struct wd_queue *q, int pulled, __u32 left)
{
	wd_room_made();
	if (left || atomic_load_explicit(&q->ready_nr, memory_order_relaxed)) {
		wd_async_done();
		wd_pollers_due(q);
	}
	if (unlikely(pulled < 0))
		wd_queue_broken(q);
}

static inline unsigned int deliver_rows(struct row *row, struct wd_queue *q, unsigned int max, int pulled, __u32 left)
{
	struct row *pushed __attribute__((cleanup(row_leave))) = rows_push(row, q);
	unsigned int ran = 0;

	do {
		row_begin(row);
		row_tell_others(q, pulled, left);
		/* Callbacks of this row that a nested poll ran are counted by that poll. */
		ran += deliver_row(row, row->all.nr);
		wd_async_done();
		if (ran >= max)
			break;
		pulled = row_take(row, q, max - ran, &left);
	} while (!row_is_last(row, q, pulled));
	rows_pop(row);
	pushed = NULL;
	return ran;
}

unsigned int wd_deliver(struct wd_queue *q, unsigned int max)
{
	/* The limit: a device as fast as the callbacks would keep this loop busy for ever. */
	__u32 left = wd_queue_in_flight(q);
	struct row row;
	int pulled;

	if (!left && !atomic_load_explicit(&q->ready_nr, memory_order_acquire))
		return 0;
	pulled = row_take(&row, q, max, &left);
	if (row_is_last(&row, q, pulled))
		return 0;
	return deliver_rows(&row, q, max, pulled, left);
}

unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max)
{
	struct row row, *pushed __attribute__((cleanup(row_leave))) = rows_push(&row, q);
	struct wd_msg *msg = row_msg(&row, 0);
	unsigned int ran = 0;

	while (ran < max && wd_queue_in_flight(q)) {
		bool claimed;

		wd_drain_lock(q);
		claimed = wd_soft_claim(q, msg);
		wd_drain_unlock(q);
		if (!claimed)
			break;
		wd_soft_compute(q, msg);
		wd_drain_lock(q);
		wd_soft_over(q, msg);
		wd_drain_unlock(q);
		wd_room_made();
		row.all.nr = 1;
		row.all.due[0] = (struct wd_due){ .sess = msg->sess };
		row_begin(&row);
		ran += deliver_row(&row, 1);
		wd_async_done();
	}
	rows_pop(&row);
	pushed = NULL;
	return ran;
}
