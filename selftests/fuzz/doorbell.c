// SPDX-License-Identifier: Apache-2.0
/*
 * Registers, mailbox, doorbells and rings of two functions, driven by a driver that misbehaves at random: the model
 * stays inside its memory, each wait ends, and after a reset the device works like a new one.
 * Input: steps.
 */
#include "feed.h"
#include "rig.h"

#define STEPS		200
#define VF		1
#define MAD_DMA		(RIG_DMA_BASE + (4u << 20))	/* the misbehaving driver's contexts and rings */
#define MAD_BYTES	(1u << 20)
#define SRC		RIG_USER_BASE
#define DST		(RIG_USER_BASE + (1u << 20))

enum step {
	STEP_REGISTER,
	STEP_MAILBOX,
	STEP_CONTEXT,
	STEP_DOORBELL,
	STEP_EVENT_DOORBELL,
	STEP_VFT,
	STEP_TIME,
	STEP_RESET,
	STEP_RING,
	STEP_HOLD,
	STEP_VF_REGISTER,
	STEP_QUEUE,		/* the way a good driver starts a queue */
	STEP_NR,
};

static const u32 known[] = {
	QM_AEQ_INT_SOURCE, QM_AEQ_INT_MASK, QM_EQ_INT_SOURCE, QM_EQ_INT_MASK, QM_IFC_INT_SOURCE_V, QM_IFC_INT_MASK,
	QM_IFC_INT_SET_V, QM_PAGE_SIZE, QM_VF_STATE, QM_CACHE_WB_START, QM_MB, QM_MB_DATA_L, QM_MB_DATA_H, QM_MB_LAST,
	QM_DB_V1, QM_DB_SQ_CQ, QM_DB_EQ_AEQ, QM_ABNORMAL_INT_SOURCE, QM_ABNORMAL_INT_MASK, QM_ABNORMAL_INT_SET,
	QM_MEM_START_INIT, QM_CACHE_CTL, QM_VFT_OP_ENABLE, QM_VFT_OP_WR, QM_VFT_TYPE, QM_VFT_FUNC, QM_VFT_DATA_L,
	QM_VFT_DATA_H, QM_VFT_RDY, QM_DB_TIMEOUT_CFG,
};

static void registers(struct feed *f, unsigned char *bar, size_t bytes)
{
	u8 how = feed_u8(f);
	u32 reg = how & 0x80 ? feed_u32(f) % (u32)bytes & ~3u : known[how % (sizeof(known) / sizeof(known[0]))];

	if (reg < bytes)
		wdm_writel(feed_u32(f), bar + reg);
}

static u64 somewhere(struct feed *f)
{
	u8 how = feed_u8(f);

	return how & 0x80 ? feed_u64(f) : MAD_DMA + (how & 15) * 4096u;
}

static void mailbox(struct rig *r, struct feed *f)
{
	u32 cmd = feed_u8(f), flags = feed_u8(f), queue = feed_u16(f);
	u64 base = somewhere(f);

	if (!(flags & 1)) {
		cmd %= 16;
		queue %= RIG_QUEUES + 2;
	}
	wdm_writel(cmd | (flags & 2 ? QM_MB_OP_GET : 0) | QM_MB_BUSY | queue << 16, r->bar2 + QM_MB);
	wdm_writel((u32)base, r->bar2 + QM_MB_DATA_L);
	wdm_writel((u32)(base >> 32), r->bar2 + QM_MB_DATA_H);
	wdm_writel(flags & 4 ? feed_u32(f) : 0, r->bar2 + QM_MB_LAST);
	rig_turn(r);
}

static void context(struct rig *r, struct feed *f)
{
	u8 kind = feed_u8(f), n;
	struct rig_queue q = { .sq = MAD_DMA + 0x20000, .cq = MAD_DMA + 0x60000, .id = feed_u8(f) % RIG_QUEUES };
	u32 words[QM_QC_SIZE / 4] = { 0 };
	u64 where = MAD_DMA + (kind >> 4) * 4096u;

	switch (kind & 3) {
	case 0:
		rig_sqc(r, &q, NULL, (struct qm_sqc *)words);
		break;
	case 1:
		rig_cqc(r, &q, NULL, (struct qm_cqc *)words);
		break;
	case 2:
		*(struct qm_eqc *)words = (struct qm_eqc){
			.base_l = (u32)q.sq, .dw6 = (QM_EQ_DEPTH_V2 - 1) | QM_EQC_DW6_PHASE
		};
		break;
	default:
		feed_bytes(f, words, sizeof(words));
	}
	for (n = feed_u8(f) % 4; n; n--) {
		u32 word = feed_u8(f) % (sizeof(words) / 4);

		words[word] ^= feed_u32(f);
	}
	memcpy(rig_dma(r, where), words, sizeof(words));
}

static void doorbell(struct rig *r, struct feed *f)
{
	u32 how = feed_u8(f), window = how % RIG_QUEUES;
	u64 value;

	if (how & 0x80)
		value = feed_u64(f);
	else
		value = qm_db_value((u16)window, how >> 4 & 1, feed_u16(f), how >> 5 & 1);
	wdm_writeq(value, r->bar4 + (size_t)window * QM_DB_WINDOW + QM_DB_SQ_CQ);
	rig_turn(r);
}

static void ring(struct rig *r, struct feed *f)
{
	u64 where = MAD_DMA + 0x20000 + feed_u16(f) % 16 * 128u;
	struct zip_sqe sqe;
	u8 n;

	rig_sqe(&sqe, 1 + feed_u8(f) % 3, SRC, feed_u16(f), DST, feed_u16(f));
	for (n = feed_u8(f) % 4; n; n--) {
		u32 word = feed_u8(f) % 32;

		((u32 *)&sqe)[word] ^= feed_u32(f);
	}
	memcpy(rig_dma(r, where), &sqe, sizeof(sqe));
}

static void reset(struct rig *r, struct feed *f, struct rig *v)
{
	u32 i;

	switch (feed_u8(f) % 5) {
	case 4:
		wdm_device_reset(r->dev);
		break;
	case 0:
		wdm_function_reset(r->dev, WDM_PF);
		break;
	case 1:
		wdm_function_reset(r->dev, VF);
		break;
	case 2:
		wdm_function_detach(r->dev, VF);
		for (i = 0; i < 1000 && wdm_function_busy(r->dev, VF); i++)
			rig_run(r, RIG_STEP_NS);
		wdm_function_attach(r->dev, VF, v->bar2, v->bar4);
		break;
	default:
		wdm_device_set_latency(r->dev, feed_u16(f));
		wdm_device_set_bandwidth(r->dev, feed_u16(f));
	}
}

static void vft(struct rig *r, struct feed *f)
{
	u32 type = feed_u8(f), fn = feed_u8(f);

	/* Queues for a function, distributed as a driver does; or random values. */
	if (type & 0x80)
		rig_vft(r, type & 3, fn % 4, feed_u64(f));
	else
		rig_vft_queues(r, fn % 3, feed_u8(f) % (RIG_QUEUES + 1), feed_u8(f) % (RIG_QUEUES + 1));
}

static void step(struct rig *r, struct feed *f, struct rig *v)
{
	u8 what = feed_u8(f);
	struct rig *one = what & 0x80 ? v : r;

	switch ((what & 0x7f) % STEP_NR) {
	case STEP_REGISTER:
		registers(f, r->bar2, r->bar2_bytes);
		break;
	case STEP_VF_REGISTER:
		registers(f, v->bar2, v->bar2_bytes);
		break;
	case STEP_MAILBOX:
		mailbox(one, f);
		break;
	case STEP_CONTEXT:
		context(one, f);
		break;
	case STEP_DOORBELL:
		doorbell(one, f);
		break;
	case STEP_EVENT_DOORBELL:
		wdm_writeq(feed_u64(f), one->bar2 + QM_DB_EQ_AEQ);
		break;
	case STEP_VFT:
		vft(r, f);
		break;
	case STEP_TIME:
		rig_run(r, feed_u16(f) << 4);
		break;
	case STEP_RESET:
		reset(r, f, v);
		break;
	case STEP_RING:
		ring(one, f);
		break;
	case STEP_HOLD:
		r->hold_jobs = !r->hold_jobs;
		break;
	case STEP_QUEUE:
		if (one->dma_used < RIG_DMA_BYTES / 4) {
			struct rig_queue_opts o = { .alg = feed_u8(f) & 1, .sq_depth = 2u << feed_u8(f) % 10 };

			rig_queue_start(one, feed_u8(f) % RIG_QUEUES, &o);
		}
		break;
	}
}

/* Brings the device back as a driver does; nothing that happened before is left. */
static void comes_back(struct rig *r)
{
	struct zip_sqe sqe;
	u32 i;

	r->hold_jobs = false;
	wdm_device_set_latency(r->dev, 0);
	wdm_device_set_bandwidth(r->dev, 0);
	wdm_device_reset(r->dev);
	for (i = 0; i < 10000 && (wdm_function_busy(r->dev, WDM_PF) || wdm_function_busy(r->dev, VF)); i++)
		rig_run(r, RIG_STEP_NS);
	MUST(!wdm_function_busy(r->dev, WDM_PF) && !wdm_function_busy(r->dev, VF), "busy for ever");
	rig_run(r, RIG_STEP_NS);
	MUST(!r->look.busy && !r->look.jobs);
	rig_bring_up(r);
	MUST(!rig_queue_start(r, 3, NULL));
	memset(rig_user(r, SRC), 'a', 100);
	rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, 100, DST, 4096);
	MUST(rig_do(r, 3, &sqe) && (sqe.dw3 & ZIP_DW3_STATUS_MASK) == ZIP_ST_OK && sqe.consumed == 100);
	MUST(!rig_queue_stop(r, 3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .functions = 2 };
	struct feed f = { data, size };
	struct rig r, v;
	u32 i;

	rig_init(&r, &attr);
	rig_attach(&v, &r, VF);
	for (i = 0; i < STEPS && f.left; i++)
		step(&r, &f, &v);
	comes_back(&r);
	rig_free(&v);
	rig_free(&r);
	return 0;
}
