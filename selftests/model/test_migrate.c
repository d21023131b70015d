// SPDX-License-Identifier: Apache-2.0
/* Pause, move and start of a virtual function: what it has accepted is done once, what it hasn't is done afterwards. */
#include "kselftest_harness.h"
#include "migrate_dev.h"

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

TEST_HARNESS_MAIN
