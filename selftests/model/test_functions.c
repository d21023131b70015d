// SPDX-License-Identifier: Apache-2.0
/* Several functions of one device: their shares of its queues, their registers, and that none disturbs another. */
#include "kselftest_harness.h"
#include "rig.h"

struct share {
	u32 base, num;
};

/* The rule of drivers: VF n comes first and gets what is left over, unless that is too much for one function. */
static bool share_out(u32 total, u32 pf, u32 vfs, u32 max, struct share *share)
{
	u32 rest = total - pf, each = rest / vfs, more = rest % vfs, base = pf, i;
	bool one = each + more <= max;

	if (rest < vfs)
		return false;
	for (i = vfs; i > 0; i--) {
		u32 extra = i == vfs && one ? more : !one && vfs - i < more;

		share[i] = (struct share){ base, each + extra < max ? each + extra : max };
		base += share[i].num;
	}
	return true;
}

static struct share share_read(struct rig *r)
{
	u64 entry;

	if (rig_mailbox(r, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0))
		abort();
	entry = rig_reg(r, QM_MB_DATA_L) | (u64)rig_reg(r, QM_MB_DATA_H) << 32;
	if (!(entry & QM_VFT_SQC_VALID))
		return (struct share){ 0, 0 };
	return (struct share){ entry >> QM_VFT_SQC_BASE_SHIFT & QM_VFT_SQC_BASE_MASK,
			       (entry >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK) + 1 };
}

static const struct {
	u32 total, pf, vfs, max;
	struct share first, last;	/* of VF 1 and of the last VF; 0: there is no such sharing */
} rows[] = {
	{ 1024, 64, 1, 1024, { 64, 960 }, { 64, 960 } },
	{ 1024, 64, 3, 1024, { 704, 320 }, { 64, 320 } },
	{ 1024, 64, 63, 1024, { 1009, 15 }, { 64, 30 } },
	{ 1024, 64, 63, 16, { 1009, 15 }, { 64, 16 } },
	{ 1024, 256, 7, 64, { 640, 64 }, { 256, 64 } },
	{ 64, 16, 3, 16, { 48, 16 }, { 16, 16 } },
	{ 64, 2, 63, 64, { 0, 0 }, { 0, 0 } },
	{ 128, 16, 63, 2, { 127, 1 }, { 16, 2 } },
};

/* The VFs see the shares that the PF gives them, and have all those queues but no more. */
TEST(shares_are_what_drivers_make_them)
{
	static struct rig pf, vf[RIG_FUNCTIONS];
	struct share share[RIG_FUNCTIONS], seen;
	u32 i, fn, at;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wdm_attr attr = { .queues = rows[i].total, .functions = rows[i].vfs + 1, .per_fn_max = rows[i].max };

		ASSERT_EQ(rows[i].first.num > 0, share_out(rows[i].total, rows[i].pf, rows[i].vfs, rows[i].max, share));
		if (!rows[i].first.num)
			continue;
		rig_init_bare(&pf, &attr);
		EXPECT_EQ(rows[i].total | rows[i].max << 11, rig_reg(&pf, QM_QUEUE_NUM));
		rig_vft_queues(&pf, WDM_PF, 0, rows[i].pf < rows[i].max ? rows[i].pf : rows[i].max);
		for (fn = rows[i].vfs; fn > 0; fn--)
			rig_vft_queues(&pf, fn, share[fn].base, share[fn].num);
		for (fn = 1; fn <= rows[i].vfs; fn++) {
			rig_attach(&vf[fn], &pf, fn);
			EXPECT_EQ((u64)rows[i].max * QM_DB_WINDOW, vf[fn].bar4_bytes);
			seen = share_read(&vf[fn]);
			EXPECT_EQ(share[fn].base, seen.base) TH_LOG("row %u, VF %u", i, fn);
			EXPECT_EQ(share[fn].num, seen.num) TH_LOG("row %u, VF %u", i, fn);
			at = (u32)rig_dma_alloc(&vf[fn], QM_QC_SIZE);
			EXPECT_EQ(0, rig_mailbox(&vf[fn], QM_MB_CMD_CQC, QM_MB_OP_GET, seen.num - 1, at));
			EXPECT_EQ(fn - 1, rig_refused(&pf, WDM_REFUSE_MB_QUEUE));
			EXPECT_LT(0, rig_mailbox(&vf[fn], QM_MB_CMD_CQC, QM_MB_OP_GET, seen.num, at));
			EXPECT_EQ(fn, rig_refused(&pf, WDM_REFUSE_MB_QUEUE));
		}
		seen = share_read(&vf[1]);
		EXPECT_EQ(rows[i].first.base, seen.base);
		EXPECT_EQ(rows[i].first.num, seen.num);
		seen = share_read(&vf[rows[i].vfs]);
		EXPECT_EQ(rows[i].last.base, seen.base);
		EXPECT_EQ(rows[i].last.num, seen.num);
		EXPECT_EQ(0, rig_refused(&pf, WDM_REFUSE_VFT));
		for (fn = 1; fn <= rows[i].vfs; fn++)
			rig_free(&vf[fn]);
		rig_free(&pf);
	}
}

TEST(share_above_the_most_of_a_function_is_refused)
{
	struct wdm_attr attr = { .functions = 2, .per_fn_max = 8 };
	struct rig r, vf;

	rig_init_bare(&r, &attr);
	rig_attach(&vf, &r, 1);
	EXPECT_EQ(8 * QM_DB_WINDOW, wdm_bar_size(r.dev, WDM_PF, QM_BAR_DB));
	rig_vft_queues(&r, 1, 0, 9);
	EXPECT_EQ(1, rig_refused(&r, WDM_REFUSE_VFT));
	EXPECT_EQ(0, share_read(&vf).num);
	rig_vft_queues(&r, WDM_PF, 8, 9);
	EXPECT_EQ(2, rig_refused(&r, WDM_REFUSE_VFT));
	rig_vft_queues(&r, 1, 8, 8);
	EXPECT_EQ(8, share_read(&vf).num);
	rig_free(&vf);
	rig_free(&r);

	/* Without isolated doorbells no window limits a share. */
	attr.no_isolation = true;
	rig_init_bare(&r, &attr);
	rig_vft_queues(&r, 1, 0, 9);
	EXPECT_EQ(0, rig_refused(&r, WDM_REFUSE_VFT));
	rig_free(&r);
}

TEST(most_per_function_out_of_range_is_refused)
{
	struct wdm_attr attr = { .queues = 16, .per_fn_max = 16 };

	EXPECT_NE(0, wdm_device_size(&attr));
	attr.per_fn_max = 17;
	EXPECT_EQ(0, wdm_device_size(&attr));
}

TEST_HARNESS_MAIN
