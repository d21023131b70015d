// SPDX-License-Identifier: Apache-2.0
/* Registers, virtual function table and mailbox: a driver's accesses before and after it has queues. */
#include "kselftest_harness.h"
#include "rig.h"

#define STATUS(r) ((rig_reg(r, QM_MB) & QM_MB_STATUS_MASK) >> QM_MB_STATUS_SHIFT)

FIXTURE(dev) {
	struct rig r;
};

FIXTURE_SETUP(dev)
{
	rig_init(&self->r, NULL);
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

TEST(probe_registers_have_the_values_drivers_expect)
{
	struct rig r;

	rig_init_bare(&r, NULL);
	EXPECT_EQ(QM_CAP_V3_DEFAULT, rig_reg(&r, QM_CAP_VERSION));
	EXPECT_EQ(1, rig_reg(&r, QM_QUE_ISO_CFG));
	EXPECT_EQ(RIG_QUEUES | RIG_QUEUES << 11, rig_reg(&r, QM_QUEUE_NUM));
	EXPECT_EQ(1, rig_reg(&r, QM_VFT_RDY) & 1);
	EXPECT_EQ(ZIP_CAP_DEV_ALGS_LZ, rig_reg(&r, ZIP_CAP_DEV_ALGS));
	EXPECT_EQ(0x04000800, rig_reg(&r, QM_CAP_EQ_DEPTH));
	EXPECT_EQ(0x04000400, rig_reg(&r, QM_CAP_QP_DEPTH));
	EXPECT_EQ(0, rig_reg(&r, QM_MEM_INIT_DONE));
	rig_free(&r);
}

TEST(capabilities_can_be_withheld)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .cap_version_0 = true, .no_isolation = true };
	struct rig r;

	rig_init_bare(&r, &attr);
	EXPECT_EQ(0, rig_reg(&r, QM_CAP_VERSION));
	EXPECT_EQ(0, rig_reg(&r, QM_QUE_ISO_CFG));
	EXPECT_EQ(0, wdm_bar_size(r.dev, WDM_PF, QM_BAR_DB));
	rig_free(&r);
}

TEST(attributes_out_of_range_are_refused)
{
	struct wdm_attr attr = { .type = WDM_ZIP };

	EXPECT_NE(0, wdm_device_size(&attr));
	attr.queues = 1;
	EXPECT_EQ(0, wdm_device_size(&attr));
	attr.queues = 1025;
	EXPECT_EQ(0, wdm_device_size(&attr));
	attr = (struct wdm_attr){ .type = WDM_ZIP, .functions = 65 };
	EXPECT_EQ(0, wdm_device_size(&attr));
	attr = (struct wdm_attr){ .type = WDM_ZIP, .jobs = 65537 };
	EXPECT_EQ(0, wdm_device_size(&attr));
	attr = (struct wdm_attr){ .type = WDM_HPRE + 1 };
	EXPECT_EQ(0, wdm_device_size(&attr));
}

TEST_F(dev, memory_init_is_acknowledged)
{
	rig_reg_set(&self->r, QM_MEM_START_INIT, 1);
	rig_turn(&self->r);
	EXPECT_EQ(1, rig_reg(&self->r, QM_MEM_INIT_DONE));
}

TEST_F(dev, cache_writeback_fills_the_tables)
{
	struct rig *r = &self->r;
	u64 table = rig_dma_alloc(r, RIG_QUEUES * QM_QC_SIZE);

	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC_BT, 0, 0, table));
	ASSERT_EQ(0, rig_queue_start(r, 2, NULL));
	rig_reg_set(r, QM_CACHE_WB_START, 1);
	rig_turn(r);
	EXPECT_EQ(1, rig_reg(r, QM_CACHE_WB_DONE));
	EXPECT_EQ((u32)r->q[2].sq, ((struct qm_sqc *)rig_dma(r, table + 2 * QM_QC_SIZE))->base_l);
}

TEST_F(dev, an_earlier_writeback_is_not_taken_for_the_next)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_CACHE_WB_START, 1);
	rig_turn(r);
	ASSERT_EQ(1, rig_reg(r, QM_CACHE_WB_DONE));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(0, rig_reg(r, QM_CACHE_WB_DONE));
	rig_reg_set(r, QM_CACHE_WB_START, 1);
	rig_turn(r);
	EXPECT_EQ(1, rig_reg(r, QM_CACHE_WB_DONE));
}

TEST_F(dev, master_shutdown_stops_work_and_reports_idle)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_reg_set(r, ACC_MASTER_GLOBAL_CTRL, 1);
	rig_turn(r);
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	EXPECT_FALSE(rig_do(r, 0, &sqe));
	rig_reg_set(r, ACC_MASTER_GLOBAL_CTRL, 0);
	rig_run(r, 100000);
	EXPECT_EQ(0, rig_pop(r, 0));
}

/* @select: chooses the errors that close the master; @set: raises an error; @source: ends the error. */
static void error_closes_master(struct __test_metadata *_metadata, struct rig *r, u32 select, u32 set, u32 source)
{
	struct wdm_job *job;
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_reg_set(r, select, 4);
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100000, RIG_USER_BASE + (1 << 20), 1 << 20);
	r->hold_jobs = true;
	rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	job = wdm_job_next(r->dev);
	ASSERT_NE(NULL, job);
	rig_reg_set(r, set, 2);
	rig_turn(r);
	EXPECT_EQ(0, job->abort);
	rig_reg_set(r, set, 4);
	rig_turn(r);
	EXPECT_EQ(1, job->abort);
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	/* Deselecting the error doesn't open the master, nor does the other control. */
	rig_reg_set(r, select, 0);
	rig_reg_set(r, ACC_MASTER_GLOBAL_CTRL, 0);
	wdm_job_run(job, r->scratch);
	wdm_job_done(r->dev, job);
	r->hold_jobs = false;
	rig_run(r, 1000000);
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(0, *(u8 *)rig_user(r, RIG_USER_BASE + (1 << 20)));

	rig_reg_set(r, source, 2);
	rig_run(r, 100000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_reg_set(r, source, 4);
	rig_run(r, 100000);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, error_of_the_queue_manager_closes_the_master_if_selected)
{
	error_closes_master(_metadata, &self->r, QM_OOO_SHUTDOWN_SEL, QM_ABNORMAL_INT_SET,
			    QM_ABNORMAL_INT_SOURCE);
}

TEST_F(dev, error_of_the_engine_closes_the_master_if_selected)
{
	error_closes_master(_metadata, &self->r, ZIP_OOO_SHUTDOWN_SEL, ZIP_ERR_SET, ZIP_ERR_SOURCE);
}

TEST_F(dev, reset_of_the_device_opens_a_master_that_an_error_closed)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	rig_reg_set(r, QM_OOO_SHUTDOWN_SEL, 4);
	rig_reg_set(r, QM_ABNORMAL_INT_SET, 4);
	rig_turn(r);
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	wdm_function_reset(r->dev, WDM_PF);
	rig_bring_up(r);
	EXPECT_EQ(4, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	EXPECT_FALSE(rig_do(r, 0, &sqe));

	wdm_device_reset(r->dev);
	EXPECT_EQ(0, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	rig_bring_up(r);
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	EXPECT_TRUE(rig_do(r, 0, &sqe));
}

TEST_F(dev, vft_entries_read_back)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_VFT_OP_WR, 1);
	rig_reg_set(r, QM_VFT_TYPE, QM_VFT_TYPE_SQC);
	rig_reg_set(r, QM_VFT_FUNC, 0);
	rig_reg_set(r, QM_VFT_RDY, 0);
	rig_reg_set(r, QM_VFT_OP_ENABLE, 1);
	rig_turn(r);
	EXPECT_EQ(1, rig_reg(r, QM_VFT_RDY));
	EXPECT_EQ(QM_VFT_SQC_VALID >> 32 | (RIG_QUEUES - 1) << 13, rig_reg(r, QM_VFT_DATA_H));
}

TEST_F(dev, vft_beyond_the_device_is_refused)
{
	rig_vft_queues(&self->r, WDM_PF, 1, RIG_QUEUES);
	EXPECT_EQ(1, rig_refused(&self->r, WDM_REFUSE_VFT));
	EXPECT_EQ(0, rig_queue_start(&self->r, 0, NULL));
}

TEST_F(dev, vft_of_an_unknown_function_or_type_is_refused)
{
	rig_vft(&self->r, QM_VFT_TYPE_SQC, 1, 0);
	EXPECT_EQ(WDM_REFUSE_VFT, rig_refusal(&self->r));
	rig_vft(&self->r, 3, 0, 0);
	EXPECT_EQ(2, rig_refused(&self->r, WDM_REFUSE_VFT));
	EXPECT_EQ(1, rig_reg(&self->r, QM_VFT_RDY));
}

TEST(vft_ranges_of_functions_dont_overlap)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .functions = 2 };
	struct rig r;

	rig_init_bare(&r, &attr);
	rig_vft_queues(&r, 0, 0, 8);
	rig_vft_queues(&r, 1, 7, 4);
	EXPECT_EQ(1, rig_refused(&r, WDM_REFUSE_VFT));
	rig_vft_queues(&r, 1, 8, 4);
	EXPECT_EQ(1, rig_refused(&r, WDM_REFUSE_VFT));
	rig_free(&r);
}

TEST_F(dev, vft_is_reported_through_the_mailbox)
{
	ASSERT_EQ(0, rig_mailbox(&self->r, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0));
	EXPECT_EQ(QM_VFT_SQC_VALID >> 32 | (RIG_QUEUES - 1) << 13, rig_reg(&self->r, QM_MB_DATA_H));
}

TEST_F(dev, mailbox_waits_for_its_last_dword)
{
	struct rig *r = &self->r;
	u64 table = 0x1234567800ull;

	rig_reg_set(r, QM_MB, QM_MB_CMD_SQC_BT | QM_MB_BUSY);
	rig_turn(r);
	EXPECT_NE(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
	rig_reg_set(r, QM_MB_DATA_L, (u32)table);
	rig_turn(r);
	rig_reg_set(r, QM_MB_DATA_H, (u32)(table >> 32));
	rig_turn(r);
	EXPECT_NE(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
	rig_reg_set(r, QM_MB_LAST, 0);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC_BT, QM_MB_OP_GET, 0, 0));
	EXPECT_EQ((u32)table, rig_reg(r, QM_MB_DATA_L));
	EXPECT_EQ(table >> 32, rig_reg(r, QM_MB_DATA_H));
}

TEST_F(dev, mailbox_accepts_two_halves_in_any_order)
{
	struct rig *r = &self->r;

	wdm_writeq(0, r->bar2 + QM_MB + 8);
	rig_turn(r);
	wdm_writeq(QM_MB_CMD_CQC_BT | QM_MB_BUSY | 0x40ull << 32, r->bar2 + QM_MB);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
	EXPECT_EQ(0, STATUS(r));
}

TEST_F(dev, unknown_commands_fail)
{
	static const u32 cmds[] = { 0x7, 0xa, 0xb, QM_MB_CMD_SRC, QM_MB_CMD_DST, QM_MB_CMD_PAUSE_QM, 0xff };
	u32 i;

	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++)
		EXPECT_LT(0, rig_mailbox(&self->r, cmds[i], 0, 0, 0));
	EXPECT_EQ(i, rig_refused(&self->r, WDM_REFUSE_MB_CMD));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_SQC_VFT, 0, 0, 0));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_STOP_QP, QM_MB_OP_GET, 0, 0));
}

TEST_F(dev, reserved_mailbox_bits_fail)
{
	struct rig *r = &self->r;

	EXPECT_LT(0, rig_mailbox(r, QM_MB_CMD_SQC_BT, 1 << 8, 0, 0));
	EXPECT_LT(0, rig_mailbox(r, QM_MB_CMD_SQC_BT, 1 << 15, 0, 0));
	rig_reg_set(r, QM_MB, QM_MB_CMD_SQC_BT | QM_MB_BUSY);
	rig_reg_set(r, QM_MB_LAST, 1);
	rig_turn(r);
	EXPECT_NE(0, STATUS(r));
	EXPECT_EQ(3, rig_refused(r, WDM_REFUSE_MB_CMD));
}

TEST_F(dev, queues_outside_the_range_fail)
{
	u64 at = rig_dma_alloc(&self->r, QM_QC_SIZE);

	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_SQC, 0, RIG_QUEUES, at));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_CQC, QM_MB_OP_GET, 0xffff, at));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_STOP_QP, 0, RIG_QUEUES, 0));
	EXPECT_EQ(3, rig_refused(&self->r, WDM_REFUSE_MB_QUEUE));
}

TEST_F(dev, no_queue_without_vft)
{
	rig_vft_queues(&self->r, WDM_PF, 0, 0);
	EXPECT_LT(0, rig_queue_start(&self->r, 0, NULL));
	EXPECT_EQ(WDM_REFUSE_MB_QUEUE, rig_refusal(&self->r));
}

TEST_F(dev, unreachable_contexts_fail)
{
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_SQC, 0, 0, 0xdead0000));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_EQC, QM_MB_OP_GET, 0, 0xdead0000));
	EXPECT_LT(0, rig_mailbox(&self->r, QM_MB_CMD_CQC, QM_MB_OP_GET, 0, ~0ull));
	EXPECT_EQ(3, rig_refused(&self->r, WDM_REFUSE_MB_DMA));
}

TEST_F(dev, contexts_read_back)
{
	struct rig *r = &self->r;
	struct rig_queue_opts o = { .alg = 1, .prio = 3 };
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);
	struct qm_sqc *sqc = rig_dma(r, at);
	struct qm_cqc *cqc = rig_dma(r, at);
	struct qm_eqc *eqc = rig_dma(r, at);
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 5, &o));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	ASSERT_TRUE(rig_do(r, 5, &sqe));
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_SQC, QM_MB_OP_GET, 5, at));
	EXPECT_EQ(1, sqc->head);
	EXPECT_EQ(1, sqc->tail);
	EXPECT_EQ((u32)r->q[5].sq, sqc->base_l);
	EXPECT_EQ(RIG_PASID, sqc->pasid);
	EXPECT_EQ(QM_SQC_W11_PASID, sqc->w11);
	EXPECT_EQ(1 << 8 | 1 << 4 | 3, sqc->w13);
	EXPECT_EQ(7 << 12 | 1023, sqc->dw3);
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_CQC, QM_MB_OP_GET, 5, at));
	EXPECT_EQ(1, cqc->tail);
	EXPECT_EQ(4 << 12 | 1023, cqc->dw3);
	ASSERT_EQ(0, rig_mailbox(r, QM_MB_CMD_EQC, QM_MB_OP_GET, 0, at));
	EXPECT_EQ(1, eqc->tail);
	EXPECT_EQ((u32)r->eq, eqc->base_l);
	EXPECT_EQ(QM_EQ_DEPTH_V2 - 1, eqc->dw6 & 0xffff);
}

static int set_context(struct rig *r, u32 cmd, u32 queue, const void *qc)
{
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);

	memcpy(rig_dma(r, at), qc, QM_QC_SIZE);
	return rig_mailbox(r, cmd, 0, queue, at);
}

TEST_F(dev, each_bad_sqc_field_is_refused)
{
	struct rig *r = &self->r;
	struct qm_sqc good, bad;
	u64 field;

	rig_sqc(r, &r->q[0], NULL, &good);
#define REFUSED(change, why) \
	do { \
		bad = good; \
		change; \
		EXPECT_LT(0, set_context(r, QM_MB_CMD_SQC, 0, &bad)); \
		EXPECT_EQ(why, rig_refusal(r)); \
	} while (0)
	REFUSED(bad.dw3 = 7 << 12, WDM_REFUSE_QC_DEPTH);
	REFUSED(bad.dw3 = 7 << 12 | 1024, WDM_REFUSE_QC_DEPTH);
	REFUSED(bad.dw3 = 6 << 12 | 1023, WDM_REFUSE_QC_ENTRY);
	REFUSED(bad.dw3 |= 1 << 16, WDM_REFUSE_QC_ENTRY);
	field = rig_refused(r, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.head = 1, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.head = bad.tail = 1024, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.rsvd0 = 1, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.rsvd1 = 1, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.cq_num = 1, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.w11 |= 1, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.w11 = 0, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.w13 = 2 << 8, WDM_REFUSE_QC_FIELD);
	EXPECT_EQ(field + 8, rig_refused(r, WDM_REFUSE_QC_FIELD));
	REFUSED(bad.base_h = 0xffffffff, WDM_REFUSE_MB_DMA);
	EXPECT_EQ(0, set_context(r, QM_MB_CMD_SQC, 0, &good));
}

TEST_F(dev, each_bad_cqc_field_is_refused)
{
	struct rig *r = &self->r;
	struct qm_cqc good, bad;

	rig_cqc(r, &r->q[0], NULL, &good);
#undef REFUSED
#define REFUSED(change, why) \
	do { \
		bad = good; \
		change; \
		EXPECT_LT(0, set_context(r, QM_MB_CMD_CQC, 0, &bad)); \
		EXPECT_EQ(why, rig_refusal(r)); \
	} while (0)
	REFUSED(bad.dw3 = 4 << 12, WDM_REFUSE_QC_DEPTH);
	REFUSED(bad.dw3 = 7 << 12 | 1023, WDM_REFUSE_QC_ENTRY);
	REFUSED(bad.tail = 3, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.dw6 |= 4, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.w11 = 2, WDM_REFUSE_QC_FIELD);
	REFUSED(bad.rsvd1 = 1, WDM_REFUSE_QC_FIELD);
	EXPECT_EQ(0, set_context(r, QM_MB_CMD_CQC, 0, &good));
}

TEST_F(dev, bad_event_queue_contexts_are_refused)
{
	struct qm_eqc qc[2] = { { .dw6 = 1u << 17 | 63 }, { 0 } };

	EXPECT_LT(0, set_context(&self->r, QM_MB_CMD_EQC, 0, qc));
	qc[0] = (struct qm_eqc){ .head = 1 };
	EXPECT_LT(0, set_context(&self->r, QM_MB_CMD_AEQC, 0, qc));
	EXPECT_EQ(2, rig_refused(&self->r, WDM_REFUSE_QC_FIELD));
}

TEST_F(dev, context_of_a_busy_queue_cant_be_replaced)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	EXPECT_LT(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(WDM_REFUSE_MB_BUSY, rig_refusal(r));
}

TEST_F(dev, stop_waits_for_what_runs)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	job = wdm_job_next(r->dev);
	ASSERT_NE(NULL, job);
	rig_mailbox_write(r, QM_MB_CMD_STOP_QP, 0, 0, 0);
	rig_run(r, 1000000);
	EXPECT_NE(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
	wdm_job_run(job, r->scratch);
	wdm_job_done(r->dev, job);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, QM_MB) & (QM_MB_BUSY | QM_MB_STATUS_MASK));
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, stop_runs_what_was_accepted)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	for (i = 0; i < 100; i++)
		rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	r->hold_jobs = false;
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	for (i = 0; i < 100; i++) {
		EXPECT_EQ((int)i, rig_pop(r, 0));
		EXPECT_EQ(ZIP_ST_OK, rig_slot(r, 0, i)[3] & 0xff);
	}
}

TEST_F(dev, stop_answers_what_doesnt_start_in_time_with_an_error)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 i;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	for (i = 0; i < 1000; i++)
		rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	for (i = 0; i < 1000; i++) {
		EXPECT_EQ((int)i, rig_pop(r, 0));
		EXPECT_EQ(ZIP_ST_ABORTED, rig_slot(r, 0, i)[3]);
	}
	EXPECT_EQ(-1, rig_pop(r, 0));
}

TEST_F(dev, stopped_queue_takes_no_doorbell_and_can_start_again)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	ASSERT_TRUE(rig_do(r, 0, &sqe));
	ASSERT_EQ(0, rig_queue_stop(r, 0));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	EXPECT_FALSE(rig_do(r, 0, &sqe));
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(-1, rig_pop(r, 0));
	/* The same doorbell value as the first one before the reset. */
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	EXPECT_TRUE(rig_do(r, 0, &sqe));
}

TEST_F(dev, stop_of_an_idle_or_never_started_queue_succeeds)
{
	EXPECT_EQ(0, rig_queue_stop(&self->r, 3));
	ASSERT_EQ(0, rig_queue_start(&self->r, 3, NULL));
	EXPECT_EQ(0, rig_queue_stop(&self->r, 3));
	EXPECT_EQ(0, rig_queue_stop(&self->r, 3));
}

TEST_F(dev, flush_stops_every_queue)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 q;

	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	for (q = 0; q < RIG_QUEUES; q++) {
		ASSERT_EQ(0, rig_queue_start(r, q, NULL));
		rig_push(r, q, &sqe);
		rig_ring_sq(r, q);
	}
	r->hold_jobs = false;
	EXPECT_EQ(0, rig_mailbox(r, QM_MB_CMD_FLUSH_QM, 0, 0, 0));
	for (q = 0; q < RIG_QUEUES; q++) {
		EXPECT_EQ(0, rig_pop(r, q));
		EXPECT_FALSE(rig_do(r, q, &sqe));
	}
}

TEST_F(dev, reset_drops_work_and_waits_for_what_runs)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	r->hold_jobs = true;
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 100, RIG_USER_BASE + 4096, 4096);
	rig_push(r, 0, &sqe);
	rig_push(r, 0, &sqe);
	rig_ring_sq(r, 0);
	job = wdm_job_next(r->dev);
	wdm_function_reset(r->dev, WDM_PF);
	EXPECT_TRUE(wdm_function_busy(r->dev, WDM_PF));
	EXPECT_EQ(1, job->abort);
	wdm_job_run(job, r->scratch);
	wdm_job_done(r->dev, job);
	EXPECT_FALSE(wdm_function_busy(r->dev, WDM_PF));
	rig_run(r, 1000000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(0, r->look.busy);
	EXPECT_EQ(1, rig_reg(r, QM_VFT_RDY));
	EXPECT_EQ(1, rig_reg(r, QM_EQ_INT_MASK));
}

TEST_F(dev, detached_function_isnt_touched)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	wdm_function_detach(r->dev, WDM_PF);
	memset(r->bar2, 0x5a, QM_BAR2_PF_SIZE);
	rig_run(r, 100000);
	EXPECT_EQ(0x5a5a5a5a, rig_reg(r, QM_MB));
	EXPECT_EQ(0, wdm_function_attach(r->dev, WDM_PF, r->bar2, r->bar4));
	EXPECT_EQ(-EBUSY, wdm_function_attach(r->dev, WDM_PF, r->bar2, r->bar4));
	EXPECT_EQ(-EINVAL, wdm_function_attach(r->dev, 1, r->bar2, r->bar4));
	EXPECT_EQ(0, rig_reg(r, QM_MB) & QM_MB_BUSY);
}

TEST_F(dev, injected_errors_are_reported_until_cleared)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_ABNORMAL_INT_MASK, 0);
	rig_reg_set(r, QM_ABNORMAL_INT_SET, QM_ERR_ECC_MBIT);
	rig_turn(r);
	EXPECT_EQ(QM_ERR_ECC_MBIT, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_ABNORMAL]);
	rig_reg_set(r, QM_ABNORMAL_INT_SOURCE, QM_ERR_ECC_MBIT);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, QM_ABNORMAL_INT_STATUS));
}

TEST(refusals_have_names)
{
	int i;

	for (i = 0; i < WDM_REFUSE_NR; i++)
		EXPECT_STRNE("unknown", wdm_refusal_name(i));
	EXPECT_STREQ("unknown", wdm_refusal_name(WDM_REFUSE_NR));
}

TEST_HARNESS_MAIN
