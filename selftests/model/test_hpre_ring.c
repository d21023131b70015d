// SPDX-License-Identifier: Apache-2.0
/* HPRE descriptors in a ring: which are taken when their doorbell was lost, and how faults affect them. */
#include "kselftest_harness.h"
#include "fault.h"
#include "hpre_rig.h"

#define SETTLE_NS	100000
#define HALF		(HPRE_SQE_SIZE / 2)

FIXTURE(dev) {
	struct rig r;
	struct hpre_sqe sqe;
};

/* 2 to the third */
FIXTURE_SETUP(dev)
{
	hpre_rig_init(&self->r);
	memset(at(&self->r, AT_KEY), 0xff, 256);
	put_hex(&self->r, AT_KEY, 0, 128, "03");
	put_hex(&self->r, AT_IN, 0, 128, "02");
	hpre_fill(&self->sqe, HPRE_RSA, 128);
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

/* In the ring's first pass, and over a completed descriptor. */
TEST_F(dev, a_half_written_descriptor_isnt_taken)
{
	struct rig *r = &self->r;
	u32 pass, half, i;

	for (pass = 0; pass < 2; pass++) {
		for (i = r->q[0].tail; pass && i < RIG_DEPTH; i++)
			ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
		/* The CQ doorbell may have overwritten an SQ doorbell. */
		ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
		for (half = 0; half < 2; half++) {
			unsigned char *slot = (unsigned char *)rig_slot(r, 0, r->q[0].tail) + half * HALF, old[HALF];

			memcpy(old, slot, HALF);
			memcpy(slot, (unsigned char *)&self->sqe + half * HALF, HALF);
			rig_run(r, 500 * SETTLE_NS);
			EXPECT_EQ(0, rig_recovered(r)) TH_LOG("pass %u, half %u", pass, half);
			memcpy(slot, old, HALF);
		}
	}
}

TEST_F(dev, one_whose_last_store_is_split_waits_for_its_end)
{
	struct rig *r = &self->r;
	u32 n;

	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	for (n = 0; rig_store(r, 0, &self->sqe, n); n++) {
		EXPECT_EQ(0, rig_recovered(r)) TH_LOG("%u stores", n);
		rig_run(r, 500 * SETTLE_NS);
	}
	EXPECT_EQ(1, rig_recovered(r));
}

TEST_F(dev, a_whole_one_is_taken_without_its_doorbell)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	memset(at(r, AT_OUT), 0, 128);
	rig_push(r, 0, &self->sqe);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(1, rig_recovered(r));
	EXPECT_EQ(1, rig_pop(r, 0));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "08"));
}

TEST_F(dev, a_fault_fails_with_its_status)
{
	struct wdm_fault_rule rule = { .next = 1, .queue = WDM_FAULT_ANY, .value = 0x7ff };
	struct rig *r = &self->r;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	memset(at(r, AT_OUT), 0x55, 128);
	EXPECT_EQ(0x7ff, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_EQ(0x55, at(r, AT_OUT)[0]);
	EXPECT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	rule.value = 0x800;
	EXPECT_EQ(-EINVAL, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	rule.value = 0;
	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	EXPECT_EQ(HPRE_ERR_ABORTED, hpre_ask(r, HPRE_RSA, 128));
}

/* Requests that haven't begun complete with an error, and their operands stay as they are. */
TEST_F(dev, a_stop_answers_what_waits)
{
	struct rig *r = &self->r;
	u32 i, done = 0, aborted = 0;

	r->hold_jobs = true;
	for (i = 0; i < 8; i++)
		rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	rig_mailbox_write(r, QM_MB_CMD_STOP_QP, 0, 0, 0);
	rig_run(r, 100000000);
	for (i = 0; i < 8; i++) {
		const struct hpre_sqe *sqe;
		int slot = rig_pop(r, 0);

		if (slot < 0)
			break;
		done++;
		sqe = (const struct hpre_sqe *)rig_slot(r, 0, (u32)slot);
		aborted += (sqe->dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK) == HPRE_ERR_ABORTED;
	}
	EXPECT_EQ(8, done);
	EXPECT_EQ(done, aborted);
}

/* One request of @op on a device whose register @reg was cleared of @bits: returns its error. */
static int without(struct rig *r, enum hpre_op op, u32 qc_type, u32 reg, u32 bits)
{
	u32 was = rig_reg(r, reg);
	struct hpre_sqe sqe;
	int error;

	rig_reg_set(r, reg, was & ~bits);
	hpre_fill(&sqe, op, 32);
	error = hpre_do_on(r, qc_type, &sqe);
	rig_reg_set(r, reg, was);
	return error;
}

static u64 refused(struct rig *r)
{
	return wdm_device_stats(r->dev)->refused[WDM_REFUSE_ENGINE];
}

TEST_F(dev, nothing_is_executed_before_the_engine_is_initialised)
{
	struct rig *r = &self->r;

	EXPECT_EQ(HPRE_ERR_ABORTED, without(r, HPRE_RSA, HPRE_QC_RSA_DH, HPRE_INIT_DONE, 1));
	EXPECT_EQ(HPRE_ERR_ABORTED, without(r, HPRE_RSA, HPRE_QC_RSA_DH, HPRE_TYPES_ENABLE, HPRE_TYPES_RSA));
	EXPECT_EQ(HPRE_ERR_ABORTED, without(r, HPRE_ECC_MULTIPLY, HPRE_QC_ECC, HPRE_TYPES_ENABLE, HPRE_TYPES_ECC));
	EXPECT_EQ(HPRE_ERR_ABORTED, without(r, HPRE_RSA, HPRE_QC_RSA_DH, HPRE_CLUSTER_BASE + HPRE_CLUSTER_READY, ~0u));
	EXPECT_EQ(4, refused(r));
	/* One class alone is enough for the class' own operations. */
	EXPECT_NE(HPRE_ERR_ABORTED, without(r, HPRE_RSA, HPRE_QC_RSA_DH, HPRE_TYPES_ENABLE, HPRE_TYPES_ECC));
	EXPECT_NE(HPRE_ERR_ABORTED, without(r, HPRE_ECC_MULTIPLY, HPRE_QC_ECC, HPRE_TYPES_ENABLE, HPRE_TYPES_RSA));
	EXPECT_EQ(4, refused(r));
}

TEST_F(dev, a_cluster_has_the_cores_that_it_was_started_with)
{
	struct rig *r = &self->r;

	wdm_function_reset(r->dev, WDM_PF);
	rig_reg_set(r, HPRE_CLUSTER_BASE + HPRE_CLUSTER_START, 1);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, HPRE_CLUSTER_BASE + HPRE_CLUSTER_READY));
	rig_reg_set(r, HPRE_CLUSTER_BASE + HPRE_CLUSTER_CORES, 0x1003);
	rig_reg_set(r, HPRE_CLUSTER_BASE + HPRE_CLUSTER_START, 1);
	rig_turn(r);
	EXPECT_EQ(3, rig_reg(r, HPRE_CLUSTER_BASE + HPRE_CLUSTER_READY));
}

TEST_HARNESS_MAIN
