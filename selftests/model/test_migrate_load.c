// SPDX-License-Identifier: Apache-2.0
/* A virtual function that moves again and again while its guest works all the time. */
#include <zlib.h>
#include "kselftest_harness.h"
#include "migrate_dev.h"

#define REQUESTS	15000
#define OUT_MAX		6
#define SLOT		1024	/* bytes of memory for each request */

struct work {
	struct rig *r, *spare;
	u64 sent[SHARE], done[SHARE], moves, stays, slept;
	struct wdm_job *out[OUT_MAX];	/* with the device's workers */
	u32 irqs_seen;
	u64 random;
};

static u32 rnd(struct work *w)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(w->random >> 33);
}

static u64 place(u64 base, u32 q, u64 n)
{
	return base + (q * SMALL + n % SMALL) * SLOT;
}

static u32 length(u32 q, u64 n)
{
	return 100 + (u32)(n * 37 + q) % 400;
}

static void fill(u8 *p, u32 q, u64 n)
{
	u32 i;

	for (i = 0; i < length(q, n); i++)
		p[i] = (u8)((n >> i % 3 * 4) + q * 31 + i / 50);
}

static void submit(struct work *w, u32 q)
{
	struct zip_sqe sqe;

	if (w->sent[q] - w->done[q] == SMALL - 1)
		return;
	fill(rig_user(w->r, place(SRC, q, w->sent[q])), q, w->sent[q]);
	rig_sqe(&sqe, ZIP_REQ_DEFLATE, place(SRC, q, w->sent[q]), length(q, w->sent[q]), place(DST, q, w->sent[q]),
		SLOT);
	rig_push(w->r, q, &sqe);
	ring_sq(w->r, q);
	w->sent[q]++;
}

static bool is_right(struct work *w, u32 q, u32 slot)
{
	u64 n = w->done[q];
	z_stream z = { 0 };
	u8 plain[SLOT], got[SLOT];
	struct zip_sqe sqe;
	int end;

	memcpy(&sqe, rig_slot(w->r, q, slot), sizeof(sqe));
	if (slot != n % SMALL || n == w->sent[q] || (sqe.dw3 & ZIP_DW3_STATUS_MASK) != ZIP_ST_OK ||
	    sqe.consumed != length(q, n))
		return false;
	fill(plain, q, n);
	z.next_in = rig_user(w->r, place(DST, q, n));
	z.avail_in = sqe.produced;
	z.next_out = got;
	z.avail_out = sizeof(got);
	if (inflateInit2(&z, -15))
		return false;
	end = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	memset(rig_user(w->r, place(DST, q, n)), 0, SLOT);
	return end == Z_STREAM_END && z.total_out == length(q, n) && !memcmp(got, plain, z.total_out);
}

/* Takes what is complete; false when something isn't right. */
static bool collect(struct work *w, u32 q, bool arm)
{
	int slot;

	while ((slot = rig_pop(w->r, q)) >= 0) {
		if (!is_right(w, q, (u32)slot))
			return false;
		w->done[q]++;
	}
	ring_cq(w->r, q, arm);
	return true;
}

/* Some of the workers come back, all of them, or none; others begin. */
static void workers(struct work *w, u32 chance, bool begin)
{
	struct rig *pf = w->r->pf;
	u32 i;

	for (i = 0; i < OUT_MAX; i++) {
		if (w->out[i] && rnd(w) % 4 < chance) {
			wdm_job_run(w->out[i], pf->scratch);
			wdm_job_done(pf->dev, w->out[i]);
			w->out[i] = NULL;
		}
		if (!w->out[i] && begin)
			w->out[i] = wdm_job_next(pf->dev);
	}
}

/* Reads events as a handler does: after an interrupt only. */
static bool handler(struct work *w, u32 q)
{
	bool mine = false;
	int event;

	if (w->r->irqs[WDM_IRQ_EQ] == w->irqs_seen)
		return false;
	w->irqs_seen = w->r->irqs[WDM_IRQ_EQ];
	while ((event = rig_event(w->r)) >= 0)
		mine |= event == (int)q;
	rig_ring_eq(w->r);
	return mine;
}

/* Sleeps until the event of a queue with requests, which must come. */
static bool wait_event(struct work *w, u32 q)
{
	u32 i;

	rig_reg_set(w->r, QM_EQ_INT_MASK, 0);
	if (!collect(w, q, true))
		return false;
	if (w->sent[q] == w->done[q])
		return true;
	w->slept++;
	for (i = 0; i < 2000; i++) {
		workers(w, 4, true);
		rig_run(w->r, RIG_STEP_NS);
		if (handler(w, q))
			return true;
	}
	return false;
}

/* The pause itself lets the workers end. */
static bool stop(struct work *w)
{
	host_stop_begin(w->r);
	workers(w, 4, false);
	return !host_stopped(w->r);
}

static bool migrate(struct work *w)
{
	struct rig *from = w->r;

	if (!stop(w))
		return false;
	if (rnd(w) & 1) {
		host_start(w->r);
		w->stays++;
		return true;
	}
	w->r = w->spare;
	w->spare = from;
	wdm_function_reset(w->r->dev, 1);
	w->irqs_seen = w->r->irqs[WDM_IRQ_EQ];
	w->moves++;
	return move(w->r, from);
}

static bool step(struct work *w)
{
	u32 q = rnd(w) % SHARE;

	switch (rnd(w) % 16) {
	case 0 ... 5:
		submit(w, q);
		break;
	case 6 ... 8:
		rig_run(w->r, rnd(w) % 4 * RIG_STEP_NS);
		break;
	case 9 ... 10:
		workers(w, rnd(w) % 5, true);
		break;
	case 11:
		rig_reg_set(w->r, QM_EQ_INT_MASK, rnd(w) & 1);
		break;
	case 12 ... 14:
		return collect(w, q, rnd(w) & 1);
	default:
		return rnd(w) % 4 ? wait_event(w, q) : migrate(w);
	}
	return true;
}

TEST_F_TIMEOUT(two, each_request_is_done_once_and_in_order, 300)
{
	struct work w = { .r = &self->vf[0], .spare = &self->vf[1], .random = 99 };
	struct rig_queue_opts o = { .sq_depth = SMALL, .cq_depth = SMALL };
	u64 total = 0, steps, accepted;
	u32 q;

	self->pf[0].hold_jobs = self->pf[1].hold_jobs = true;
	for (q = 0; q < SHARE; q++) {
		o.cq_depth = q == 2 ? RIG_DEPTH : SMALL;
		ASSERT_EQ(0, rig_queue_start(w.r, q, &o));
	}
	for (steps = 0; total < REQUESTS; steps++) {
		ASSERT_TRUE(step(&w)) TH_LOG("step %llu", (unsigned long long)steps);
		for (total = 0, q = 0; q < SHARE; q++)
			total += w.done[q];
	}
	for (q = 0; q < SHARE; q++) {
		for (steps = 0; steps < 1000 && w.done[q] < w.sent[q]; steps++) {
			workers(&w, 4, true);
			rig_run(w.r, RIG_STEP_NS);
			ASSERT_TRUE(collect(&w, q, false));
		}
		EXPECT_EQ(w.sent[q], w.done[q]);
		EXPECT_LT(3 * SMALL, w.done[q]);
	}
	accepted = wdm_device_stats(self->pf[0].dev)->descriptors + wdm_device_stats(self->pf[1].dev)->descriptors;
	EXPECT_EQ(w.sent[0] + w.sent[1] + w.sent[2], accepted);
	EXPECT_LT(100, w.moves);
	EXPECT_LT(100, w.stays);
	EXPECT_LT(100, w.slept);
	EXPECT_LT(QM_EQ_DEPTH_V2, w.r->eq_head);
	EXPECT_EQ(0, self->vf[0].strays + self->vf[1].strays);
	EXPECT_EQ(0, rig_refused(&self->pf[0], WDM_REFUSE_MIGRATE) + rig_refused(&self->pf[1], WDM_REFUSE_MIGRATE));
}

TEST_HARNESS_MAIN
