// SPDX-License-Identifier: Apache-2.0
/* Completion queues: credits, their contexts, and taking completions. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/probes.h"
#include "request/cq.h"
#include "section/section.h"

#define ROW	16

handle_t wd_cq_create(__u32 depth)
{
	struct wd_cq *cq;
	int i;

	if (!depth || depth > WD_CQ_DEPTH_MAX)
		return wd_no_handle(wd_fail_num(NULL, EINVAL, "depth %u is not in 1 .. %u", depth, WD_CQ_DEPTH_MAX));
	wd_section_init();
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return wd_no_handle(wd_fail(NULL, ENOMEM, "no memory for the completion queue"));
	cq->depth = depth;
	wd_cq_slice_begin(cq);
	pthread_mutex_init(&cq->lock, NULL);
	atomic_store(&cq->epfd, -1);
	for (i = 0; i < WD_CQ_FILES; i++)
		cq->file[i].fd = -1;
	if (!wd_handle_new(WD_KIND_CQ, &cq->obj)) {
		free(cq);
		return wd_no_handle(wd_fail(NULL, ENOMEM, "no memory for the completion queue's handle"));
	}
	return cq->obj.handle;
}

/*
 * No session is left that could add a lane, so the engine's lock isn't needed. It must not be held either: a drain lock
 * may be held for as long as a device takes to stop.
 */
static void lanes_drop(struct wd_cq *cq)
{
	unsigned int i;

	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);

		if (!lane)
			continue;
		wd_cq_drop(lane);
		if (lane->q->pub.path == WD_PATH_SOFT)
			wd_queue_park(lane->q);
	}
}

int wd_cq_destroy(handle_t h)
{
	struct wd_cq *cq = wd_handle_get(h, WD_KIND_CQ);
	int cancel;

	if (!cq)
		return wd_handle_bad(h, "a completion queue");
	if (!wd_stale(&cq->obj)) {
		if (atomic_load(&cq->sessions))
			return wd_fail_num(&cq->obj, EBUSY, "%u sessions deliver to the completion queue",
					   atomic_load(&cq->sessions), 0);
		/* The last completion can be polled before its submitter has returned. */
		while (atomic_load(&cq->used) >= WD_CQ_INSIDE)
			sched_yield();
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		lanes_drop(cq);
		wd_cq_files_close(cq);
		pthread_setcancelstate(cancel, NULL);
	}
	wd_handle_free(h);
	free(cq);
	return 0;
}

/* --- taking completions --- */

/* Gives the results to the caller, who may reuse the buffers and the argument struct from then on. */
static void finish(struct wd_queue *q, struct wd_msg *msg, struct wd_wc *wc)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;
	const struct wd_class *cls = q->cls;

	WD_PROBE(libwd, request_done, wd_probe_text(cls->name), msg->path, msg->reason, msg->status,
		 ((struct wd_arg *)msg->req)->src_len, 0);
	memset(wc, 0, sizeof(*wc));
	wc->sess = msg->sess->obj.handle;
	wc->status = cls->ended(msg);
	wc->wr_id = wd_arg_end(msg->req, cls->arg_bytes)->wr_id;
	if (!wc->status) {
		wc->opcode = cls->opcode(msg->sess, msg->req);
		wc->byte_len = ends->produced;
		wc->consumed = ends->consumed;
		wc->path = msg->path;
		wc->path_reason = msg->reason;
	}
	wc->vendor_err = msg->vendor;
	wc->ctx = q->index;
	/* The last use of the session. */
	msg->over = 1;
	wd_request_over(msg);
}

/* The same for a request whose caller has the results already. */
static void finish_told(struct wd_queue *q, const struct wd_due *due, struct wd_wc *wc)
{
	const struct wd_arg_end *end = wd_arg_end(due->req, q->cls->arg_bytes);
	const struct wd_arg *arg = due->req;
	struct wd_session *s = due->sess;

	memset(wc, 0, sizeof(*wc));
	wc->sess = s->obj.handle;
	wc->wr_id = end->wr_id;
	wc->opcode = q->cls->opcode(s, arg);
	/* Not every result has bytes. */
	wc->byte_len = arg->dst_len ? *arg->dst_len : 0;
	wc->consumed = end->consumed;
	wc->path = end->path;
	wc->path_reason = end->path_reason;
	wc->ctx = q->index;
	atomic_fetch_sub(&s->in_flight, 1);
}

/*
 * Takes up to max results off the lane. Their credits are given back before their places, so that a thread that waits
 * for a place finds a credit, too.
 */
static unsigned int pop_row(struct wd_cq *cq, struct wd_lane *lane, char msg[][WD_MSG_BYTES_MAX], struct wd_due due[],
			    unsigned int max)
{
	unsigned int n, i;

	wd_drain_lock(lane->q);
	/* Another thread may have dropped the lane, and another queue may own it now. */
	n = atomic_load(&lane->cq) == cq ? atomic_load_explicit(&lane->nr, memory_order_relaxed) : 0;
	if (n > max)
		n = max;
	atomic_fetch_sub(&cq->used, n);
	for (i = 0; i < n; i++)
		wd_ready_pop(lane, (struct wd_msg *)msg[i], &due[i]);
	wd_drain_unlock(lane->q);
	return n;
}

/*
 * The request has its credit again before it is in flight: a thread that finds none taken sets no timer. A thread may
 * have found none before.
 */
static enum wd_redone redo(struct wd_cq *cq, struct wd_queue *q, struct wd_msg *msg)
{
	enum wd_redone redone;

	atomic_fetch_add(&cq->used, 1);
	redone = wd_deliver_redo(q, msg);
	if (redone == WD_REDONE_OVER)
		atomic_fetch_sub(&cq->used, 1);
	else
		wd_cq_submitted(cq);
	return redone;
}

static unsigned int take_ready(struct wd_cq *cq, struct wd_lane *lane, struct wd_wc *wc, unsigned int max)
{
	struct wd_queue *q = lane->q;
	_Alignas(max_align_t) char row[ROW][WD_MSG_BYTES_MAX];
	struct wd_due due[ROW];
	unsigned int got = 0, waiting, n, i;

	while (got < max && atomic_load_explicit(&lane->nr, memory_order_acquire)) {
		n = pop_row(cq, lane, row, due, max - got < ROW ? max - got : ROW);
		if (!n)
			break;
		wd_room_made();
		waiting = 0;
		for (i = 0; i < n; i++) {
			struct wd_msg *msg = (struct wd_msg *)row[i];
			enum wd_redone redone = WD_REDONE_OVER;

			if (due[i].req) {
				finish_told(q, &due[i], &wc[got++]);
				continue;
			}
			if (msg->status == WD_STOPPED)
				redone = redo(cq, q, msg);
			waiting += redone == WD_REDONE_WAITS;
			if (redone == WD_REDONE_OVER)
				finish(q, msg, &wc[got++]);
		}
		atomic_fetch_add(&q->async_over, n - waiting);
	}
	return got;
}

static unsigned int take_soft(struct wd_cq *cq, struct wd_queue *q, struct wd_wc *wc, unsigned int max)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_msg *msg = (struct wd_msg *)buf;
	unsigned int got;

	for (got = 0; got < max && wd_queue_in_flight(q); got++) {
		bool claimed;

		wd_drain_lock(q);
		claimed = wd_soft_claim(q, msg);
		wd_drain_unlock(q);
		if (!claimed)
			break;
		wd_soft_compute(q, msg);
		wd_drain_lock(q);
		atomic_fetch_sub(&cq->used, 1);
		wd_soft_over(q, msg);
		wd_drain_unlock(q);
		wd_room_made();
		finish(q, msg, &wc[got]);
		atomic_fetch_add(&q->async_over, 1);
	}
	return got;
}

static unsigned int take(struct wd_cq *cq, struct wd_lane *lane, struct wd_wc *wc, unsigned int max)
{
	struct wd_queue *q = lane->q;

	if (q->pub.path == WD_PATH_SOFT)
		return take_soft(cq, q, wc, max);
	if (!atomic_load_explicit(&q->state, memory_order_relaxed)) {
		if (wd_queue_in_flight(q)) {
			wd_queue_drain(q, NULL);
			wd_check_deadlines(q);
		} else if (atomic_load_explicit(&cq->epfd, memory_order_relaxed) >= 0) {
			wd_cq_look_idle(q);
		}
	}
	if (atomic_load_explicit(&q->aside_nr, memory_order_relaxed))
		wd_check_deadlines(q);
	max = take_ready(cq, lane, wc, max);
	if (atomic_load_explicit(&q->state, memory_order_relaxed))
		wd_queue_gone(q);
	return max;
}

static int poll_all(struct wd_cq *cq, unsigned int max, struct wd_wc *wc)
{
	unsigned int nr = wd_cq_nr(cq), from = 0, got = 0, i;
	struct wd_lane *lane;

	/* If every call began with the same context, the first contexts would starve the others when wc is short. */
	if (nr > 1)
		from = atomic_load_explicit(&cq->turn, memory_order_relaxed);
	for (i = 0; i < nr && got < max; i++) {
		lane = wd_cq_lane(cq, (from + i) % nr);
		if (lane)
			got += take(cq, lane, wc + got, max - got);
	}
	if (i == nr)
		return got;
	atomic_store_explicit(&cq->turn, (from + i) % nr, memory_order_relaxed);
	/* Deadlines are kept on the contexts that this call doesn't come to, too. */
	for (; i < nr; i++) {
		lane = wd_cq_lane(cq, (from + i) % nr);
		if (lane)
			wd_check_deadlines(lane->q);
	}
	return got;
}

int wd_poll_cq(handle_t h, int num_entries, struct wd_wc *wc)
{
	int ret, cancel;
	struct wd_cq *cq = wd_cq_get(h, &ret);

	if (!cq)
		return ret;
	if (num_entries < 1)
		return wd_fail(&cq->obj, EINVAL, "num_entries is below 1");
	if (!wc)
		return wd_fail(&cq->obj, EINVAL, "wc is NULL");
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	wd_cq_polled = cq;
	ret = poll_all(cq, num_entries, wc);
	wd_cq_polled = NULL;
	if (ret) {
		wd_cq_slice_begin(cq);
		wd_cq_progress(cq);
	} else {
		wd_cq_rearm(cq);
	}
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

int wd_get_async_event(handle_t h, struct wd_async_event *ev)
{
	int ret;
	struct wd_cq *cq = wd_cq_get(h, &ret);
	unsigned int i;

	if (!cq)
		return ret;
	if (!ev)
		return wd_fail(&cq->obj, EINVAL, "ev is NULL");
	for (i = 0; i < wd_cq_nr(cq); i++) {
		struct wd_lane *lane = wd_cq_lane(cq, i);
		int err = lane ? atomic_exchange(&lane->event, 0) : 0;

		if (!err)
			continue;
		*ev = (struct wd_async_event){ .event = WD_EVENT_CQ_ERR, .err = err, .ctx = lane->q->index, .cq = h };
		return 0;
	}
	return -EAGAIN;
}

int wd_cq_set_priv(handle_t h, void *priv)
{
	int ret;
	struct wd_cq *cq = wd_cq_get(h, &ret);

	if (cq)
		atomic_store(&cq->priv, priv);
	return ret;
}

void *wd_cq_get_priv(handle_t h)
{
	int ret;
	struct wd_cq *cq = wd_cq_get(h, &ret);

	if (!cq)
		errno = -ret;
	return cq ? atomic_load(&cq->priv) : NULL;
}
