// SPDX-License-Identifier: Apache-2.0
/* Resets of a VF, of the PF and of the device: what is lost, what stays, and that nothing is written afterwards. */
#include <stdlib.h>
#include <zlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define VFS	3
#define FNS	(VFS + 1)
#define SHARE	(RIG_QUEUES / FNS)
#define OUT	8		/* jobs that workers have */
#define LEN	600
#define ROOM	2048
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))
#define RUNS	30
#define STEPS	4000

FIXTURE(dev) {
	struct rig r[FNS];
};

static void share_out(struct rig *pf)
{
	u32 fn;

	for (fn = 0; fn < FNS; fn++)
		rig_vft_queues(pf, fn, fn * SHARE, SHARE);
}

static void begin(struct rig *r)
{
	struct wdm_attr attr = { .functions = FNS };
	u32 fn, i;

	rig_init_bare(&r[0], &attr);
	rig_engine_start(&r[0]);
	for (fn = 1; fn < FNS; fn++)
		rig_attach(&r[fn], &r[0], fn);
	share_out(&r[0]);
	for (fn = 0; fn < FNS; fn++) {
		rig_function_up(&r[fn]);
		for (i = 0; i < LEN; i++)
			((u8 *)rig_user(&r[fn], SRC))[i] = (u8)(fn * 50 + i % (fn + 7));
	}
}

static void end(struct rig *r)
{
	u32 fn;

	for (fn = FNS; fn-- > 0;)
		rig_free(&r[fn]);
}

FIXTURE_SETUP(dev)
{
	begin(self->r);
}

FIXTURE_TEARDOWN(dev)
{
	end(self->r);
}

/* A request of that function; its result goes to a place of its own. */
static void submit(struct rig *r, u32 q)
{
	struct zip_sqe sqe;

	rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, LEN, DST + r->q[q].tail * ROOM, ROOM);
	memset(rig_user(r, DST + r->q[q].tail * ROOM), 0, ROOM);
	rig_push(r, q, &sqe);
	rig_ring_sq(r, q);
}

static bool is_exact(struct rig *r, u32 q, u32 slot)
{
	const struct zip_sqe *sqe = (struct zip_sqe *)rig_slot(r, q, slot);
	u8 back[LEN], stream[ROOM + 2] = { 0x78, 0x9c };	/* zlib's header, which software writes */
	uLongf len = LEN;

	if ((sqe->dw3 & ZIP_DW3_STATUS_MASK) != ZIP_ST_OK || sqe->consumed != LEN || sqe->produced > ROOM)
		return false;
	memcpy(stream + 2, rig_user(r, DST + slot * ROOM), sqe->produced);
	return uncompress(back, &len, stream, sqe->produced + 2) == Z_OK && len == LEN &&
	       !memcmp(back, rig_user(r, SRC), LEN);
}

static bool works(struct rig *r, u32 q)
{
	u32 slot = r->q[q].tail;
	bool ok;

	submit(r, q);
	rig_run(r, RIG_STEP_NS);
	ok = rig_pop(r, q) == (int)slot && is_exact(r, q, slot);
	rig_ring_cq(r, q, false);
	return ok;
}

static u32 share(struct rig *r)
{
	if (rig_mailbox(r, QM_MB_CMD_SQC_VFT, QM_MB_OP_GET, 0, 0))
		abort();
	return rig_reg(r, QM_MB_DATA_H) ? (rig_reg(r, QM_MB_DATA_H) >> 13) + 1 : 0;
}

TEST_F(dev, reset_of_a_vf_leaves_its_share_and_its_mask)
{
	static const u32 zero[] = { QM_AEQ_INT_SOURCE, QM_EQ_INT_SOURCE, QM_IFC_INT_SOURCE_V, QM_IFC_INT_STATUS,
		QM_IFC_INT_SET_V, QM_PAGE_SIZE, QM_VF_STATE, QM_CACHE_WB_START, QM_CACHE_WB_DONE, QM_DFX_FUNS_ACTIVE_ST,
		QM_DB_V1, QM_DB_SQ_CQ, QM_DB_EQ_AEQ, 0x8000, 0x8020, 0x8038 };
	struct rig *vf = &self->r[2];
	u32 i, m;

	for (m = 0; m < 2; m++) {
		memset(vf->bar2, 0xa5, vf->bar2_bytes);
		rig_reg_set(vf, QM_IFC_INT_MASK, m);
		wdm_function_reset(vf->dev, 2);
		for (i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
			EXPECT_EQ(0, rig_reg(vf, zero[i])) TH_LOG("register %x", zero[i]);
		EXPECT_EQ(m, rig_reg(vf, QM_IFC_INT_MASK));
		EXPECT_EQ(1, rig_reg(vf, QM_EQ_INT_MASK));
		EXPECT_EQ(1, rig_reg(vf, QM_AEQ_INT_MASK));
		EXPECT_EQ(1, rig_reg(vf, QM_QUE_ISO_CFG));
		EXPECT_EQ(QM_CAP_V3_DEFAULT, rig_reg(vf, QM_CAP_VERSION));
		EXPECT_EQ(ZIP_CAP_DEV_ALGS_LZ, rig_reg(vf, ZIP_CAP_DEV_ALGS));
		EXPECT_EQ(SHARE, share(vf));
	}
	rig_function_up(vf);
	ASSERT_EQ(0, rig_queue_start(vf, 3, NULL));
	EXPECT_TRUE(works(vf, 3));
}

TEST_F(dev, reset_of_a_vf_ends_its_jobs_only)
{
	struct rig *pf = &self->r[0];
	struct wdm_job *job[FNS];
	u32 fn;

	pf->hold_jobs = true;
	for (fn = 0; fn < FNS; fn++) {
		ASSERT_EQ(0, rig_queue_start(&self->r[fn], 0, NULL));
		submit(&self->r[fn], 0);
		job[fn] = wdm_job_next(pf->dev);
		ASSERT_NE(NULL, job[fn]);
	}
	wdm_function_reset(pf->dev, 2);
	for (fn = 0; fn < FNS; fn++) {
		EXPECT_EQ(fn == 2, job[fn]->abort);
		EXPECT_TRUE(wdm_function_busy(pf->dev, fn));
	}
	for (fn = 0; fn < FNS; fn++) {
		wdm_job_run(job[fn], pf->scratch);
		wdm_job_done(pf->dev, job[fn]);
		EXPECT_EQ(fn == 2 ? -1 : 0, rig_pop(&self->r[fn], 0));
		EXPECT_TRUE(fn == 2 || is_exact(&self->r[fn], 0, 0));
	}
	EXPECT_FALSE(wdm_function_busy(pf->dev, WDM_PF));
}

TEST_F(dev, reset_of_the_pf_resets_all_functions)
{
	struct rig *pf = &self->r[0];
	struct wdm_job *job;
	u32 fn;

	ASSERT_EQ(0, rig_queue_start(&self->r[1], 0, NULL));
	pf->hold_jobs = true;
	submit(&self->r[1], 0);
	job = wdm_job_next(pf->dev);
	ASSERT_NE(NULL, job);
	for (fn = 0; fn < FNS; fn++) {
		rig_reg_set(&self->r[fn], QM_IFC_INT_MASK, 0);
		rig_reg_set(&self->r[fn], QM_PAGE_SIZE, 2);
	}
	rig_reg_set(pf, ACC_MASTER_GLOBAL_CTRL, 1);
	wdm_function_reset(pf->dev, WDM_PF);
	EXPECT_EQ(1, job->abort);
	EXPECT_TRUE(wdm_function_busy(pf->dev, WDM_PF));
	EXPECT_FALSE(wdm_function_busy(pf->dev, 2));
	wdm_job_run(job, pf->scratch);
	wdm_job_done(pf->dev, job);
	EXPECT_FALSE(wdm_function_busy(pf->dev, WDM_PF));
	pf->hold_jobs = false;
	EXPECT_EQ(-1, rig_pop(&self->r[1], 0));
	EXPECT_EQ(0, rig_reg(pf, ACC_MASTER_GLOBAL_CTRL));
	for (fn = 0; fn < FNS; fn++) {
		EXPECT_EQ(0, rig_reg(&self->r[fn], QM_PAGE_SIZE));
		EXPECT_EQ(fn == WDM_PF, rig_reg(&self->r[fn], QM_IFC_INT_MASK));
		EXPECT_EQ(0, share(&self->r[fn]));
	}
	/* The memory is still initialised. */
	share_out(pf);
	rig_function_up(&self->r[3]);
	ASSERT_EQ(0, rig_queue_start(&self->r[3], 0, NULL));
	EXPECT_TRUE(works(&self->r[3], 0));
}

TEST_F(dev, reset_of_the_device_is_like_power_on)
{
	struct rig *pf = &self->r[0];
	u32 fn;

	for (fn = 0; fn < FNS; fn++) {
		rig_reg_set(&self->r[fn], QM_IFC_INT_MASK, 0);
		rig_reg_set(&self->r[fn], QM_PAGE_SIZE, 2);
	}
	rig_reg_set(pf, ACC_MASTER_GLOBAL_CTRL, 1);
	rig_reg_set(pf, ZIP_OOO_SHUTDOWN_SEL, 4);
	rig_reg_set(pf, QM_OOO_SHUTDOWN_SEL, 4);
	rig_reg_set(pf, ZIP_ERR_SET, 4);
	rig_reg_set(pf, QM_ABNORMAL_INT_SET, 4);
	rig_turn(pf);
	EXPECT_EQ(4, rig_reg(pf, ZIP_ERR_STATUS));
	wdm_device_reset(pf->dev);
	EXPECT_EQ(0, rig_reg(pf, ACC_MASTER_GLOBAL_CTRL));
	EXPECT_EQ(0, rig_reg(pf, ZIP_OOO_SHUTDOWN_SEL));
	EXPECT_EQ(0, rig_reg(pf, QM_OOO_SHUTDOWN_SEL));
	EXPECT_EQ(0, rig_reg(pf, ZIP_ERR_STATUS));
	EXPECT_EQ(0, rig_reg(pf, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(0, rig_reg(pf, QM_MEM_INIT_DONE));
	EXPECT_EQ(0x7fff, rig_reg(pf, QM_ABNORMAL_INT_MASK));
	for (fn = 0; fn < FNS; fn++) {
		EXPECT_EQ(0, rig_reg(&self->r[fn], QM_PAGE_SIZE));
		EXPECT_EQ(1, rig_reg(&self->r[fn], QM_IFC_INT_MASK));
		EXPECT_EQ(0, share(&self->r[fn]));
	}
	/* Without the driver's initialisation nothing works. */
	share_out(pf);
	rig_function_up(&self->r[1]);
	ASSERT_EQ(0, rig_queue_start(&self->r[1], 0, NULL));
	EXPECT_FALSE(works(&self->r[1], 0));
	EXPECT_EQ(WDM_REFUSE_ENGINE, rig_refusal(pf));
	rig_engine_start(pf);
	EXPECT_TRUE(works(&self->r[1], 0));
}

TEST_F(dev, reset_of_a_vf_drops_messages_to_it_and_keeps_those_from_it)
{
	struct rig *pf = &self->r[0], *vf = &self->r[1];

	ASSERT_EQ(0, rig_mailbox(pf, QM_MB_CMD_SRC, 0, 0xffff, 77));
	rig_reg_set(pf, QM_IFC_INT_CFG, 0x7f);
	rig_reg_set(pf, QM_IFC_INT_SET_P, 1);
	ASSERT_EQ(0, rig_mailbox(vf, QM_MB_CMD_SRC, 0, WDM_PF, 88));
	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	rig_turn(pf);
	EXPECT_EQ(0xe, rig_reg64(pf, QM_IFC_READY_STATUS));
	wdm_function_reset(pf->dev, 1);
	EXPECT_EQ(0xc, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(2, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	rig_turn(pf);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(1, rig_reg(&self->r[2], QM_IFC_INT_SOURCE_V));
	ASSERT_EQ(0, rig_mailbox(pf, QM_MB_CMD_DST, 0, 1, 0));
	EXPECT_EQ(88, rig_reg(pf, QM_MB_DATA_L));

	wdm_function_reset(pf->dev, WDM_PF);
	rig_turn(pf);
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS) | rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, rig_reg(&self->r[2], QM_IFC_INT_SOURCE_V));
	EXPECT_LT(0, rig_mailbox(&self->r[2], QM_MB_CMD_DST, 0, WDM_PF, 0));
	EXPECT_LT(0, rig_mailbox(pf, QM_MB_CMD_DST, 0, 1, 0));
}

/* --- resets at any time --- */

struct world {
	struct rig r[FNS];
	struct wdm_job *out[OUT];
	bool ran[OUT];
	bool resetting[FNS];	/* not answered yet */
	u32 next[FNS];		/* slot of the next completion */
	u64 random;
	u64 exact, resets;
	const char *wrong;
};

static u32 rnd(struct world *w)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(w->random >> 33);
}

/* The host answers a reset when no worker is busy with the function; from then on the memory isn't the device's. */
static void answer(struct world *w, u32 fn)
{
	if (w->resetting[fn] && !wdm_function_busy(w->r[0].dev, w->resetting[WDM_PF] ? WDM_PF : fn)) {
		w->resetting[fn] = false;
		w->r[fn].lent = true;
	}
}

static void reset_any(struct world *w)
{
	u32 fn = rnd(w) % (FNS + 1), i;

	if (fn < FNS && (w->resetting[fn] || w->r[fn].lent))
		return;
	w->resets++;
	if (fn == FNS)
		wdm_device_reset(w->r[0].dev);
	else
		wdm_function_reset(w->r[0].dev, fn);
	for (i = 0; i < FNS; i++)
		w->resetting[i] |= fn == i || fn == WDM_PF || fn == FNS;
}

/* The function's driver starts it; the PF's driver first, with the shares of all. */
static void revive(struct world *w, u32 fn)
{
	struct rig *r = &w->r[fn];

	if (!r->lent || w->resetting[WDM_PF] || (fn && w->r[0].lent))
		return;
	r->lent = false;
	if (fn == WDM_PF) {
		rig_engine_start(r);
		share_out(r);
	}
	rig_function_up(r);
	w->next[fn] = 0;
	if (rig_queue_start(r, 1, NULL))
		w->wrong = "a queue doesn't start after a reset";
}

static void collect(struct world *w, u32 fn)
{
	int slot = rig_pop(&w->r[fn], 1);

	if (slot < 0)
		return;
	if (slot != (int)w->next[fn]++ || !is_exact(&w->r[fn], 1, (u32)slot))
		w->wrong = "a request's result is wrong";
	w->exact++;
	rig_ring_cq(&w->r[fn], 1, false);
}

static void worker(struct world *w, u32 n)
{
	if (!w->out[n]) {
		w->out[n] = wdm_job_next(w->r[0].dev);
		w->ran[n] = false;
	} else if (!w->ran[n]) {
		wdm_job_run(w->out[n], w->r[0].scratch);
		w->ran[n] = true;
	} else {
		wdm_job_done(w->r[0].dev, w->out[n]);
		w->out[n] = NULL;
	}
}

static void answer_all(struct world *w)
{
	u32 fn;

	for (fn = FNS; fn-- > 0;)
		answer(w, fn);
}

/* The control context may reset while a worker is in the middle of a job. */
static void reset_in_a_job(void *arg)
{
	struct world *w = arg;

	if (rnd(w) % 128)
		return;
	reset_any(w);
	answer_all(w);
}

/* All jobs come back, and the device has lost none. */
static bool is_empty(struct world *w)
{
	u32 n;

	w->r[0].on_payload = NULL;
	wdm_device_reset(w->r[0].dev);
	for (n = 0; n < OUT; n++)
		while (w->out[n])
			worker(w, n);
	rig_turn(&w->r[0]);
	return !w->r[0].look.busy && !wdm_function_busy(w->r[0].dev, WDM_PF);
}

static void step(struct world *w)
{
	u32 fn = rnd(w) % FNS;
	bool usable = !w->resetting[fn] && !w->r[fn].lent;

	switch (rnd(w) % 64) {
	case 0:
		reset_any(w);
		break;
	case 1 ... 6:
		revive(w, fn);
		break;
	case 7 ... 20:
		if (usable && w->r[fn].q[1].tail - w->next[fn] < 20 && w->next[fn] < 400)
			submit(&w->r[fn], 1);
		break;
	case 21 ... 30:
		if (usable)
			collect(w, fn);
		break;
	case 31 ... 40:
		w->r[0].now += 1000;
		rig_turn(&w->r[0]);
		break;
	default:
		worker(w, rnd(w) % OUT);
	}
	answer_all(w);
	for (fn = 0; fn < FNS; fn++)
		if (w->r[fn].strays)
			w->wrong = "memory is used after the reset";
}

TEST(nothing_is_written_after_a_reset_has_been_answered)
{
	static struct world w;
	u32 run, fn, i;
	u64 exact = 0;

	for (run = 0; run < RUNS; run++) {
		memset(&w, 0, sizeof(w));
		w.random = 3000 + run;
		begin(w.r);
		w.r[0].hold_jobs = true;
		w.r[0].on_payload = reset_in_a_job;
		w.r[0].on_payload_arg = &w;
		for (fn = 0; fn < FNS; fn++) {
			ASSERT_EQ(0, rig_queue_start(&w.r[fn], 1, NULL));
		}
		for (i = 0; i < STEPS && !w.wrong; i++)
			step(&w);
		EXPECT_EQ(NULL, w.wrong) TH_LOG("random numbers from %u: %s", 3000 + run, w.wrong);
		EXPECT_LT(5, w.resets);
		EXPECT_TRUE(is_empty(&w)) TH_LOG("random numbers from %u", 3000 + run);
		exact += w.exact;
		end(w.r);
	}
	EXPECT_LT(RUNS * 50, exact);
}

TEST_HARNESS_MAIN
