// SPDX-License-Identifier: Apache-2.0
/* HPRE descriptors in a ring: which are taken when their doorbell was lost, and what faults make of them. */
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

static u64 recovered(struct rig *r)
{
	return wdm_device_stats(r->dev)->sq_recovered;
}

/* In the ring's first pass, and over a completed one. */
TEST_F(dev, a_half_written_descriptor_isnt_taken)
{
	struct rig *r = &self->r;
	u32 pass, half, i;

	for (pass = 0; pass < 2; pass++) {
		for (i = r->q[0].tail; pass && i < RIG_DEPTH; i++)
			ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
		/* A CQ doorbell may have hidden one of the SQ. */
		ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
		for (half = 0; half < 2; half++) {
			unsigned char *slot = (unsigned char *)rig_slot(r, 0, r->q[0].tail) + half * HALF, old[HALF];

			memcpy(old, slot, HALF);
			memcpy(slot, (unsigned char *)&self->sqe + half * HALF, HALF);
			rig_run(r, 10 * SETTLE_NS);
			EXPECT_EQ(0, recovered(r)) TH_LOG("pass %u, half %u", pass, half);
			memcpy(slot, old, HALF);
		}
	}
}

TEST_F(dev, a_whole_one_is_taken_without_its_doorbell)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	memset(at(r, AT_OUT), 0, 128);
	rig_push(r, 0, &self->sqe);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(1, recovered(r));
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

/* What hasn't begun is answered with an error, and the numbers stay where they are. */
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

TEST_HARNESS_MAIN
