// SPDX-License-Identifier: Apache-2.0
/* The queue manager of generation 2: registers, mailbox, contexts, address spaces, drains, errors. */
#include "generation.h"
#include "kselftest_harness.h"
#include "record.h"
#include "rig.h"

#define SRC		RIG_USER_BASE
#define DST		(RIG_USER_BASE + 4096)

FIXTURE(dev) {
	struct rig r, vf;
	struct zip_sqe sqe;
};

/* A request as generation 2 has it */
static void zlib_sqe(struct zip_sqe *sqe)
{
	rig_sqe(sqe, ZIP_REQ_ZLIB, SRC, 64, DST, 4096);
	sqe->dw7 = ZIP_SQE_TYPE_0 << ZIP_DW7_SQE_TYPE_SHIFT;
	sqe->tag_l = 0;
	sqe->dw13 = 1;
}

FIXTURE_SETUP(dev)
{
	/* Queues share a register, so doorbells hide each other. */
	struct wdm_attr attr = {
		.type = WDM_ZIP, .generation = 2, .functions = 2, .queues = 2 * RIG_QUEUES, .hidden_passes = 4
	};

	rig_init(&self->r, &attr);
	rig_attach(&self->vf, &self->r, 1);
	rig_vft_queues(&self->r, 1, RIG_QUEUES, 2);
	rig_function_up(&self->vf);
	zlib_sqe(&self->sqe);
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, NULL));
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->vf);
	rig_free(&self->r);
}

static int one(struct rig *r, u32 q, const struct zip_sqe *sqe)
{
	struct zip_sqe copy = *sqe;

	return rig_do(r, q, &copy) ? (int)(copy.dw3 & ZIP_DW3_STATUS_MASK) : -1;
}

/* ------ generations ------ */

TEST(there_are_two_generations_and_0_is_the_newer)
{
	EXPECT_EQ(2, wdm_generation_find("v2"));
	EXPECT_EQ(3, wdm_generation_find("v3"));
	EXPECT_EQ(0, wdm_generation_find("v1"));
	EXPECT_EQ(0, wdm_generation_find("V2"));
	EXPECT_EQ(0, wdm_generation_find(""));
	EXPECT_EQ(NULL, wdm_generation(1));
	EXPECT_EQ(NULL, wdm_generation(4));
	EXPECT_EQ(wdm_generation(3), wdm_generation(0));
	EXPECT_EQ(QM_HW_V2, wdm_generation(2)->revision);
	EXPECT_EQ(8192, wdm_generation(2)->window_bytes);
	EXPECT_STREQ("hisi_qm_v2", wdm_generation(2)->api);
}

TEST(other_generations_have_no_device)
{
	EXPECT_EQ(0, wdm_device_size(&(struct wdm_attr){ .type = WDM_ZIP, .generation = 1 }));
	EXPECT_EQ(0, wdm_device_size(&(struct wdm_attr){ .type = WDM_ZIP, .generation = 4 }));
	EXPECT_NE(0, wdm_device_size(&(struct wdm_attr){ .type = WDM_ZIP, .generation = 2 }));
}

/* ------ registers ------ */

TEST_F(dev, there_is_no_second_bar)
{
	EXPECT_EQ(0, wdm_bar_size(self->r.dev, WDM_PF, QM_BAR_DB));
	EXPECT_EQ(0, wdm_bar_size(self->r.dev, 1, QM_BAR_DB));
	EXPECT_EQ(NULL, self->r.bar4);
	EXPECT_EQ(ZIP_ST_OK, one(&self->r, 0, &self->sqe));
}

static const u32 absent[] = {
	QM_IFC_INT_SOURCE_V, QM_IFC_INT_MASK, QM_IFC_INT_STATUS, QM_IFC_INT_SET_V, QM_QUE_ISO_CFG, QM_PAGE_SIZE,
	QM_VF_STATE, QM_SUB_VERSION_ID, QM_CAP_VERSION, QM_CAP_QP_DEPTH, QM_CAP_IRQ_NUM, QM_CAP_NFE_MASK, ZIP_CAP_CORES,
	ZIP_CAP_DEV_ALGS, QM_CAP_ENGINE_LAST, QM_EQC_IMAGE, QM_AEQC_IMAGE,
	/* of the PF */
	QM_IFC_READY_STATUS, QM_IFC_INT_SET_P, QM_IFC_INT_CFG, QM_IFC_INT_SOURCE_P, QM_PM_CTRL, QM_QUEUE_NUM,
	QM_SHAPER_CFG, QM_OOO_SHUTDOWN_SEL, ZIP_PREFETCH_CFG, ZIP_OOO_SHUTDOWN_SEL,
};

#define ABSENT (sizeof(absent) / sizeof(absent[0]))

TEST_F(dev, registers_that_dont_exist_read_0)
{
	u32 i;

	for (i = 0; i < ABSENT; i++) {
		EXPECT_EQ(0, rig_reg(&self->r, absent[i])) TH_LOG("0x%x", absent[i]);
		if (absent[i] < QM_ABNORMAL_INT_SOURCE)
			EXPECT_EQ(0, rig_reg(&self->vf, absent[i])) TH_LOG("0x%x", absent[i]);
	}
}

TEST_F(dev, what_is_written_to_them_is_refused_with_the_next_command)
{
	struct rig *r = &self->r;
	struct wdm_refused refused;
	u32 i;

	EXPECT_EQ(0, rig_refused(r, WDM_REFUSE_REG));
	for (i = 0; i < ABSENT; i++) {
		rig_reg_set(r, absent[i], 1);
		EXPECT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0));
		EXPECT_EQ(i + 1, rig_refused(r, WDM_REFUSE_REG)) TH_LOG("0x%x", absent[i]);
		wdm_last_refusal(r->dev, &refused);
		EXPECT_EQ(absent[i], refused.value);
		EXPECT_EQ(0, rig_reg(r, absent[i])) TH_LOG("0x%x", absent[i]);
	}
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_F(dev, generation_3_has_them)
{
	struct rig r;

	rig_init(&r, NULL);
	EXPECT_EQ(QM_CAP_V3_DEFAULT, rig_reg(&r, QM_CAP_VERSION));
	rig_reg_set(&r, QM_PM_CTRL, QM_PM_CTRL_IDLE_DISABLE);
	EXPECT_EQ(0, rig_mailbox(&r, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0));
	EXPECT_EQ(QM_PM_CTRL_IDLE_DISABLE, rig_reg(&r, QM_PM_CTRL));
	EXPECT_EQ(0, rig_refused(&r, WDM_REFUSE_REG));
	rig_free(&r);
}

TEST_F(dev, there_are_no_shapers)
{
	rig_vft(&self->r, QM_VFT_TYPE_SHAPER, 1, 1);
	EXPECT_EQ(1, rig_refused(&self->r, WDM_REFUSE_VFT));
}

/* ------ mailbox ------ */

TEST_F(dev, commands_of_generation_3_are_refused)
{
	static const u32 commands[] = { QM_MB_CMD_STOP_QP, QM_MB_CMD_FLUSH_QM, QM_MB_CMD_SRC, QM_MB_CMD_DST,
					QM_MB_CMD_PAUSE_QM, 7, 10, 11, 15, 32, 64, 0xff };
	struct rig *fns[] = { &self->r, &self->vf };
	u32 fn, i;

	for (fn = 0; fn < 2; fn++)
		for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
			EXPECT_LT(0, rig_mailbox(fns[fn], commands[i], 0, 0, 0)) TH_LOG("command 0x%x", commands[i]);
			EXPECT_EQ(WDM_REFUSE_MB_CMD, rig_refusal(&self->r));
		}
	EXPECT_EQ(ZIP_ST_OK, one(&self->r, 0, &self->sqe));
}

TEST_F(dev, a_vf_reads_its_share)
{
	u64 share;

	ASSERT_EQ(0, rig_mailbox(&self->vf, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0));
	share = rig_reg(&self->vf, QM_MB_DATA_L) | (u64)rig_reg(&self->vf, QM_MB_DATA_H) << 32;
	EXPECT_EQ(RIG_QUEUES, share >> QM_VFT_SQC_BASE_SHIFT & QM_VFT_SQC_BASE_MASK);
	EXPECT_EQ(1, share >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK);
}

/* The doorbell that starts a VF elsewhere has another meaning here: none, as its flag is reserved. */
TEST_F(dev, no_doorbell_starts_a_paused_function)
{
	ASSERT_EQ(0, rig_queue_start(&self->vf, 0, NULL));
	rig_ring(&self->vf, 0, qm_db_value(0, QM_DB_CMD_SQ, 0, QM_DB_START));
	EXPECT_EQ(1, rig_refused(&self->r, WDM_REFUSE_DB_RESERVED));
	EXPECT_EQ(0, rig_refused(&self->r, WDM_REFUSE_MIGRATE));
}

TEST_F(dev, no_vf_migrates)
{
	static const char record[256];
	char out[256];

	EXPECT_EQ(-EINVAL, wdm_record_save(self->r.dev, 1, out, sizeof(out)));
	EXPECT_EQ(-EINVAL, wdm_record_load(self->r.dev, 1, record, 176));
}

/* ------ contexts and address spaces ------ */

static int set_context(struct rig *r, u32 cmd, u32 q, const void *qc)
{
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);

	memcpy(rig_dma(r, at), qc, QM_QC_SIZE);
	return rig_mailbox(r, cmd, 0, q, at);
}

TEST_F(dev, contexts_have_no_bit_for_their_pasid)
{
	struct rig *r = &self->r;
	struct qm_sqc sqc;
	struct qm_cqc cqc;

	r->q[1] = (struct rig_queue){ .id = 1, .cq_phase = 1 };
	rig_sqc(r, &r->q[1], NULL, &sqc);
	rig_cqc(r, &r->q[1], NULL, &cqc);
	cqc.w11 = QM_CQC_W11_PASID;
	EXPECT_NE(0, set_context(r, QM_MB_CMD_CQC, 1, &cqc));
	EXPECT_EQ(WDM_REFUSE_QC_FIELD, rig_refusal(r));
	sqc.w11 = QM_SQC_W11_PASID;
	EXPECT_NE(0, set_context(r, QM_MB_CMD_SQC, 1, &sqc));
	EXPECT_EQ(WDM_REFUSE_QC_FIELD, rig_refusal(r));
	sqc.w11 = cqc.w11 = 0;
	cqc.pasid = RIG_PASID;
	EXPECT_EQ(0, set_context(r, QM_MB_CMD_SQC, 1, &sqc));
	EXPECT_EQ(0, set_context(r, QM_MB_CMD_CQC, 1, &cqc));
	EXPECT_EQ(ZIP_ST_OK, one(r, 1, &self->sqe));
}

static void dump(struct rig *r, u32 q, struct qm_sqc *sqc, struct qm_cqc *cqc)
{
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);

	if (rig_mailbox(r, QM_MB_CMD_SQC, QM_MB_OP_GET, q, at))
		abort();
	memcpy(sqc, rig_dma(r, at), sizeof(*sqc));
	if (rig_mailbox(r, QM_MB_CMD_CQC, QM_MB_OP_GET, q, at))
		abort();
	memcpy(cqc, rig_dma(r, at), sizeof(*cqc));
}

TEST_F(dev, dumps_have_the_pasid_without_the_bit)
{
	struct qm_sqc sqc;
	struct qm_cqc cqc;

	dump(&self->r, 0, &sqc, &cqc);
	EXPECT_EQ(RIG_PASID, sqc.pasid);
	EXPECT_EQ(0, sqc.w11);
	EXPECT_EQ(0, cqc.w11);
}

static const u32 sva[] = { ZIP_DATA_RUSER, ZIP_DATA_WUSER, ZIP_SGL_RUSER };

static void sva_set(struct rig *r, bool on)
{
	u32 i;

	for (i = 0; i < 3; i++)
		rig_reg_set(r, sva[i], QM_AXUSER_BASE | (on ? QM_AXUSER_SSV : 0));
	rig_turn(r);
}

/* The registers are the PF's, and count for all functions, when a descriptor is accepted. */
TEST_F(dev, registers_of_the_engine_decide_about_address_spaces)
{
	struct rig *r = &self->r;
	struct zip_sqe bus = self->sqe;

	bus.source_addr_l = (u32)RIG_DMA_BASE;
	bus.source_addr_h = (u32)(RIG_DMA_BASE >> 32);
	bus.dest_addr_l = (u32)(RIG_DMA_BASE + 4096);
	bus.dest_addr_h = (u32)(RIG_DMA_BASE >> 32);
	ASSERT_EQ(0, rig_queue_start(&self->vf, 0, NULL));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_OK, one(&self->vf, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(r, 0, &bus));
	sva_set(r, false);
	EXPECT_EQ(ZIP_ST_ADDRESS, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(&self->vf, 0, &self->sqe));
	sva_set(r, true);
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_F(dev, half_of_these_registers_is_a_mistake_of_the_driver)
{
	struct rig *r = &self->r;
	struct wdm_refused refused;
	u32 i;

	for (i = 0; i < 3; i++) {
		sva_set(r, true);
		rig_reg_set(r, sva[i], QM_AXUSER_BASE);
		rig_turn(r);
		EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
		EXPECT_EQ(i + 1, rig_refused(r, WDM_REFUSE_ENGINE));
		wdm_last_refusal(r->dev, &refused);
		EXPECT_EQ(WDM_REFUSE_ENGINE, refused.reason);
	}
	sva_set(r, true);
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_F(dev, pasid_0_is_no_address_space)
{
	struct rig_queue_opts o = { .no_pasid = true };
	struct rig *r = &self->r;

	ASSERT_EQ(0, rig_queue_start(r, 1, &o));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(r, 1, &self->sqe));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

/* ------ drain ------ */

static bool drained(struct rig *r, u32 q)
{
	struct qm_sqc sqc;
	struct qm_cqc cqc;

	dump(r, q, &sqc, &cqc);
	return sqc.tail == cqc.tail && !((sqc.w11 ^ cqc.w11) & QM_QC_W11_TAIL_WRAP);
}

TEST_F(dev, dumps_agree_when_all_is_completed)
{
	struct rig *r = &self->r;
	u32 i;

	EXPECT_TRUE(drained(r, 0));
	r->hold_jobs = true;
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_FALSE(drained(r, 0));
	r->hold_jobs = false;
	rig_turn(r);
	EXPECT_TRUE(drained(r, 0));
	EXPECT_LE(0, rig_pop(r, 0));
	for (i = 0; i < RIG_DEPTH; i++)
		ASSERT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_TRUE(drained(r, 0));
}

static void park(struct __test_metadata *_metadata, struct rig *r, u32 q)
{
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);
	struct qm_sqc sqc = { .base_l = (u32)r->q[q].sq, .base_h = (u32)(r->q[q].sq >> 32),
			      .dw3 = 1 | 7 << QM_QC_ENTRY_SHIFT, .w8 = QM_QC_RAND_PARKED, .cq_num = (u16)q,
			      .w13 = QM_SQC_W13_ORDER_ONE | QM_SQC_W13_DISABLED };
	struct qm_cqc cqc = { .base_l = (u32)r->q[q].cq, .base_h = (u32)(r->q[q].cq >> 32),
			      .dw3 = 1 | 4 << QM_QC_ENTRY_SHIFT, .w8 = QM_QC_RAND_PARKED, .dw6 = QM_CQC_DW6_PHASE };

	memcpy(rig_dma(r, at), &cqc, sizeof(cqc));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_CQC, 0, q, at));
	memcpy(rig_dma(r, at), &sqc, sizeof(sqc));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC, 0, q, at));
}

TEST_F(dev, a_parked_queue_takes_no_doorbell)
{
	struct rig *r = &self->r;

	ASSERT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	park(_metadata, r, 0);
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_EQ(WDM_REFUSE_DB_QUEUE, rig_refusal(r));
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

/* Completions that a fault has added or left out don't keep a queue from being found idle. */
TEST_F(dev, faults_leave_the_dumps_equal)
{
	static const enum wdm_fault kinds[] = { WDM_FAULT_DUPLICATE, WDM_FAULT_DROP };
	struct rig *r = &self->r;
	u32 k, i;

	for (k = 0; k < 2; k++) {
		ASSERT_EQ(0, wdm_fault_set(r->dev, kinds[k],
					   &(struct wdm_fault_rule){ .next = 3, .queue = WDM_FAULT_ANY }));
		for (i = 0; i < 5; i++) {
			rig_push(r, 0, &self->sqe);
			rig_ring_sq(r, 0);
			rig_run(r, RIG_STEP_NS);
			EXPECT_TRUE(drained(r, 0)) TH_LOG("fault %u, request %u", kinds[k], i);
		}
		EXPECT_EQ(3, wdm_fault_counts(r->dev)[kinds[k]]);
	}
	park(_metadata, r, 0);
}

static void rounds(struct rig *r, const struct zip_sqe *sqe, u32 n, bool ring_cq)
{
	u32 i;

	for (; n--; rig_run(r, 200000)) {
		for (i = 0; i < 3; i++)
			rig_push(r, 0, sqe);
		rig_ring_sq(r, 0);
		rig_run(r, 200000);
		while (rig_pop(r, 0) >= 0)
			;
		if (ring_cq)
			rig_ring_cq(r, 0, false);
	}
}

/* After many faults of each kind, through several rings without a CQ doorbell: all completes, and nothing overflows. */
TEST_F(dev, submissions_imply_cq_heads_after_faults)
{
	static const enum wdm_fault kinds[] = { WDM_FAULT_DUPLICATE, WDM_FAULT_DROP, WDM_FAULT_REORDER };
	struct rig *r = &self->r;
	u64 completions;
	u32 k;

	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, wdm_fault_set(r->dev, kinds[k],
					   &(struct wdm_fault_rule){ .one_in = 2, .queue = WDM_FAULT_ANY }));
		rounds(r, &self->sqe, 1500, true);
		EXPECT_LT(RIG_DEPTH / 2, wdm_fault_counts(r->dev)[kinds[k]]);
		ASSERT_EQ(0, wdm_fault_set(r->dev, kinds[k], &(struct wdm_fault_rule){ .queue = WDM_FAULT_ANY }));
		completions = wdm_device_stats(r->dev)->completions;
		rounds(r, &self->sqe, 1200, false);
		EXPECT_EQ(completions + 3600, wdm_device_stats(r->dev)->completions) TH_LOG("fault %u", kinds[k]);
		EXPECT_EQ(-1, rig_async_event(r)) TH_LOG("fault %u", kinds[k]);
		EXPECT_TRUE(drained(r, 0)) TH_LOG("fault %u", kinds[k]);
	}
}

/* ------ errors ------ */

TEST_F(dev, the_errors_are_those_of_the_generation)
{
	u32 qm = 0, engine = 0, bit;

	for (bit = 0; bit < 32; bit++) {
		qm |= wdm_fault_error(self->r.dev, WDM_ERRORS_QM, bit) ? 0 : 1u << bit;
		engine |= wdm_fault_error(self->r.dev, WDM_ERRORS_ENGINE, bit) ? 0 : 1u << bit;
	}
	EXPECT_EQ(0x1c5f, qm);
	EXPECT_EQ(0x7ff, engine);
}

/* No register selects what closes the bus master: of ZIP it is the engine's ECC error, if that is switched on. */
TEST_F(dev, the_engine_closes_the_bus_master_by_itself)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_ABNORMAL_INT_SET, QM_ERR_ECC_MBIT);
	rig_turn(r);
	EXPECT_EQ(QM_ERR_ECC_MBIT, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	rig_reg_set(r, ZIP_ERR_CTRL, 0);
	rig_reg_set(r, ZIP_ERR_SET, ZIP_BLOCKS_V2);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	rig_reg_set(r, ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN);
	rig_reg_set(r, ZIP_ERR_SET, ~ZIP_BLOCKS_V2);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	rig_reg_set(r, ZIP_ERR_SET, ZIP_BLOCKS_V2);
	rig_turn(r);
	EXPECT_EQ(ACC_MASTER_TRANS_IDLE, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	EXPECT_EQ(-1, one(r, 0, &self->sqe));
}

TEST_F(dev, a_reset_leaves_a_device_of_the_same_generation)
{
	struct rig *r = &self->r;

	wdm_device_reset(r->dev);
	rig_bring_up(r);
	EXPECT_EQ(0, rig_reg(r, QM_CAP_VERSION));
	EXPECT_EQ(0, rig_reg(r, QM_QUEUE_NUM));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_HARNESS_MAIN
