// SPDX-License-Identifier: GPL-2.0-or-later
/* Submission: a thread takes requests in batches, translates them without a lock, and commits them in order. */
#include <linux/sched/signal.h>
#include "mediated.h"

struct med_batch {
	u32 nr;
	bool more;	/* have been submitted, but not taken yet */
	struct med_request *r[MED_BATCH];
};

/* ------ the owner's tail ------ */

/*
 * Slots up to @tail are the kernel's from now on. A tail may be at most so far away that no slot is overwritten which
 * isn't published: an older tail looks like that, too.
 */
static int med_want(struct med_run *run, u32 tail)
{
	u32 more = (tail + run->sq_depth - (u32)(run->wanted % run->sq_depth)) % run->sq_depth;

	lockdep_assert_held(&run->lock);
	if (run->wanted + more - run->published >= run->sq_depth)
		return -EINVAL;
	run->wanted += more;
	return 0;
}

/* ------ take ------ */

static bool med_may_take(const struct med_run *run, u64 index)
{
	return index < run->wanted && index < run->published + run->nr;
}

static void med_request_take(struct med_run *run, struct med_request *r, u64 index)
{
	r->state = MED_TAKEN;
	r->index = index;
	r->status = 0;
	tr_take(&r->tr, &run->q, run->qp->dus->va + (index % run->sq_depth) * run->sqe_bytes);
}

/* Descriptors are copied here: the ring may be gone when the thread comes to read them. */
static int med_take(struct med_run *run, struct med_batch *batch)
{
	int err = 0;
	u64 index;

	batch->nr = 0;
	spin_lock(&run->lock);
	if (!med_is_open(run))
		err = run->held ? -ENXIO : -ESHUTDOWN;
	for (index = run->next; !err && med_may_take(run, index) && batch->nr < MED_BATCH; index++) {
		struct med_request *r = med_request_at(run, index);

		if (r->state != MED_FREE)
			continue;
		med_request_take(run, r, index);
		batch->r[batch->nr++] = r;
	}
	run->next = index;
	batch->more = index < run->wanted;
	spin_unlock(&run->lock);
	return err;
}

/* ------ translate ------ */

static int med_translate(struct med_run *run, struct med_request *r)
{
	int ret;

	r->status = tr_check(&r->tr);
	if (r->status)
		return 0;
	ret = med_pin(run, r);
	if (ret < 0)
		return ret;
	r->status = ret;
	return 0;
}

/* ------ commit ------ */

/* The owner or a later call has them again. */
static void med_give_back(struct med_run *run, struct med_batch *batch, u32 from)
{
	u32 i;

	for (i = from; i < batch->nr; i++)
		med_drop(run, batch->r[i]);
	spin_lock(&run->lock);
	for (i = from; i < batch->nr; i++) {
		batch->r[i]->state = MED_FREE;
		run->next = min(run->next, batch->r[i]->index);
	}
	spin_unlock(&run->lock);
	batch->nr = from;
}

static void med_to_device(struct med_run *run, struct med_request *r)
{
	memcpy(run->qp->mediated->sq->va + run->sq_tail * run->sqe_bytes, r->sqe, run->sqe_bytes);
	run->by_slot[run->sq_tail] = med_number(run, r);
	r->at = run->sq_tail;
	r->state = MED_DEVICE;
	run->sq_tail = (run->sq_tail + 1) % run->device_depth;
}

static void med_ring(struct med_run *run)
{
	struct hisi_qp_doorbell db = { .sq_tail = run->sq_tail, .flags = HISI_QP_DB_SQ };

	if (run->rung != run->sq_tail && !qm_qp_ring(run->qp, &db)) {
		run->rung = run->sq_tail;
		med_look_later(run);
	}
}

/**
 * med_commit_ready - give what is ready to the device
 * @run: a run, locked
 *
 * The thread that makes the oldest request ready commits all ready ones behind it, and rings once. Nothing is written
 * that can't be rung for.
 */
void med_commit_ready(struct med_run *run)
{
	struct med_request *r;

	lockdep_assert_held(&run->lock);
	if (!med_is_open(run))
		return;
	for (; run->committed < run->wanted; run->committed++) {
		r = med_request_at(run, run->committed);
		if (r->index != run->committed || (r->state != MED_READY && r->state != MED_DONE))
			break;
		if (r->state == MED_READY)
			med_to_device(run, r);
	}
	med_ring(run);
	med_publish(run);
}

/* A request that fails goes to its owner without anything. -EAGAIN: it waits for others, with its pins. */
static int med_prepare(struct med_run *run, struct med_request *r)
{
	int ret = r->status;

	if (!ret)
		ret = med_map(run, r);
	if (!ret)
		return 0;
	med_unmap(run, r);
	if (ret == -EAGAIN)
		return ret;
	med_drop(run, r);
	r->status = ret;
	return 0;
}

/* The bounded part: a stop waits for it, so nothing in it waits for a process. */
static int med_commit(struct med_run *run, struct med_batch *batch)
{
	int err = 0;
	u32 i;

	for (i = 0; i < batch->nr && !err; i++)
		err = med_prepare(run, batch->r[i]);
	if (err)
		med_give_back(run, batch, i - 1);
	spin_lock(&run->lock);
	for (i = 0; i < batch->nr; i++)
		batch->r[i]->state = batch->r[i]->status ? MED_DONE : MED_READY;
	med_commit_ready(run);
	spin_unlock(&run->lock);
	return err;
}

/* ------ calls ------ */

/* What fails for want of room isn't taken; the requests before it are committed. */
static int med_submit_batch(struct med_run *run, struct med_batch *batch)
{
	int err = 0, no_room;
	u32 i;

	for (i = 0; i < batch->nr && !err; i++)
		err = med_translate(run, batch->r[i]);
	if (err)
		med_give_back(run, batch, i - 1);
	if (!batch->nr)
		return err;
	if (!med_busy_begin(run)) {
		med_give_back(run, batch, 0);
		return -ESHUTDOWN;
	}
	no_room = med_commit(run, batch);
	med_busy_end(run);
	return err ?: no_room;
}

/* 0, also if there was no room for all; -ESHUTDOWN, -ENXIO: the queue ends; -EINTR: the process does. */
static int med_submit(struct med_run *run)
{
	struct med_batch batch __uninitialized;
	int err;

	do {
		err = med_take(run, &batch);
		if (!err && batch.nr)
			err = med_submit_batch(run, &batch);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
	} while (!err && batch.nr && batch.more);
	return err == -EAGAIN ? 0 : err;
}

static int med_check(const struct med_run *run, const struct hisi_qp_doorbell *db)
{
	u32 known = HISI_QP_DB_SQ | HISI_QP_DB_CQ | HISI_QP_DB_EVENT | HISI_QP_DB_REAP;

	if (db->reserved || db->flags & ~known)
		return -EINVAL;
	if (!(db->flags & ~HISI_QP_DB_EVENT) || (db->flags & HISI_QP_DB_EVENT && !(db->flags & HISI_QP_DB_CQ)))
		return -EINVAL;
	if (db->flags & HISI_QP_DB_SQ && db->sq_tail >= run->sq_depth)
		return -EINVAL;
	return db->flags & HISI_QP_DB_CQ && db->cq_head >= run->cq_depth ? -EINVAL : 0;
}

/* The owner is told at once of what it hasn't seen; else the device raises an event. */
static void med_arm(struct med_run *run, u32 cq_head)
{
	struct hisi_qp_doorbell db = { .cq_head = run->cq_head, .flags = HISI_QP_DB_CQ | HISI_QP_DB_EVENT };

	lockdep_assert_held(&run->lock);
	if (cq_head != run->published % run->cq_depth) {
		qm_qp_notify(run->qp);
		return;
	}
	run->armed = true;
	if (!qm_qp_ring(run->qp, &db))
		run->unacked = 0;
}

/**
 * qm_mediated_ring - UACCE_CMD_QM_DOORBELL of a mediated queue
 * @held: its run, which may be over
 * @arg: struct hisi_qp_doorbell
 *
 * May wait for memory of the process for ever.
 */
int qm_mediated_ring(void *held, void *arg)
{
	const struct hisi_qp_doorbell *db = arg;
	struct med_run *run = held;
	int err;

	err = med_check(run, db);
	if (err)
		return err;
	med_reap(run, false);
	spin_lock(&run->lock);
	if (!med_is_open(run))
		err = run->held ? -ENXIO : -ESHUTDOWN;
	if (!err && db->flags & HISI_QP_DB_SQ)
		err = med_want(run, db->sq_tail);
	if (!err && db->flags & HISI_QP_DB_EVENT)
		med_arm(run, db->cq_head);
	if (!err)
		med_ring(run);
	spin_unlock(&run->lock);
	return err ?: med_submit(run);
}
