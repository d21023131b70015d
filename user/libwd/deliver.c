// SPDX-License-Identifier: Apache-2.0
/*
 * Callbacks: requests that are complete are copied out of their slots in rows,
 * under the drain lock, and delivered without any lock.
 */
#include "tally.h"

#define ROW		16
#define REOPEN_NS	(WD_REOPEN_AFTER_NS + 10000000ull)

/* A row that is being delivered; a callback that polls must not wait for what stands behind it in its own row. */
struct row {
	struct wd_queue *q;
	unsigned int next;
	unsigned int nr;
	unsigned int over;	/* requests of the current session not yet subtracted */
	struct row *outer;
	int cancel;
	_Alignas(max_align_t) char msg[ROW][WD_MSG_BYTES_MAX];
};

static WD_THREAD_LOCAL struct row *rows;

static struct wd_msg *row_msg(struct row *row, unsigned int i)
{
	return (struct wd_msg *)row->msg[i];
}

bool wd_deliver_redo(struct wd_queue *q, struct wd_msg *msg)
{
	struct wd_session *s = msg->sess;

	if (msg->redo) {
		int ret = wd_request_again(msg);

		/* A context that could not be opened at once may be a little later. */
		if (ret == -EIO && !s->soft_ok) {
			wd_poll_fds(NULL, 0, wd_now_ns() + REOPEN_NS);
			ret = wd_request_again(msg);
		}
		if (!ret)
			return true;
	}
	if (msg->redo && s->soft_ok && !s->cls->fill(s, msg->req, msg)) {
		s->cls->soft->exec(msg);
		wd_tally_soft(msg);
		msg->reason = WD_REASON_GONE;
	} else {
		msg->status = atomic_load(&q->state) == -ENODEV ? -ENODEV : -EIO;
	}
	return false;
}

/*
 * Counts go down before the callback, so that whoever is told by it may free
 * what this was the last of; once for a row, as those before aren't the last.
 */
static bool deliver_next(struct row *row)
{
	struct wd_msg *msg = row_msg(row, row->next++);
	bool last = row->next == row->nr;
	bool again = msg->status == WD_STOPPED && wd_deliver_redo(row->q, msg);
	struct wd_session *outer = wd_in_callback_of;

	row->over++;
	msg->over = 0;
	if (last || row_msg(row, row->next)->sess != msg->sess) {
		msg->over = row->over;
		row->over = 0;
	}
	if (last)
		atomic_fetch_add(&row->q->async_over, row->nr);
	if (again) {
		wd_request_over(msg);
		return false;
	}
	wd_in_callback_of = msg->sess;
	msg->sess->cls->complete(msg);
	wd_in_callback_of = outer;
	return true;
}

static unsigned int deliver_row(struct row *row, unsigned int max)
{
	unsigned int ran = 0;

	while (row->next < row->nr && ran < max)
		ran += deliver_next(row);
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

static void row_begin(struct row *row, struct wd_queue *q)
{
	row->q = q;
	row->next = 0;
	row->nr = 0;
	row->over = 0;
	row->outer = rows;
	rows = row;
	/* A callback's thread isn't cancelled: what stands behind in its row would be lost. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &row->cancel);
}

static void row_end(struct row *row)
{
	pthread_setcancelstate(row->cancel, NULL);
	rows = row->outer;
}

unsigned int wd_deliver_ready(struct wd_queue *q, unsigned int max)
{
	unsigned int ran = 0;
	struct row row;

	row_begin(&row, q);
	while (ran < max && atomic_load_explicit(&q->ready_nr, memory_order_acquire)) {
		row.next = 0;
		row.nr = 0;
		wd_drain_lock(q);
		while (row.nr < ROW && row.nr < max - ran && wd_ready_pop(q, row_msg(&row, row.nr)))
			row.nr++;
		wd_drain_unlock(q);
		if (!row.nr)
			break;
		wd_room_made();
		/* What a callback's own poll ran of this row counts there. */
		ran += deliver_row(&row, row.nr);
		wd_async_done();
	}
	row_end(&row);
	return ran;
}

struct wd_slot *wd_soft_claim(struct wd_queue *q)
{
	struct wd_slot *slot = &q->pub.slots[q->soft_head];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_ASYNC)
		return NULL;
	atomic_store_explicit(&slot->state, WD_SLOT_CLAIMED, memory_order_relaxed);
	if (++q->soft_head == q->pub.depth)
		q->soft_head = 0;
	return slot;
}

void wd_soft_compute(struct wd_queue *q, const struct wd_slot *slot, struct wd_msg *msg)
{
	q->cls->refill(slot->sess, slot->owner, slot->aux, msg);
	msg->redo = 0;
	q->drv.exec(msg);
	msg->path = WD_PATH_SOFT;
	msg->reason = atomic_load(&msg->sess->reason);
}

unsigned int wd_deliver_soft(struct wd_queue *q, unsigned int max)
{
	struct row row;
	struct wd_msg *msg = row_msg(&row, 0);
	unsigned int ran = 0;

	row_begin(&row, q);
	while (ran < max && wd_queue_in_flight(q)) {
		struct wd_slot *slot;

		wd_drain_lock(q);
		slot = wd_soft_claim(q);
		wd_drain_unlock(q);
		if (!slot)
			break;
		wd_soft_compute(q, slot, msg);
		wd_drain_lock(q);
		wd_tally_end(q, msg);
		wd_slot_free(q, slot);
		wd_drain_unlock(q);
		wd_room_made();
		row.next = 0;
		row.nr = 1;
		ran += deliver_row(&row, 1);
		wd_async_done();
	}
	row_end(&row);
	return ran;
}
