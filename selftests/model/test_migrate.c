// SPDX-License-Identifier: Apache-2.0
/* Pause, move and start of a virtual function: what it has accepted is done once, what it hasn't is done afterwards. */
#include <stdlib.h>
#include <zlib.h>
#include "kselftest_harness.h"
#include "host.h"

#define BASE	4		/* the VF's first queue on each of the two devices */
#define OTHER	8
#define SHARE	3
#define SMALL	64
#define LEN	600
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))

FIXTURE(two) {
	struct rig pf[2], vf[2];
	u64 tables;
};

FIXTURE_VARIANT(two) {
	bool no_isolation;
};

FIXTURE_VARIANT_ADD(two, isolated) {
};

FIXTURE_VARIANT_ADD(two, shared_doorbells) {
	.no_isolation = true,
};

static void device_begin(struct rig *pf, struct rig *vf, bool no_isolation, u32 base)
{
	struct wdm_attr attr = { .functions = 3, .no_isolation = no_isolation, .hidden_passes = 2 };

	rig_init_bare(pf, &attr);
	rig_engine_start(pf);
	rig_vft_queues(pf, WDM_PF, 0, 4);
	guest_attach(vf, pf, base, SHARE);
}

/* The guest's driver starts the function. */
static u64 guest_begin(struct rig *vf)
{
	u64 tables;

	rig_function_up(vf);
	tables = rig_dma_alloc(vf, 2 * SHARE * QM_QC_SIZE);
	if (rig_mailbox(vf, QM_MB_CMD_SQC_BT, 0, 0, tables) ||
	    rig_mailbox(vf, QM_MB_CMD_CQC_BT, 0, 0, tables + SHARE * QM_QC_SIZE))
		abort();
	return tables;
}

FIXTURE_SETUP(two)
{
	u32 i;

	device_begin(&self->pf[0], &self->vf[0], variant->no_isolation, BASE);
	device_begin(&self->pf[1], &self->vf[1], variant->no_isolation, OTHER);
	self->tables = guest_begin(&self->vf[0]);
	for (i = 0; i < LEN; i++)
		((u8 *)rig_user(&self->vf[0], SRC))[i] = (u8)(i % 7);
}

FIXTURE_TEARDOWN(two)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		rig_free(&self->vf[i]);
		rig_free(&self->pf[i]);
	}
}

static void ring(struct rig *r, u32 q, u64 value)
{
	if (r->bar4)
		wdm_writeq(value, r->bar4 + (size_t)q * QM_DB_WINDOW + QM_DB_SQ_CQ);
	else
		wdm_writeq(value, r->bar2 + QM_DB_SQ_CQ);
}

static void ring_sq(struct rig *r, u32 q)
{
	ring(r, q, qm_db_value((u16)q, QM_DB_CMD_SQ, (u16)r->q[q].tail, 0));
}

static void ring_cq(struct rig *r, u32 q, bool arm)
{
	ring(r, q, qm_db_value((u16)q, QM_DB_CMD_CQ, (u16)r->q[q].cq_head, arm));
}

static void push(struct rig *r, u32 q)
{
	struct zip_sqe sqe;

	rig_sqe(&sqe, ZIP_REQ_DEFLATE, SRC, LEN, DST, LEN);
	rig_push(r, q, &sqe);
}

/* Takes completions until none comes any more. */
static u32 drain(struct rig *r, u32 q)
{
	u32 n = 0;

	rig_run(r, 1000000);
	while (rig_pop(r, q) >= 0)
		n++;
	return n;
}

static bool move(struct rig *to, struct rig *from)
{
	struct qm_migration record;
	int len = host_save(from, &record);

	guest_move(to, from);
	if (len < 0 || host_load(to, &record, (u32)len) != 1)
		return false;
	host_start(to);
	return true;
}

static bool is_busy(struct rig *r)
{
	return rig_reg(r, QM_MB) & QM_MB_BUSY;
}

/* --- pause --- */

TEST_F(two, pause_waits_for_what_is_accepted)
{
	struct rig *r = &self->vf[0];
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	self->pf[0].hold_jobs = true;
	ring_sq(r, 0);
	rig_turn(r);
	job = wdm_job_next(r->dev);
	ASSERT_NE(NULL, job);
	host_stop_begin(r);
	rig_run(r, 1000000);
	EXPECT_TRUE(is_busy(r));
	EXPECT_EQ(-1, rig_pop(r, 0));
	wdm_job_run(job, self->pf[0].scratch);
	wdm_job_done(r->dev, job);
	EXPECT_EQ(0, host_stopped(r));
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(0, rig_event(r));
}

TEST_F(two, what_is_accepted_does_not_wait_for_its_time)
{
	struct rig *r = &self->vf[0];
	u64 begin;

	wdm_device_set_latency(r->dev, 500000000);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	rig_run(r, 1000000);
	ASSERT_EQ(-1, rig_pop(r, 0));
	begin = self->pf[0].now;
	EXPECT_EQ(0, host_stop(r));
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_GT(100000000, self->pf[0].now - begin);
}

TEST_F(two, paused_function_accepts_and_reports_nothing)
{
	struct rig *r = &self->vf[0];
	u64 events;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	ASSERT_EQ(0, host_stop(r));
	events = wdm_device_stats(r->dev)->events;
	push(r, 0);
	ring_sq(r, 0);
	rig_run(r, 5000000);
	EXPECT_EQ(0, wdm_device_stats(r->dev)->descriptors);
	EXPECT_EQ(events, wdm_device_stats(r->dev)->events);
	EXPECT_FALSE(self->pf[0].look.jobs);
	host_start(r);
	EXPECT_EQ(1, drain(r, 0));
}

TEST_F(two, other_functions_go_on)
{
	struct rig *pf = &self->pf[0];

	rig_function_up(pf);
	ASSERT_EQ(0, rig_queue_start(pf, 0, NULL));
	ASSERT_EQ(0, host_stop(&self->vf[0]));
	push(pf, 0);
	ring_sq(pf, 0);
	EXPECT_EQ(1, drain(pf, 0));
	EXPECT_LE(0, rig_event(pf));
}

TEST_F(two, pause_of_nothing_else_than_a_vf)
{
	struct rig *r = &self->vf[0];

	EXPECT_LT(0, rig_mailbox(&self->pf[0], QM_MB_CMD_PAUSE_QM, 0, 0, 0));
	EXPECT_LT(0, rig_mailbox(r, QM_MB_CMD_PAUSE_QM, QM_MB_OP_GET, 0, 0));
	EXPECT_LT(0, rig_mailbox(r, QM_MB_CMD_PAUSE_QM, 0, 1, 0));
	EXPECT_LT(0, rig_mailbox(r, QM_MB_CMD_PAUSE_QM, 0, 0, 64));
	EXPECT_EQ(4, rig_refused(r, WDM_REFUSE_MB_CMD));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	EXPECT_EQ(1, drain(r, 0));
}

TEST_F(two, pause_fails_while_the_bus_master_is_closed)
{
	struct rig *r = &self->vf[0];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_reg_set(&self->pf[0], ACC_MASTER_GLOBAL_CTRL, 1);
	rig_turn(r);
	EXPECT_EQ(-EIO, host_stop(r));
	EXPECT_EQ(WDM_REFUSE_MIGRATE, rig_refusal(r));
	rig_reg_set(&self->pf[0], ACC_MASTER_GLOBAL_CTRL, 0);
	push(r, 0);
	ring_sq(r, 0);
	EXPECT_EQ(1, drain(r, 0));
}

TEST_F(two, pause_that_lasts_too_long_fails_and_loses_nothing)
{
	struct rig *r = &self->vf[0];
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	self->pf[0].hold_jobs = true;
	push(r, 0);
	push(r, 0);
	ring_sq(r, 0);
	rig_turn(r);
	job = wdm_job_next(r->dev);
	ASSERT_NE(NULL, job);
	EXPECT_EQ(-EIO, host_stop(r));
	EXPECT_EQ(WDM_REFUSE_MIGRATE, rig_refusal(r));
	wdm_job_run(job, self->pf[0].scratch);
	wdm_job_done(r->dev, job);
	self->pf[0].hold_jobs = false;
	EXPECT_EQ(2, drain(r, 0));
}

TEST_F(two, paused_again_is_paused)
{
	ASSERT_EQ(0, host_stop(&self->vf[0]));
	EXPECT_EQ(0, host_stop(&self->vf[0]));
}

TEST_F(two, driver_that_stops_its_function_ends_the_pause)
{
	struct rig *r = &self->vf[0];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	ASSERT_EQ(0, host_stop(r));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_FLUSH_QM, 0, 0, 0));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	EXPECT_EQ(1, drain(r, 0));
}

TEST_F(two, reset_ends_a_pause_and_clears_the_images)
{
	struct rig *r = &self->vf[0];
	u32 i;

	ASSERT_EQ(0, host_stop(r));
	EXPECT_NE(0, rig_reg(r, QM_EQC_IMAGE + 4));
	wdm_function_reset(r->dev, 1);
	for (i = 0; i < QM_EQC_SIZE; i += 4)
		EXPECT_EQ(0, rig_reg(r, QM_EQC_IMAGE + i) | rig_reg(r, QM_AEQC_IMAGE + i));
	guest_begin(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	EXPECT_EQ(1, drain(r, 0));
}

/* --- start --- */

TEST_F(two, start_of_a_running_function_has_no_effect)
{
	struct rig *r = &self->vf[0];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	host_start_slowly(r);
	EXPECT_EQ(WDM_REFUSE_NONE, rig_refusal(r));
	push(r, 0);
	ring_sq(r, 0);
	EXPECT_EQ(1, drain(r, 0));
}

TEST_F(two, start_doorbell_elsewhere_is_refused)
{
	struct rig *r = &self->vf[0];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	if (r->bar4)
		ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 0, QM_DB_START));
	else
		ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 1, QM_DB_START));
	rig_turn(r);
	EXPECT_EQ(WDM_REFUSE_DB_RESERVED, rig_refusal(r));
	EXPECT_EQ(0, drain(r, 0));
}

/* The same doorbells as before, which leave the same value in the register. */
TEST_F(two, function_is_started_again_and_again)
{
	struct rig *r = &self->vf[0];
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, host_stop(r));
		if (i & 1)
			host_start(r);
		else
			host_start_slowly(r);
		push(r, 1);
		ring_sq(r, 1);
		EXPECT_EQ(1, drain(r, 1)) TH_LOG("pause %u", i);
	}
}

TEST_F(two, function_that_nobody_has_loaded_does_not_start)
{
	struct rig *r = &self->vf[1];

	host_start(r);
	EXPECT_EQ(WDM_REFUSE_MIGRATE, rig_refusal(r));
	guest_begin(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
}

/* --- move --- */

TEST_F(two, descriptors_that_were_not_accepted_move)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];

	ASSERT_EQ(0, rig_queue_start(r, 2, NULL));
	self->pf[0].hold_jobs = true;
	push(r, 2);
	push(r, 2);
	push(r, 2);
	ring_sq(r, 2);
	rig_turn(r);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	EXPECT_EQ(3, drain(to, 2));
	EXPECT_EQ(0, wdm_device_stats(r->dev)->descriptors);
	EXPECT_EQ(3, wdm_device_stats(to->dev)->descriptors);
	EXPECT_EQ(0, r->strays);
}

TEST_F(two, doorbell_before_the_pause_is_seen)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	EXPECT_EQ(1, drain(to, 0));
}

TEST_F(two, lost_doorbell_is_found_after_the_move)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	push(r, 0);
	ring_sq(r, 0);
	ring_cq(r, 0, true);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	EXPECT_EQ(1, drain(to, 0));
	EXPECT_EQ(1, rig_recovered(to));
}

/* A guest that is stopped in the middle of a descriptor goes on with it. */
TEST_F(two, descriptor_that_is_being_written_stays_as_it_is)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];
	struct zip_sqe sqe;
	u32 n;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_sqe(&sqe, ZIP_REQ_DEFLATE, SRC, LEN, DST, LEN);
	for (n = 0; n < 9; n++)
		rig_store(r, 0, &sqe, n);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	rig_run(to, 1000000);
	for (; rig_store(to, 0, &sqe, n); n++)
		;
	to->q[0].tail = 1;
	EXPECT_EQ(0, memcmp(rig_slot(to, 0, 0), &sqe, sizeof(sqe)));
	ring_sq(to, 0);
	EXPECT_EQ(1, drain(to, 0));
	memcpy(&sqe, rig_slot(to, 0, 0), sizeof(sqe));
	EXPECT_EQ(ZIP_ST_OK, sqe.dw3 & ZIP_DW3_STATUS_MASK);
}

TEST_F(two, completion_that_nobody_has_seen_raises_its_event_after_the_move)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_reg_set(r, QM_EQ_INT_MASK, 1);
	push(r, 0);
	ring_sq(r, 0);
	rig_run(r, 1000000);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	EXPECT_EQ(1, rig_reg(to, QM_EQ_INT_MASK));
	rig_run(to, 1000000);
	EXPECT_EQ(0, to->irqs[WDM_IRQ_EQ]);
	rig_reg_set(to, QM_EQ_INT_MASK, 0);
	rig_run(to, 1000000);
	EXPECT_LE(1, to->irqs[WDM_IRQ_EQ]);
	EXPECT_EQ(0, rig_event(to));
	EXPECT_EQ(1, drain(to, 0));
}

/* A queue that has overflowed has ended, and its driver is told so on the other device. */
TEST_F(two, asynchronous_event_that_nobody_has_seen_is_told_after_the_move)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];
	struct rig_queue_opts o = { .cq_depth = 2 };
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 0, &o));
	rig_reg_set(r, QM_AEQ_INT_MASK, 1);
	for (i = 0; i < 5; i++)
		push(r, 0);
	ring_sq(r, 0);
	rig_run(r, 5000000);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	rig_reg_set(to, QM_AEQ_INT_MASK, 0);
	rig_run(to, 1000000);
	EXPECT_LE(1, to->irqs[WDM_IRQ_AEQ]);
	EXPECT_EQ(QM_AEQE_CQ_OVERFLOW, rig_async_event(to));
	EXPECT_EQ(-1, rig_async_event(to));
	EXPECT_EQ(0, rig_queue_stop(to, 0));
}

/* Without any CQ doorbell on the other device. */
TEST_F(two, submissions_imply_the_head_of_a_deeper_cq)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];
	struct rig_queue_opts o = { .sq_depth = SMALL };
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 0, &o));
	for (i = 0; i < RIG_DEPTH + 200; i++) {
		push(r, 0);
		ring_sq(r, 0);
		rig_turn(r);
		ASSERT_EQ(i % SMALL, rig_pop(r, 0));
		ring_cq(r, 0, false);
		rig_turn(r);
	}
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	for (; i < 3 * RIG_DEPTH + 200; i++) {
		push(to, 0);
		ring_sq(to, 0);
		rig_run(to, RIG_STEP_NS);
		ASSERT_EQ(i % SMALL, rig_pop(to, 0));
	}
	rig_run(to, 5000000);
	EXPECT_EQ(-1, rig_async_event(to));
}

TEST_F(two, queue_that_was_stopped_does_not_come_back)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	ASSERT_EQ(0, host_stop(r));
	host_start(r);
	ASSERT_EQ(0, rig_queue_stop(r, 0));
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	push(to, 0);
	ring_sq(to, 0);
	EXPECT_EQ(0, drain(to, 0));
	push(to, 1);
	ring_sq(to, 1);
	EXPECT_EQ(1, drain(to, 1));
}

TEST_F(two, queue_without_its_second_context_moves)
{
	struct rig *r = &self->vf[0], *to = &self->vf[1];
	struct rig_queue *q = &r->q[0];
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);

	q->cq_phase = 1;
	rig_sqc(r, q, NULL, rig_dma(r, at));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC, 0, 0, at));
	ASSERT_EQ(0, host_stop(r));
	ASSERT_TRUE(move(to, r));
	rig_cqc(to, &to->q[0], NULL, rig_dma(to, at));
	ASSERT_EQ(0, rig_mailbox(to, QM_MB_CMD_CQC, 0, 0, at));
	push(to, 0);
	ring_sq(to, 0);
	EXPECT_EQ(1, drain(to, 0));
}

/* --- a guest that works all the time --- */

#define REQUESTS	10000
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
