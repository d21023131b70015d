// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* SQ and CQ doorbells, and the recovery of doorbells that were overwritten before a poll. */
#include "internal.h"

#define WDM_LOST_BATCH	16
#define WDM_UNMARKED_SETTLES 1000

struct wdm_doorbell {
	u32 qn, cmd, rand, index, prio;
};

static struct wdm_doorbell wdm_doorbell_decode(u64 v)
{
	return (struct wdm_doorbell){
		.qn = v & QM_DB_QN_MASK,
		.cmd = v >> QM_DB_CMD_SHIFT & 0xf,
		.rand = v >> QM_DB_RAND_SHIFT & 0xffff,
		.index = v >> QM_DB_INDEX_SHIFT & 0xffff,
		.prio = v >> QM_DB_PRIO_SHIFT & 0xffff,
	};
}

static u8 WDM_IOMEM *wdm_window(struct wdm_function *f, const struct wdm_queue *q)
{
	return (u8 WDM_IOMEM *)f->bar4 + (u64)q->rel * QM_DB_WINDOW + QM_DB_SQ_CQ;
}

static bool wdm_slot_read(struct wdm_device *dev, struct wdm_queue *q, u64 total, u32 *sqe, u32 *digest)
{
	u32 bytes = 1u << dev->engine->sqe_shift, slot = (u32)(total % q->sq_depth);

	if (wdm_dma_read(dev, q->fn, q->sq_base + (u64)slot * bytes, sqe, bytes))
		return false;
	*digest = wdm_slot_digest(sqe, bytes);
	return true;
}

/*
 * A doorbell far ahead, whose first slot is unchanged since the device wrote it, is stale:
 * recovery has already gone past it.
 */
static bool wdm_sq_stale(struct wdm_device *dev, struct wdm_queue *q, u32 advance)
{
	u32 sqe[WDM_SQE_MAX / 4], digest;

	if (advance <= q->sq_depth / 2)
		return false;
	return wdm_slot_read(dev, q, q->tail, sqe, &digest) && digest == q->digest[q->tail % q->sq_depth];
}

static void wdm_doorbell_sq(struct wdm_device *dev, struct wdm_queue *q, const struct wdm_doorbell *db)
{
	u32 advance;

	if (db->prio) {
		wdm_refuse(dev, WDM_REFUSE_DB_RESERVED, q->fn, q->rel, db->prio);
		return;
	}
	if (db->index >= q->sq_depth) {
		wdm_refuse(dev, WDM_REFUSE_DB_INDEX, q->fn, q->rel, db->index);
		return;
	}
	advance = (db->index + q->sq_depth - (u32)(q->tail % q->sq_depth)) % q->sq_depth;
	if (!advance)
		return;
	if (q->tail + advance - q->done > q->sq_depth - 1 || wdm_sq_stale(dev, q, advance)) {
		wdm_refuse(dev, WDM_REFUSE_DB_INDEX, q->fn, q->rel, db->index);
		return;
	}
	if (q->head == q->tail && q->pass < dev->vtime)
		q->pass = dev->vtime;
	q->tail += advance;
	q->lost_nr = 0;
	dev->worked = true;
}

static void wdm_doorbell_cq(struct wdm_device *dev, struct wdm_queue *q, const struct wdm_doorbell *db)
{
	u32 behind;

	if (db->prio > QM_DB_C_FLAG) {
		wdm_refuse(dev, WDM_REFUSE_DB_RESERVED, q->fn, q->rel, db->prio);
		return;
	}
	if (db->index >= q->cq_depth) {
		wdm_refuse(dev, WDM_REFUSE_DB_INDEX, q->fn, q->rel, db->index);
		return;
	}
	behind = ((u32)(q->cq_tail % q->cq_depth) + q->cq_depth - db->index) % q->cq_depth;
	if (behind > q->cq_tail - q->cq_head) {
		wdm_refuse(dev, WDM_REFUSE_DB_INDEX, q->fn, q->rel, db->index);
		return;
	}
	if (q->cq_head != q->cq_tail - behind || (db->prio && !q->armed))
		dev->worked = true;
	q->cq_head = q->cq_tail - behind;
	q->quiet_since = dev->now;
	if (db->prio)
		q->armed = true;
}

/*
 * Only a doorbell that changes state counts as work, so an owner who rings without effect can't
 * keep the device busy.
 */
static void wdm_doorbell(struct wdm_device *dev, struct wdm_queue *q, u64 v)
{
	struct wdm_doorbell db = wdm_doorbell_decode(v);

	wdm_dfx_doorbell(dev, &dev->fns[q->fn]);
	if (!q->sq_valid || !q->cq_valid || q->stopping)
		wdm_refuse(dev, WDM_REFUSE_DB_QUEUE, q->fn, q->rel, v);
	else if (db.rand != q->rand)
		wdm_refuse(dev, WDM_REFUSE_DB_RANDOM, q->fn, q->rel, v);
	else if (db.cmd == QM_DB_CMD_SQ)
		wdm_doorbell_sq(dev, q, &db);
	else if (db.cmd == QM_DB_CMD_CQ)
		wdm_doorbell_cq(dev, q, &db);
	else
		wdm_refuse(dev, WDM_REFUSE_DB_CMD, q->fn, q->rel, v);
}

void wdm_doorbell_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	u64 v = wdm_readq(wdm_window(f, q));

	if (v == q->db_seen)
		return;
	q->db_seen = v;
	if (v == WDM_DB_NONE)
		return;
	if ((v & QM_DB_QN_MASK) == q->rel)
		wdm_doorbell(dev, q, v);
	else if (v)	/* 0 is the value in a cleared window */
		wdm_refuse(dev, WDM_REFUSE_DB_QUEUE, q->fn, q->rel, v);
}

static u64 wdm_doorbell_shared(const struct wdm_function *f)
{
	return wdm_readq((const u8 WDM_IOMEM *)f->bar2 + QM_DB_SQ_CQ);
}

static bool wdm_doorbell_is_start(const struct wdm_device *dev, const struct wdm_function *f, u64 v)
{
	struct wdm_doorbell db = wdm_doorbell_decode(v);

	return wdm_has(dev, QM_MB_CMD_PAUSE_QM) && f->index != WDM_PF && db.cmd == QM_DB_CMD_SQ &&
	       db.prio == QM_DB_START && !db.index && !db.rand;
}

/*
 * The register has an effect with isolated doorbells, too. There it is read only while a start would mean something, so
 * a running function costs nothing. Without isolation, the others of a row of such doorbells come when the function
 * runs already.
 */
bool wdm_doorbell_starts(struct wdm_device *dev, struct wdm_function *f)
{
	bool fresh = f->pause == WDM_RUNNING && !f->eq.valid && !f->aeq.valid;
	u64 v;

	if (f->index == WDM_PF || !wdm_has_images(dev, f) || (!fresh && f->pause != WDM_PAUSED))
		return false;
	v = wdm_doorbell_shared(f);
	if (v == f->db_seen || !wdm_doorbell_is_start(dev, f, v))
		return false;
	f->db_seen = v;
	dev->stats.doorbells++;
	dev->worked = true;
	return true;
}

void wdm_doorbell_forget(struct wdm_function *f)
{
	wdm_writeq(WDM_DB_NONE, (u8 WDM_IOMEM *)f->bar2 + QM_DB_SQ_CQ);
	f->db_seen = WDM_DB_NONE;
}

void wdm_doorbell_poll_shared(struct wdm_device *dev, struct wdm_function *f)
{
	u64 v = wdm_doorbell_shared(f);
	struct wdm_queue *q;

	if (v == f->db_seen)
		return;
	f->db_seen = v;
	if (v == WDM_DB_NONE || wdm_doorbell_is_start(dev, f, v))
		return;
	q = wdm_queue_find(dev, f, v & QM_DB_QN_MASK);
	if (q && q->active)
		wdm_doorbell(dev, q, v);
	else
		wdm_refuse(dev, WDM_REFUSE_DB_QUEUE, f->index, v & QM_DB_QN_MASK, v);
}

void wdm_doorbell_clear(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	q->db_seen = WDM_DB_NONE;
	/* The register shared by all queues can't be cleared: it may hold another queue's doorbell. */
	if (!dev->attr.no_isolation)
		wdm_writeq(WDM_DB_NONE, wdm_window(f, q));
}

/* Could the register's current value have overwritten an SQ doorbell of this queue? */
static bool wdm_doorbell_may_hide(const struct wdm_device *dev, const struct wdm_function *f, const struct wdm_queue *q)
{
	u64 v = dev->attr.no_isolation ? f->db_seen : q->db_seen;
	struct wdm_doorbell db = wdm_doorbell_decode(v);

	if (v == (dev->attr.no_isolation ? 0 : WDM_DB_NONE))
		return q->loaded;
	return db.prio || db.cmd != QM_DB_CMD_SQ || db.qn != q->rel || db.index != q->tail % q->sq_depth;
}

/*
 * SQ and CQ doorbells share one register, which is plain memory, so a CQ doorbell can overwrite
 * an SQ doorbell before a poll has seen it. In that case the slots from the tail on have
 * changed since the device last read them. They are taken as submitted when they have been
 * stable for a while and contain no mark of the device. So a descriptor that is being written
 * isn't taken incomplete, however long its writer is interrupted. If the slot's owner was faster
 * than its marks, only time tells, so much more of it has to pass.
 */
void wdm_lost_sq_poll(struct wdm_device *dev, struct wdm_function *f, struct wdm_queue *q)
{
	bool marked = q->sq_valid && q->marked[q->tail % q->sq_depth];
	u64 settle = (u64)wdm_settle(dev) * (marked ? 1 : WDM_UNMARKED_SETTLES);
	u32 sqe[WDM_SQE_MAX / 4], digest, all = 0, nr, slot;

	if (!q->sq_valid || !q->cq_valid || q->stopping || q->overflow || !wdm_doorbell_may_hide(dev, f, q)) {
		q->lost_nr = 0;
		return;
	}
	for (nr = 0; nr < WDM_LOST_BATCH && q->tail + nr - q->done < q->sq_depth - 1; nr++) {
		slot = (u32)((q->tail + nr) % q->sq_depth);
		if (q->marked[slot] != marked || !wdm_slot_read(dev, q, q->tail + nr, sqe, &digest) ||
		    digest == q->digest[slot] || wdm_marked(dev, sqe))
			break;
		all = all * 31 + digest;
	}
	if (nr != q->lost_nr || all != q->lost_digest) {
		q->lost_nr = nr;
		q->lost_digest = all;
		q->lost_since = dev->now;
	}
	if (!nr)
		return;
	if (dev->now - q->lost_since < settle) {
		wdm_wake_at(dev, q->lost_since + settle);
		return;
	}
	if (q->head == q->tail && q->pass < dev->vtime)
		q->pass = dev->vtime;
	q->tail += nr;
	q->lost_nr = 0;
	dev->stats.sq_recovered += nr;
	dev->worked = true;
}
