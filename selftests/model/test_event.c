// SPDX-License-Identifier: Apache-2.0
/* Events and interrupts: never lost, only for armed queues, at most one outstanding for each completion queue. */
#include "kselftest_harness.h"
#include "rig.h"

#define SETTLE_NS	100000

FIXTURE(dev) {
	struct rig r;
	struct zip_sqe sqe;
};

FIXTURE_SETUP(dev)
{
	rig_init(&self->r, NULL);
	rig_sqe(&self->sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, RIG_USER_BASE + 4096, 4096);
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, 1, NULL));
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

static void submit(struct rig *r, u32 q, const struct zip_sqe *sqe)
{
	rig_push(r, q, sqe);
	rig_ring_sq(r, q);
	rig_turn(r);
}

TEST_F(dev, the_first_completion_of_an_armed_queue_raises_one_event)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_EQ]);
	EXPECT_NE(0, rig_reg(r, QM_EQ_INT_SOURCE));
	submit(r, 0, &self->sqe);
	EXPECT_EQ(-1, rig_event(r));
	rig_ring_eq(r);
	EXPECT_EQ(0, rig_reg(r, QM_EQ_INT_SOURCE));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_EQ]);
}

TEST_F(dev, arming_with_unconsumed_completions_fires_at_once)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	ASSERT_EQ(0, rig_event(r));
	rig_ring_eq(r);
	rig_ring_cq(r, 0, true);
	rig_turn(r);
	EXPECT_EQ(0, rig_event(r));
}

TEST_F(dev, arming_an_empty_queue_fires_at_the_next_completion)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	ASSERT_EQ(0, rig_event(r));
	rig_ring_eq(r);
	ASSERT_EQ(0, rig_pop(r, 0));
	rig_ring_cq(r, 0, true);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(-1, rig_event(r));
	submit(r, 0, &self->sqe);
	EXPECT_EQ(0, rig_event(r));
}

/* A ring with room for one, and two queues. */
TEST_F(dev, events_without_room_are_an_overflow_and_stay_owed)
{
	struct rig *r = &self->r;
	u64 at = rig_dma_alloc(r, 2 * 4);

	ASSERT_EQ(0, rig_event_queue(r, QM_MB_CMD_EQC, at, 2));
	submit(r, 0, &self->sqe);
	submit(r, 1, &self->sqe);
	EXPECT_EQ(-1, rig_async_event(r));
	rig_run(r, 20 * SETTLE_NS);
	EXPECT_EQ(QM_AEQE_EQ_OVERFLOW << 16, rig_async_event(r));
	rig_run(r, 20 * SETTLE_NS);
	EXPECT_EQ(-1, rig_async_event(r)) TH_LOG("told once");
	/* The index of the acknowledgement is 1: this ring has two entries. */
	wdm_writeq(qm_db_value(0, QM_DB_CMD_EQ, 1, 0), r->bar2 + QM_DB_EQ_AEQ);
	rig_turn(r);
	EXPECT_EQ(1, ((u32 *)rig_dma(r, at))[1] & QM_EQE_QN_MASK);
}

TEST_F(dev, a_full_event_queue_that_is_emptied_soon_is_no_overflow)
{
	struct rig *r = &self->r;
	u64 at = rig_dma_alloc(r, 2 * 4);

	ASSERT_EQ(0, rig_event_queue(r, QM_MB_CMD_EQC, at, 2));
	submit(r, 0, &self->sqe);
	submit(r, 1, &self->sqe);
	rig_run(r, 2 * SETTLE_NS);
	wdm_writeq(qm_db_value(0, QM_DB_CMD_EQ, 1, 0), r->bar2 + QM_DB_EQ_AEQ);
	rig_run(r, 20 * SETTLE_NS);
	EXPECT_EQ(-1, rig_async_event(r));
}

TEST_F(dev, one_event_is_outstanding_for_a_queue_until_acknowledged)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < 20; i++) {
		submit(r, 0, &self->sqe);
		rig_pop(r, 0);
		submit(r, 0, &self->sqe);
		rig_ring_cq(r, 0, true);
		rig_run(r, 5 * SETTLE_NS);
	}
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(-1, rig_event(r));
	/* Acknowledged and armed while completions remain: another event is raised. */
	rig_ring_eq(r);
	rig_turn(r);
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(-1, rig_event(r));
}

TEST_F(dev, queues_have_events_of_their_own)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	submit(r, 1, &self->sqe);
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(1, rig_event(r));
	EXPECT_EQ(-1, rig_event(r));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_EQ]);
}

/* A host that doesn't see every doorbell, and two queues. */
static void hidden_begin(struct rig *r)
{
	rig_free(r);
	rig_init(r, &(struct wdm_attr){ .type = WDM_ZIP, .hidden_passes = ~0u });
	rig_queue_start(r, 0, NULL);
	rig_queue_start(r, 1, NULL);
}

TEST_F(dev, a_queue_that_isnt_armed_raises_no_event)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	ASSERT_EQ(0, rig_event(r));
	rig_ring_eq(r);
	ASSERT_EQ(0, rig_pop(r, 0));
	rig_ring_cq(r, 0, false);
	submit(r, 0, &self->sqe);
	rig_run(r, 20 * SETTLE_NS);
	EXPECT_EQ(-1, rig_event(r));
	rig_ring_cq(r, 0, true);
	rig_turn(r);
	EXPECT_EQ(0, rig_event(r));
}

/* An SQ doorbell overwrites a CQ doorbell with the arm flag that the device hasn't seen. */
TEST_F(dev, a_lost_arm_raises_an_event_after_quiet)
{
	struct rig *r = &self->r;

	hidden_begin(r);
	submit(r, 0, &self->sqe);
	ASSERT_EQ(0, rig_event(r));
	rig_ring_eq(r);
	ASSERT_EQ(0, rig_pop(r, 0));
	rig_push(r, 0, &self->sqe);
	r->hold_db = true;
	rig_ring_cq(r, 0, true);
	rig_ring_sq(r, 0);
	r->hold_db = false;
	rig_turn(r);
	rig_turn(r);
	EXPECT_EQ(-1, rig_event(r));
	EXPECT_NE(WDM_NEVER, r->look.next_ns);
	rig_run(r, SETTLE_NS);
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(1, wdm_device_stats(r->dev)->arm_recovered);
}

/* The first queue's event may come to its owner at work, so no thread for another queue's event may look at it. */
TEST_F(dev, an_event_is_alone_where_arms_may_be_lost)
{
	struct rig *r = &self->r;

	hidden_begin(r);
	submit(r, 0, &self->sqe);
	submit(r, 1, &self->sqe);
	rig_run(r, 2 * SETTLE_NS);
	EXPECT_EQ(0, rig_event(r));
	EXPECT_EQ(-1, rig_event(r));
	rig_ring_eq(r);
	rig_turn(r);
	EXPECT_EQ(1, rig_event(r));
	EXPECT_EQ(-1, rig_event(r));
	EXPECT_EQ(2, r->irqs[WDM_IRQ_EQ]);
}

/* Both are armed and have completions all the time. */
TEST_F(dev, events_that_are_alone_come_to_each_queue)
{
	struct rig *r = &self->r;
	u32 i, nr[2] = { 0 };

	hidden_begin(r);
	submit(r, 0, &self->sqe);
	submit(r, 1, &self->sqe);
	for (i = 0; i < 20; i++) {
		int q = rig_event(r);

		ASSERT_LE(0, q);
		nr[q]++;
		submit(r, (u32)q, &self->sqe);
		rig_pop(r, (u32)q);
		rig_ring_cq(r, (u32)q, true);
		rig_ring_eq(r);
		rig_turn(r);
	}
	EXPECT_LE(5, nr[0]);
	EXPECT_LE(5, nr[1]);
}

TEST_F(dev, a_spinning_client_costs_at_most_one_event_for_each_pause)
{
	struct rig *r = &self->r;
	u32 i;

	hidden_begin(r);
	for (i = 0; i < 1000; i++) {
		submit(r, 0, &self->sqe);
		ASSERT_EQ((int)i, rig_pop(r, 0));
		r->now += RIG_STEP_NS / 2;
		if (rig_event(r) >= 0)
			rig_ring_eq(r);
	}
	EXPECT_GE(1, r->irqs[WDM_IRQ_EQ]);
	for (i = 0; i < 10; i++) {
		rig_run(r, SETTLE_NS);
		if (rig_event(r) >= 0)
			rig_ring_eq(r);
	}
	EXPECT_GE(2, r->irqs[WDM_IRQ_EQ]);
}

TEST_F(dev, a_masked_interrupt_comes_when_unmasked)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_EQ_INT_MASK, 1);
	submit(r, 0, &self->sqe);
	rig_run(r, SETTLE_NS);
	EXPECT_EQ(0, r->irqs[WDM_IRQ_EQ]);
	EXPECT_NE(0, rig_reg(r, QM_EQ_INT_SOURCE));
	rig_reg_set(r, QM_EQ_INT_MASK, 0);
	rig_turn(r);
	EXPECT_EQ(1, r->irqs[WDM_IRQ_EQ]);
}

TEST_F(dev, an_unacknowledged_interrupt_is_raised_again_but_not_for_ever)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	rig_run(r, 1500000);
	EXPECT_EQ(2, r->irqs[WDM_IRQ_EQ]);
	r->now += 10000000000ull;
	rig_run(r, RIG_STEP_NS);
	for (int i = 0; i < 100; i++) {
		r->now += 10000000000ull;
		rig_turn(r);
	}
	EXPECT_GE(11, r->irqs[WDM_IRQ_EQ]);
	EXPECT_EQ(WDM_NEVER, r->look.next_ns);
}

/* An AEQ doorbell overwrites an EQ doorbell that the device hasn't seen: both use one register. */
TEST_F(dev, a_lost_acknowledgement_doesnt_silence_the_queue)
{
	struct rig *r = &self->r;
	u32 irqs;

	submit(r, 0, &self->sqe);
	ASSERT_EQ(0, rig_event(r));
	ASSERT_EQ(0, rig_pop(r, 0));
	wdm_writeq(qm_db_value(0, QM_DB_CMD_AEQ, 0, 0), r->bar2 + QM_DB_EQ_AEQ);
	submit(r, 0, &self->sqe);
	rig_ring_cq(r, 0, true);
	irqs = r->irqs[WDM_IRQ_EQ];
	rig_run(r, 2000000);
	EXPECT_LT(irqs, r->irqs[WDM_IRQ_EQ]);
	rig_ring_eq(r);
	EXPECT_EQ(0, rig_event(r));
}

TEST_F(dev, bad_event_doorbells_are_refused)
{
	static const u64 bad[] = {
		2ull << 12 | 1, 2ull << 12 | 1ull << 16, 2ull << 12 | 1ull << 48, 2ull << 12 | 5ull << 32,
		2ull << 12 | 0xffffull << 32, 1ull << 12, 7ull << 12,
	};
	struct rig *r = &self->r;
	u64 n = 0;
	u32 i;

	submit(r, 0, &self->sqe);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wdm_writeq(bad[i], r->bar2 + QM_DB_EQ_AEQ);
		rig_turn(r);
	}
	for (i = WDM_REFUSE_DB_QUEUE; i <= WDM_REFUSE_DB_RESERVED; i++)
		n += rig_refused(r, i);
	EXPECT_EQ(sizeof(bad) / sizeof(bad[0]), n);
	EXPECT_NE(0, rig_reg(r, QM_EQ_INT_SOURCE));
}

TEST_F(dev, a_full_event_queue_delays_events)
{
	struct rig *r = &self->r;
	u32 q, n = 0;

	/* A ring of four entries for sixteen queues. */
	ASSERT_EQ(0, rig_event_queue(r, QM_MB_CMD_EQC, r->eq, 4));
	memset(rig_dma(r, r->eq), 0, 16);
	for (q = 0; q < RIG_QUEUES; q++) {
		if (q > 1)
			ASSERT_EQ(0, rig_queue_start(r, q, NULL));
		submit(r, q, &self->sqe);
	}
	EXPECT_EQ(3, wdm_device_stats(r->dev)->events);
	for (n = 3; n <= 18; n += 3) {
		wdm_writeq(qm_db_value(0, QM_DB_CMD_EQ, (u16)(n % 4), 0), r->bar2 + QM_DB_EQ_AEQ);
		rig_run(r, RIG_STEP_NS);
	}
	EXPECT_EQ(RIG_QUEUES, wdm_device_stats(r->dev)->events);
}

TEST_F(dev, event_ring_wraps_with_its_phase)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < 3 * QM_EQ_DEPTH_V2; i++) {
		submit(r, 0, &self->sqe);
		ASSERT_EQ(0, rig_event(r));
		rig_ring_eq(r);
		ASSERT_LE(0, rig_pop(r, 0));
		rig_ring_cq(r, 0, true);
	}
	EXPECT_EQ(3 * QM_EQ_DEPTH_V2, wdm_device_stats(r->dev)->events);
}

TEST_F(dev, an_idle_device_asks_for_no_look)
{
	struct rig *r = &self->r;

	submit(r, 0, &self->sqe);
	rig_event(r);
	rig_ring_eq(r);
	rig_pop(r, 0);
	rig_ring_cq(r, 0, true);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(WDM_NEVER, r->look.next_ns);
	EXPECT_FALSE(r->look.worked);
	EXPECT_FALSE(r->look.jobs);
	EXPECT_EQ(0, r->look.busy);
}

TEST_HARNESS_MAIN
