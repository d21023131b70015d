// SPDX-License-Identifier: Apache-2.0
/* Several functions of one device: their shares of its queues, their registers, and that none disturbs another. */
#include <stdlib.h>
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
		struct wdm_attr attr = {
			.queues = rows[i].total, .functions = rows[i].vfs + 1, .per_fn_max = rows[i].max
		};

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

/* What a guest sees of a VF, on each generation. The rig's memory ends there. */
TEST(a_vf_with_half_of_its_registers_works_and_does_not_migrate)
{
	struct wdm_attr attr = { .functions = 2, .half_vf_regs = true };
	struct zip_sqe sqe;
	struct rig r, vf;

	for (attr.generation = 2; attr.generation <= 3; attr.generation++) {
		attr.queues = 2 * RIG_QUEUES;
		rig_init(&r, &attr);
		rig_attach(&vf, &r, 1);
		EXPECT_EQ(QM_BAR2_VF_HALF, wdm_bar_size(r.dev, 1, QM_BAR_REGS));
		rig_vft_queues(&r, 1, RIG_QUEUES, 2);
		rig_function_up(&vf);
		ASSERT_EQ(0, rig_queue_start(&vf, 0, NULL));
		rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, RIG_USER_BASE + 4096, 4096);
		EXPECT_TRUE(rig_do(&vf, 0, &sqe));
		EXPECT_NE(0, rig_mailbox(&vf, QM_MB_CMD_PAUSE_QM, 0, 0, 0));
		wdm_function_reset(r.dev, 1);
		rig_run(&r, 10 * RIG_STEP_NS);
		rig_free(&vf);
		rig_free(&r);
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

/* --- one VF writes at random --- */

#define VFS	3
#define MAD	1
#define SHARE	4
#define ROUNDS	3000
#define LEN	400
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))

struct world {
	struct rig r[VFS + 1];
	u64 random;
};

static u32 rnd(struct world *w)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(w->random >> 33);
}

/* An address in the VF's own memory, mostly. */
static u64 somewhere(struct world *w)
{
	return rnd(w) % 8 ? RIG_DMA_BASE + rnd(w) % 64 * 4096 : (u64)rnd(w) << 32 | rnd(w);
}

static void mad_register(struct world *w)
{
	static const u32 regs[] = { QM_AEQ_INT_SOURCE, QM_AEQ_INT_MASK, QM_EQ_INT_SOURCE, QM_EQ_INT_MASK,
		QM_IFC_INT_SOURCE_V, QM_IFC_INT_MASK, QM_IFC_INT_STATUS, QM_IFC_INT_SET_V, QM_CACHE_WB_START, QM_MB,
		QM_DB_SQ_CQ, QM_DB_EQ_AEQ };
	struct rig *r = &w->r[MAD];
	u32 reg = rnd(w) & 1 ? regs[rnd(w) % (sizeof(regs) / sizeof(regs[0]))] : rnd(w) % (u32)r->bar2_bytes & ~3u;

	rig_reg_set(r, reg, rnd(w) & 1 ? rnd(w) & 3 : rnd(w));
}

static void mad_context(struct world *w)
{
	struct rig *r = &w->r[MAD];
	u32 i, *words = rig_dma(r, RIG_DMA_BASE + rnd(w) % 64 * 4096);
	struct rig_queue q = {
		.sq = RIG_DMA_BASE + rnd(w) % 32 * 4096, .cq = RIG_DMA_BASE + 0x40000, .id = rnd(w) % SHARE
	};

	for (i = 0; i < 1024; i++)
		words[i] = rnd(w);
	if (rnd(w) & 1)
		rig_sqc(r, &q, NULL, (struct qm_sqc *)words);
	else
		rig_cqc(r, &q, NULL, (struct qm_cqc *)words);
}

static void mad_step(struct world *w)
{
	struct rig *r = &w->r[MAD];
	u32 q = rnd(w) % SHARE;

	switch (rnd(w) % 5) {
	case 0:
		mad_register(w);
		break;
	case 1:
		mad_context(w);
		break;
	case 2:
		rig_mailbox_write(r, rnd(w) % 16, rnd(w) & 1 ? QM_MB_OP_GET : 0, rnd(w) % (SHARE + 2), somewhere(w));
		break;
	case 3:
		wdm_writeq((u64)rnd(w) << 32 | rnd(w), r->bar4 + (size_t)(rnd(w) % (u32)(r->bar4_bytes / 8)) * 8);
		break;
	default:
		wdm_writeq(qm_db_value((u16)q, rnd(w) & 1, (u16)(rnd(w) % RIG_DEPTH), rnd(w) & 1),
			   r->bar4 + (size_t)q * QM_DB_WINDOW + QM_DB_SQ_CQ);
	}
	rig_turn(r);
}

static bool is_exact(struct rig *r, const u8 *plain)
{
	struct zip_sqe sqe;
	u32 packed;

	memcpy(rig_user(r, SRC), plain, LEN);
	rig_sqe(&sqe, ZIP_REQ_DEFLATE, SRC, LEN, DST, LEN);
	if (!rig_do(r, 0, &sqe) || (sqe.dw3 & ZIP_DW3_STATUS_MASK) != ZIP_ST_OK)
		return false;
	packed = sqe.produced;
	rig_sqe(&sqe, ZIP_REQ_DEFLATE, DST, packed, SRC + 4096, LEN);
	memset(rig_user(r, SRC + 4096), 0, LEN);
	return rig_do(r, 1, &sqe) && (sqe.dw3 & ZIP_DW3_STATUS_MASK) == ZIP_ST_OK && sqe.produced == LEN &&
	       !memcmp(rig_user(r, SRC + 4096), plain, LEN);
}

/* A message from a VF to the PF, with each step as it should be. */
static bool message_arrives(struct world *w, u32 fn)
{
	struct rig *pf = &w->r[0], *vf = &w->r[fn];
	u64 text = (u64)rnd(w) << 32 | fn;
	bool ok = !rig_mailbox(vf, QM_MB_CMD_SRC, 0, WDM_PF, text);

	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	rig_turn(vf);
	ok = ok && (rig_reg64(pf, QM_IFC_INT_SOURCE_P) >> fn & 1) && !rig_mailbox(pf, QM_MB_CMD_DST, 0, fn, 0) &&
	     rig_reg(pf, QM_MB_DATA_L) == (u32)text && rig_reg(pf, QM_MB_DATA_H) == text >> 32;
	wdm_writeq(1ull << fn, pf->bar2 + QM_IFC_INT_SOURCE_P);
	rig_reg_set(pf, QM_IFC_INT_SOURCE_V, 1);
	rig_turn(pf);
	return ok && !rig_reg(vf, QM_IFC_INT_SET_V);
}

static void world_begin(struct world *w, u64 seed)
{
	struct wdm_attr attr = { .functions = VFS + 1, .per_fn_max = SHARE };
	struct rig_queue_opts decomp = { .alg = 1 };
	u32 fn;

	memset(w, 0, sizeof(*w));
	w->random = seed;
	rig_init_bare(&w->r[0], &attr);
	rig_engine_start(&w->r[0]);
	for (fn = 0; fn <= VFS; fn++) {
		if (fn)
			rig_attach(&w->r[fn], &w->r[0], fn);
		rig_vft_queues(&w->r[0], fn, fn * SHARE, SHARE);
		rig_function_up(&w->r[fn]);
		if (rig_queue_start(&w->r[fn], 0, NULL) || rig_queue_start(&w->r[fn], 1, &decomp))
			abort();
	}
}

/* All refusals are the VF's own. */
TEST(random_writes_of_a_vf_affect_no_other_function)
{
	static struct world w;
	struct wdm_refused last;
	u8 plain[LEN];
	u32 run, i, n, fn;

	for (run = 0; run < 4; run++) {
		world_begin(&w, 4000 + run);
		for (i = 0; i < ROUNDS; i++) {
			mad_step(&w);
			wdm_last_refusal(w.r[0].dev, &last);
			ASSERT_TRUE(!last.reason || last.fn == MAD)
				TH_LOG("random numbers from %u, step %u", 4000 + run, i);
			if (i % 16)
				continue;
			fn = (const u32[]){ 0, 2, 3 }[rnd(&w) % 3];
			for (n = 0; n < LEN; n++)
				plain[n] = (u8)(rnd(&w) % 4);
			ASSERT_TRUE(is_exact(&w.r[fn], plain)) TH_LOG("random numbers from %u, step %u", 4000 + run, i);
			ASSERT_TRUE(!fn || message_arrives(&w, fn))
				TH_LOG("random numbers from %u, step %u", 4000 + run, i);
		}
		EXPECT_LT(ROUNDS / 20, wdm_device_stats(w.r[0].dev)->mailboxes);
		/* Its reset is all that it needs. */
		wdm_function_reset(w.r[0].dev, MAD);
		rig_function_up(&w.r[MAD]);
		EXPECT_EQ(0, rig_queue_start(&w.r[MAD], 0, NULL));
		EXPECT_EQ(0, rig_queue_start(&w.r[MAD], 1, &(struct rig_queue_opts){ .alg = 1 }));
		EXPECT_TRUE(is_exact(&w.r[MAD], plain));
		for (fn = VFS + 1; fn-- > 0;)
			rig_free(&w.r[fn]);
	}
}

TEST_HARNESS_MAIN
