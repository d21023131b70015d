// SPDX-License-Identifier: Apache-2.0
/* SQ and CQ: doorbells, order, wrap, loss of doorbells, overflow. */
#include "kselftest_harness.h"
#include "queue_dev.h"

#define SETTLE_NS	100000
#define LONG_NS		50000000

TEST_F(dev, requests_complete_in_ring_order_through_many_wraps)
{
	struct rig *r = &self->r;
	u32 i, n, tag = 0, seen = 0;
	int slot;

	for (i = 0; i < 40; i++) {
		for (n = 0; n < 100; n++) {
			self->sqe.tag_l = tag++;
			rig_push(r, 0, &self->sqe);
		}
		rig_ring_sq(r, 0);
		rig_turn(r);
		for (n = 0; n < 100; n++) {
			slot = rig_pop(r, 0);
			ASSERT_LE(0, slot);
			ASSERT_EQ(seen++, ((struct zip_sqe *)rig_slot(r, 0, (u32)slot))->tag_l);
		}
		ASSERT_EQ(-1, rig_pop(r, 0));
		rig_ring_cq(r, 0, false);
	}
	EXPECT_EQ(4000, wdm_device_stats(r->dev)->completions);
	EXPECT_EQ(0, rig_recovered(r));
}

TEST_F(dev, a_ring_takes_depth_minus_one)
{
	struct rig *r = &self->r;
	u32 i;

	r->hold_jobs = true;
	for (i = 0; i < RIG_DEPTH - 1; i++)
		rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	r->hold_jobs = false;
	rig_run(r, RIG_STEP_NS * 10);
	for (i = 0; i < RIG_DEPTH - 1; i++) {
		ASSERT_EQ((int)i, rig_pop(r, 0));
	}
	EXPECT_EQ(-1, rig_pop(r, 0));
}

TEST_F(dev, more_than_a_full_ring_is_refused)
{
	struct rig *r = &self->r;

	r->hold_jobs = true;
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	/* The tail advances by 1023 while one request is outstanding. */
	rig_ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 0, 0));
	EXPECT_EQ(WDM_REFUSE_DB_INDEX, rig_refusal(r));
	r->hold_jobs = false;
	rig_run(r, RIG_STEP_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(-1, rig_pop(r, 0));
}

TEST_F(dev, odd_depths_wrap_too)
{
	struct rig_queue_opts o = { .sq_depth = 7, .cq_depth = 13 };
	u32 i;

	ASSERT_EQ(0, rig_queue_start(&self->r, 1, &o));
	for (i = 0; i < 100; i++) {
		ASSERT_TRUE(one(&self->r, 1, &self->sqe, i));
	}
}

TEST_F(dev, each_bad_doorbell_is_refused)
{
	struct rig *r = &self->r;
	static const struct { u64 value; enum wdm_refusal why; } bad[] = {
		{ 1ull << 32 | 1, WDM_REFUSE_DB_QUEUE },
		{ 1ull << 32 | 0xfff, WDM_REFUSE_DB_QUEUE },
		{ 2ull << 12, WDM_REFUSE_DB_CMD },
		{ 3ull << 12, WDM_REFUSE_DB_CMD },
		{ 0xfull << 12, WDM_REFUSE_DB_CMD },
		{ 1ull << 32 | 1ull << 16, WDM_REFUSE_DB_RANDOM },
		{ 1024ull << 32, WDM_REFUSE_DB_INDEX },
		{ 0xffffull << 32, WDM_REFUSE_DB_INDEX },
		{ 1ull << 12 | 1024ull << 32, WDM_REFUSE_DB_INDEX },
		{ 1ull << 12 | 1ull << 32, WDM_REFUSE_DB_INDEX },
		{ 1ull << 32 | 2ull << 48, WDM_REFUSE_DB_RESERVED },
		{ 1ull << 12 | 2ull << 48, WDM_REFUSE_DB_RESERVED },
	};
	u32 i;
	u64 n;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		n = rig_refused(r, bad[i].why);
		rig_ring(r, 0, bad[i].value);
		EXPECT_EQ(n + 1, rig_refused(r, bad[i].why)) TH_LOG("doorbell %u", i);
	}
	EXPECT_EQ(0, wdm_device_stats(r->dev)->descriptors);
	EXPECT_TRUE(one(r, 0, &self->sqe, 1));
}

TEST_F(dev, doorbells_that_move_nothing_keep_nobody_awake)
{
	struct rig *r = &self->r;
	const u64 idle[] = {
		qm_db_value(0, QM_DB_CMD_SQ, 0, 0), qm_db_value(0, QM_DB_CMD_CQ, 0, 0),
		qm_db_value(0, QM_DB_CMD_CQ, 0, QM_DB_C_FLAG), qm_db_value(0, QM_DB_CMD_SQ, 0, 2),
		qm_db_value(0, QM_DB_CMD_CQ, 5, 0), qm_db_value(0, 9, 0, 0), qm_db_value(3, QM_DB_CMD_SQ, 1, 0),
	};
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_turn(r);
	for (i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		rig_ring(r, 0, idle[i]);
		EXPECT_FALSE(r->look.worked) TH_LOG("doorbell %u", i);
	}
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_TRUE(r->look.worked);
}

TEST_F(dev, random_tag_must_match)
{
	struct rig_queue_opts o = { .rand = 0xaaaa };
	struct rig *r = &self->r;

	ASSERT_EQ(0, rig_queue_start(r, 1, &o));
	rig_push(r, 1, &self->sqe);
	rig_ring_sq(r, 1);
	EXPECT_EQ(WDM_REFUSE_DB_RANDOM, rig_refusal(r));
	rig_ring(r, 1, qm_db_value(1, QM_DB_CMD_SQ, 1, 0) | 0xaaaaull << QM_DB_RAND_SHIFT);
	rig_turn(r);
	EXPECT_EQ(0, rig_pop(r, 1));
}

TEST_F(dev, a_window_reaches_only_its_own_queue)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	rig_push(r, 1, &self->sqe);
	rig_ring(r, 0, qm_db_value(1, QM_DB_CMD_SQ, 1, 0));
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(-1, rig_pop(r, 1));
	EXPECT_EQ(WDM_REFUSE_DB_QUEUE, rig_refusal(r));
}

/* A CQ doorbell overwrites an SQ doorbell that the device has not seen. */
TEST_F(dev, cq_doorbell_over_unseen_sq_doorbell_loses_nothing)
{
	struct rig *r = &self->r;
	u32 i;
	int slot;

	for (i = 0; i < 3 * RIG_DEPTH; i++) {
		self->sqe.tag_l = i + 1;
		rig_push(r, 0, &self->sqe);
		r->hold_db = true;
		rig_ring_sq(r, 0);
		rig_ring_cq(r, 0, true);
		r->hold_db = false;
		rig_run(r, SETTLE_NS + 2 * RIG_STEP_NS);
		slot = rig_pop(r, 0);
		ASSERT_EQ((int)(i % RIG_DEPTH), slot);
		ASSERT_EQ(i + 1, ((struct zip_sqe *)rig_slot(r, 0, (u32)slot))->tag_l);
	}
	EXPECT_EQ(3 * RIG_DEPTH, rig_recovered(r));
}

TEST_F(dev, overwritten_doorbell_of_several_descriptors_loses_none)
{
	struct rig *r = &self->r;
	u32 i, n;

	for (n = 0; n < 200; n++) {
		for (i = 0; i < 8; i++)
			rig_push(r, 0, &self->sqe);
		r->hold_db = true;
		rig_ring_sq(r, 0);
		rig_ring_cq(r, 0, false);
		r->hold_db = false;
		rig_run(r, SETTLE_NS + 2 * RIG_STEP_NS);
		for (i = 0; i < 8; i++) {
			ASSERT_LE(0, rig_pop(r, 0));
		}
	}
	EXPECT_EQ(-1, rig_pop(r, 0));
}

TEST_F(dev, same_cq_doorbell_value_twice_hides_nothing)
{
	struct rig *r = &self->r;

	rig_ring_cq(r, 0, true);
	rig_push(r, 0, &self->sqe);
	r->hold_db = true;
	rig_ring_sq(r, 0);
	rig_ring_cq(r, 0, true);
	r->hold_db = false;
	rig_run(r, 2 * SETTLE_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, a_descriptor_whose_doorbell_is_to_come_isnt_taken_early)
{
	struct rig *r = &self->r;

	ASSERT_TRUE(one(r, 0, &self->sqe, 1));
	rig_ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 1, 0));
	rig_push(r, 0, &self->sqe);
	rig_run(r, 100 * SETTLE_NS);
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_ring_sq(r, 0);
	EXPECT_EQ(1, rig_pop(r, 0));
}

/*
 * Any three of a descriptor's four quarters written, however long ago, over an empty slot and over a completed
 * descriptor.
 */
TEST_F(dev, a_half_written_descriptor_isnt_taken)
{
	struct rig *r = &self->r;
	u32 pass, part;

	/* The CQ doorbell may have overwritten an SQ doorbell. */
	rig_ring_cq(r, 0, false);
	for (pass = 0; pass < 2; pass++) {
		for (part = 0; part < 4; part++) {
			u32 slot = r->q[0].tail;

			memcpy(rig_slot(r, 0, slot), &self->sqe, 32 * part);
			memcpy((char *)rig_slot(r, 0, slot) + 32 * (part + 1), (char *)&self->sqe + 32 * (part + 1),
			       96 - 32 * part);
			rig_run(r, LONG_NS);
			ASSERT_EQ(0, rig_recovered(r)) TH_LOG("pass %u, all but part %u", pass, part);
			ASSERT_TRUE(one(r, 0, &self->sqe, part)) TH_LOG("part %u", part);
			rig_ring_cq(r, 0, false);
		}
		while (r->q[0].tail) {
			ASSERT_TRUE(one(r, 0, &self->sqe, pass));
		}
	}
}

TEST_F(dev, a_descriptor_that_is_written_from_its_beginning_waits_for_its_end)
{
	struct rig *r = &self->r;
	u32 bytes;

	rig_ring_cq(r, 0, false);
	for (bytes = 16; bytes < 112; bytes += 16) {
		memcpy(rig_slot(r, 0, 0), &self->sqe, bytes);
		rig_run(r, LONG_NS);
		ASSERT_EQ(0, rig_recovered(r)) TH_LOG("%u bytes", bytes);
	}
	rig_push(r, 0, &self->sqe);
	rig_run(r, SETTLE_NS + 2 * RIG_STEP_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, a_descriptor_whose_last_store_is_split_waits_for_its_end)
{
	struct rig *r = &self->r;
	u32 n;

	rig_ring_cq(r, 0, false);
	for (n = 0; rig_store(r, 0, &self->sqe, n); n++) {
		ASSERT_EQ(0, rig_recovered(r)) TH_LOG("%u stores", n);
		rig_run(r, LONG_NS);
	}
	EXPECT_EQ(1, rig_recovered(r));
}

/*
 * The library's copy in stores of 8 bytes each, as an emulated CPU makes them: bytes 80 to 95 last. The earlier stores
 * may equal the slot's old contents.
 */
TEST_F(dev, a_descriptor_as_the_library_stores_it_waits_for_its_end)
{
	struct rig *r = &self->r;
	u32 pass, n;

	for (pass = 0; pass < 2; pass++) {
		rig_ring_cq(r, 0, false);
		for (n = 0; n < 16; n++) {
			u32 at = 8 * (n < 10 ? n : n < 14 ? n + 2 : n - 4);

			memcpy((char *)rig_slot(r, 0, r->q[0].tail) + at, (char *)&self->sqe + at, 8);
			rig_run(r, LONG_NS);
			ASSERT_EQ(n == 15 ? pass + 1 : pass, rig_recovered(r))
				TH_LOG("pass %u, %u stores", pass, n + 1);
		}
		r->q[0].tail++;
		EXPECT_LE(0, rig_pop(r, 0));
		while (!pass && r->q[0].tail) {
			ASSERT_TRUE(one(r, 0, &self->sqe, 1));
		}
	}
}

TEST_F(dev, a_first_pass_descriptor_without_a_tag_isnt_lost)
{
	struct rig *r = &self->r;

	self->sqe.tag_l = 0;
	rig_push(r, 0, &self->sqe);
	r->hold_db = true;
	rig_ring_sq(r, 0);
	rig_ring_cq(r, 0, false);
	r->hold_db = false;
	rig_run(r, SETTLE_NS + 2 * RIG_STEP_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, an_older_doorbell_in_the_first_pass_submits_nothing)
{
	struct rig *r = &self->r;

	rig_ring_cq(r, 0, false);
	rig_push(r, 0, &self->sqe);
	rig_push(r, 0, &self->sqe);
	rig_run(r, 2 * SETTLE_NS);
	ASSERT_EQ(0, rig_pop(r, 0));
	ASSERT_EQ(1, rig_pop(r, 0));
	rig_ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 1, 0));
	rig_run(r, SETTLE_NS);
	EXPECT_EQ(2, wdm_device_stats(r->dev)->descriptors);
	EXPECT_TRUE(one(r, 0, &self->sqe, 5));
}

TEST_F(dev, an_older_doorbell_after_recovery_submits_nothing)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < RIG_DEPTH; i++) {
		ASSERT_TRUE(one(r, 0, &self->sqe, i));
	}
	rig_push(r, 0, &self->sqe);
	rig_push(r, 0, &self->sqe);
	rig_run(r, 2 * SETTLE_NS);
	EXPECT_EQ(2, rig_recovered(r));
	ASSERT_EQ(0, rig_pop(r, 0));
	ASSERT_EQ(1, rig_pop(r, 0));
	rig_ring(r, 0, qm_db_value(0, QM_DB_CMD_SQ, 1, 0));
	rig_run(r, SETTLE_NS);
	EXPECT_EQ(WDM_REFUSE_DB_INDEX, rig_refusal(r));
	EXPECT_EQ(RIG_DEPTH + 2, wdm_device_stats(r->dev)->descriptors);
	rig_ring_sq(r, 0);
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_TRUE(one(r, 0, &self->sqe, 5));
}

/* Sends requests one by one and reads their completions, without any CQ doorbell. Returns how many have completed. */
static u32 without_cq_doorbell(struct rig *r, const struct zip_sqe *sqe, u32 most)
{
	u32 n;

	for (n = 0; n < most; n++) {
		rig_push(r, 0, sqe);
		rig_ring_sq(r, 0);
		rig_turn(r);
		if (rig_pop(r, 0) < 0)
			break;
	}
	return n;
}

/* A device on which SQ doorbells may hide CQ doorbells. */
static void hidden_begin(struct rig *r, u32 passes)
{
	rig_free(r);
	rig_init(r, &(struct wdm_attr){ .type = WDM_ZIP, .hidden_passes = passes });
	rig_queue_start(r, 0, NULL);
}

TEST_F(dev, a_queue_without_a_cq_doorbell_ends_with_its_cq)
{
	struct rig *r = &self->r;

	EXPECT_EQ(RIG_DEPTH - 1, without_cq_doorbell(r, &self->sqe, 2 * RIG_DEPTH));
	rig_run(r, 11 * SETTLE_NS);
	EXPECT_EQ(QM_AEQE_CQ_OVERFLOW << 16, rig_async_event(r));
	EXPECT_EQ(-1, rig_pop(r, 0));
}

TEST_F(dev, lost_cq_doorbells_never_make_an_overflow)
{
	struct rig *r = &self->r;

	hidden_begin(r, 5);
	/* All completions are consumed, but the device never gets a CQ doorbell. */
	EXPECT_EQ(5 * RIG_DEPTH, without_cq_doorbell(r, &self->sqe, 5 * RIG_DEPTH));
	EXPECT_EQ(0, wdm_device_stats(r->dev)->async_events);
	rig_ring_cq(r, 0, false);
	EXPECT_EQ(0, rig_refused(r, WDM_REFUSE_DB_INDEX));
	EXPECT_EQ(5 * RIG_DEPTH, without_cq_doorbell(r, &self->sqe, 5 * RIG_DEPTH));
}

TEST_F(dev, no_more_cq_doorbells_are_believed_lost_than_the_host_hides)
{
	struct rig *r = &self->r;

	hidden_begin(r, 2);
	EXPECT_EQ(3 * RIG_DEPTH - 1, without_cq_doorbell(r, &self->sqe, 4 * RIG_DEPTH));
	rig_run(r, 11 * SETTLE_NS);
	EXPECT_EQ(QM_AEQE_CQ_OVERFLOW << 16, rig_async_event(r));
}

/* A driver that forgets a register finds out which one. */
TEST_F(dev, a_device_without_the_time_out_of_doorbells_does_nothing)
{
	struct wdm_refused refused;
	struct rig *r = &self->r;

	rig_free(r);
	rig_init_bare(r, NULL);
	rig_reg_set(r, QM_MEM_START_INIT, 1);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	rig_function_up(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_FALSE(one(r, 0, &self->sqe, 1));
	wdm_last_refusal(r->dev, &refused);
	EXPECT_EQ(WDM_REFUSE_ENGINE, refused.reason);
	EXPECT_EQ(QM_DB_TIMEOUT_CFG, refused.value);
	rig_reg_set(r, QM_DB_TIMEOUT_CFG, 1);
	EXPECT_FALSE(one(r, 0, &self->sqe, 2));
	rig_reg_set(r, QM_DB_TIMEOUT_CFG, QM_DB_TIMEOUT_NS);
	EXPECT_TRUE(one(r, 0, &self->sqe, 3));
	wdm_function_reset(r->dev, WDM_PF);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	rig_function_up(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_TRUE(one(r, 0, &self->sqe, 4));
	wdm_device_reset(r->dev);
	rig_reg_set(r, QM_MEM_START_INIT, 1);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	rig_function_up(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_FALSE(one(r, 0, &self->sqe, 5));
	wdm_last_refusal(r->dev, &refused);
	EXPECT_EQ(QM_DB_TIMEOUT_CFG, refused.value);
	rig_reg_set(r, QM_DB_TIMEOUT_CFG, QM_DB_TIMEOUT_NS);
	EXPECT_TRUE(one(r, 0, &self->sqe, 6));
}

TEST_F(dev, a_driver_of_old_need_not_set_the_time_out_of_doorbells)
{
	struct rig *r = &self->r;

	rig_free(r);
	rig_init_bare(r, &(struct wdm_attr){ .type = WDM_ZIP, .any_db_timeout = true });
	rig_reg_set(r, QM_MEM_START_INIT, 1);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	rig_function_up(r);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_TRUE(one(r, 0, &self->sqe, 1));
}

TEST_F(dev, cq_overflow_is_an_asynchronous_event_and_halts_the_queue)
{
	struct rig_queue_opts o = { .cq_depth = 16 };
	struct rig *r = &self->r;
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 4, &o));
	for (i = 0; i < 20; i++)
		rig_push(r, 4, &self->sqe);
	rig_ring_sq(r, 4);
	rig_run(r, 9 * SETTLE_NS);
	EXPECT_EQ(-1, rig_async_event(r));
	rig_run(r, 2 * SETTLE_NS);
	EXPECT_EQ(QM_AEQE_CQ_OVERFLOW << 16 | 4, rig_async_event(r));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_AEQ]);
	EXPECT_EQ(15, wdm_device_stats(r->dev)->completions);
	EXPECT_TRUE(one(r, 0, &self->sqe, 1));
	EXPECT_EQ(0, rig_queue_stop(r, 4));
	ASSERT_EQ(0, rig_queue_start(r, 4, NULL));
	EXPECT_TRUE(one(r, 4, &self->sqe, 1));
}

TEST_F(dev, a_late_cq_doorbell_averts_the_overflow)
{
	struct rig_queue_opts o = { .cq_depth = 16 };
	struct rig *r = &self->r;
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 4, &o));
	for (i = 0; i < 20; i++)
		rig_push(r, 4, &self->sqe);
	rig_ring_sq(r, 4);
	rig_run(r, 5 * SETTLE_NS);
	for (i = 0; i < 15; i++) {
		ASSERT_EQ((int)i, rig_pop(r, 4));
	}
	rig_ring_cq(r, 4, false);
	rig_run(r, 20 * SETTLE_NS);
	for (; i < 20; i++) {
		ASSERT_EQ((int)i, rig_pop(r, 4));
	}
	EXPECT_EQ(-1, rig_async_event(r));
}

TEST_F(dev, an_unreachable_ring_breaks_only_its_queue)
{
	struct rig *r = &self->r;
	struct qm_cqc cqc;
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);

	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	rig_cqc(r, &r->q[1], NULL, &cqc);
	cqc.base_h = 0xdead;
	memcpy(rig_dma(r, at), &cqc, sizeof(cqc));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_CQC, 0, 1, at));
	rig_push(r, 1, &self->sqe);
	rig_ring_sq(r, 1);
	rig_run(r, SETTLE_NS);
	EXPECT_EQ(WDM_REFUSE_RING_DMA, rig_refusal(r));
	EXPECT_EQ(QM_AEQE_CQE_ERROR << 16 | 1, rig_async_event(r));
	EXPECT_TRUE(one(r, 0, &self->sqe, 1));
	EXPECT_EQ(0, rig_queue_stop(r, 1));
	EXPECT_EQ(0, r->look.busy);
}

TEST_F(dev, without_isolation_queues_share_one_register)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .no_isolation = true, .hidden_passes = 2 };
	struct rig r;
	u32 i;

	rig_init(&r, &attr);
	ASSERT_EQ(0, rig_queue_start(&r, 0, NULL));
	ASSERT_EQ(0, rig_queue_start(&r, 1, NULL));
	for (i = 0; i < 2000; i++) {
		/* Queue 1's doorbell overwrites queue 0's. */
		rig_push(&r, 0, &self->sqe);
		rig_push(&r, 1, &self->sqe);
		wdm_writeq(qm_db_value(0, QM_DB_CMD_SQ, (u16)r.q[0].tail, 0), r.bar2 + QM_DB_SQ_CQ);
		wdm_writeq(qm_db_value(1, QM_DB_CMD_SQ, (u16)r.q[1].tail, 0), r.bar2 + QM_DB_SQ_CQ);
		rig_run(&r, SETTLE_NS + 2 * RIG_STEP_NS);
		ASSERT_EQ((int)(i % RIG_DEPTH), rig_pop(&r, 0));
		ASSERT_EQ((int)(i % RIG_DEPTH), rig_pop(&r, 1));
	}
	rig_free(&r);
}

TEST_HARNESS_MAIN
