// SPDX-License-Identifier: Apache-2.0
/* The record of a paused function: what is in it, which ones a function takes, and what forged ones can't do. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "host.h"
#include "record.h"

#define SHARE	3
#define VFS	2
#define LEN	600
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))
#define FORGED	300

/* A function that is paused with a request that it hasn't begun, and another device for it. */
FIXTURE(two) {
	struct rig pf[2], vf[2], other;
	u64 tables;
	struct qm_migration record;
};

static void device_begin(struct rig *pf, enum wdm_type type, bool no_isolation)
{
	struct wdm_attr attr = { .type = type, .functions = VFS + 1, .no_isolation = no_isolation };

	rig_init_bare(pf, &attr);
	rig_engine_start(pf);
	rig_vft_queues(pf, WDM_PF, 0, 4);
}

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

static void push(struct rig *r, u32 q)
{
	struct zip_sqe sqe;

	rig_sqe(&sqe, ZIP_REQ_DEFLATE, SRC, LEN, DST, LEN);
	rig_push(r, q, &sqe);
}

static u32 drain(struct rig *r, u32 q)
{
	u32 n = 0;

	rig_run(r, 1000000);
	while (rig_pop(r, q) >= 0)
		n++;
	return n;
}

FIXTURE_SETUP(two)
{
	struct rig *r = &self->vf[0];
	u32 q, i;

	device_begin(&self->pf[0], WDM_ZIP, false);
	device_begin(&self->pf[1], WDM_ZIP, false);
	guest_attach(r, &self->pf[0], 4, SHARE);
	guest_attach(&self->vf[1], &self->pf[1], 8, SHARE);
	self->tables = guest_begin(r);
	for (i = 0; i < LEN; i++)
		((u8 *)rig_user(r, SRC))[i] = (u8)(i % 7);
	for (q = 0; q < SHARE; q++) {
		ASSERT_EQ(0, rig_queue_start(r, q, NULL));
		push(r, q);
		rig_ring_sq(r, q);
		ASSERT_EQ(1, drain(r, q));
	}
	self->pf[0].hold_jobs = true;
	push(r, 0);
	rig_ring_sq(r, 0);
	ASSERT_EQ(0, host_stop(r));
	ASSERT_EQ(sizeof(self->record), wdm_record_save(r->dev, 1, &self->record, sizeof(self->record)));
}

FIXTURE_TEARDOWN(two)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		rig_free(&self->vf[i]);
		rig_free(&self->pf[i]);
	}
}

/* Does the guest go on there, once? */
static bool resumes(struct rig *to, struct rig *from, const struct qm_migration *record)
{
	guest_move(to, from);
	if (wdm_record_load(to->dev, 1, record, sizeof(*record)) != 1)
		return false;
	host_start(to);
	return drain(to, 0) == 1 && !drain(to, 1) && !from->strays;
}

static bool is_unchanged(struct rig *r, const unsigned char *before)
{
	return !memcmp(r->bar2, before, r->bar2_bytes);
}

static unsigned char *bar_copy(struct rig *r)
{
	unsigned char *copy = malloc(r->bar2_bytes);

	if (!copy)
		abort();
	rig_turn(r);
	memcpy(copy, r->bar2, r->bar2_bytes);
	return copy;
}

/* --- what is in it --- */

TEST_F(two, record_is_what_the_registers_tell)
{
	struct qm_migration seen;

	ASSERT_EQ(sizeof(seen), host_save(&self->vf[0], &seen));
	EXPECT_EQ(0, memcmp(&seen, &self->record, sizeof(seen)));
	EXPECT_EQ(4, seen.first);
	EXPECT_EQ(SHARE, seen.queues);
	EXPECT_EQ(self->tables, seen.sqc_table);
	EXPECT_EQ(self->vf[0].eq, seen.eq_ring);
	EXPECT_EQ(SHARE, seen.eqc[0] >> 16);
}

TEST_F(two, record_of_a_function_without_a_driver_is_its_first_part)
{
	struct qm_migration r;

	memset(&r, 0xff, sizeof(r));
	rig_reg_set(&self->vf[0], QM_VF_STATE, QM_VF_NOT_READY);
	EXPECT_EQ(QM_MIGRATION_MATCH, wdm_record_save(self->vf[0].dev, 1, &r, QM_MIGRATION_MATCH));
	EXPECT_EQ(QM_VF_NOT_READY, r.state);
	EXPECT_EQ(~0u, r.aeq_mask);
	EXPECT_EQ(0, wdm_record_load(self->vf[1].dev, 1, &r, QM_MIGRATION_MATCH));
	EXPECT_EQ(0, rig_reg(&self->vf[1], QM_EQC_IMAGE + 4));
}

TEST_F(two, nothing_is_saved_of_a_running_function)
{
	struct qm_migration r;

	host_start(&self->vf[0]);
	EXPECT_EQ(-EBUSY, wdm_record_save(self->vf[0].dev, 1, &r, sizeof(r)));
}

TEST_F(two, nothing_is_saved_where_there_is_no_room_and_no_function)
{
	struct wdm_device *dev = self->vf[0].dev;
	struct qm_migration r;

	EXPECT_EQ(-ENOSPC, wdm_record_save(dev, 1, &r, sizeof(r) - 1));
	EXPECT_EQ(-EINVAL, wdm_record_save(dev, WDM_PF, &r, sizeof(r)));
	EXPECT_EQ(-EINVAL, wdm_record_save(dev, 2, &r, sizeof(r)));
	EXPECT_EQ(-EINVAL, wdm_record_save(dev, VFS + 1, &r, sizeof(r)));
}

/* --- what a function takes --- */

TEST_F(two, function_goes_on_from_its_record)
{
	EXPECT_TRUE(resumes(&self->vf[1], &self->vf[0], &self->record));
}

TEST_F(two, steps_through_registers_load_the_same)
{
	struct rig *to = &self->vf[1];

	guest_move(to, &self->vf[0]);
	ASSERT_EQ(1, host_load(to, &self->record, sizeof(self->record)));
	host_start(to);
	EXPECT_EQ(1, drain(to, 0));
}

/* Older drivers record wrong addresses of the event rings, and no version. */
TEST_F(two, old_record_has_its_addresses_in_the_images)
{
	struct qm_migration r = self->record;

	r.magic = QM_MIGRATION_MAGIC_OLD;
	r.major = 77;
	r.eq_ring = 1;
	r.aeq_ring = 2;
	EXPECT_TRUE(resumes(&self->vf[1], &self->vf[0], &r));
}

static const struct {
	const char *name;
	u32 at;		/* the byte that is changed */
} bad[] = {
	{ "magic", offsetof(struct qm_migration, magic) + 3 },
	{ "number of queues", offsetof(struct qm_migration, queues) },
	{ "device", offsetof(struct qm_migration, device) },
	{ "isolation", offsetof(struct qm_migration, isolation) },
	{ "version", offsetof(struct qm_migration, major) },
	{ "minor version", offsetof(struct qm_migration, minor) },
	{ "reserved dword of the EQ", offsetof(struct qm_migration, eqc[3]) },
	{ "head behind the EQ's depth", offsetof(struct qm_migration, eqc[0]) + 1 },
	{ "tail behind the AEQ's depth", offsetof(struct qm_migration, aeqc[0]) + 3 },
	{ "flags of the AEQ's depth", offsetof(struct qm_migration, aeqc[6]) + 3 },
	{ "EQ ring", offsetof(struct qm_migration, eq_ring) },
	{ "AEQ ring", offsetof(struct qm_migration, aeq_ring) + 7 },
};

TEST_F(two, foreign_and_malformed_records_change_nothing)
{
	struct rig *to = &self->vf[1];
	unsigned char *before = bar_copy(to);
	struct qm_migration r;
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r = self->record;
		((u8 *)&r)[bad[i].at] ^= 0x81;
		EXPECT_EQ(-EINVAL, wdm_record_load(to->dev, 1, &r, sizeof(r))) TH_LOG("%s", bad[i].name);
		EXPECT_TRUE(is_unchanged(to, before)) TH_LOG("%s", bad[i].name);
	}
	free(before);
	/* A good one afterwards is taken. */
	EXPECT_TRUE(resumes(to, &self->vf[0], &self->record));
}

TEST_F(two, depth_of_an_event_queue_must_exceed_its_indices)
{
	struct qm_migration r = self->record;

	r.eqc[6] &= ~0xffffu;
	EXPECT_EQ(-EINVAL, wdm_record_load(self->vf[1].dev, 1, &r, sizeof(r)));
	r = self->record;
	r.eqc[6] = (r.eqc[6] & ~0xffffu) | ((r.eqc[0] >> 16) - 1);
	EXPECT_EQ(-EINVAL, wdm_record_load(self->vf[1].dev, 1, &r, sizeof(r)));
	EXPECT_TRUE(resumes(&self->vf[1], &self->vf[0], &self->record));
}

TEST_F(two, record_of_another_length_is_refused)
{
	static const struct { u32 len; int err; } rows[] = {
		{ 0, -EINVAL }, { 39, -EINVAL }, { 41, -EINVAL }, { 175, -EINVAL }, { 177, -ENOMEM }, { ~0u, -ENOMEM },
	};
	struct rig *to = &self->vf[1];
	unsigned char *before = bar_copy(to);
	u8 room[256] = { 0 };
	u32 i;

	memcpy(room, &self->record, sizeof(self->record));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(rows[i].err, wdm_record_load(to->dev, 1, room, rows[i].len)) TH_LOG("%u bytes", rows[i].len);
		EXPECT_TRUE(is_unchanged(to, before)) TH_LOG("%u bytes", rows[i].len);
	}
	free(before);
	EXPECT_TRUE(resumes(to, &self->vf[0], &self->record));
}

TEST_F(two, record_without_an_address_loads_nothing)
{
	struct rig *to = &self->vf[1];
	unsigned char *before = bar_copy(to);
	struct qm_migration r;
	u32 i;

	for (i = 0; i < 4; i++) {
		r = self->record;
		if (i < 2)
			memset(i ? &r.sqc_table : &r.cqc_table, 0, 8);
		else
			memset(i & 1 ? &r.eqc[1] : &r.aeqc[1], 0, 8);
		EXPECT_EQ(0, wdm_record_load(to->dev, 1, &r, sizeof(r)));
		EXPECT_TRUE(is_unchanged(to, before));
	}
	free(before);
}

TEST_F(two, function_in_use_takes_no_record)
{
	struct rig *to = &self->vf[1];

	EXPECT_EQ(-EBUSY, wdm_record_load(self->vf[0].dev, 1, &self->record, sizeof(self->record)));
	ASSERT_EQ(1, wdm_record_load(to->dev, 1, &self->record, sizeof(self->record)));
	EXPECT_EQ(-EBUSY, wdm_record_load(to->dev, 1, &self->record, sizeof(self->record)));
	wdm_function_reset(to->dev, 1);
	guest_begin(to);
	EXPECT_EQ(-EBUSY, wdm_record_load(to->dev, 1, &self->record, sizeof(self->record)));
	wdm_function_reset(to->dev, 1);
	EXPECT_TRUE(resumes(to, &self->vf[0], &self->record));
}

TEST_F(two, no_record_for_a_pf_or_a_function_that_is_absent)
{
	struct wdm_device *dev = self->vf[1].dev;

	EXPECT_EQ(-EINVAL, wdm_record_load(dev, WDM_PF, &self->record, sizeof(self->record)));
	EXPECT_EQ(-EINVAL, wdm_record_load(dev, 2, &self->record, sizeof(self->record)));
	EXPECT_EQ(-EINVAL, wdm_record_load(dev, VFS + 1, &self->record, sizeof(self->record)));
}

/* After a refusal at the target, the guest goes on where it was. */
TEST_F(two, source_goes_on_after_a_refusal)
{
	struct qm_migration r = self->record;

	r.queues++;
	ASSERT_EQ(-EINVAL, wdm_record_load(self->vf[1].dev, 1, &r, sizeof(r)));
	self->pf[0].hold_jobs = false;
	host_start(&self->vf[0]);
	EXPECT_EQ(1, drain(&self->vf[0], 0));
}

/* --- devices that differ --- */

TEST(record_of_another_engine_isolation_or_share_is_refused)
{
	static const struct { enum wdm_type type; bool shared; u32 queues; bool fits; } rows[] = {
		{ WDM_ZIP, false, SHARE, true }, { WDM_SEC, false, SHARE, false }, { WDM_HPRE, false, SHARE, false },
		{ WDM_ZIP, true, SHARE, false }, { WDM_ZIP, false, SHARE + 1, false }, { WDM_ZIP, false, 0, false },
	};
	struct rig from[2], to[2];
	struct qm_migration r;
	u32 i;

	device_begin(&from[0], WDM_ZIP, false);
	guest_attach(&from[1], &from[0], 4, SHARE);
	guest_begin(&from[1]);
	ASSERT_EQ(0, host_stop(&from[1]));
	ASSERT_EQ(sizeof(r), wdm_record_save(from[0].dev, 1, &r, sizeof(r)));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		device_begin(&to[0], rows[i].type, rows[i].shared);
		guest_attach(&to[1], &to[0], 8, rows[i].queues);
		EXPECT_EQ(rows[i].fits ? 1 : -EINVAL, wdm_record_load(to[0].dev, 1, &r, sizeof(r))) TH_LOG("row %u", i);
		rig_free(&to[1]);
		rig_free(&to[0]);
	}
	rig_free(&from[1]);
	rig_free(&from[0]);
}

/* --- forged tables and images --- */

static const struct {
	const char *name;
	bool cq;
	u32 at;
	u8 flip;
} entries[] = {
	{ "depth of the SQ", false, 13, 0x04 }, { "entries of the SQ", false, 13, 0x10 },
	{ "head of the SQ", false, 1, 0x80 }, { "tail of the SQ", false, 3, 0x80 }, { "CQ of the SQ", false, 24, 1 },
	{ "reserved word of the SQ", false, 28, 1 }, { "algorithm of the SQ", false, 27, 0x0f },
	{ "ring of the SQ", false, 11, 0xff }, { "entries of the CQ", true, 13, 0x10 },
	{ "head of the CQ", true, 1, 0x80 }, { "tail of the CQ", true, 3, 0x80 }, { "flags of the CQ", true, 25, 1 },
	{ "reserved word of the CQ", true, 28, 1 },
};

TEST_F(two, wrong_context_is_that_queue_s_loss_only)
{
	struct rig *to = &self->vf[1];
	u64 refused;
	u8 *entry;
	u32 i;

	guest_move(to, &self->vf[0]);
	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		entry = rig_dma(to, self->tables + (entries[i].cq ? SHARE + 1 : 1) * QM_QC_SIZE);
		entry[entries[i].at] ^= entries[i].flip;
		wdm_function_reset(to->dev, 1);
		refused = rig_refused(to, WDM_REFUSE_MIGRATE);
		ASSERT_EQ(1, wdm_record_load(to->dev, 1, &self->record, sizeof(self->record)));
		host_start(to);
		EXPECT_EQ(refused + 1, rig_refused(to, WDM_REFUSE_MIGRATE)) TH_LOG("%s", entries[i].name);
		push(to, 2);
		rig_ring_sq(to, 2);
		EXPECT_EQ(1, drain(to, 2)) TH_LOG("%s", entries[i].name);
		to->q[2].tail = 1;
		to->q[2].cq_head = 1;
		memset(rig_dma(to, to->q[2].cq + 16), 0, 16);
		entry[entries[i].at] ^= entries[i].flip;
	}
}

TEST_F(two, start_with_wrong_images_has_no_effect)
{
	struct rig *to = &self->vf[1];

	guest_move(to, &self->vf[0]);
	ASSERT_EQ(1, wdm_record_load(to->dev, 1, &self->record, sizeof(self->record)));
	rig_reg_set(to, QM_EQC_IMAGE + 12, 1);
	host_start(to);
	EXPECT_EQ(WDM_REFUSE_MIGRATE, rig_refusal(to));
	EXPECT_EQ(0, drain(to, 0));
	/* The same doorbells again, after the image has been put right. */
	rig_reg_set(to, QM_EQC_IMAGE + 12, 0);
	host_start(to);
	EXPECT_EQ(1, drain(to, 0));
}

static u32 rnd(u64 *random)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*random >> 33);
}

/* Random dwords in record and tables: whatever starts uses its own function's memory only. */
TEST_F(two, forged_records_affect_no_other_function)
{
	struct rig *to = &self->vf[1], *other = &self->other;
	u64 random = 5, loaded = 0;
	struct wdm_refused last;
	struct qm_migration r;
	u32 i, n, at;

	rig_attach(other, &self->pf[1], 2);
	rig_vft_queues(&self->pf[1], 2, 4, SHARE);
	guest_begin(other);
	ASSERT_EQ(0, rig_queue_start(other, 0, NULL));
	guest_move(to, &self->vf[0]);
	for (i = 0; i < FORGED; i++) {
		r = self->record;
		for (n = rnd(&random) % 3; n > 0; n--) {
			at = 40 + rnd(&random) % 136 / 4 * 4;
			memcpy((u8 *)&r + at, &(u32){ rnd(&random) }, 4);
		}
		for (n = rnd(&random) % 6; n > 0; n--)
			((u32 *)rig_dma(to, self->tables))[rnd(&random) % (2 * SHARE * QM_QC_SIZE / 4)] = rnd(&random);
		wdm_function_reset(to->dev, 1);
		loaded += wdm_record_load(to->dev, 1, &r, sizeof(r)) == 1;
		host_start(to);
		for (n = 0; n < SHARE; n++)
			rig_ring(to, n, qm_db_value((u16)n, QM_DB_CMD_SQ, (u16)(rnd(&random) % RIG_DEPTH), 0));
		push(other, 0);
		rig_ring_sq(other, 0);
		ASSERT_EQ(1, drain(other, 0));
		rig_ring_cq(other, 0, false);
		wdm_last_refusal(to->dev, &last);
		EXPECT_TRUE(!last.reason || last.fn == 1);
	}
	EXPECT_LT(FORGED / 4, loaded);
	rig_free(other);
}

TEST_HARNESS_MAIN
