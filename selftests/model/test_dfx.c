// SPDX-License-Identifier: Apache-2.0
/* The device's counters in registers: equal to what the clients did, by selection, and when they start again at 0. */
#include "kselftest_harness.h"
#include "rig.h"

#define VFS	3
#define FNS	(VFS + 1)
#define SHARE	(RIG_QUEUES / FNS)
#define LEN	600
#define ROOM	2048
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))
#define STEPS	2000
#define CORES	5

/* What the clients did, counted by them. */
struct done {
	u32 mailboxes, doorbells;
	u32 requests[SHARE];
};

FIXTURE(dev) {
	struct rig r[FNS];
	struct done done[FNS];
	u64 random;
};

static void select_function(struct rig *pf, u32 fn)
{
	rig_reg_set(pf, QM_DFX_MB_SELECT, fn);
	rig_reg_set(pf, QM_DFX_DB_SELECT, fn);
	rig_turn(pf);
}

static void select_queue(struct rig *pf, u32 fn, u32 q)
{
	u32 select = fn | q << QM_DFX_SELECT_QUEUE_SHIFT;

	rig_reg_set(pf, QM_DFX_SQE_SELECT, select);
	rig_reg_set(pf, QM_DFX_CQE_SELECT, select);
	rig_turn(pf);
}

static u32 count(struct rig *pf, u32 reg)
{
	rig_turn(pf);
	return rig_reg(pf, reg);
}

static u32 core_count(struct rig *pf, u32 core, u32 offset)
{
	return rig_reg(pf, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + offset);
}

static u32 cores_count(struct rig *pf, u32 first, u32 end, u32 offset)
{
	u32 sum = 0;

	rig_turn(pf);
	for (; first < end; first++)
		sum += core_count(pf, first, offset);
	return sum;
}

static void sqe_of(struct zip_sqe *sqe)
{
	rig_sqe(sqe, ZIP_REQ_ZLIB, SRC, LEN, DST, ROOM);
}

static bool ask(struct rig *r, u32 q, struct zip_sqe *sqe)
{
	sqe_of(sqe);
	return rig_do(r, q, sqe) && (sqe->dw3 & ZIP_DW3_STATUS_MASK) == ZIP_ST_OK;
}

static bool works(struct rig *r, u32 q)
{
	struct zip_sqe sqe;

	return ask(r, q, &sqe);
}

static void share_out(struct rig *pf)
{
	u32 fn;

	for (fn = 0; fn < FNS; fn++)
		rig_vft_queues(pf, fn, fn * SHARE, SHARE);
}

FIXTURE_SETUP(dev)
{
	struct wdm_attr attr = { .functions = FNS };
	struct rig *pf = &self->r[0];
	u32 fn, q;

	self->random = 1;
	rig_init_bare(pf, &attr);
	rig_engine_start(pf);
	for (fn = 1; fn < FNS; fn++)
		rig_attach(&self->r[fn], pf, fn);
	share_out(pf);
	for (fn = 0; fn < FNS; fn++) {
		rig_function_up(&self->r[fn]);
		for (q = 0; q < SHARE; q++)
			ASSERT_EQ(0, rig_queue_start(&self->r[fn], q, NULL));
		/* Two event queues, and two contexts for each queue. */
		self->done[fn].mailboxes = 2 + 2 * SHARE;
	}
}

FIXTURE_TEARDOWN(dev)
{
	u32 fn;

	for (fn = FNS; fn-- > 0;)
		rig_free(&self->r[fn]);
}

static u32 rnd(u64 *random, u32 n)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*random >> 33) % n;
}

TEST_F(dev, every_function_and_queue_has_the_counts_of_its_client)
{
	struct rig *pf = &self->r[0];
	u32 i, fn, q, all = 0;

	for (i = 0; i < STEPS; i++) {
		fn = rnd(&self->random, FNS);
		q = rnd(&self->random, SHARE);
		if (rnd(&self->random, 4)) {
			ASSERT_TRUE(works(&self->r[fn], q));
			self->done[fn].doorbells += 2;
			self->done[fn].requests[q]++;
			all++;
		} else {
			ASSERT_EQ(0, rig_mailbox(&self->r[fn], QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0));
			self->done[fn].mailboxes++;
		}
	}
	for (fn = 0; fn < FNS; fn++) {
		select_function(pf, fn);
		EXPECT_EQ(self->done[fn].mailboxes, rig_reg(pf, QM_DFX_MB_CNT)) TH_LOG("function %u", fn);
		EXPECT_EQ(self->done[fn].doorbells, rig_reg(pf, QM_DFX_DB_CNT)) TH_LOG("function %u", fn);
		for (q = 0; q < SHARE; q++) {
			select_queue(pf, fn, q);
			EXPECT_EQ(self->done[fn].requests[q], rig_reg(pf, QM_DFX_SQE_CNT)) TH_LOG("%u.%u", fn, q);
			EXPECT_EQ(self->done[fn].requests[q], rig_reg(pf, QM_DFX_CQE_CNT)) TH_LOG("%u.%u", fn, q);
		}
	}
	EXPECT_EQ(all, rig_reg(pf, QM_DFX_SEND_SQE_CNT));
	EXPECT_EQ(all, rig_reg(pf, QM_DFX_WB_SQE_CNT));
	EXPECT_EQ(all, rig_reg(pf, QM_DFX_FINISH_CNT));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_CQE_ERR_CNT));
}

TEST_F(dev, each_selector_selects_its_own_counter)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(&self->r[1], 2));
	rig_reg_set(pf, QM_DFX_MB_SELECT, 1);
	rig_reg_set(pf, QM_DFX_DB_SELECT, 2);
	rig_reg_set(pf, QM_DFX_SQE_SELECT, 1 | 2 << QM_DFX_SELECT_QUEUE_SHIFT);
	rig_reg_set(pf, QM_DFX_CQE_SELECT, 1 | 1 << QM_DFX_SELECT_QUEUE_SHIFT);
	EXPECT_EQ(self->done[1].mailboxes, count(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_DB_CNT));
	EXPECT_EQ(1, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_CQE_CNT));
}

TEST_F(dev, what_does_not_exist_counts_nothing)
{
	static const u32 none[] = { FNS, 64, 0x10001, ~0u };
	struct rig *pf = &self->r[0];
	u32 i;

	ASSERT_TRUE(works(pf, 0));
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		select_function(pf, none[i]);
		EXPECT_EQ(0, rig_reg(pf, QM_DFX_MB_CNT)) TH_LOG("0x%x", none[i]);
		EXPECT_EQ(0, rig_reg(pf, QM_DFX_DB_CNT)) TH_LOG("0x%x", none[i]);
	}
	/* A number within the share of another function. */
	select_queue(pf, 1, SHARE);
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_SQE_CNT));
	select_queue(pf, FNS, 0);
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_SQE_CNT));
	select_queue(pf, 0x3f, 0xffff);
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_CQE_CNT));
}

TEST_F(dev, reads_that_clear_leave_what_is_not_selected)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(pf, 0));
	ASSERT_TRUE(works(&self->r[1], 0));
	rig_reg_set(pf, QM_DFX_CNT_CLR_CE, 1);
	EXPECT_EQ(0, count(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_SEND_SQE_CNT));
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(0, count(pf, QM_DFX_SQE_CNT));
	rig_reg_set(pf, QM_DFX_CNT_CLR_CE, 0);
	rig_turn(pf);
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(1, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(2, count(pf, QM_DFX_DB_CNT));
	EXPECT_EQ(1, count(pf, QM_DFX_FINISH_CNT));
	select_function(pf, 1);
	select_queue(pf, 1, 0);
	EXPECT_EQ(self->done[1].mailboxes, rig_reg(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(1, rig_reg(pf, QM_DFX_SQE_CNT));
}

/* A driver switches clearing on and off again, and the device may not look in between. */
TEST_F(dev, initialising_the_memory_clears_all)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(pf, 0));
	ASSERT_TRUE(works(&self->r[2], 1));
	rig_reg_set(pf, QM_MEM_START_INIT, 1);
	EXPECT_EQ(0, count(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_SEND_SQE_CNT));
	EXPECT_EQ(0, cores_count(pf, 0, CORES, ZIP_CORE_GET_BD));
	select_function(pf, 2);
	select_queue(pf, 2, 1);
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_CQE_CNT));
}

TEST_F(dev, reset_of_a_vf_clears_only_its_counters)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(&self->r[1], 0));
	ASSERT_TRUE(works(&self->r[2], 0));
	select_function(pf, 1);
	select_queue(pf, 1, 0);
	wdm_function_reset(pf->dev, 1);
	EXPECT_EQ(0, count(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_DB_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(1, rig_reg(pf, QM_DFX_MB_SELECT));
	EXPECT_EQ(2, count(pf, QM_DFX_SEND_SQE_CNT));
	select_function(pf, 2);
	select_queue(pf, 2, 0);
	EXPECT_EQ(self->done[2].mailboxes, rig_reg(pf, QM_DFX_MB_CNT));
	EXPECT_EQ(1, rig_reg(pf, QM_DFX_SQE_CNT));
}

static u32 dfx_left(struct rig *pf)
{
	static const u32 regs[] = { QM_DFX_MB_SELECT, QM_DFX_MB_CNT, QM_DFX_DB_SELECT, QM_DFX_DB_CNT, QM_DFX_SQE_SELECT,
		QM_DFX_SQE_CNT, QM_DFX_CQE_SELECT, QM_DFX_CQE_CNT, QM_DFX_SEND_SQE_CNT, QM_DFX_WB_SQE_CNT,
		QM_DFX_FINISH_CNT, QM_DFX_CQE_ERR_CNT };
	u32 i;

	rig_turn(pf);
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (rig_reg(pf, regs[i]))
			return regs[i];
	return 0;
}

TEST_F(dev, reset_of_the_pf_or_the_device_clears_all)
{
	struct rig *pf = &self->r[0];
	u32 device;

	for (device = 0; device < 2; device++) {
		ASSERT_TRUE(works(pf, 0));
		rig_reg_set(pf, QM_DFX_SQE_SELECT, 1 << QM_DFX_SELECT_QUEUE_SHIFT);
		rig_turn(pf);
		if (device)
			wdm_device_reset(pf->dev);
		else
			wdm_function_reset(pf->dev, WDM_PF);
		EXPECT_EQ(0, dfx_left(pf));
		EXPECT_EQ(0, cores_count(pf, 0, CORES, ZIP_CORE_DONE_BD));
		rig_engine_start(pf);
		share_out(pf);
		select_function(pf, 1);
		select_queue(pf, 1, 0);
		EXPECT_EQ(0, rig_reg(pf, QM_DFX_MB_CNT));
		EXPECT_EQ(0, rig_reg(pf, QM_DFX_SQE_CNT));
		select_function(pf, 0);
		select_queue(pf, 0, 0);
		rig_function_up(pf);
		ASSERT_EQ(0, rig_queue_start(pf, 0, NULL));
	}
}

/* A worker may have a job of before the reset: its core has taken none since. */
TEST_F(dev, job_of_before_a_reset_is_not_counted_after_it)
{
	struct rig *pf = &self->r[0];
	struct zip_sqe sqe;
	struct wdm_job *job;

	pf->hold_jobs = true;
	sqe_of(&sqe);
	rig_push(pf, 0, &sqe);
	rig_ring_sq(pf, 0);
	job = wdm_job_next(pf->dev);
	ASSERT_NE(NULL, job);
	wdm_function_reset(pf->dev, WDM_PF);
	wdm_job_run(job, pf->scratch);
	wdm_job_done(pf->dev, job);
	EXPECT_EQ(0, cores_count(pf, 0, CORES, ZIP_CORE_DONE_BD));
	EXPECT_EQ(0, dfx_left(pf));
}

TEST_F(dev, next_owner_of_a_share_begins_with_0)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(&self->r[1], 0));
	rig_vft_queues(pf, 1, 0, 0);
	rig_vft_queues(pf, 2, 0, 0);
	rig_vft_queues(pf, 2, SHARE, SHARE);
	select_queue(pf, 2, 0);
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_SQE_CNT));
	ASSERT_EQ(0, rig_queue_start(&self->r[2], 0, NULL));
	ASSERT_TRUE(works(&self->r[2], 0));
	EXPECT_EQ(1, count(pf, QM_DFX_SQE_CNT));
}

/* The next owner's requests add up: only a reset, or another share, starts again. */
TEST_F(dev, counts_outlive_the_owner_of_a_queue)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(pf, 0));
	ASSERT_EQ(0, rig_queue_stop(pf, 0));
	ASSERT_EQ(0, rig_queue_start(pf, 0, NULL));
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(2, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(self->done[0].mailboxes + 3, count(pf, QM_DFX_MB_CNT));
}

TEST_F(dev, only_a_function_with_running_jobs_is_active)
{
	struct rig *pf = &self->r[0], *vf = &self->r[1];
	struct wdm_job *job;
	struct zip_sqe sqe;

	EXPECT_EQ(1, count(pf, QM_DFX_IDLE_ST));
	pf->hold_jobs = true;
	sqe_of(&sqe);
	rig_push(vf, 0, &sqe);
	rig_ring_sq(vf, 0);
	job = wdm_job_next(pf->dev);
	ASSERT_NE(NULL, job);
	EXPECT_EQ(0, count(pf, QM_DFX_IDLE_ST));
	EXPECT_EQ(1, rig_reg(vf, QM_DFX_FUNS_ACTIVE_ST));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_FUNS_ACTIVE_ST));
	EXPECT_EQ(0, rig_reg(&self->r[2], QM_DFX_FUNS_ACTIVE_ST));
	wdm_job_run(job, pf->scratch);
	wdm_job_done(pf->dev, job);
	EXPECT_EQ(1, count(pf, QM_DFX_IDLE_ST));
	EXPECT_EQ(0, rig_reg(vf, QM_DFX_FUNS_ACTIVE_ST));
}

TEST_F(dev, device_that_is_told_to_stop_a_busy_queue_is_not_idle)
{
	struct rig *pf = &self->r[0], *vf = &self->r[1];
	struct wdm_job *job;
	struct zip_sqe sqe;

	pf->hold_jobs = true;
	sqe_of(&sqe);
	rig_push(vf, 0, &sqe);
	rig_ring_sq(vf, 0);
	job = wdm_job_next(pf->dev);
	ASSERT_NE(NULL, job);
	rig_mailbox_write(vf, QM_MB_CMD_STOP_QP, 0, 0, 0);
	EXPECT_EQ(0, count(pf, QM_DFX_IDLE_ST));
	wdm_job_run(job, pf->scratch);
	wdm_job_done(pf->dev, job);
	rig_turn(pf);
	EXPECT_EQ(1, count(pf, QM_DFX_IDLE_ST));
	EXPECT_EQ(0, rig_reg(vf, QM_MB) & QM_MB_BUSY);
}

/* Puts the completions of a running queue where the device can't write. */
static int completions_nowhere(struct rig *r, u32 q)
{
	u64 at = rig_dma_alloc(r, QM_QC_SIZE), nowhere = RIG_DMA_BASE + RIG_DMA_BYTES;
	struct qm_cqc cqc;

	rig_cqc(r, &r->q[q], NULL, &cqc);
	cqc.base_l = (u32)nowhere;
	cqc.base_h = (u32)(nowhere >> 32);
	*(struct qm_cqc *)rig_dma(r, at) = cqc;
	return rig_mailbox(r, QM_MB_CMD_CQC, 0, q, at);
}

TEST_F(dev, completion_that_cannot_be_written_is_counted)
{
	struct rig *pf = &self->r[0];
	struct zip_sqe sqe;

	ASSERT_EQ(0, completions_nowhere(pf, 1));
	sqe_of(&sqe);
	rig_push(pf, 1, &sqe);
	rig_ring_sq(pf, 1);
	EXPECT_EQ(1, count(pf, QM_DFX_CQE_ERR_CNT));
	EXPECT_EQ(1, count(pf, QM_DFX_SEND_SQE_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_FINISH_CNT));
	select_queue(pf, 0, 1);
	EXPECT_EQ(1, rig_reg(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(0, rig_reg(pf, QM_DFX_CQE_CNT));
}

TEST_F(dev, descriptors_that_a_stop_answers_are_not_sent_to_the_engine)
{
	struct rig *pf = &self->r[0];
	struct zip_sqe sqe;
	u32 i;

	pf->hold_jobs = true;
	sqe_of(&sqe);
	for (i = 0; i < 5; i++)
		rig_push(pf, 0, &sqe);
	rig_ring_sq(pf, 0);
	ASSERT_EQ(0, rig_queue_stop(pf, 0));
	EXPECT_EQ(5, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(5, count(pf, QM_DFX_CQE_CNT));
	EXPECT_EQ(5, count(pf, QM_DFX_WB_SQE_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_SEND_SQE_CNT));
	EXPECT_EQ(0, count(pf, QM_DFX_FINISH_CNT));
}

TEST_F(dev, duplicate_counts_as_a_completion_and_a_lost_one_does_not)
{
	struct wdm_fault_rule once = { .next = 1, .queue = WDM_FAULT_ANY };
	struct rig *pf = &self->r[0];
	struct zip_sqe sqe;

	ASSERT_EQ(0, wdm_fault_set(pf->dev, WDM_FAULT_DUPLICATE, &once));
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(1, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(2, count(pf, QM_DFX_CQE_CNT));
	EXPECT_EQ(1, count(pf, QM_DFX_FINISH_CNT));
	ASSERT_EQ(0, wdm_fault_set(pf->dev, WDM_FAULT_DROP, &once));
	sqe_of(&sqe);
	rig_push(pf, 0, &sqe);
	rig_ring_sq(pf, 0);
	EXPECT_EQ(2, count(pf, QM_DFX_SQE_CNT));
	EXPECT_EQ(2, count(pf, QM_DFX_CQE_CNT));
	EXPECT_EQ(2, count(pf, QM_DFX_FINISH_CNT));
}

/* ------ the engine's cores ------ */

TEST_F(dev, cores_share_the_requests_of_their_direction)
{
	struct rig_queue_opts back = { .alg = ZIP_QC_DECOMPRESS };
	struct rig *pf = &self->r[0], *vf = &self->r[1];
	u32 i, in = 0, out = 0;
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_stop(vf, 0));
	ASSERT_EQ(0, rig_queue_start(vf, 0, &back));
	for (i = 0; i < 6; i++) {
		ASSERT_TRUE(ask(pf, 0, &sqe));
		in += sqe.consumed;
		out += sqe.produced;
	}
	EXPECT_EQ(6 * LEN, in);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(3, (rig_turn(pf), core_count(pf, i, ZIP_CORE_GET_BD)));
	EXPECT_EQ(6, cores_count(pf, 0, 2, ZIP_CORE_RIGHT_BD));
	EXPECT_EQ(6, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
	EXPECT_EQ(in, cores_count(pf, 0, 2, ZIP_CORE_CONSUMED));
	EXPECT_EQ(out, cores_count(pf, 0, 2, ZIP_CORE_PRODUCED));
	EXPECT_EQ(0, cores_count(pf, 2, CORES, ZIP_CORE_GET_BD));
	for (i = 0; i < 6; i++) {
		sqe_of(&sqe);
		ASSERT_TRUE(rig_do(vf, 0, &sqe));
	}
	for (i = 2; i < CORES; i++)
		EXPECT_EQ(2, (rig_turn(pf), core_count(pf, i, ZIP_CORE_DONE_BD)));
	EXPECT_EQ(6, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
}

TEST_F(dev, core_counts_the_descriptors_that_it_refuses)
{
	struct rig *pf = &self->r[0];
	struct zip_sqe sqe;

	ASSERT_TRUE(works(pf, 0));
	sqe_of(&sqe);
	sqe.dw9 = 0;
	ASSERT_TRUE(rig_do(pf, 0, &sqe));
	EXPECT_EQ(2, cores_count(pf, 0, 2, ZIP_CORE_GET_BD));
	EXPECT_EQ(1, cores_count(pf, 0, 2, ZIP_CORE_RIGHT_BD));
	EXPECT_EQ(1, cores_count(pf, 0, 2, ZIP_CORE_ERROR_BD));
	EXPECT_EQ(2, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
	EXPECT_EQ(LEN, cores_count(pf, 0, 2, ZIP_CORE_CONSUMED));
}

static void advance(void *arg)
{
	struct rig *pf = arg;

	pf->now += 100;
}

TEST_F(dev, core_knows_how_long_its_requests_took)
{
	struct rig *pf = &self->r[0];
	u32 i, min, max, average, busy;

	pf->on_payload_arg = pf;
	for (i = 0; i < 2; i++) {
		pf->on_payload = i ? advance : NULL;
		ASSERT_TRUE(works(pf, 0));
		ASSERT_TRUE(works(pf, 0));
	}
	rig_turn(pf);
	min = core_count(pf, 0, ZIP_CORE_MIN_DELAY);
	max = core_count(pf, 0, ZIP_CORE_MAX_DELAY);
	average = core_count(pf, 0, ZIP_CORE_AVG_DELAY);
	busy = core_count(pf, 0, ZIP_CORE_WORK_CYCLE);
	EXPECT_EQ(0, min);
	EXPECT_LE(200, max);
	EXPECT_EQ(max / 2, average);
	EXPECT_EQ(max, busy);
}

TEST_F(dev, cores_forget_while_both_switches_are_on)
{
	struct rig *pf = &self->r[0];

	ASSERT_TRUE(works(pf, 0));
	rig_reg_set(pf, ZIP_SOFT_CTRL_CNT_CLR, 1);
	EXPECT_EQ(1, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
	rig_reg_set(pf, ZIP_SOFT_CTRL_CNT_CLR, ZIP_SOFT_CTRL_CNT_CLR_ON);
	EXPECT_EQ(0, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(0, cores_count(pf, 0, 2, ZIP_CORE_GET_BD));
	/* The queue manager's counters have a switch of their own. */
	EXPECT_EQ(2, count(pf, QM_DFX_SQE_CNT));
	rig_reg_set(pf, ZIP_SOFT_CTRL_CNT_CLR, 0);
	rig_turn(pf);
	ASSERT_TRUE(works(pf, 0));
	EXPECT_EQ(1, cores_count(pf, 0, 2, ZIP_CORE_DONE_BD));
}

TEST_HARNESS_MAIN
